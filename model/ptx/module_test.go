package ptx

import (
	"os"
	"ptxmc/internal/spell"
	"reflect"
	"strings"
	"testing"

	"ptxmc/model"
)

func parseFile(t testing.TB, name string) *model.Module {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	mod, err := Parse(model.NewSource(name, string(data)))
	if err != nil {
		t.Fatal(err)
	}
	return mod
}

func TestCompilerOutput(t *testing.T) {
	mod := parseFile(t, "testdata/fine_grained.ptx")
	if mod.Version != "9.4" || mod.Target != "sm_107a" {
		t.Errorf("header is %s %s", mod.Version, mod.Target)
	}
	var globals []string
	for _, g := range mod.Globals {
		globals = append(globals, g.Name)
	}
	if want := []string{"counter", "table", "matrix"}; !reflect.DeepEqual(globals, want) {
		t.Errorf("globals %v, want %v", globals, want)
	}
	if got := mod.Globals[2]; got.Size != 32 || got.Init[8] != 2 || got.Init[16] != 0xff || got.Init[31] != 0 {
		t.Errorf("nested initialiser: %+v", got)
	}
	p := mod.Entry("producer")
	want := []model.Param{
		{Name: "producer_param_0", Type: model.U64, Offset: 0, Size: 8},
		{Name: "producer_param_1", Type: model.B8, Offset: 8, Size: 24},
		{Name: "producer_param_2", Type: model.U32, Offset: 32, Size: 4},
	}
	if !reflect.DeepEqual(p.Params, want) || p.ParamBytes != 36 {
		t.Errorf("parameters %+v in %d bytes", p.Params, p.ParamBytes)
	}
	c := mod.Entry("consumer")
	offsets := map[string]int{}
	for _, v := range c.Shared {
		offsets[v.Name] = v.Offset
	}
	if want := map[string]int{"bar": 0, "tile": 128, "dyn": 640}; !reflect.DeepEqual(offsets, want) || c.SharedBytes != 640 {
		t.Errorf("shared layout %v, %d bytes; want %v, 640 bytes", offsets, c.SharedBytes, want)
	}
	// The label WAIT of each inline-assembly block is its own, and so is P1.
	targets := map[string]int{}
	for _, in := range c.Code {
		if in.Op == model.Bra {
			targets[in.Text] = in.Target
		}
	}
	for text, op := range map[string]string{
		"@!P1 bra WAIT": "primary", "bra.uni WAIT": "conditional", "@P1 bra.uni DONE": "ld.shared.v4", "@%p2 bra $L__BB1_3": "mbarrier.arrive",
	} {
		if got := c.Code[targets[text]].Text; !strings.Contains(got, op) {
			t.Errorf("%s goes to %q, want %s", text, got, op)
		}
	}
	count := 0
	for _, n := range c.RegNames {
		if n == "P1" {
			count++
		}
	}
	if count != 2 {
		t.Errorf("P1 is %d registers, want 2", count)
	}
}

func TestSharedBelongsToLaterEntries(t *testing.T) {
	mod, err := Parse(model.NewSource("t.ptx", header+`
.shared .align 4 .b8 a[5];
.entry one() { .shared .b64 own; .reg .b64 r; ld.shared.b64 r, [own]; ret; }
.shared .align 16 .v4 .f32 b;
.entry two() { .shared .b16 own, more[2][3]; .reg .b16 r; ld.shared.b16 r, [more+2]; }
`))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"one": "a=0 own=8 :16", "two": "a=0 b=16 own=32 more=34 :46"} {
		e := mod.Entry(name)
		got := ""
		for _, v := range e.Shared {
			got += v.Name + "=" + itoa(v.Offset) + " "
		}
		if got += ":" + itoa(e.SharedBytes); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if a := mod.Entry("two").Code[0].Addrs[0]; a.Base.Imm.Lo != 34 || a.Off != 2 {
		t.Errorf("address %+v", a)
	}
}

func itoa(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + itoa(n%10)
}

