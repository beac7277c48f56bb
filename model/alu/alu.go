// Package alu evaluates PTX arithmetic on bits: a pure function from operand values to result
// values, for every operation that touches neither memory nor other threads.
//
// A protocol's data often decides its control flow (a sentinel is a bit pattern of a float), so
// results are exact to the bit, signed zeros and roundings included. Where the ISA leaves a bit
// open this package picks one value and says so: floating-point NaN results ([Eval]) and subnormal
// handling of atomics ([Atomic], [AtomicFTZ]). Where the ISA leaves a whole result open, as in an integer
// division by zero, it returns [Undefined] instead of a value.
//
// The invariant is that of model.Value: bits above the width of a type are zero, on the way out
// always, and operands are cut to their width on the way in.
package alu

import (
	"fmt"

	"ptxmc/model"
)

// Undefined says that the ISA gives the operation no defined result.
type Undefined struct {
	Rule string // stable kebab-case name
	Msg  string // one sentence
}

// Error returns "rule: message".
func (u *Undefined) Error() string { return u.Rule + ": " + u.Msg }

// Eval evaluates an arithmetic, logic, comparison, conversion or move instruction (PTX ISA 9.7.1 to
// 9.7.10). src is in the order of in.Src, with negated predicate sources already resolved; dst is in
// the order of in.Dst, also where a destination is the sink "_". A destination has the width of its
// type: extending it to a wider register is the caller's.
//
// NaN results: an f64 operation passes on its first NaN operand, made quiet (PTX ISA 9.7.3: NaN
// payloads are supported for double precision), and makes 0xfff8000000000000 where no operand is
// NaN; the other formats give the canonical NaN, 0x7fffffff for f32 and 0x7fff for f16 and bf16.
// The ISA leaves the single-precision NaN unspecified; this is what the CUDA Programming Guide
// documents.
//
// The error is [*Undefined] if the result is not defined; any other error says that the instruction
// is not one that this package knows, which a decoder should have refused.
func Eval(in *model.Instr, src []model.Value) (dst []model.Value, err error) {
	if in.Op == model.Mov {
		return mov(in, src)
	}
	if n := arity(in); len(src) != n {
		return nil, fmt.Errorf("%s takes %d source operands, not %d", describe(in), n, len(src))
	}
	var v model.Value
	switch in.Op {
	case model.SetP:
		return setp(in, src)
	case model.Set:
		v, err = set(in, src)
	case model.SelP:
		v = trunc(src[0], in.Type.Bits())
		if src[2].Lo&1 == 0 {
			v = trunc(src[1], in.Type.Bits())
		}
	case model.Cvt:
		v, err = cvt(in, src)
	case model.And, model.Or, model.Xor, model.Not, model.Shl, model.Shr, model.Prmt,
		model.Bfe, model.Bfi, model.Popc, model.Clz, model.Lop3:
		v.Lo, err = bitwise(in, src)
	default:
		if in.Type.Float() {
			v.Lo, err = float(in, src)
		} else {
			v.Lo, err = integer(in, src)
		}
	}
	if err != nil {
		return nil, err
	}
	return []model.Value{v}, nil
}

// arity returns the number of source operands of the instruction.
func arity(in *model.Instr) int {
	switch in.Op {
	case model.Abs, model.Neg, model.Not, model.Popc, model.Clz:
		return 1
	case model.Cvt:
		if packedHalf(in.Type) != model.NoType && in.SrcType == model.F32 {
			return 2
		}
		return 1
	case model.Mad, model.FMA, model.SelP, model.Prmt, model.Bfe:
		return 3
	case model.Bfi, model.Lop3:
		return 4
	case model.SetP, model.Set:
		if in.Combine != model.Nop {
			return 3
		}
	}
	return 2
}

// describe names the instruction in an error.
func describe(in *model.Instr) string {
	if in.Text != "" {
		return fmt.Sprintf("%q", in.Text)
	}
	return fmt.Sprintf("operation %d of type .%s", in.Op, in.Type)
}

func unsupported(in *model.Instr) error {
	return fmt.Errorf("%s is not an arithmetic instruction that ptxmc evaluates", describe(in))
}

// mask returns the low n bits set, n ≤ 64.
func mask(n int) uint64 {
	if n >= 64 {
		return ^uint64(0)
	}
	return 1<<n - 1
}

// trunc cuts a value to n bits.
func trunc(v model.Value, n int) model.Value {
	if n <= 64 {
		return model.Value{Lo: v.Lo & mask(n)}
	}
	return model.Value{Lo: v.Lo, Hi: v.Hi & mask(n-64)}
}

// sext sign-extends the low n bits.
func sext(v uint64, n int) int64 { return int64(v<<(64-n)) >> (64 - n) }

// extend widens the low bits of v to 64 as type t says.
func extend(v uint64, t model.Type) uint64 {
	if t.Signed() {
		return uint64(sext(v, t.Bits()))
	}
	return v & mask(t.Bits())
}

// isInt reports whether t is an integer type of arithmetic.
func isInt(t model.Type) bool { return t >= model.U8 && t <= model.S64 }

// isBits reports whether t is an untyped register type of up to 64 bits.
func isBits(t model.Type) bool { return t >= model.B8 && t <= model.B64 }
