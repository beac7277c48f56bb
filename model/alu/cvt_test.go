package alu

import (
	"math"
	"math/big"
	"math/rand"
	"testing"

	"ptxmc/model"
)

func conv(to, from model.Type, r model.Round) model.Instr {
	return model.Instr{Op: model.Cvt, Type: to, SrcType: from, Round: r}
}

func TestCvt(t *testing.T) {
	sat := func(in model.Instr) model.Instr { in.Sat = true; return in }
	ftz := func(in model.Instr) model.Instr { in.FTZ = true; return in }
	const none = model.NoRound
	check(t, []row{
		// integer to integer
		{conv(model.S32, model.S8, none), []uint64{0x80}, 0xffffff80},
		{conv(model.U32, model.S8, none), []uint64{0x80}, 0xffffff80},
		{conv(model.S32, model.U8, none), []uint64{0x1ff}, 0xff},
		{conv(model.S64, model.S32, none), []uint64{0x80000000}, 0xffffffff80000000},
		{conv(model.U64, model.U32, none), []uint64{0x80000000}, 0x80000000},
		{conv(model.U16, model.U32, none), []uint64{0x12345678}, 0x5678},
		{sat(conv(model.U8, model.S32, none)), []uint64{0xffffffff}, 0},
		{sat(conv(model.U8, model.S32, none)), []uint64{0x100}, 0xff},
		{sat(conv(model.S8, model.S64, none)), []uint64{1 << 63}, 0x80},
		{sat(conv(model.S32, model.U64, none)), []uint64{1<<64 - 1}, 0x7fffffff},
		{sat(conv(model.U64, model.S64, none)), []uint64{1 << 63}, 0},
		{sat(conv(model.S16, model.S32, none)), []uint64{0xfffffffe}, 0xfffe},

		// float to integer: 2.5, -2.5, -0.5, ranges, NaN
		{conv(model.S32, model.F32, model.RNI), []uint64{0x40200000}, 2},
		{conv(model.S32, model.F32, model.RPI), []uint64{0x40200000}, 3},
		{conv(model.S32, model.F32, model.RMI), []uint64{0xc0200000}, 0xfffffffd},
		{conv(model.S32, model.F32, model.RZI), []uint64{0xc0200000}, 0xfffffffe},
		{conv(model.U32, model.F32, model.RMI), []uint64{0xbf000000}, 0},
		{conv(model.U32, model.F32, model.RZI), []uint64{0x7f800000}, 0xffffffff},
		{conv(model.S32, model.F32, model.RZI), []uint64{0x4f000000}, 0x7fffffff},
		{conv(model.S32, model.F32, model.RZI), []uint64{0xff800000}, 0x80000000},
		{conv(model.S8, model.F16, model.RNI), []uint64{0x7bff}, 0x7f},
		{conv(model.U64, model.F64, model.RZI), []uint64{0x43f0000000000000}, 1<<64 - 1},
		{conv(model.S32, model.F32, model.RPI), []uint64{1}, 1},
		{ftz(conv(model.S32, model.F32, model.RPI)), []uint64{1}, 0},
		{conv(model.S32, model.F32, model.RNI), []uint64{0x7fc00000}, 0},
		{conv(model.S64, model.F32, model.RNI), []uint64{0x7fc00000}, 1 << 63},
		{conv(model.U32, model.F64, model.RNI), []uint64{0x7ff8000000000000}, 1 << 31},
		{conv(model.S32, model.BF16, model.RZI), []uint64{0x4049}, 3},

		// integer to float
		{conv(model.F32, model.S32, model.RN), []uint64{0xffffffff}, 0xbf800000},
		{conv(model.F32, model.U32, model.RN), []uint64{0x01000001}, 0x4b800000},
		{conv(model.F32, model.U32, model.RP), []uint64{0x01000001}, 0x4b800001},
		{conv(model.F32, model.S32, model.RN), []uint64{0}, 0},
		{conv(model.F16, model.U32, model.RN), []uint64{65520}, 0x7c00},
		{conv(model.F16, model.U32, model.RZ), []uint64{65520}, 0x7bff},
		{conv(model.F64, model.S64, model.RN), []uint64{1 << 63}, 0xc3e0000000000000},
		{conv(model.BF16, model.S8, model.RN), []uint64{0x80}, 0xc300},

		// float to float
		{conv(model.F16, model.F32, model.RN), []uint64{0x3f800000}, 0x3c00},
		{conv(model.F16, model.F32, model.RN), []uint64{0x80000001}, 0x8000},
		{conv(model.F16, model.F32, model.RP), []uint64{0x00000001}, 0x0001},
		{conv(model.F16, model.F32, model.RN), []uint64{0x477ff000}, 0x7c00}, // 65520
		{conv(model.F16, model.F32, model.RZ), []uint64{0x477ff000}, 0x7bff},
		{conv(model.F32, model.F16, none), []uint64{0x0001}, 0x33800000},
		{conv(model.F32, model.BF16, none), []uint64{0xc049}, 0xc0490000},
		{conv(model.BF16, model.F32, model.RN), []uint64{0x3f808000}, 0x3f80},
		{conv(model.BF16, model.F32, model.RN), []uint64{0x3f818000}, 0x3f82},
		{conv(model.BF16, model.F32, model.RZ), []uint64{0x3f81ffff}, 0x3f81},
		{conv(model.F32, model.F64, model.RN), []uint64{0x3ff0000010000000}, 0x3f800000},
		{conv(model.F64, model.F32, none), []uint64{1}, 0x36a0000000000000},
		{conv(model.F16, model.F32, model.RN), []uint64{0x7fc12345}, 0x7fff},
		{conv(model.F32, model.F64, model.RN), []uint64{0xfff8000000000000}, 0x7fffffff},
		{conv(model.F64, model.F64, model.RZI), []uint64{0x7ff8000000000005}, 0x7ff8000000000005},
		{conv(model.F32, model.F32, model.RNI), []uint64{0xbf000000}, 0x80000000}, // -0.5 to -0
		{conv(model.F32, model.F32, model.RPI), []uint64{0x3f000000}, 0x3f800000},
		{ftz(conv(model.F32, model.F64, model.RN)), []uint64{0xb690000000000000}, 0x80000000},
		{ftz(conv(model.F32, model.F16, none)), []uint64{0x8001}, 0xb3800000}, // subnormal f16 is a normal f32
		{sat(conv(model.F32, model.F32, none)), []uint64{0x40000000}, 0x3f800000},
		{sat(conv(model.F32, model.S32, model.RN)), []uint64{0xffffffff}, 0},

		// packing: the first operand is the upper half
		{conv(model.F16x2, model.F32, model.RN), []uint64{0x3f800000, 0xc0000000}, 0x3c00c000},
		{conv(model.BF16x2, model.F32, model.RN), []uint64{0x80000000, 0x7fffffff}, 0x80007fff},
	})
}

