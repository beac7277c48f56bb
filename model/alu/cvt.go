package alu

import (
	"math/big"

	"ptxmc/model"
)

// cvt converts from SrcType to Type (PTX ISA 9.7.10.24, cvt). .ftz concerns f32 sources and results only.
func cvt(in *model.Instr, src []model.Value) (model.Value, error) {
	from, fromFloat := formatOf(in.SrcType)
	to, toFloat := formatOf(in.Type)
	a := src[0].Lo & mask(in.SrcType.Bits())
	var v uint64
	switch {
	case len(src) == 2: // pack: the first operand is the upper half
		to, _ = formatOf(packedHalf(in.Type))
		v = to.convert(in, from, a)<<16 | to.convert(in, from, src[1].Lo&from.mask())
	case fromFloat && toFloat:
		v = to.convert(in, from, a)
	case fromFloat && isInt(in.Type):
		v = floatToInt(in, from, a)
	case isInt(in.SrcType) && toFloat:
		x := exact{man: new(big.Int).SetUint64(a)}
		if s := sext(a, in.SrcType.Bits()); in.SrcType.Signed() && s < 0 {
			x.neg = true
			x.man.SetUint64(-uint64(s))
		}
		v = to.round(x, in.Round)
		if in.Sat {
			v = to.saturate(v)
		}
	case isInt(in.SrcType) && isInt(in.Type):
		v = intToInt(in, a)
	default:
		return model.Value{}, unsupported(in)
	}
	return model.Value{Lo: v}, nil
}

// intToInt extends or truncates; with .sat it clamps to the destination's range.
func intToInt(in *model.Instr, a uint64) uint64 {
	a = extend(a, in.SrcType)
	if in.Sat {
		x := new(big.Int).SetUint64(a)
		if in.SrcType.Signed() {
			x.SetInt64(int64(a))
		}
		a = clamp(x, in.Type)
	}
	return a & mask(in.Type.Bits())
}

// clamp returns the number of integer type t nearest to x, as bits.
func clamp(x *big.Int, t model.Type) uint64 {
	w := uint(t.Bits())
	lo, hi := new(big.Int), new(big.Int).Lsh(big.NewInt(1), w)
	if t.Signed() {
		hi.Rsh(hi, 1)
		lo.Neg(hi)
	}
	hi.Sub(hi, big.NewInt(1))
	if x.Cmp(lo) < 0 {
		x = lo
	}
	if x.Cmp(hi) > 0 {
		x = hi
	}
	v := new(big.Int).And(x, new(big.Int).SetUint64(mask(int(w)))) // two's complement
	return v.Uint64()
}

// floatToInt rounds and clamps to the destination's range. NaN gives zero, except that from f64 or
// to a 64-bit type it gives the number with only the top bit set.
func floatToInt(in *model.Instr, from *format, a uint64) uint64 {
	if in.FTZ && from == &single {
		a = from.flush(a)
	}
	w := in.Type.Bits()
	if from.isNaN(a) {
		if from == &double || w == 64 {
			return 1 << (w - 1)
		}
		return 0
	}
	x := new(big.Int)
	if from.isInf(a) {
		x.Lsh(big.NewInt(1), 65) // beyond every range
	} else {
		x = from.decode(a).integral(in.Round)
	}
	if a&from.sign() != 0 {
		x.Neg(x)
	}
	return clamp(x, in.Type)
}

// integral returns the magnitude of x rounded to an integer.
func (x exact) integral(mode model.Round) *big.Int {
	if x.exp >= 0 {
		return new(big.Int).Lsh(x.man, uint(x.exp))
	}
	return shiftRound(x.man, uint(-x.exp), x.neg, mode)
}

// convert converts between formats, rounding to an integral value if an integer rounding is given.
// A NaN becomes the canonical one of the destination, except that f64 to f64 keeps its payload.
func (f *format) convert(in *model.Instr, from *format, a uint64) uint64 {
	if in.FTZ && from == &single {
		a = from.flush(a)
	}
	var v uint64
	switch {
	case from.isNaN(a) && from == f:
		v = f.nanOf(a)
	case from.isNaN(a):
		v = f.nan
	case from.isInf(a):
		v = f.zero(a&from.sign() != 0) | f.inf()
	default:
		x := from.decode(a)
		if in.Round >= model.RNI {
			x = exact{neg: x.neg, man: x.integral(in.Round)}
		}
		v = f.round(x, in.Round)
	}
	if in.FTZ && f == &single {
		v = f.flush(v)
	}
	if in.Sat {
		v = f.saturate(v)
	}
	if in.PZO && v == f.sign() {
		v = 0 // positive zero only
	}
	return v
}
