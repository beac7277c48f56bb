package launch

import (
	"errors"
	"os"
	"strings"
	"testing"

	"ptxmc/model"
)

// FuzzLoad holds Load and Case to their contract on any text: no panic, errors are Diagnostics at
// a place that exists, and every annotation has an effect.
func FuzzLoad(f *testing.F) {
	ring, err := os.ReadFile("testdata/ring.ptx")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(ring))
	chunks, err := os.ReadFile("testdata/errors.txt")
	if err != nil {
		f.Fatal(err)
	}
	for _, c := range strings.Split(string(chunks), "\n---\n") {
		f.Add(strings.ReplaceAll(c, "$MODULE", smallModule))
	}
	f.Add(finalSpec + "forall i in 0..k, j in i..k: in[i] != max(out[j], -0.0) && !(h[i] < 1.5)\n" + smallModule)
	f.Fuzz(func(t *testing.T, text string) {
		spec, err := Load("f.ptx", text)
		if err != nil {
			checkDiagnostic(t, err, text)
			return
		}
		// The parser of PTX has its own fuzz target; here a fixed module stands in for it.
		parse := func(src *model.Source) (*model.Module, error) {
			e := &model.Entry{Name: "copy", ParamBytes: 16, Params: []model.Param{
				{Name: "p", Type: model.U64, Size: 8}, {Name: "n", Type: model.U32, Offset: 8, Size: 4}, {Name: "f", Type: model.F32, Offset: 12, Size: 4}}}
			return &model.Module{Entries: []*model.Entry{e, {Name: "empty"}}}, nil
		}
		for _, v := range append([]string{""}, spec.VariantNames()...) {
			c, err := spec.caseBy(parse, v, nil)
			if err != nil {
				checkDiagnostic(t, err, text)
				continue
			}
			for i := range c.Plan.Finals {
				fin := &c.Plan.Finals[i]
				n := 0
				fin.Reads(func(buffer string, elem int) { n++ })
				if n == 0 {
					t.Errorf("final %s reads nothing", fin.Text)
				}
				bits := uint64(0)
				holds, why := fin.Check(func(string, int) (model.Value, bool) {
					bits = bits*6364136223846793005 + 1
					return model.Value{Lo: bits}, bits%5 != 0
				})
				if holds != (why == "") || strings.Contains(why, "f.ptx:") {
					t.Errorf("final %s: %v, %q", fin.Text, holds, why)
				}
			}
		}
	})
}

func checkDiagnostic(t *testing.T, err error, text string) {
	t.Helper()
	var d *model.Diagnostic
	if !errors.As(err, &d) {
		t.Fatalf("%v is not a Diagnostic", err)
	}
	lines := strings.Split(text, "\n")
	if d.Pos.Line < 1 || d.Pos.Line > len(lines) {
		t.Fatalf("%v: no such line", err)
	}
	if d.Pos.Col < 1 || d.Pos.Col > len(lines[d.Pos.Line-1])+1 {
		t.Errorf("%v: no such column", err)
	}
	if d.Msg == "" || strings.Contains(d.Msg, "%!") {
		t.Errorf("bad message %q", d.Msg)
	}
}
