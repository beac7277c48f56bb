package alu

import (
	"math"
	"math/big"
	"math/rand"
	"testing"

	"ptxmc/model"
)

var (
	floatTypes = []model.Type{model.F16, model.BF16, model.F32, model.F64}
	modes      = []model.Round{model.NoRound, model.RN, model.RZ, model.RM, model.RP}
	bigModes   = map[model.Round]big.RoundingMode{
		model.NoRound: big.ToNearestEven, model.RN: big.ToNearestEven, model.RZ: big.ToZero,
		model.RM: big.ToNegativeInf, model.RP: big.ToPositiveInf,
	}
)

func TestFloat(t *testing.T) {
	with := func(o model.Op, ty model.Type, change func(*model.Instr)) model.Instr {
		in := op(o, ty)
		change(&in)
		return in
	}
	rnd := func(m model.Round) func(*model.Instr) { return func(in *model.Instr) { in.Round = m } }
	ftz := func(in *model.Instr) { in.FTZ = true }
	sat := func(in *model.Instr) { in.Sat = true }
	nan := func(in *model.Instr) { in.NaN = true }
	add, mul, fma := model.Add, model.Mul, model.FMA
	const (
		one, inf, ninf, nan32 = 0x3f800000, 0x7f800000, 0xff800000, 0x7fffffff
		minNormal             = 0x00800000
		largest               = 0x7f7fffff
		neg0                  = 0x80000000
	)
	check(t, []row{
		// signed zeros
		{op(add, model.F32), []uint64{neg0, 0}, 0},
		{op(add, model.F32), []uint64{neg0, neg0}, neg0},
		{with(add, model.F32, rnd(model.RM)), []uint64{neg0, 0}, neg0},
		{with(add, model.F32, rnd(model.RM)), []uint64{one, one | neg0}, neg0},
		{with(add, model.F32, rnd(model.RP)), []uint64{one, one | neg0}, 0},
		{with(add, model.F32, rnd(model.RM)), []uint64{0, 0}, 0},
		{op(model.Sub, model.F32), []uint64{neg0, 0}, neg0},
		{op(add, model.F16), []uint64{0x8000, 0}, 0},
		{op(add, model.BF16), []uint64{0x8000, 0}, 0},
		{op(add, model.F64), []uint64{1 << 63, 0}, 0},
		{op(fma, model.F32), []uint64{neg0, one, 0}, 0},
		{op(fma, model.F32), []uint64{neg0, one, neg0}, neg0},
		{op(mul, model.F32), []uint64{neg0, one}, neg0},

		// NaN
		{op(add, model.F32), []uint64{0xffc12345, one}, nan32},
		{op(add, model.F32), []uint64{inf, ninf}, nan32},
		{op(mul, model.F32), []uint64{inf, 0}, nan32},
		{op(model.Sub, model.F32), []uint64{inf, inf}, nan32},
		{op(fma, model.F32), []uint64{inf, one, ninf}, nan32},
		{op(fma, model.F32), []uint64{inf, one, one}, inf},
		{op(fma, model.F32), []uint64{one, one, ninf}, ninf},
		{op(add, model.F16), []uint64{0x7e00, 0}, 0x7fff},
		{op(add, model.BF16), []uint64{0xffc0, 0}, 0x7fff},
		{op(model.Neg, model.F32), []uint64{0x7f800001}, nan32},
		{op(add, model.F64), []uint64{0x7ff0000000000000, 0xfff0000000000000}, 0xfff8000000000000},
		{op(add, model.F64), []uint64{0x3ff0000000000000, 0x7ff0000000000001}, 0x7ff8000000000001},
		{op(model.Sub, model.F64), []uint64{0, 0x7ff8000000000001}, 0x7ff8000000000001},
		{op(mul, model.F64), []uint64{0xfff8000000000002, 0x7ff8000000000001}, 0xfff8000000000002},
		{op(model.Neg, model.F64), []uint64{0x7ff0000000000001}, 0xfff0000000000001},

		// infinity
		{op(add, model.F16), []uint64{0x7c00, 0x3c00}, 0x7c00},
		{op(add, model.F16), []uint64{0x3c00, 0xfc00}, 0xfc00},
		{with(model.Sub, model.F32, rnd(model.RZ)), []uint64{one, inf}, ninf},

		// overflow, underflow, ties
		{op(add, model.F32), []uint64{largest, largest}, inf},
		{with(add, model.F32, rnd(model.RZ)), []uint64{largest, largest}, largest},
		{with(add, model.F32, rnd(model.RM)), []uint64{largest, largest}, largest},
		{with(add, model.F32, rnd(model.RP)), []uint64{largest | neg0, largest | neg0}, largest | neg0},
		{with(add, model.F32, rnd(model.RM)), []uint64{largest | neg0, largest | neg0}, ninf},
		{with(mul, model.F32, rnd(model.RP)), []uint64{1, 1}, 1},
		{with(mul, model.F32, rnd(model.RM)), []uint64{1, neg0 | 1}, neg0 | 1},
		{with(mul, model.F32, rnd(model.RZ)), []uint64{1, 1}, 0},
		{op(add, model.F32), []uint64{one, 0x33800000}, one},            // 1 + 2^-24 ties to even
		{op(add, model.F32), []uint64{one | 1, 0x33800000}, one + 2},    // up to even
		{op(add, model.F16), []uint64{0x7bff, 0x4c00}, 0x7c00},          // 65504 + 16
		{op(add, model.F16), []uint64{0x7bff, 0x4bff}, 0x7bff},          // 65504 + 15.99
		{op(mul, model.F16), []uint64{0x0001, 0x3800}, 0},               // half the smallest ties to 0
		{op(fma, model.BF16), []uint64{0x3f81, 0x3f81, 0xbf82}, 0x3880}, // (1+2^-7)² - (1+2^-6) = 2^-14

		// one rounding in fma: (1+2^-12)² - 1 - 2^-11 = 2^-24
		{op(fma, model.F32), []uint64{0x3f800800, 0x3f800800, 0xbf801000}, 0x33800000},

		// .ftz
		{with(add, model.F32, ftz), []uint64{1, neg0 | 2}, 0},
		{with(add, model.F32, ftz), []uint64{neg0 | 1, neg0 | 1}, neg0},
		{with(mul, model.F32, ftz), []uint64{minNormal | neg0, 0x3f000000}, neg0},
		{op(mul, model.F32), []uint64{minNormal | neg0, 0x3f000000}, neg0 | 0x400000},
		{with(model.Max, model.F32, ftz), []uint64{1, neg0}, 0},
		{with(model.Neg, model.F32, ftz), []uint64{1}, neg0},
		{with(fma, model.F16, ftz), []uint64{1, 0x7800, 0}, 0},

		// .sat
		{with(add, model.F32, sat), []uint64{one, one}, one},
		{with(add, model.F32, sat), []uint64{neg0, neg0}, 0},
		{with(add, model.F32, sat), []uint64{inf, ninf}, 0},
		{with(mul, model.F32, sat), []uint64{0x3f000000, one}, 0x3f000000},
		{with(fma, model.F16, sat), []uint64{0xbc00, 0x3c00, 0}, 0},

		// min and max
		{op(model.Min, model.F32), []uint64{0, neg0}, neg0},
		{op(model.Max, model.F32), []uint64{neg0, 0}, 0},
		{op(model.Min, model.F32), []uint64{0xffc00000, one}, one},
		{op(model.Max, model.F32), []uint64{one, 0x7fc00000}, one},
		{with(model.Max, model.F32, nan), []uint64{one, 0x7fc00000}, nan32},
		{op(model.Min, model.F32), []uint64{0x7fc00000, 0x7f800001}, nan32},
		{op(model.Min, model.BF16), []uint64{0xff80, 0x3f80}, 0xff80},
		{op(model.Max, model.F16x2), []uint64{0x7e003c00, 0x3c00bc00}, 0x3c003c00},
		{op(model.Abs, model.F16x2), []uint64{0x8000bc00}, 0x00003c00},
		{op(model.Neg, model.BF16x2), []uint64{0x80003f80}, 0x0000bf80},
		{op(add, model.F16x2), []uint64{0x3c007bff, 0x3c007bff}, 0x40007c00},
		{op(fma, model.BF16x2), []uint64{0x3f804000, 0x3f804000, 0x3f803f80}, 0x400040a0},

		// division
		{op(model.Div, model.F32), []uint64{one, 0x40400000}, 0x3eaaaaab},
		{with(model.Div, model.F32, rnd(model.RZ)), []uint64{one, 0x40400000}, 0x3eaaaaaa},
		{op(model.Div, model.F32), []uint64{one | neg0, 0}, ninf},
		{op(model.Div, model.F32), []uint64{0, 0}, nan32},
		{op(model.Div, model.F32), []uint64{inf, inf}, nan32},
		{op(model.Div, model.F32), []uint64{one, ninf}, neg0},
	})
}