func TestScopesAndGuards(t *testing.T) {
	mod, err := Parse(model.NewSource("t.ptx", header+`
.entry k() {
	.reg .b32 %r<3>;	// %r0 is never used and takes no place
	.reg .pred p;
	mov.u32 %r1, 1;
	{ .reg .b32 %r<5>; mov.u32 %r1, 2; mov.u32 %r4, 3; }
	{ { @!p	add.u32   %r1 , %r2,
	  /* over lines */ 4; } }
	setp.eq.s32 p , %r1, 0;
end:
}`))
	if err != nil {
		t.Fatal(err)
	}
	e := mod.Entries[0]
	if got, want := strings.Join(e.RegNames, " "), "%r1 %r1 %r4 p %r2"; got != want {
		t.Errorf("registers %s, want %s", got, want)
	}
	in := e.Code[3]
	if in.Text != "@!p add.u32 %r1 , %r2, 4" {
		t.Errorf("text %q", in.Text)
	}
	if in.Pred == model.NoReg || !in.PredNeg || in.Dst[0].Reg != 0 || in.Pos.Line != 10 || in.Pos.Col != 6 {
		t.Errorf("decoded %+v", in)
	}
	if l := e.Labels[0]; l.Name != "end" || l.PC != len(e.Code) {
		t.Errorf("label %+v", l)
	}
	if e.Code[4].Pred != model.NoReg {
		t.Errorf("guard of an unguarded instruction: %d", e.Code[4].Pred)
	}
}

func TestDirectivesWithoutEffect(t *testing.T) {
	_, err := Parse(model.NewSource("t.ptx", `//@ launch k grid=1
.version 8.8
.target sm_100a, debug
.address_size 64
.file 1 "a.cu", 123, 456
.weak .entry k ( .param .u32 n )
.maxntid 128, 1, 1 .minnctapersm 2 .maxnreg 32 .reqnctapercluster 2, 1, 1 .explicitcluster .maxclusterrank 8
{
	.loc 1 2 3
	.pragma "nounroll", "used_bytes_mask 0xf";
	ret; // .loc 9
}
.visible .entry empty() { }
.section .debug_abbrev { .b8 1, 2 .b64 $L$x .b32 a-b }
`))
	if err != nil {
		t.Fatal(err)
	}
}

// Every form is well made: compiling panics otherwise, and no form hides behind another.
func TestTable(t *testing.T) {
	for name, forms := range table() {
		for _, f := range forms {
			for _, s := range f.compiled.slots {
				if len(s.options) == 0 {
					t.Errorf("%s: slot %s takes nothing", name, s.name)
				}
				for _, o := range s.options {
					if (s.name == "type" || s.name == "stype") && f.why == "" && model.TypeByName(o.text) == model.NoType {
						t.Errorf("%s: %s is no type", name, o.text)
					}
				}
			}
			for _, s := range f.compiled.shape {
				switch s.kind {
				case "d", "d_", "dp", "dv", "s", "sv", "i", "x", "m", "t", "mov", "elect", "dq", "wait", "label", "mma", "tensor":
				default:
					t.Errorf("%s: shape word %s", name, s.kind)
				}
				if s.typ != "" && s.typ != "wide" && s.typ != "stype" && model.TypeByName(s.typ) == model.NoType {
					t.Errorf("%s: shape type %s", name, s.typ)
				}
			}
			if f.op == model.Nop && f.why == "" && f.fin == nil {
				t.Errorf("%s: a form without operation must be a hint or say why", name)
			}
		}
	}
}

func TestNearest(t *testing.T) {
	for _, c := range []struct{ word, want string }{
		{"fence.acq_rle", "fence.acq_rel"}, {"mvo", "mov"}, {"xyzzy", ""}, {"mov", ""},
	} {
		if got := spell.Nearest(c.word, []string{"mov", "mva", "fence.acq_rel"}); got != c.want {
			t.Errorf("spell.Nearest(%q) = %q, want %q", c.word, got, c.want)
		}
	}
}
