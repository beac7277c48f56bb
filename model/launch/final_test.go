package launch

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ptxmc/model"
)

// memory is what the buffers of finalSpec hold when everything has ended; "?" is unknown.
var memory = map[string]string{
	"in":  "3f800000 80000000 7fffffff 7f800001", // 1.0 -0.0 nan and a signalling NaN
	"out": "40000000 80000000 00000000 7fffffff", // 2.0 -0.0 0.0 nan
	"new": "? 3f800000 ? 3f800000",
	"u":   "ff 1 2 3",
	"s":   "ff 1 2 3",
	"w":   "ffffffff 1 ffffff01 3",
	"n":   "ffffffff 1 2 3",
	"h":   "3c00 c000 7c00 7fff", // 1.0 -2.0 inf nan
	"g":   "3f80 c000 7f80 7fff",
	"d":   "3ff0000000000000 8000000000000000 7ff8000000000000 0",
	"q":   "0 1 2 3",
	"hh":  "3c003c00 3c003c00 0 0",
}

const finalSpec = `//@ expect verified
//@ param k = 4
//@ launch empty grid 1 block 1
//@ buffer in : f32[k] = unknown
//@ buffer out : f32[k] = unknown
//@ buffer new : f32[k] = unknown
//@ buffer u : u8[k] = unknown
//@ buffer s : s8[k] = unknown
//@ buffer w : u32[k] = unknown
//@ buffer n : s32[k] = unknown
//@ buffer h : f16[k] = unknown
//@ buffer g : bf16[k] = unknown
//@ buffer d : f64[k] = unknown
//@ buffer q : b128[k] = unknown
//@ buffer hh : f16x2[k] = unknown
//@ final ` // and the condition

func finalOf(t *testing.T, cond string) *Final {
	t.Helper()
	spec, err := Load("t.ptx", finalSpec+cond+"\n"+smallModule)
	if err != nil {
		t.Fatal(err)
	}
	c, err := spec.Case("", nil)
	if err != nil {
		t.Fatal(err)
	}
	return &c.Plan.Finals[0]
}

func readMemory(buffer string, elem int) (model.Value, bool) {
	v, err := strconv.ParseUint(strings.Fields(memory[buffer])[elem], 16, 64)
	return model.Value{Lo: v}, err == nil
}

func TestFinal(t *testing.T) {
	for _, tt := range []struct{ cond, why string }{ // an empty why: it holds
		{"out[0] == 2.0", ""},
		{"out[0] == 2", ""},
		{"out[0] == 0x40000000", ""},
		{"out[0] == in[0]*2.0", ""},
		{"out[0] == in[0]+in[0]", ""},
		{"out[0] == in[0] - -1.0", ""},
		{"in[0] == -out[1] + 1", ""},
		{"out[k-3] == -0.0", ""},

		// Equality is equality of bits.
		{"out[1] == 0.0", "out[1] is 0x80000000 (-0.0), expected 0x00000000 (0.0)"},
		{"out[1] != 0.0", ""},
		{"out[1] == in[1] + 0.0", "out[1] is 0x80000000 (-0.0), expected 0x00000000 (0.0)"},
		{"out[1] == in[1] + -0.0", ""},
		{"out[3] == nan", ""},
		{"in[2] == in[2]", ""},
		{"in[3] == nan", "in[3] is 0x7f800001 (nan), expected 0x7fffffff (nan)"},
		{"in[3] + 0.0 == nan", ""},
		{"in[2] != nan", "in[2] is 0x7fffffff (nan), expected a value other than 0x7fffffff (nan)"},
		// Order is that of numbers.
		{"out[1] >= 0.0 && out[1] <= 0.0", ""},
		{"out[3] < 1.0", "out[3] is 0x7fffffff (nan), expected less than 0x3f800000 (1.0)"},
		{"out[3] >= 1.0", "out[3] is 0x7fffffff (nan), expected at least 0x3f800000 (1.0)"},
		{"!(out[3] >= 1.0)", ""},
		{"1.0 < out[0]", ""},
		{"max(in[2], 1.0) == 1.0 && min(out[1], out[2]) == -0.0", ""},
		{"out[0] < inf && out[0] > -inf", ""},

		// Quantifiers.
		{"forall i in 0..2: out[i] == in[i]*2.0", ""},
		{"forall i in 0..k: out[i] == in[i]*2.0", "out[2] is 0x00000000 (0.0), expected 0x7fffffff (nan)"},
		{"forall i in 0..2, j in 0..2: out[i] != out[j] || i == j", ""},
		{"forall i in 0..2: forall j in 0..2: out[i] != out[j]", "out[0] is 0x40000000 (2.0), expected a value other than 0x40000000 (2.0)"},
		{"forall i in 0..k: i > 1 || out[i] == in[i]*2.0", ""},
		{"forall i in 1..k: in[i-1]+out[i] == 7", "in[i-1]+out[i] is 0x3f800000 (1.0), expected 0x40e00000 (7.0) for i = 1"},
		{"(forall i in 0..2: w[i] == 1) || (forall i in 0..2: n[i] == 1)", "w[0] is 4294967295, expected 1, and n[0] is -1, expected 1"},
		{"w[1] == 1 && forall i in 1..2: w[i] == i", ""},
		{"forall i in 0..k: u[i] == i", "u[0] is 255, expected 0"},
		{"forall i in 0..k: u[i] == i || i == 0", ""},
		{"!(w[1] == 1)", "w[1] == 1 holds"},
		{"forall i in 0..2: !(u[i] == 1)", "u[i] == 1 holds for i = 1"},

		// Integers: unsigned for b and u, signed for s; the narrower is extended; arithmetic wraps.
		{"u[0] == 255 && s[0] == -1 && s[0] == 0xff", ""},
		{"w[0] == -1", ""},
		{"n[0] < 0 && w[0] > 0", ""},
		{"n[0] == s[0]", ""},
		{"w[0] == s[0]", ""},
		{"w[0] == u[0]", "w[0] is 4294967295, expected 255"},
		{"u[0] + 1 == 0", ""},
		{"w[0] + 2 == u[1]", ""},
		{"n[0] * 3 == -3", ""},
		{"n[0] == w[0]", ""},
		{"-u[1] == 255", ""},
		{"min(n[0], 5) == -1 && max(n[0], 5) == 5 && max(w[0], 5) == -1", ""},
		{"s[0] == 5", "s[0] is -1, expected 5"},
		{"q[1] == 0x1 && q[0] != q[1]", ""},
		{"q[1] == 0x10000000000000002", "q[1] is 0x00000000000000000000000000000001, expected 0x00000000000000010000000000000002"},
		{"hh[0] == hh[1]", ""},
		{"hh[0] == 0x1", "hh[0] is 0x3c003c00, expected 0x00000001"},

		// The other float types.
		{"h[0] == 1.0 && h[1] == -2.0 && h[2] == inf && h[3] == nan", ""},
		{"h[1]*h[1] == 4.0", ""},
		{"h[0] == 1.5", "h[0] is 0x3c00 (1.0), expected 0x3e00 (1.5)"},
		{"h[0] < 1e-9 || h[0] == 1", ""},
		{"g[0] == 1.0 && g[1] == -2.0 && g[2] == inf && g[3] == nan", ""},
		{"g[0]+g[0] == 2", ""},
		{"d[0] == 1.0 && d[1] == -0.0 && d[2] == nan && d[0] + d[0] == 2.0", ""},
		{"d[0] == 0.1", "d[0] is 0x3ff0000000000000 (1.0), expected 0x3fb999999999999a (0.1)"},

		// Unknown memory satisfies nothing that depends on it.
		{"new[1] == 1.0", ""},
		{"new[0] == 1.0", "new[0] is unknown, expected 0x3f800000 (1.0)"},
		{"new[0] != 1.0", "new[0] is unknown, expected a value other than 0x3f800000 (1.0)"},
		{"!(new[0] == 1.0)", "new[0] is unknown, expected 0x3f800000 (1.0)"},
		{"new[0] == new[0]", "new[0] is unknown, expected new[0], which is unknown"},
		{"new[0] == 1.0 || new[1] == 1.0", ""},
		{"new[1] == 2.0 && new[0] == 1.0", "new[1] is 0x3f800000 (1.0), expected 0x40000000 (2.0)"},
		{"new[0] == 1.0 && new[1] == 2.0", "new[1] is 0x3f800000 (1.0), expected 0x40000000 (2.0)"},
		{"forall i in 0..k: new[i] == in[0] + in[1]", "new[0] is unknown, expected 0x3f800000 (1.0)"},
		{"forall i in 0..k: new[i] == 2.0", "new[1] is 0x3f800000 (1.0), expected 0x40000000 (2.0)"},
	} {
		f := finalOf(t, tt.cond)
		holds, why := f.Check(readMemory)
		if why != tt.why || holds != (tt.why == "") {
			t.Errorf("%s\n     is %v: %s\nwant %v: %s", tt.cond, holds, why, tt.why == "", tt.why)
		}
		if f.Text != tt.cond {
			t.Errorf("text is %q, want %q", f.Text, tt.cond)
		}
	}
}

