package launch

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ptxmc/model"
)

var update = flag.Bool("update", false, "rewrite the expected output in testdata")

// TestGolden shows every case of testdata/*.ptx, plan and edited text, against *.golden.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.ptx")
	if err != nil || len(files) == 0 {
		t.Fatalf("no specs in testdata: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			spec := loadFile(t, file)
			var b strings.Builder
			for _, v := range append([]string{""}, spec.VariantNames()...) {
				c, err := spec.Case(v, nil)
				if err != nil {
					t.Fatal(err)
				}
				dump(&b, c)
			}
			golden := strings.TrimSuffix(file, ".ptx") + ".golden"
			if *update {
				if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if b.String() != string(want) {
				t.Errorf("differs from %s (run with -update and review):\n%s", golden, b.String())
			}
		})
	}
}

func loadFile(t *testing.T, file string) *Spec {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	spec, err := Load(filepath.Base(file), string(text))
	if err != nil {
		t.Fatal(err)
	}
	return spec
}

// dump writes a case for people.
func dump(b *strings.Builder, c *Case) {
	p := &c.Plan
	fmt.Fprintf(b, "=== %q: %s\n", c.Variant, c.Title)
	for _, name := range slices.Sorted(maps.Keys(p.Params)) {
		fmt.Fprintf(b, "param %s = %d\n", name, p.Params[name])
	}
	for _, x := range p.Buffers {
		fmt.Fprintf(b, "%v buffer %s %s[%d] align %d", x.Pos, x.Name, x.Elem, x.Count, x.Align)
		if x.HasSentinel {
			fmt.Fprintf(b, " sentinel %#x", x.Sentinel)
		}
		for _, e := range x.Init {
			switch {
			case e.Unknown:
				b.WriteString(" ?")
			case e.Stale:
				b.WriteString(" ~")
			default:
				b.WriteString(" ")
			}
			for i, v := range e.Values {
				b.WriteString(strings.Repeat("|", min(i, 1)))
				fmt.Fprintf(b, "%x", v.Lo)
			}
		}
		b.WriteString("\n")
	}
	for _, l := range p.Launches {
		fmt.Fprintf(b, "%v launch %s of %s grid %v block %v cluster %v shared %d stream %d programmatic %v\n",
			l.Pos, l.Name, l.Entry.Name, l.Grid, l.Block, l.Cluster, l.DynShared, l.Stream, l.Programmatic)
		for _, a := range l.Args {
			fmt.Fprintf(b, "    %s: buffer %d off %d value %x\n", a.Param.Name, a.Buffer, a.Off, a.Value.Lo)
		}
		fmt.Fprintf(b, "    % x\n", l.ArgBytes(func(i int) uint64 { return uint64(i+1) << 32 }, nil))
	}
	fmt.Fprintf(b, "slots %d\n", p.Slots)
	for _, f := range p.Finals {
		fmt.Fprintf(b, "%v final %s\n", f.Pos, f.Text)
	}
	fmt.Fprintf(b, "expect verified %v property %q states %d at %v\n", p.Expect.Verified, p.Expect.Property, p.Expect.States, p.Expect.Pos)
	orig := map[int]string{}
	for _, l := range c.Spec.Source.Lines {
		orig[l.Line] = l.Text
	}
	last := 0
	for _, l := range c.Source.Lines {
		if l.Col == 1 && orig[l.Line] == l.Text {
			for last++; last < l.Line; last++ {
				fmt.Fprintf(b, "%d: deleted %s\n", last, orig[last])
			}
			continue
		}
		fmt.Fprintf(b, "%d:%d: new     %s\n", l.Line, l.Col, l.Text)
		if got := orig[l.Line][l.Col-1:]; got != l.Text {
			fmt.Fprintf(b, "    but the file has %q there\n", got)
		}
	}
}

