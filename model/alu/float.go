package alu

import (
	"math"

	"ptxmc/model"
)

// float evaluates floating-point arithmetic (PTX ISA 9.7.3 for f32 and f64, 9.7.4 for f16 and bf16);
// packed types by element. mad is fma. A missing rounding modifier is .rn.
func float(in *model.Instr, src []model.Value) (uint64, error) {
	t := in.Type
	ops := make([]uint64, len(src))
	if elem := packedHalf(t); elem != model.NoType {
		f, _ := formatOf(elem)
		var out uint64
		for i := uint(0); i < 32; i += 16 {
			for k, s := range src {
				ops[k] = s.Lo >> i & 0xffff
			}
			v, err := f.eval(in, ops)
			if err != nil {
				return 0, err
			}
			out |= v << i
		}
		return out, nil
	}
	f, ok := formatOf(t)
	if !ok {
		return 0, unsupported(in)
	}
	for k, s := range src {
		ops[k] = s.Lo & f.mask()
	}
	return f.eval(in, ops)
}

// eval applies the operation to scalars: flush the operands, operate, flush and saturate the
// result. A result is flushed if it is subnormal after rounding; whether the hardware looks before
// rounding is not documented, and differs only next to the smallest normal number.
func (f *format) eval(in *model.Instr, ops []uint64) (uint64, error) {
	if in.FTZ {
		for i := range ops {
			ops[i] = f.flush(ops[i])
		}
	}
	var v uint64
	mode := in.Round
	switch in.Op {
	case model.Add:
		v = f.add(ops[0], ops[1], mode)
	case model.Sub:
		if f.isNaN(ops[1]) {
			v = f.nanOf(ops...)
		} else {
			v = f.add(ops[0], ops[1]^f.sign(), mode)
		}
	case model.Mul:
		v = f.mul(ops[0], ops[1], mode)
	case model.FMA, model.Mad:
		v = f.fma(ops[0], ops[1], ops[2], mode)
	case model.Div:
		v = f.div(ops[0], ops[1], mode)
	case model.Min, model.Max:
		v = f.minmax(in.Op, in.NaN, ops[0], ops[1])
	case model.Abs, model.Neg:
		v = f.signOp(in.Op, ops[0])
	default:
		return 0, unsupported(in)
	}
	if in.FTZ {
		v = f.flush(v)
	}
	if in.Sat {
		v = f.saturate(v)
	}
	return v, nil
}

// saturate clamps to [0.0, 1.0]; NaN and -0 give +0.0 (PTX ISA 9.7.3).
func (f *format) saturate(v uint64) uint64 {
	if f.isNaN(v) || v&f.sign() != 0 {
		return 0
	}
	return min(v, f.one())
}

func nearest(mode model.Round) bool { return mode == model.NoRound || mode == model.RN }

func (f *format) add(a, b uint64, mode model.Round) uint64 {
	if v, ok := f.native(a, b, mode, func(x, y float32) float32 { return x + y }, func(x, y float64) float64 { return x + y }); ok {
		return v
	}
	switch {
	case f.isNaN(a) || f.isNaN(b), f.isInf(a) && f.isInf(b) && a != b:
		return f.nanOf(a, b)
	case f.isInf(a):
		return a
	case f.isInf(b):
		return b
	}
	return f.round(f.decode(a).add(f.decode(b), mode), mode)
}

func (f *format) mul(a, b uint64, mode model.Round) uint64 {
	if v, ok := f.native(a, b, mode, func(x, y float32) float32 { return x * y }, func(x, y float64) float64 { return x * y }); ok {
		return v
	}
	if v, special := f.specialProduct(a, b); special {
		return v
	}
	return f.round(f.decode(a).mul(f.decode(b)), mode)
}

// native is the fast path: the machine's own arithmetic, which is IEEE arithmetic rounded to nearest
// even for these two formats. Results that are NaN take the slow path, for their bits.
func (f *format) native(a, b uint64, mode model.Round, f32 func(x, y float32) float32, f64 func(x, y float64) float64) (uint64, bool) {
	if !nearest(mode) {
		return 0, false
	}
	switch f {
	case &single:
		v := f32(math.Float32frombits(uint32(a)), math.Float32frombits(uint32(b)))
		return uint64(math.Float32bits(v)), v == v
	case &double:
		v := f64(math.Float64frombits(a), math.Float64frombits(b))
		return math.Float64bits(v), v == v
	}
	return 0, false
}

// specialProduct returns a·b if an operand is NaN or infinite.
func (f *format) specialProduct(a, b uint64) (uint64, bool) {
	sign := (a ^ b) & f.sign()
	switch {
	case f.isNaN(a) || f.isNaN(b):
		return f.nanOf(a, b), true
	case f.isInf(a) || f.isInf(b):
		if a&^f.sign() == 0 || b&^f.sign() == 0 { // infinity times zero
			return f.nan, true
		}
		return sign | f.inf(), true
	}
	return 0, false
}

// fma is a·b+c with one rounding.
func (f *format) fma(a, b, c uint64, mode model.Round) uint64 {
	if f.isNaN(a) || f.isNaN(b) || f.isNaN(c) {
		return f.nanOf(a, b, c)
	}
	if p, special := f.specialProduct(a, b); special {
		return f.add(p, c, model.RN) // infinity or NaN: nothing to round
	}
	if f.isInf(c) {
		return c
	}
	return f.round(f.decode(a).mul(f.decode(b)).add(f.decode(c), mode), mode)
}

// div is the correctly rounded quotient; the approximate forms are not modelled.
func (f *format) div(a, b uint64, mode model.Round) uint64 {
	sign := (a ^ b) & f.sign()
	am, bm := a&^f.sign(), b&^f.sign()
	switch {
	case f.isNaN(a) || f.isNaN(b), f.isInf(a) && f.isInf(b), am == 0 && bm == 0:
		return f.nanOf(a, b)
	case f.isInf(a) || bm == 0:
		return sign | f.inf()
	case f.isInf(b) || am == 0:
		return sign
	}
	return f.round(f.decode(a).quo(f.decode(b), f.man+1), mode)
}

// minmax orders -0 below +0. A NaN operand loses against a number, unless .NaN is given; two give
// the canonical NaN (PTX ISA 9.7.3.11, 9.7.3.12).
func (f *format) minmax(op model.Op, nan bool, a, b uint64) uint64 {
	switch an, bn := f.isNaN(a), f.isNaN(b); {
	case an && bn, nan && (an || bn):
		return f.nan
	case an:
		return b
	case bn:
		return a
	}
	if (f.key(a) < f.key(b)) == (op == model.Min) {
		return a
	}
	return b
}

// signOp evaluates abs and neg. The f64 forms pass a NaN's payload through, whatever its sign
// becomes; the others make it the canonical NaN.
func (f *format) signOp(op model.Op, a uint64) uint64 {
	if f.isNaN(a) && !f.payloads {
		return f.nan
	}
	if op == model.Abs {
		return a &^ f.sign()
	}
	return a ^ f.sign()
}
