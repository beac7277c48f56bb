package alu

import (
	"fmt"
	"math/bits"

	"ptxmc/model"
)

// mov copies, packs {a,b,…} into a register or unpacks a register into {a,b,…}: equal pieces, the
// first one lowest (PTX ISA 9.7.10.4, mov).
func mov(in *model.Instr, src []model.Value) ([]model.Value, error) {
	w := in.Type.Bits()
	n := len(src)
	if in.DstVec {
		n = len(in.Dst)
	}
	if w == 0 {
		return nil, unsupported(in)
	}
	switch {
	case in.SrcVec && in.DstVec, !in.SrcVec && len(src) != 1, n == 0:
		return nil, fmt.Errorf("%s: mov takes one operand, or a list on one side", describe(in))
	case !in.SrcVec && !in.DstVec:
		return []model.Value{trunc(src[0], w)}, nil
	case w%n != 0 || n < 2:
		return nil, fmt.Errorf("%s: %d bits do not divide into %d pieces", describe(in), w, n)
	}
	piece := w / n
	if in.SrcVec {
		var v model.Value
		for i, s := range src {
			v = or(v, shl(trunc(s, piece), i*piece))
		}
		return []model.Value{v}, nil
	}
	dst := make([]model.Value, n)
	for i := range dst {
		dst[i] = trunc(shr(src[0], i*piece), piece)
	}
	return dst, nil
}

func or(a, b model.Value) model.Value { return model.Value{Lo: a.Lo | b.Lo, Hi: a.Hi | b.Hi} }

func shl(v model.Value, n int) model.Value {
	if n >= 64 {
		return model.Value{Hi: v.Lo << (n - 64)}
	}
	return model.Value{Lo: v.Lo << n, Hi: v.Hi<<n | v.Lo>>(64-n)}
}

func shr(v model.Value, n int) model.Value {
	if n >= 64 {
		return model.Value{Lo: v.Hi >> (n - 64)}
	}
	return model.Value{Lo: v.Lo>>n | v.Hi<<(64-n), Hi: v.Hi >> n}
}

// bitwise evaluates logic, shifts and bit fields (PTX ISA 9.7.9, and 9.7.1 for popc, clz, bfe, bfi).
func bitwise(in *model.Instr, src []model.Value) (uint64, error) {
	t := in.Type
	w := t.Bits()
	a := src[0].Lo & mask(w)
	var b uint64
	if len(src) > 1 {
		b = src[1].Lo
	}
	switch in.Op {
	case model.And, model.Or, model.Xor, model.Not:
		if !isBits(t) && t != model.Pred {
			break
		}
		return logic(in.Op, a, b) & mask(w), nil
	case model.Shl, model.Shr:
		if isBits(t) || isInt(t) {
			return shift(in.Op, t, a, b), nil
		}
	case model.Prmt:
		if t == model.B32 {
			return prmt(a, b, src[2].Lo), nil
		}
	case model.Bfe:
		if isInt(t) && w >= 32 {
			return bfe(t, a, b&0xff, src[2].Lo&0xff), nil
		}
	case model.Bfi:
		if t == model.B32 || t == model.B64 {
			return bfi(w, a, b&mask(w), src[2].Lo&0xff, src[3].Lo&0xff), nil
		}
	case model.Popc, model.Clz:
		if t != model.B32 && t != model.B64 {
			break
		}
		if in.Op == model.Popc {
			return uint64(bits.OnesCount64(a)), nil
		}
		return uint64(bits.LeadingZeros64(a) - (64 - w)), nil
	case model.Lop3:
		if t == model.B32 {
			return lop3(a, b, src[2].Lo, src[3].Lo) & mask(w), nil
		}
	}
	return 0, unsupported(in)
}

func logic(op model.Op, a, b uint64) uint64 {
	switch op {
	case model.And:
		return a & b
	case model.Or:
		return a | b
	case model.Xor:
		return a ^ b
	}
	return ^a // Not
}

// shift evaluates shl and shr (PTX ISA 9.7.9.8, 9.7.9.9). The amount is an unsigned 32-bit value; amounts
// beyond the width are clamped to it. shr fills with the sign of a signed type.
func shift(op model.Op, t model.Type, a, amount uint64) uint64 {
	w := t.Bits()
	n := min(amount&mask(32), uint64(w))
	switch {
	case op == model.Shl:
		a <<= n
	case t.Signed():
		a = uint64(sext(a, w) >> n)
	default:
		a >>= n
	}
	return a & mask(w)
}

// prmt permutes bytes in the default mode (PTX ISA 9.7.10.7, prmt): each nibble of the selector picks
// one of the eight bytes of {b,a}; its top bit replicates that byte's sign instead.
func prmt(a, b, selector uint64) uint64 {
	bytes := a&mask(32) | b<<32
	var d uint64
	for i := 0; i < 4; i++ {
		s := selector >> (4 * i)
		v := bytes >> (8 * (s & 7)) & 0xff
		if s&8 != 0 {
			v = uint64(int8(v)>>7) & 0xff
		}
		d |= v << (8 * i)
	}
	return d
}

// bfe extracts length bits from pos on (PTX ISA 9.7.1.20, bfe). Beyond the field, or beyond the
// register, a signed type repeats the field's sign bit.
func bfe(t model.Type, a, pos, length uint64) uint64 {
	w := uint64(t.Bits())
	var fill uint64
	if t.Signed() && length != 0 && a>>min(pos+length-1, w-1)&1 != 0 {
		fill = ^uint64(0)
	}
	have := uint64(0) // bits of the field inside the register
	if pos < w {
		have = min(length, w-pos)
	}
	m := mask(int(have))
	return (a>>pos&m | fill&^m) & mask(int(w))
}

// bfi inserts the low length bits of a into b at pos (PTX ISA 9.7.1.21, bfi).
func bfi(w int, a, b, pos, length uint64) uint64 {
	m := mask(int(min(length, 64))) << pos & mask(w)
	return b&^m | a<<pos&m
}

// lop3 applies the look-up table to each bit of three operands (PTX ISA 9.7.9.6, lop3): entry
// 4a+2b+c of the table is the result.
func lop3(a, b, c, table uint64) uint64 {
	var d uint64
	for i := 0; i < 8; i++ {
		if table>>i&1 == 0 {
			continue
		}
		term := ^uint64(0)
		for j, v := range [...]uint64{c, b, a} {
			if i>>j&1 == 0 {
				v = ^v
			}
			term &= v
		}
		d |= term
	}
	return d
}