// TestSet overrides params from outside.
func TestSet(t *testing.T) {
	spec := loadFile(t, "testdata/ring.ptx")
	c, err := spec.Case("", map[string]int64{"chunks": 1})
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Plan.Buffers[0].Count; got != 8 {
		t.Errorf("in has %d elements, want 8", got)
	}
	if c.Plan.Expect.States != 0 || !c.Plan.Expect.Verified {
		t.Errorf("the number of states belongs to the file's params, the verdict to all: %+v", c.Plan.Expect)
	}
	c, err = spec.Case("", map[string]int64{"chunks": 2})
	if err != nil || c.Plan.Expect.States != 1234 {
		t.Errorf("setting a param to the file's value changed the plan: %v %v", c, err)
	}
	for _, tt := range []struct {
		variant string
		set     map[string]int64
		want    string
	}{
		{"narow-stores", nil, "ring.ptx has no variant narow-stores; expected narrow-stores, other-plan or no-check; did you mean narrow-stores?"},
		{"", map[string]int64{"chunk": 1}, "ring.ptx has no param chunk; expected chunks; did you mean chunks?"},
		{"", map[string]int64{"chunks": 0}, "ring.ptx:3:22: buffer in has 0 elements"},
		{"", map[string]int64{"chunks": -1 << 63}, "ring.ptx:3:22: 8*chunks exceeds 64 bits"},
	} {
		c, err := spec.Case(tt.variant, tt.set)
		if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("Case(%q, %v) = %v, want %s", tt.variant, tt.set, err, tt.want)
		}
		if c != nil {
			t.Errorf("Case(%q, %v) returned a case beside its error", tt.variant, tt.set)
		}
	}
}

// TestCasesAreIndependent makes cases in both orders.
func TestCasesAreIndependent(t *testing.T) {
	spec := loadFile(t, "testdata/ring.ptx")
	show := func(v string) string {
		c, err := spec.Case(v, nil)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		dump(&b, c)
		return b.String()
	}
	base := show("")
	for _, v := range spec.VariantNames() {
		first := show(v)
		if show("") != base || show(v) != first {
			t.Errorf("making variant %s changed the spec", v)
		}
	}
}

// TestNoPTX gives Case a module of its own, so that only the plan is under test.
func TestNoPTX(t *testing.T) {
	mod := &model.Module{Entries: []*model.Entry{{
		Name: "k", ParamBytes: 32,
		Params: []model.Param{
			{Name: "a", Type: model.B8, Offset: 0, Size: 1},
			{Name: "b", Type: model.S16, Offset: 2, Size: 2},
			{Name: "c", Type: model.B8, Offset: 4, Size: 4}, // an array
			{Name: "d", Type: model.F64, Offset: 8, Size: 8},
			{Name: "e", Type: model.B8, Offset: 16, Size: 16}, // an array
		},
	}}}
	spec, err := Load("dir/some.ptx", "//@ expect verified\n//@ launch k block 1 grid (1+1)*2 args 200, -1, 0x01020304, -1.5, 0x0123456789abcdef0011223344556677")
	if err != nil {
		t.Fatal(err)
	}
	c, err := spec.caseBy(func(*model.Source) (*model.Module, error) { return mod, nil }, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	l := c.Plan.Launches[0]
	got := fmt.Sprintf("%s %d % x", c.Title, l.Grid[0], l.ArgBytes(nil, nil))
	want := "some 4 c8 00 ff ff 04 03 02 01 00 00 00 00 00 00 f8 bf 77 66 55 44 33 22 11 00 ef cd ab 89 67 45 23 01"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestProperties(t *testing.T) {
	want := "no-torn-chunk no-stale-data no-lost-report race-free no-overwrite defined-behavior lifetime deadlock-free terminates asserts write-once"
	if got := strings.Join(propertyNames(), " "); got != want {
		t.Errorf("properties are %s, want %s", got, want)
	}
	for _, p := range Properties {
		if p.RefutedBy == "" {
			t.Errorf("%s has no meaning", p.Name)
		}
		spec, err := Load("a.ptx", "//@ expect refuted "+p.Name)
		if err != nil || spec.Base.Expect.Property != p.Name {
			t.Errorf("expect refuted %s: %v", p.Name, err)
		}
	}
}
