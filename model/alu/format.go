package alu

import (
	"math/big"

	"ptxmc/model"
)

// format is an IEEE binary interchange format (PTX ISA 5.2).
type format struct {
	exp, man uint   // bits of the exponent and of the stored significand
	nan      uint64 // the NaN that an operation makes
	payloads bool   // an operation passes on a NaN operand
}

var (
	half   = format{exp: 5, man: 10, nan: 0x7fff}
	bfloat = format{exp: 8, man: 7, nan: 0x7fff}
	single = format{exp: 8, man: 23, nan: 0x7fffffff}
	double = format{exp: 11, man: 52, nan: 0xfff8000000000000, payloads: true}
)

// formatOf returns the format of a scalar floating-point type.
func formatOf(t model.Type) (*format, bool) {
	switch t {
	case model.F16:
		return &half, true
	case model.BF16:
		return &bfloat, true
	case model.F32:
		return &single, true
	case model.F64:
		return &double, true
	}
	return nil, false
}

// packedHalf returns the element type of a packed type, or NoType.
func packedHalf(t model.Type) model.Type {
	switch t {
	case model.F16x2:
		return model.F16
	case model.BF16x2:
		return model.BF16
	}
	return model.NoType
}

func (f *format) sign() uint64        { return 1 << (f.exp + f.man) }
func (f *format) inf() uint64         { return (1<<f.exp - 1) << f.man }
func (f *format) mask() uint64        { return f.sign()<<1 - 1 }
func (f *format) bias() int           { return 1<<(f.exp-1) - 1 }
func (f *format) one() uint64         { return uint64(f.bias()) << f.man }
func (f *format) isNaN(v uint64) bool { return v&^f.sign()&f.mask() > f.inf() }
func (f *format) isInf(v uint64) bool { return v&^f.sign()&f.mask() == f.inf() }
func (f *format) zero(neg bool) uint64 {
	if neg {
		return f.sign()
	}
	return 0
}

// flush replaces a subnormal number by the zero of its sign (.ftz).
func (f *format) flush(v uint64) uint64 {
	if v&f.inf() == 0 {
		return v & f.sign()
	}
	return v
}

// key orders the values that are not NaN, with -0 (key -1) just below +0 (key 0).
func (f *format) key(v uint64) int64 {
	if v&f.sign() != 0 {
		return ^int64(v &^ f.sign() & f.mask())
	}
	return int64(v & f.mask())
}

// nanOf returns the NaN that an operation on these operands yields.
func (f *format) nanOf(operands ...uint64) uint64 {
	if f.payloads {
		for _, v := range operands {
			if f.isNaN(v) {
				return v | 1<<(f.man-1) // quiet
			}
		}
	}
	return f.nan
}

// exact is a finite number: man · 2^exp, negated if neg. A zero has a sign too.
type exact struct {
	neg bool
	man *big.Int // not negative
	exp int
}

// decode returns a finite value of the format.
func (f *format) decode(v uint64) exact {
	frac := v & (1<<f.man - 1)
	e := int(v & f.inf() >> f.man)
	if e == 0 {
		e = 1
	} else {
		frac |= 1 << f.man
	}
	return exact{neg: v&f.sign() != 0, man: new(big.Int).SetUint64(frac), exp: e - f.bias() - int(f.man)}
}

func (x exact) zero() bool { return x.man.Sign() == 0 }

// mul is exact; a zero product has the sign of the rule of signs.
func (x exact) mul(y exact) exact {
	return exact{neg: x.neg != y.neg, man: new(big.Int).Mul(x.man, y.man), exp: x.exp + y.exp}
}

// add is exact. A zero sum of operands of both signs is +0, except rounding toward minus infinity,
// where it is -0 (IEEE 754, 6.3).
func (x exact) add(y exact, mode model.Round) exact {
	if x.exp > y.exp {
		x, y = y, x
	}
	a, b := new(big.Int).Set(x.man), new(big.Int).Lsh(y.man, uint(y.exp-x.exp))
	if x.neg {
		a.Neg(a)
	}
	if y.neg {
		b.Neg(b)
	}
	a.Add(a, b)
	neg := a.Sign() < 0
	if a.Sign() == 0 {
		neg = mode == model.RM
		if x.neg == y.neg {
			neg = x.neg
		}
	}
	return exact{neg: neg, man: a.Abs(a), exp: x.exp}
}

// quo is x/y, for y not zero, with enough bits that rounding it to at most prec bits is rounding
// the exact quotient: the last bit stands for a remainder that is not zero.
func (x exact) quo(y exact, prec uint) exact {
	shift := uint(max(0, y.man.BitLen()-x.man.BitLen())) + prec + 2
	q, r := new(big.Int).QuoRem(new(big.Int).Lsh(x.man, shift), y.man, new(big.Int))
	q.Lsh(q, 1)
	if r.Sign() != 0 {
		q.SetBit(q, 0, 1)
	}
	return exact{neg: x.neg != y.neg, man: q, exp: x.exp - y.exp - int(shift) - 1}
}

// shiftRound returns man / 2^n rounded to an integer, for a number of sign neg. The integer
// roundings do what their floating-point namesakes do; no mode is nearest even.
func shiftRound(man *big.Int, n uint, neg bool, mode model.Round) *big.Int {
	q := new(big.Int).Rsh(man, n)
	rem := new(big.Int).Sub(man, new(big.Int).Lsh(q, n))
	if rem.Sign() == 0 {
		return q
	}
	up := false
	switch mode {
	case model.RZ, model.RZI:
	case model.RM, model.RMI:
		up = neg
	case model.RP, model.RPI:
		up = !neg
	default:
		c := rem.Cmp(new(big.Int).Lsh(big.NewInt(1), n-1))
		up = c > 0 || c == 0 && q.Bit(0) == 1
	}
	if up {
		q.Add(q, big.NewInt(1))
	}
	return q
}

// round returns the bits of x rounded to the format. Every result that is not read off an operand
// passes through here.
func (f *format) round(x exact, mode model.Round) uint64 {
	sign := f.zero(x.neg)
	if x.zero() {
		return sign
	}
	// lsb is the exponent of the result's last bit: f.man below the top bit, no lower than
	// the smallest subnormal.
	lsb := max(x.exp+x.man.BitLen()-1-int(f.man), 1-f.bias()-int(f.man))
	var q *big.Int
	if lsb <= x.exp {
		q = new(big.Int).Lsh(x.man, uint(x.exp-lsb))
	} else {
		q = shiftRound(x.man, uint(lsb-x.exp), x.neg, mode)
	}
	// A significand with the hidden bit adds one to the exponent field below it, and so does a
	// carry out of the top: the sum is the encoding in either case.
	biased := lsb + int(f.man) + f.bias() - 1
	if biased >= 1<<f.exp-1 {
		return sign | f.overflow(x.neg, mode)
	}
	v := uint64(biased)<<f.man + q.Uint64()
	if v >= f.inf() {
		return sign | f.overflow(x.neg, mode)
	}
	return sign | v
}

// overflow returns infinity or the largest number, without its sign.
func (f *format) overflow(neg bool, mode model.Round) uint64 {
	if mode == model.RZ || mode == model.RM && !neg || mode == model.RP && neg {
		return f.inf() - 1
	}
	return f.inf()
}