// TestNative compares with the machine's arithmetic. The machine's f32 and f64 results are the
// fast path, so the slow one is called beside it.
func TestNative(t *testing.T) {
	rng := rand.New(rand.NewSource(3))
	same := func(f *format, name string, got, want uint64, src ...uint64) {
		t.Helper()
		if got != want && !(f.isNaN(got) && f.isNaN(want)) {
			t.Fatalf("%s of %#x: got %#x, want %#x", name, src, got, want)
		}
	}
	finite := func(f *format, vs ...uint64) bool {
		for _, v := range vs {
			if f.isNaN(v) || f.isInf(v) {
				return false
			}
		}
		return true
	}
	for i := 0; i < 100000; i++ {
		a, b := randomFloat(rng, &single), randomFloat(rng, &single)
		x, y := math.Float32frombits(uint32(a)), math.Float32frombits(uint32(b))
		bits := func(v float32) uint64 { return uint64(math.Float32bits(v)) }
		same(&single, "add", single.add(a, b, model.RN), bits(x+y), a, b)
		same(&single, "mul", single.mul(a, b, model.RN), bits(x*y), a, b)
		same(&single, "div", single.div(a, b, model.RN), bits(x/y), a, b)
		if finite(&single, a, b) {
			same(&single, "slow add", single.round(single.decode(a).add(single.decode(b), model.RN), model.RN), bits(x+y), a, b)
			same(&single, "slow mul", single.round(single.decode(a).mul(single.decode(b)), model.RN), bits(x*y), a, b)
		}

		a, b = randomFloat(rng, &double), randomFloat(rng, &double)
		c := randomFloat(rng, &double)
		u, v, w := math.Float64frombits(a), math.Float64frombits(b), math.Float64frombits(c)
		same(&double, "add", double.add(a, b, model.RN), math.Float64bits(u+v), a, b)
		same(&double, "mul", double.mul(a, b, model.RN), math.Float64bits(u*v), a, b)
		same(&double, "div", double.div(a, b, model.RN), math.Float64bits(u/v), a, b)
		same(&double, "fma", double.fma(a, b, c, model.RN), math.Float64bits(math.FMA(u, v, w)), a, b, c)
		if finite(&double, a, b) {
			same(&double, "slow add", double.round(double.decode(a).add(double.decode(b), model.RN), model.RN), math.Float64bits(u+v), a, b)
			same(&double, "slow mul", double.round(double.decode(a).mul(double.decode(b)), model.RN), math.Float64bits(u*v), a, b)
		}
	}
}