func TestReads(t *testing.T) {
	var got []string
	finalOf(t, "forall i in 1..k: (i == 2 || out[i] == in[i/2]) // remark").Reads(func(buffer string, elem int) {
		got = append(got, fmt.Sprintf("%s[%d]", buffer, elem))
	})
	if want := []string{"out[1]", "in[0]", "out[3]", "in[1]"}; !slices.Equal(got, want) {
		t.Errorf("reads %v, want %v", got, want)
	}
}

// TestConvert holds roundings of literals.
func TestConvert(t *testing.T) {
	for _, tt := range []struct{ typ, text, want string }{
		{"f32", "0.1", "0x3dcccccd (0.1)"},
		// Twice rounded this would be 0x3f800000: the double nearest to it is a tie.
		{"f32", "1.00000005960464477540", "0x3f800001 (1.0000001)"},
		{"f32", "1e40", "0x7f800000 (inf)"},
		{"f32", "-1e-60", "0x80000000 (-0.0)"},
		{"f32", "16777217", "0x4b800000 (1.6777216e+07)"},
		{"f16", "65519", "0x7bff (65504.0)"},
		{"f16", "65520", "0x7c00 (inf)"},
		{"f16", "6e-8", "0x0001 (5.9604645e-08)"},
		{"bf16", "-1.00390625", "0xbf80 (-1.0)"},
		{"f64", "-nan", "0x7ff8000000000000 (nan)"},
		{"b64", "-1", "0xffffffffffffffff"},
		{"s64", "0xffffffffffffffff", "-1"},
		{"u16", "-32768", "32768"},
		{"b128", "-1", "0xffffffffffffffffffffffffffffffff"},
	} {
		spec, err := Load("t.ptx", fmt.Sprintf("//@ expect verified\n//@ launch empty grid 1 block 1\n//@ buffer x : %s[1] = %s\n%s", tt.typ, tt.text, smallModule))
		if err != nil {
			t.Fatal(err)
		}
		c, err := spec.Case("", nil)
		if err != nil {
			t.Fatal(err)
		}
		if b := c.Plan.Buffers[0]; format(b.Init[0].Values[0], b.Elem) != tt.want {
			t.Errorf("%s as %s is %s, want %s", tt.text, tt.typ, format(b.Init[0].Values[0], b.Elem), tt.want)
		}
	}
}
