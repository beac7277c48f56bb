package alu

import (
	"math/rand"
	"testing"

	"ptxmc/model"
)

func vals(v ...uint64) []model.Value {
	out := make([]model.Value, len(v))
	for i, x := range v {
		out[i].Lo = x
	}
	return out
}

// eval evaluates an instruction with one result.
func eval(t *testing.T, in model.Instr, src ...uint64) uint64 {
	t.Helper()
	dst, err := Eval(&in, vals(src...))
	if err != nil {
		t.Fatalf("%s: %v", describe(&in), err)
	}
	if len(dst) != 1 || dst[0].Hi != 0 || dst[0].Lo&^mask(64) != 0 {
		t.Fatalf("%s: results %v", describe(&in), dst)
	}
	return dst[0].Lo
}

type row struct {
	in   model.Instr
	src  []uint64
	want uint64
}

func check(t *testing.T, rows []row) {
	t.Helper()
	for _, r := range rows {
		if got := eval(t, r.in, r.src...); got != r.want {
			t.Errorf("%s round %d ftz %t sat %t of %#x: got %#x, want %#x", describe(&r.in), r.in.Round, r.in.FTZ, r.in.Sat, r.src, got, r.want)
		}
	}
}

// randomFloat returns bits of the format, favouring zeros, subnormals, infinities, NaN and
// neighbours of powers of two.
func randomFloat(rng *rand.Rand, f *format) uint64 {
	v := rng.Uint64() & f.mask()
	frac := uint64(1)<<f.man - 1
	switch rng.Intn(8) {
	case 0:
		v &= f.sign() | frac // subnormal or zero
	case 1:
		v &^= frac // power of two, zero or infinity
	case 2:
		v |= frac // just below one
	case 3:
		v = v&(f.sign()|frac) | f.one()&^frac + uint64(rng.Intn(8))<<f.man // near one
	case 4:
		v &= f.sign() | f.inf() | frac&3
	case 5:
		v |= f.inf()
	}
	return v & f.mask()
}