// value returns a finite value of the format as a big.Float, exactly.
func value(f *format, v uint64) *big.Float {
	x := f.decode(v)
	out := new(big.Float).SetPrec(5000).SetInt(x.man)
	out.SetMantExp(out, x.exp)
	if x.neg {
		out.Neg(out)
	}
	return out
}

// roundBig rounds an exact, nonzero value to the format with big.Float: to its precision if
// normal, else to a multiple of the smallest subnormal, by adding and subtracting a power of two.
func roundBig(f *format, x *big.Float, mode big.RoundingMode) uint64 {
	emin := 1 - f.bias()
	r := new(big.Float).SetMode(mode)
	if x.MantExp(nil)-1 >= emin {
		r.SetPrec(f.man + 1).Set(x)
	} else {
		// Beside 2^emin a number of f.man+1 bits is a multiple of the smallest subnormal.
		shift := new(big.Float).SetPrec(5000).SetMantExp(big.NewFloat(float64(x.Sign())), emin)
		r.SetPrec(f.man+1).Add(x, shift)
		r = new(big.Float).SetPrec(5000).Sub(r, shift)
	}
	sign := f.zero(x.Signbit())
	if r.Sign() == 0 {
		return sign
	}
	top := r.MantExp(nil) - 1
	if top > f.bias() {
		toZero := mode == big.ToZero || mode == big.ToNegativeInf && !x.Signbit() || mode == big.ToPositiveInf && x.Signbit()
		if toZero {
			return sign | f.inf() - 1
		}
		return sign | f.inf()
	}
	lsb := max(top, emin) - int(f.man)
	q, acc := new(big.Float).SetPrec(5000).SetMantExp(new(big.Float).Abs(r), -lsb).Uint64()
	if acc != big.Exact {
		panic("not a multiple of the last bit")
	}
	if q>>f.man == 0 {
		return sign | q
	}
	return sign | uint64(lsb+int(f.man)+f.bias())<<f.man | q&(1<<f.man-1)
}

