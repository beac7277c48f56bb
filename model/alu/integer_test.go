package alu

import (
	"errors"
	"math/big"
	"math/rand"
	"testing"

	"ptxmc/model"
)

var intTypes = []model.Type{model.U16, model.U32, model.U64, model.S16, model.S32, model.S64}

func op(o model.Op, t model.Type) model.Instr { return model.Instr{Op: o, Type: t} }

func TestInteger(t *testing.T) {
	mul := func(o model.Op, ty model.Type, m model.Mode) model.Instr {
		return model.Instr{Op: o, Type: ty, Mode: m}
	}
	sat := model.Instr{Op: model.Add, Type: model.S32, Sat: true}
	check(t, []row{
		{op(model.Add, model.U32), []uint64{0xffffffff, 2}, 1},
		{op(model.Add, model.U16), []uint64{0x1ffff, 1}, 0},
		{op(model.Sub, model.S64), []uint64{0, 1}, 1<<64 - 1},
		{sat, []uint64{0x7fffffff, 1}, 0x7fffffff},
		{sat, []uint64{0x80000000, 0xffffffff}, 0x80000000},
		{model.Instr{Op: model.Sub, Type: model.S32, Sat: true}, []uint64{0x7fffffff, 0x80000000}, 0x7fffffff},
		{mul(model.Mul, model.S32, model.Wide), []uint64{0xffffffff, 5}, 0xfffffffffffffffb},
		{mul(model.Mul, model.U16, model.Wide), []uint64{0xffff, 0xffff}, 0xfffe0001},
		{mul(model.Mul, model.S64, model.Hi), []uint64{1<<64 - 1, 1<<64 - 1}, 0},
		{mul(model.Mad, model.U32, model.Wide), []uint64{0xffffffff, 0xffffffff, 1 << 20}, 0xfffffffe00000001 + 1<<20},
		{mul(model.Mad, model.U32, model.Lo), []uint64{7, 6, 0xffffffff}, 41},
		{model.Instr{Op: model.Mad, Type: model.S32, Mode: model.Hi, Sat: true}, []uint64{0x7fffffff, 0x7fffffff, 0x7fffffff}, 0x7fffffff},
		{op(model.Div, model.S32), []uint64{0xfffffff9, 2}, 0xfffffffd},
		{op(model.Rem, model.S32), []uint64{0xfffffff9, 2}, 0xffffffff},
		{op(model.Div, model.S32), []uint64{0x80000000, 0xffffffff}, 0x80000000},
		{op(model.Div, model.S64), []uint64{1 << 63, 1<<64 - 1}, 1 << 63},
		{op(model.Abs, model.S16), []uint64{0x8000}, 0x8000},
		{op(model.Abs, model.S32), []uint64{0xffffffff}, 1},
		{op(model.Neg, model.S32), []uint64{1}, 0xffffffff},
		{op(model.Min, model.S32), []uint64{0xffffffff, 1}, 0xffffffff},
		{op(model.Min, model.U32), []uint64{0xffffffff, 1}, 1},
		{op(model.Max, model.S16), []uint64{0x8000, 0x7fff}, 0x7fff},
	})
}

func TestUndefined(t *testing.T) {
	for _, o := range []model.Op{model.Div, model.Rem} {
		for _, ty := range intTypes {
			in := op(o, ty)
			_, err := Eval(&in, vals(7, 1<<ty.Bits()))
			var u *Undefined
			if !errors.As(err, &u) || u.Rule != "division-by-zero" {
				t.Errorf("%s: %v", describe(&in), err)
			}
		}
	}
}

// TestUnsupported feeds every operation and type with every number of operands: an error or a
// result, never a panic, and no bits above the widest result.
func TestUnsupported(t *testing.T) {
	for o := model.Nop; o <= model.GridDepWait; o++ {
		for ty := model.NoType; ty <= model.F64; ty++ {
			for n := 0; n <= 5; n++ {
				for _, m := range []model.Mode{model.NoMode, model.Lo, model.Hi, model.Wide} {
					in := model.Instr{Op: o, Type: ty, SrcType: ty, Mode: m, Compare: model.EQ, DstVec: n == 1 && m == model.Lo, SrcVec: n > 1, Dst: make([]model.Operand, 1+n%2)}
					dst, err := Eval(&in, vals(3, 1, 4, 1, 5)[:n])
					if err == nil && len(dst) == 0 {
						t.Errorf("%s: no result and no error", describe(&in))
					}
				}
			}
		}
	}
}

// TestIntegerRandom compares with arithmetic on unbounded integers.
func TestIntegerRandom(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	toBig := func(v uint64, ty model.Type) *big.Int {
		x := new(big.Int).SetUint64(v & mask(ty.Bits()))
		if ty.Signed() && x.Bit(ty.Bits()-1) == 1 {
			x.Sub(x, new(big.Int).Lsh(big.NewInt(1), uint(ty.Bits())))
		}
		return x
	}
	low := func(x *big.Int, w int) uint64 {
		return new(big.Int).And(x, new(big.Int).SetUint64(mask(w))).Uint64()
	}
	for i := 0; i < 60000; i++ {
		ty := intTypes[rng.Intn(len(intTypes))]
		w := ty.Bits()
		a, b, c := rng.Uint64()&mask(w)>>rng.Intn(w), rng.Uint64()&mask(w)>>rng.Intn(w), rng.Uint64()
		if rng.Intn(2) == 0 {
			a, b = a|1<<(w-1), -b&mask(w)
		}
		x, y := toBig(a, ty), toBig(b, ty)
		p := new(big.Int).Mul(x, y)
		check(t, []row{
			{op(model.Add, ty), []uint64{a, b}, low(new(big.Int).Add(x, y), w)},
			{op(model.Sub, ty), []uint64{a, b}, low(new(big.Int).Sub(x, y), w)},
			{model.Instr{Op: model.Mul, Type: ty, Mode: model.Lo}, []uint64{a, b}, low(p, w)},
			{model.Instr{Op: model.Mul, Type: ty, Mode: model.Hi}, []uint64{a, b}, low(new(big.Int).Rsh(p, uint(w)), w)},
			{model.Instr{Op: model.Mad, Type: ty, Mode: model.Lo}, []uint64{a, b, c}, (low(p, w) + c) & mask(w)},
			{model.Instr{Op: model.Mad, Type: ty, Mode: model.Hi}, []uint64{a, b, c}, (low(new(big.Int).Rsh(p, uint(w)), w) + c) & mask(w)},
		})
		if w < 64 {
			check(t, []row{{model.Instr{Op: model.Mad, Type: ty, Mode: model.Wide}, []uint64{a, b, c}, (low(p, 2*w) + c) & mask(2*w)}})
		}
		if b != 0 {
			check(t, []row{
				{op(model.Div, ty), []uint64{a, b}, low(new(big.Int).Quo(x, y), w)},
				{op(model.Rem, ty), []uint64{a, b}, low(new(big.Int).Rem(x, y), w)},
			})
		}
		lo, hi := x, y
		if x.Cmp(y) > 0 {
			lo, hi = y, x
		}
		check(t, []row{
			{op(model.Min, ty), []uint64{a, b}, low(lo, w)},
			{op(model.Max, ty), []uint64{a, b}, low(hi, w)},
		})
	}
}
