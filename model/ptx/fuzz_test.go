package ptx

import (
	"errors"
	"os"
	"testing"

	"ptxmc/model"
)

// FuzzParse: any text gives a module whose indices are in range, or a Diagnostic that is no
// internal error.
func FuzzParse(f *testing.F) {
	for _, c := range errorChunks(f) {
		f.Add(c)
	}
	data, err := os.ReadFile("testdata/fine_grained.ptx")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(data))
	for _, text := range []string{
		"mbarrier.test_wait.phase_type::primary.shared::cta.b64 p|q, v, [bar], d1;",
		"atom.acq_rel.cta.shared.cas.b32 r1, [bar], r2, r3;",
		"elect.sync _|p, 0xffffffff;", "mov.b64 {_, r2}, d1;", "setp.eq.and.u32 p|q, r1, r2, !q;",
		"ld.global.L2::cache_hint.v2.b64 {d1, d2}, [d3], d4;", "st.shared.u32 [dyn+4], ((1<<3)|~2)%7;",
	} {
		f.Add(prelude + text + "}")
	}
	f.Fuzz(func(t *testing.T, text string) {
		src := model.NewSource("f.ptx", text)
		p := newParser(src)
		mod, err := p.mod, p.module() // not Parse: its recover would hide a panic
		if err != nil {
			var d *model.Diagnostic
			if !errors.As(err, &d) || d.Msg == "" || d.Pos.Line < 1 || d.Pos.Col < 1 {
				t.Fatalf("error %#v", err)
			}
			_ = d.Error()
			return
		}
		for _, e := range mod.Entries {
			checkEntry(t, mod, e)
		}
	})
}

func checkEntry(t *testing.T, mod *model.Module, e *model.Entry) {
	t.Helper()
	operand := func(in model.Instr, o model.Operand) {
		switch o.Kind {
		case model.RegOperand:
			if int(o.Reg) >= len(e.RegNames) {
				t.Fatalf("%s: register %d of %d", in.Text, o.Reg, len(e.RegNames))
			}
		case model.SymbolOperand:
			if o.Imm.Hi != 0 {
				t.Fatalf("%s: unresolved symbol", in.Text)
			}
			if (o.Space == model.GlobalSpace || o.Space == model.ConstSpace) && int(o.Imm.Lo) >= len(mod.Globals) {
				t.Fatalf("%s: variable %d of %d", in.Text, o.Imm.Lo, len(mod.Globals))
			}
		}
	}
	for _, in := range e.Code {
		if in.Target < 0 || in.Target > len(e.Code) {
			t.Fatalf("%s: target %d of %d", in.Text, in.Target, len(e.Code))
		}
		if in.Pred != model.NoReg && e.RegTypes[in.Pred] != model.Pred {
			t.Fatalf("%s: guard of type %s", in.Text, e.RegTypes[in.Pred])
		}
		for _, o := range in.Dst {
			operand(in, o)
		}
		for _, o := range in.Src {
			operand(in, o)
		}
		for _, a := range in.Addrs {
			operand(in, a.Base)
		}
	}
}