// TestBigFloat compares every format and rounding with math/big.
func TestBigFloat(t *testing.T) {
	rng := rand.New(rand.NewSource(4))
	for i := 0; i < 60000; i++ {
		ty := floatTypes[rng.Intn(len(floatTypes))]
		f, _ := formatOf(ty)
		mode := modes[rng.Intn(len(modes))]
		a, b, c := randomFloat(rng, f), randomFloat(rng, f), randomFloat(rng, f)
		if rng.Intn(4) == 0 {
			b = a ^ f.sign() ^ uint64(rng.Intn(3)) // cancellation
		}
		if f.isNaN(a) || f.isNaN(b) || f.isNaN(c) || f.isInf(a) || f.isInf(b) || f.isInf(c) {
			continue
		}
		x, y, z := value(f, a), value(f, b), value(f, c)
		exactly := func() *big.Float { return new(big.Float).SetPrec(9000) }
		for _, r := range []struct {
			op   model.Op
			src  []uint64
			want *big.Float
		}{
			{model.Add, []uint64{a, b}, exactly().Add(x, y)},
			{model.Sub, []uint64{a, b}, exactly().Sub(x, y)},
			{model.Mul, []uint64{a, b}, exactly().Mul(x, y)},
			{model.FMA, []uint64{a, b, c}, exactly().Add(exactly().Mul(x, y), z)},
		} {
			in := model.Instr{Op: r.op, Type: ty, Round: mode}
			got := eval(t, in, r.src...)
			if r.want.Sign() == 0 {
				if got&^f.sign() != 0 {
					t.Fatalf("%s %d of %#x: got %#x, want a zero", describe(&in), mode, r.src, got)
				}
				continue
			}
			if want := roundBig(f, r.want, bigModes[mode]); got != want {
				t.Fatalf("%s round %d of %#x: got %#x, want %#x", describe(&in), mode, r.src, got, want)
			}
		}
		if y.Sign() != 0 && x.Sign() != 0 && ty != model.F64 {
			// The quotient of two short numbers is never so near a rounding boundary that 9000
			// bits do not tell.
			in := model.Instr{Op: model.Div, Type: ty, Round: mode}
			if got, want := eval(t, in, a, b), roundBig(f, exactly().SetMode(big.ToZero).Quo(x, y), bigModes[mode]); got != want {
				t.Fatalf("div.%s round %d of %#x, %#x: got %#x, want %#x", ty, mode, a, b, got, want)
			}
		}
	}
}
