package alu

import (
	"math/rand"
	"reflect"
	"testing"

	"ptxmc/model"
)

func TestMov(t *testing.T) {
	operands := func(n int) []model.Operand { return make([]model.Operand, n) }
	wide := model.Value{Lo: 0x8877665544332211, Hi: 0xffeeddccbbaa9988}
	tests := []struct {
		in   model.Instr
		src  []model.Value
		want []model.Value
	}{
		{model.Instr{Type: model.B32}, vals(0x123456789), vals(0x23456789)},
		{model.Instr{Type: model.Pred}, vals(1), vals(1)},
		{model.Instr{Type: model.B128}, []model.Value{wide}, []model.Value{wide}},
		{model.Instr{Type: model.B32, SrcVec: true}, vals(0x1111, 0x2222), vals(0x22221111)},
		{model.Instr{Type: model.B32, SrcVec: true}, vals(1, 2, 3, 4), vals(0x04030201)},
		{model.Instr{Type: model.B64, SrcVec: true}, vals(0xdeadbeef, 1), vals(0x1deadbeef)},
		{model.Instr{Type: model.B128, SrcVec: true}, vals(wide.Lo, wide.Hi), []model.Value{wide}},
		{model.Instr{Type: model.B128, SrcVec: true}, vals(0x44332211, 0x88776655, 0xbbaa9988, 0xffeeddcc), []model.Value{wide}},
		{model.Instr{Type: model.B32, DstVec: true, Dst: operands(2)}, vals(0x22221111), vals(0x1111, 0x2222)},
		{model.Instr{Type: model.B128, DstVec: true, Dst: operands(2)}, []model.Value{wide}, vals(wide.Lo, wide.Hi)},
		{model.Instr{Type: model.B128, DstVec: true, Dst: operands(4)}, []model.Value{wide}, vals(0x44332211, 0x88776655, 0xbbaa9988, 0xffeeddcc)},
	}
	for _, tt := range tests {
		tt.in.Op = model.Mov
		got, err := Eval(&tt.in, tt.src)
		if err != nil || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("mov.%s %x: got %x, %v, want %x", tt.in.Type, tt.src, got, err, tt.want)
		}
	}
}

func TestBits(t *testing.T) {
	check(t, []row{
		{op(model.And, model.B32), []uint64{0xff00ff00, 0x0ff00ff0}, 0x0f000f00},
		{op(model.Or, model.B64), []uint64{1, 1 << 63}, 1<<63 | 1},
		{op(model.Xor, model.Pred), []uint64{1, 1}, 0},
		{op(model.Not, model.Pred), []uint64{0}, 1},
		{op(model.Not, model.B16), []uint64{0}, 0xffff},
		{op(model.Shl, model.B32), []uint64{1, 31}, 0x80000000},
		{op(model.Shl, model.B32), []uint64{1, 32}, 0},
		{op(model.Shl, model.B64), []uint64{1, 64}, 0},
		{op(model.Shr, model.U32), []uint64{0x80000000, 0xffffffff}, 0},
		{op(model.Shr, model.S32), []uint64{0x80000000, 4}, 0xf8000000},
		{op(model.Shr, model.S32), []uint64{0x80000000, 33}, 0xffffffff},
		{op(model.Shr, model.S64), []uint64{1 << 63, 200}, 1<<64 - 1},
		{op(model.Shr, model.S16), []uint64{0x8000, 15}, 0xffff},
		{op(model.Prmt, model.B32), []uint64{0x33221100, 0x77665544, 0x7410}, 0x77441100},
		{op(model.Prmt, model.B32), []uint64{0x33228100, 0x77665544, 0x0193}, 0x0081ff33},
		{op(model.Bfe, model.U32), []uint64{0xabcd1234, 8, 8}, 0x12},
		{op(model.Bfe, model.S32), []uint64{0x0000f000, 8, 8}, 0xfffffff0},
		{op(model.Bfe, model.S32), []uint64{0x80000000, 40, 4}, 0xffffffff},
		{op(model.Bfe, model.S32), []uint64{0xffffffff, 3, 0}, 0},
		{op(model.Bfi, model.B32), []uint64{0xff, 0, 28, 8}, 0xf0000000},
		{op(model.Bfi, model.B64), []uint64{0x5, 1<<64 - 1, 60, 4}, 0x5fffffffffffffff},
		{op(model.Bfi, model.B32), []uint64{0xff, 0x1234, 8, 0}, 0x1234},
		{op(model.Popc, model.B64), []uint64{1<<63 | 7}, 4},
		{op(model.Popc, model.B32), []uint64{1<<40 | 7}, 3},
		{op(model.Clz, model.B32), []uint64{1}, 31},
		{op(model.Clz, model.B32), []uint64{0}, 32},
		{op(model.Clz, model.B64), []uint64{0}, 64},
		{op(model.Lop3, model.B32), []uint64{0xff00ff00, 0x0f0f0f0f, 0x33333333, 0x80}, 0x03000300},
		{op(model.Lop3, model.B32), []uint64{0xff00ff00, 0x0f0f0f0f, 0x33333333, 0xf0}, 0xff00ff00},
		{op(model.Lop3, model.B32), []uint64{1, 2, 4, 0xfe}, 7},
		{op(model.SelP, model.F32), []uint64{1, 2, 1}, 1},
		{op(model.SelP, model.B64), []uint64{1, 2, 0}, 2},
	})
}