// TestCvtRandom compares with Go's conversions, and with big.Float where the mode is not Go's.
func TestCvtRandom(t *testing.T) {
	rng := rand.New(rand.NewSource(5))
	for i := 0; i < 60000; i++ {
		n := rng.Uint64() >> rng.Intn(64)
		f32bits := func(v float32) uint64 { return uint64(math.Float32bits(v)) }
		check(t, []row{
			{conv(model.F32, model.U64, model.RN), []uint64{n}, f32bits(float32(n))},
			{conv(model.F32, model.S64, model.RN), []uint64{n}, f32bits(float32(int64(n)))},
			{conv(model.F64, model.U64, model.RN), []uint64{n}, math.Float64bits(float64(n))},
			{conv(model.F64, model.S32, model.RN), []uint64{n}, math.Float64bits(float64(int32(n)))},
		})
		d := randomFloat(rng, &double)
		x := math.Float64frombits(d)
		if x != x {
			continue
		}
		clampTo := func(v, lo, hi float64) float64 { return math.Max(lo, math.Min(hi, v)) }
		check(t, []row{
			{conv(model.F32, model.F64, model.RN), []uint64{d}, f32bits(float32(x))},
			{conv(model.S32, model.F64, model.RZI), []uint64{d}, uint64(uint32(int32(clampTo(math.Trunc(x), -1<<31, 1<<31-1))))},
			{conv(model.S32, model.F64, model.RNI), []uint64{d}, uint64(uint32(int32(clampTo(math.RoundToEven(x), -1<<31, 1<<31-1))))},
			{conv(model.S32, model.F64, model.RMI), []uint64{d}, uint64(uint32(int32(clampTo(math.Floor(x), -1<<31, 1<<31-1))))},
			{conv(model.U32, model.F64, model.RPI), []uint64{d}, uint64(uint32(clampTo(math.Ceil(x), 0, 1<<32-1)))},
			{conv(model.F64, model.F64, model.RMI), []uint64{d}, math.Float64bits(math.Floor(x))},
			{conv(model.F64, model.F64, model.RNI), []uint64{d}, math.Float64bits(math.RoundToEven(x))},
		})
		if math.IsInf(x, 0) || x == 0 {
			continue
		}
		from := floatTypes[rng.Intn(len(floatTypes))]
		f, _ := formatOf(from)
		v := randomFloat(rng, f)
		if f.isNaN(v) || f.isInf(v) || v&^f.sign() == 0 {
			continue
		}
		to, mode := floatTypes[rng.Intn(len(floatTypes))], modes[rng.Intn(len(modes))]
		g, _ := formatOf(to)
		check(t, []row{{conv(to, from, mode), []uint64{v}, roundBig(g, new(big.Float).SetPrec(5000).Set(value(f, v)), bigModes[mode])}})
	}
}

// TestHalfRoundTrip widens every f16 and bf16 and narrows it again.
func TestHalfRoundTrip(t *testing.T) {
	for _, ty := range []model.Type{model.F16, model.BF16} {
		f, _ := formatOf(ty)
		for v := uint64(0); v < 1<<16; v++ {
			want := v
			if f.isNaN(v) {
				want = f.nan
			}
			for _, via := range []model.Type{model.F32, model.F64} {
				wide := eval(t, conv(via, ty, model.NoRound), v)
				if got := eval(t, conv(ty, via, model.RZ), wide); got != want {
					t.Fatalf("%s %#x via %s: %#x", ty, v, via, got)
				}
			}
		}
	}
}
