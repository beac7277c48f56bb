package alu

import "ptxmc/model"

// setp compares (PTX ISA 9.7.7, and 9.7.8 for f16 and bf16). The first result is
// Combine(comparison, Src[2]), the second, if there is a destination for it, Combine(not comparison,
// Src[2]). A packed type compares the low halves for the first result and the high halves for the
// second.
func setp(in *model.Instr, src []model.Value) ([]model.Value, error) {
	t, a, b := in.Type, src[0].Lo, src[1].Lo
	var p, q bool
	var err error
	if half := packedHalf(t); half != model.NoType {
		if p, err = compare(in, half, a, b); err != nil {
			return nil, err
		}
		q, err = compare(in, half, a>>16, b>>16)
	} else {
		p, err = compare(in, t, a, b)
		q = !p
	}
	if err != nil {
		return nil, err
	}
	dst := []model.Value{combine(in, p, src)}
	if len(in.Dst) == 2 {
		dst = append(dst, combine(in, q, src))
	}
	return dst, nil
}

// set compares operands of SrcType; a true result is all ones for an integer type and 1.0 for f32
// (PTX ISA 9.7.7, set).
func set(in *model.Instr, src []model.Value) (model.Value, error) {
	if in.Type != model.F32 && in.Type != model.U32 && in.Type != model.S32 {
		return model.Value{}, unsupported(in)
	}
	r, err := compare(in, in.SrcType, src[0].Lo, src[1].Lo)
	if err != nil || combine(in, r, src).Lo == 0 {
		return model.Value{}, err
	}
	if in.Type == model.F32 {
		return model.Value{Lo: 0x3f800000}, nil
	}
	return model.Value{Lo: mask(32)}, nil
}

// combine joins a comparison with the boolean operand, if there is one.
func combine(in *model.Instr, r bool, src []model.Value) model.Value {
	var v uint64
	if r {
		v = 1
	}
	if in.Combine != model.Nop {
		v = logic(in.Combine, v, src[2].Lo) & 1
	}
	return model.Value{Lo: v}
}

// compare applies in.Compare to two values of type t.
func compare(in *model.Instr, t model.Type, a, b uint64) (bool, error) {
	if f, ok := formatOf(t); ok {
		return compareFloat(in, f, a, b)
	}
	if !isInt(t) && !isBits(t) {
		return false, unsupported(in)
	}
	a, b = extend(a, t), extend(b, t)
	less := a < b
	if t.Signed() {
		less = int64(a) < int64(b)
	}
	if isBits(t) && in.Compare != model.EQ && in.Compare != model.NE {
		return false, unsupported(in)
	}
	switch in.Compare {
	case model.EQ:
		return a == b, nil
	case model.NE:
		return a != b, nil
	case model.LT:
		return less, nil
	case model.LE:
		return less || a == b, nil
	case model.GT:
		return !less && a != b, nil
	case model.GE:
		return !less, nil
	}
	if t.Signed() { // lo, ls, hi and hs are of unsigned types
		return false, unsupported(in)
	}
	switch in.Compare {
	case model.LO:
		return less, nil
	case model.LS:
		return less || a == b, nil
	case model.HI:
		return !less && a != b, nil
	case model.HS:
		return !less, nil
	}
	return false, unsupported(in)
}

// compareFloat is false for a NaN operand except in the U forms and in nan; zeros of
// both signs are equal (PTX ISA 9.3).
func compareFloat(in *model.Instr, f *format, a, b uint64) (bool, error) {
	if in.FTZ {
		a, b = f.flush(a&f.mask()), f.flush(b&f.mask())
	}
	nan := f.isNaN(a) || f.isNaN(b)
	ka, kb := f.key(a), f.key(b)
	if ka == -1 { // -0 is +0
		ka = 0
	}
	if kb == -1 {
		kb = 0
	}
	switch in.Compare {
	case model.EQ:
		return !nan && ka == kb, nil
	case model.NE:
		return !nan && ka != kb, nil
	case model.LT:
		return !nan && ka < kb, nil
	case model.LE:
		return !nan && ka <= kb, nil
	case model.GT:
		return !nan && ka > kb, nil
	case model.GE:
		return !nan && ka >= kb, nil
	case model.EQU:
		return nan || ka == kb, nil
	case model.NEU:
		return nan || ka != kb, nil
	case model.LTU:
		return nan || ka < kb, nil
	case model.LEU:
		return nan || ka <= kb, nil
	case model.GTU:
		return nan || ka > kb, nil
	case model.GEU:
		return nan || ka >= kb, nil
	case model.NUM:
		return !nan, nil
	case model.NAN:
		return nan, nil
	}
	return false, unsupported(in)
}