// TestFieldsRandom compares bfe and bfi with the bit loops of the ISA.
func TestFieldsRandom(t *testing.T) {
	rng := rand.New(rand.NewSource(2))
	for i := 0; i < 30000; i++ {
		ty := []model.Type{model.U32, model.S32, model.U64, model.S64}[rng.Intn(4)]
		msb := ty.Bits() - 1
		a, b := rng.Uint64()&mask(msb+1), rng.Uint64()&mask(msb+1)
		pos, n := rng.Intn(80), rng.Intn(80)
		bit := func(v uint64, i int) uint64 { return v >> i & 1 }
		sbit := uint64(0)
		if ty.Signed() && n > 0 {
			sbit = bit(a, min(pos+n-1, msb))
		}
		wantE, wantI := uint64(0), b
		for k := 0; k <= msb; k++ {
			v := sbit
			if k < n && pos+k <= msb {
				v = bit(a, pos+k)
			}
			wantE |= v << k
			if k < n && pos+k <= msb {
				wantI = wantI&^(1<<(pos+k)) | bit(a, k)<<(pos+k)
			}
		}
		untyped := model.B32
		if msb == 63 {
			untyped = model.B64
		}
		check(t, []row{
			{op(model.Bfe, ty), []uint64{a, uint64(pos), uint64(n)}, wantE},
			{op(model.Bfi, untyped), []uint64{a, b, uint64(pos), uint64(n)}, wantI},
		})
	}
}

func TestCompare(t *testing.T) {
	const nan, one, minusZero = 0x7fc00000, 0x3f800000, 0x80000000
	tests := []struct {
		ty   model.Type
		cmp  model.Compare
		a, b uint64
		want bool
	}{
		{model.S32, model.LT, 0xffffffff, 0, true},
		{model.U32, model.LT, 0xffffffff, 0, false},
		{model.U32, model.LO, 0, 1, true},
		{model.U32, model.HS, 1, 1, true},
		{model.U32, model.HI, 1, 1, false},
		{model.U32, model.LS, 1, 1, true},
		{model.S64, model.GE, 1 << 63, 0, false},
		{model.S16, model.GT, 0x8000, 0x7fff, false},
		{model.B64, model.NE, 1, 2, true},
		{model.B16, model.EQ, 0x10001, 1, true},
		{model.F32, model.EQ, minusZero, 0, true},
		{model.F32, model.LT, minusZero, 0, false},
		{model.F32, model.EQ, nan, nan, false},
		{model.F32, model.NE, nan, one, false},
		{model.F32, model.NEU, nan, one, true},
		{model.F32, model.EQU, nan, one, true},
		{model.F32, model.LTU, one, 0, false},
		{model.F32, model.NUM, one, 0, true},
		{model.F32, model.NAN, one, nan, true},
		{model.F32, model.LT, 0xbf800000, 0x80000001, true},
		{model.F64, model.GT, 0x3ff0000000000000, 0xfff0000000000000, true},
		{model.F16, model.LE, 0xbc00, 0x3c00, true},
		{model.BF16, model.GEU, 0x3f80, 0x3f81, false},
		{model.BF16, model.GTU, 0x3f81, 0x3f80, true},
		{model.BF16, model.LEU, 0x7fff, 0x3f80, true},
	}
	for _, tt := range tests {
		in := model.Instr{Op: model.SetP, Type: tt.ty, Compare: tt.cmp, Dst: make([]model.Operand, 2)}
		got, err := Eval(&in, vals(tt.a, tt.b))
		if err != nil || (got[0].Lo == 1) != tt.want || got[1].Lo != 1-got[0].Lo {
			t.Errorf("setp.%d.%s %#x, %#x: %v, %v", tt.cmp, tt.ty, tt.a, tt.b, got, err)
		}
		set := model.Instr{Op: model.Set, Type: model.U32, SrcType: tt.ty, Compare: tt.cmp}
		if got := eval(t, set, tt.a, tt.b); got != map[bool]uint64{true: 0xffffffff}[tt.want] {
			t.Errorf("set.%d.u32.%s: %#x", tt.cmp, tt.ty, got)
		}
	}
	check(t, []row{
		{model.Instr{Op: model.Set, Type: model.F32, SrcType: model.S32, Compare: model.LT, Combine: model.And}, []uint64{0, 1, 1}, one},
		{model.Instr{Op: model.SetP, Type: model.F32, Compare: model.EQ, FTZ: true}, []uint64{1, minusZero}, 1},
		{model.Instr{Op: model.SetP, Type: model.F32, Compare: model.EQ}, []uint64{1, minusZero}, 0},
	})
	for _, c := range []struct {
		op     model.Op
		c      uint64
		p0, q0 uint64 // for a false comparison
	}{{model.And, 1, 0, 1}, {model.And, 0, 0, 0}, {model.Or, 0, 0, 1}, {model.Or, 1, 1, 1}, {model.Xor, 1, 1, 0}} {
		in := model.Instr{Op: model.SetP, Type: model.U32, Compare: model.EQ, Combine: c.op, Dst: make([]model.Operand, 2)}
		if got, err := Eval(&in, vals(1, 2, c.c)); err != nil || got[0].Lo != c.p0 || got[1].Lo != c.q0 {
			t.Errorf("setp with %d %d: %v, %v", c.op, c.c, got, err)
		}
	}
	packed := model.Instr{Op: model.SetP, Type: model.F16x2, Compare: model.LT, Dst: make([]model.Operand, 2)}
	if got, err := Eval(&packed, vals(0x3c00bc00, 0xbc003c00)); err != nil || got[0].Lo != 1 || got[1].Lo != 0 {
		t.Errorf("setp.lt.f16x2: %v, %v", got, err)
	}
	bad := model.Instr{Op: model.SetP, Type: model.S32, Compare: model.LO}
	if _, err := Eval(&bad, vals(1, 2)); err == nil {
		t.Error("setp.lo.s32 was accepted")
	}
}

