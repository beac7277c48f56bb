package alu

import (
	"math/bits"

	"ptxmc/model"
)

// integer evaluates integer arithmetic (PTX ISA 9.7.1). Results wrap around unless .sat is given.
func integer(in *model.Instr, src []model.Value) (uint64, error) {
	t := in.Type
	if !isInt(t) {
		return 0, unsupported(in)
	}
	w := t.Bits()
	a := extend(src[0].Lo, t)
	var b uint64
	if len(src) > 1 {
		b = extend(src[1].Lo, t)
	}
	switch in.Op {
	case model.Add, model.Sub:
		if in.Op == model.Sub {
			b = -b
		}
		if in.Sat {
			return saturate32(in, int64(a)+int64(b))
		}
		return (a + b) & mask(w), nil
	case model.Mul, model.Mad:
		return product(in, a, b, src)
	case model.Div, model.Rem:
		return divide(in, a, b)
	case model.Abs:
		if t.Signed() && int64(a) < 0 {
			a = -a
		}
		return a & mask(w), nil
	case model.Neg:
		return -a & mask(w), nil
	case model.Min, model.Max:
		return minmaxInt(in.Op, t, a, b) & mask(w), nil
	}
	return 0, unsupported(in)
}

// saturate32 clamps to the range of s32, the only type that .sat takes in integer arithmetic.
func saturate32(in *model.Instr, v int64) (uint64, error) {
	if in.Type != model.S32 {
		return 0, unsupported(in)
	}
	return uint64(min(max(v, -1<<31), 1<<31-1)) & mask(32), nil
}

// product evaluates mul and mad (PTX ISA 9.7.1.3, 9.7.1.4); a and b are extended to 64 bits.
func product(in *model.Instr, a, b uint64, src []model.Value) (uint64, error) {
	t := in.Type
	w := t.Bits()
	var c uint64
	if in.Op == model.Mad {
		c = src[2].Lo
	}
	if w < 16 {
		return 0, unsupported(in)
	}
	switch in.Mode {
	case model.Lo:
		return (a*b + c) & mask(w), nil
	case model.Wide:
		if w > 32 {
			return 0, unsupported(in)
		}
		return (a*b + c) & mask(2*w), nil
	case model.Hi:
		hi := a * b >> w
		if w == 64 {
			hi, _ = bits.Mul64(a, b)
			if t.Signed() {
				// The unsigned product of the bit patterns is too large by 2^64 times the other
				// factor for each negative one.
				if int64(a) < 0 {
					hi -= b
				}
				if int64(b) < 0 {
					hi -= a
				}
			}
		}
		if in.Sat {
			return saturate32(in, sext(hi, w)+sext(c, w))
		}
		return (hi + c) & mask(w), nil
	}
	return 0, unsupported(in)
}

// divide evaluates div and rem (PTX ISA 9.7.1.9, 9.7.1.10), rounding toward zero. Division by zero
// yields an unspecified, machine-specific value, so it is an error here. The quotient of the smallest
// number and -1 wraps around.
func divide(in *model.Instr, a, b uint64) (uint64, error) {
	if b == 0 {
		return 0, &Undefined{"division-by-zero", describe(in) + " divides by zero, which yields an unspecified, machine-specific value"}
	}
	var v uint64
	switch signed, rem := in.Type.Signed(), in.Op == model.Rem; {
	case signed && rem:
		v = uint64(int64(a) % int64(b))
	case signed:
		v = uint64(int64(a) / int64(b))
	case rem:
		v = a % b
	default:
		v = a / b
	}
	return v & mask(in.Type.Bits()), nil
}

// minmaxInt returns the smaller or larger of two extended integers.
func minmaxInt(op model.Op, t model.Type, a, b uint64) uint64 {
	less := a < b
	if t.Signed() {
		less = int64(a) < int64(b)
	}
	if less == (op == model.Min) {
		return a
	}
	return b
}