func TestAtomic(t *testing.T) {
	tests := []struct {
		op              model.AtomOp
		ty              model.Type
		old, a, b, want uint64
	}{
		{model.AtomAnd, model.B32, 0xff, 0x0f, 0, 0x0f},
		{model.AtomOr, model.B64, 1, 1 << 63, 0, 1<<63 | 1},
		{model.AtomXor, model.B32, 3, 1, 0, 2},
		{model.AtomExch, model.B32, 3, 0x100000001, 0, 1},
		{model.AtomCAS, model.B16, 3, 3, 9, 9},
		{model.AtomCAS, model.B64, 3, 4, 9, 3},
		{model.AtomAdd, model.U32, 0xffffffff, 1, 0, 0},
		{model.AtomAdd, model.F32, 0x3f800000, 0x3f800000, 0, 0x40000000},
		{model.AtomAdd, model.F32, 0, 1, 0, 1},
		{model.AtomAdd, model.F16x2, 0x3c003c00, 0x3c00bc00, 0, 0x40000000},
		{model.AtomInc, model.U32, 4, 5, 0, 5},
		{model.AtomInc, model.U32, 5, 5, 0, 0},
		{model.AtomInc, model.U32, 0xffffffff, 0xffffffff, 0, 0},
		{model.AtomDec, model.U32, 0, 5, 0, 5},
		{model.AtomDec, model.U32, 6, 5, 0, 5},
		{model.AtomDec, model.U32, 5, 5, 0, 4},
		{model.AtomMin, model.S32, 0xffffffff, 0, 0, 0xffffffff},
		{model.AtomMax, model.U64, 1 << 63, 1, 0, 1 << 63},
	}
	for _, tt := range tests {
		got, err := Atomic(tt.op, tt.ty, model.Value{Lo: tt.old}, model.Value{Lo: tt.a}, model.Value{Lo: tt.b})
		if err != nil || got != (model.Value{Lo: tt.want}) {
			t.Errorf("atom.%d.%s %#x %#x %#x: got %x, %v, want %#x", tt.op, tt.ty, tt.old, tt.a, tt.b, got, err, tt.want)
		}
	}
	old, next := model.Value{Lo: 1, Hi: 2}, model.Value{Lo: 3, Hi: 4}
	if got, _ := Atomic(model.AtomCAS, model.B128, old, old, next); got != next {
		t.Errorf("cas.b128: %x", got)
	}
	if got, _ := Atomic(model.AtomCAS, model.B128, old, model.Value{Lo: 1}, next); got != old {
		t.Errorf("cas.b128 of another value: %x", got)
	}
	if got, _ := AtomicFTZ(model.AtomAdd, model.F32, model.Value{Lo: 0x80000000}, model.Value{Lo: 0x80000001}, model.Value{}); got.Lo != 0x80000000 {
		t.Errorf("flushed add: %x", got)
	}
	if _, err := Atomic(model.NoAtom, model.U32, old, old, next); err == nil {
		t.Error("no operation was accepted")
	}
}
