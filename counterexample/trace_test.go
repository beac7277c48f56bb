package counterexample

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"ptxmc/machine"
	"ptxmc/model"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares with testdata/name.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, got, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs (run with -update and review the diff):\n--- got\n%s\n--- want\n%s", file, got, want)
	}
}

func pos(line int) model.Pos { return model.Pos{File: "specs/dir/tile.ptx", Line: line, Col: 5} }

// torn is a trace with all parts: agents of several widths, a step without a place, notes, sites
// with and without a place, a mend.
func torn() *Trace {
	return &Trace{
		Schema: Schema, File: "specs/dir/tile.ptx", Variant: "no-flag", Property: "no-torn-chunk", Rule: "READ",
		Message: "the chunk at tile[0..15] is accepted with bytes of two writes", Fix: "use a mechanism that reports",
		Sites: []machine.Site{
			{Pos: pos(31), Text: "cp.async.bulk.shared::cta.global [%0], [%1], 16, [%2];", Agent: "consumer[0]", Role: "the copy"},
			{Text: "the environment"},
			{Pos: pos(12), Text: "st.relaxed.gpu.b32 [%3], %r1;", Agent: "producer[0]"},
			{Pos: pos(13), Text: "st.relaxed.gpu.b32 [%3+4], %r1;", Role: "the conflicting store"},
		},
		Steps: []machine.TraceStep{
			{Agent: "producer[0]", Pos: pos(12), Text: "st.relaxed.gpu.b32 [%3], %r1;", Notes: []string{"writes tile[0..3] = 0x00000001", "coherence: after the initial content"}},
			{Agent: "cta 1", Text: "becomes resident"},
			{Agent: "copy by consumer[0]", Pos: pos(31), Text: "completes", Notes: []string{"reads tile[0..15] = {00000001 80000000 80000000 80000000}"}},
		},
		Loop: -1, Also: []string{"race-free", "terminates"}, Assumptions: []string{"A1: no overtaking", "A3: a grid start crosses all proxies"},
	}
}

// lasso repeats its last two steps for ever.
func lasso() *Trace {
	return &Trace{
		Schema: Schema, File: "poll.ptx", Property: "terminates", Rule: "FAIRNESS",
		Message: "the weak poll never sees the flag",
		Steps: []machine.TraceStep{
			{Agent: "p", Pos: model.Pos{File: "poll.ptx", Line: 3, Col: 1}, Text: "st.b32 [flag], 1;"},
			{Agent: "c", Pos: model.Pos{File: "poll.ptx", Line: 7, Col: 1}, Text: "ld.b32 %r, [flag];", Notes: []string{"reads flag = 0x00000000"}},
			{Agent: "c", Pos: model.Pos{File: "poll.ptx", Line: 8, Col: 1}, Text: "bra again;"},
		},
		Loop: 1, Assumptions: []string{},
	}
}

// whole repeats from its first step; it has no rule.
func whole() *Trace {
	t := lasso()
	t.Loop, t.Rule, t.Steps = 0, "", t.Steps[1:]
	return t
}

// still violates in the initial state.
func still() *Trace {
	return &Trace{Schema: Schema, File: "empty.ptx", Property: "deadlock-free", Message: "no thread can move", Loop: -1, Assumptions: []string{}}
}

var traces = []struct {
	name string
	make func() *Trace
}{{"torn", torn}, {"lasso", lasso}, {"whole", whole}, {"still", still}}

func TestWriteText(t *testing.T) {
	for _, tt := range traces {
		t.Run(tt.name, func(t *testing.T) {
			var b bytes.Buffer
			if err := WriteText(&b, tt.make()); err != nil {
				t.Fatal(err)
			}
			golden(t, tt.name+".txt", b.Bytes())
		})
	}
}

// TestText checks the lines that matter without a golden file, so that -update cannot hide them.
func TestText(t *testing.T) {
	tests := []struct {
		trace *Trace
		has   []string
		not   []string
	}{
		{torn(), []string{
			"tile.ptx:12 ", "· coherence: after the initial content\n",
			"why: step 3: the chunk", "specs/dir/tile.ptx:31 ", "(consumer[0], the copy)", "(producer[0])", "(the conflicting store)",
			"mend: use a mechanism that reports.\n", "rule: no-torn-chunk, READ (ptxmc rules no-torn-chunk)", "also broken: race-free, terminates\n",
		}, []string{"for ever", "the environment", ":0"}},
		{lasso(), []string{"for ever:\n    2  c", "why: steps 2 to 3 repeat: the weak poll"}, []string{"mend:", "also broken", "steps 1"}},
		{whole(), []string{"why: steps 1 to 2 repeat:", "rule: terminates (ptxmc"}, []string{"terminates,"}},
		{still(), []string{"why: no thread can move.\n"}, []string{"step", "for ever"}},
	}
	for _, tt := range tests {
		var b strings.Builder
		if err := WriteText(&b, tt.trace); err != nil {
			t.Fatal(err)
		}
		for _, s := range tt.has {
			if !strings.Contains(b.String(), s) {
				t.Errorf("%q is missing in\n%s", s, b.String())
			}
		}
		for _, s := range tt.not {
			if strings.Contains(b.String(), s) {
				t.Errorf("%q is in\n%s", s, b.String())
			}
		}
	}
	if n := strings.Count(text(t, lasso()), "from here on, for ever:"); n != 1 {
		t.Errorf("the loop is marked %d times", n)
	}
}

func text(t *testing.T, tr *Trace) string {
	t.Helper()
	var b strings.Builder
	if err := WriteText(&b, tr); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// failing takes so many writes, then fails each.
type failing struct {
	left  int
	after int // writes that came after the first failure
}

var errFull = errors.New("full")

func (f *failing) Write(p []byte) (int, error) {
	if f.left--; f.left < -1 {
		f.after++
	}
	if f.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

// TestWriterError fails at every write in turn: the error comes back, and nothing more is written.
func TestWriterError(t *testing.T) {
	for _, tt := range traces {
		n := 0
		for {
			f := &failing{left: n}
			err := WriteText(f, tt.make())
			if err == nil {
				break
			}
			if !errors.Is(err, errFull) || f.after != 0 {
				t.Errorf("%s: failing at write %d gives %v and %d more writes", tt.name, n, err, f.after)
			}
			if n++; n > 100 {
				t.Fatal("never succeeds")
			}
		}
		if n < 2 {
			t.Errorf("%s: only %d writes could fail", tt.name, n)
		}
	}
}

// TestClosedPipe: the reader has gone.
func TestClosedPipe(t *testing.T) {
	pr, pw := io.Pipe()
	pr.CloseWithError(io.ErrClosedPipe)
	if err := WriteText(pw, lasso()); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("%v", err)
	}
}

func TestSave(t *testing.T) {
	file := filepath.Join(t.TempDir(), "traces.json")
	for _, tt := range []struct {
		name   string
		traces []*Trace
	}{
		{"two.json", []*Trace{torn(), lasso()}}, // the longer file first: the next must truncate it
		{"one.json", []*Trace{lasso()}},
		{"none.json", []*Trace{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if err := Save(file, tt.traces); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			golden(t, tt.name, got)
			var f File
			d := json.NewDecoder(bytes.NewReader(got))
			d.DisallowUnknownFields()
			if err := d.Decode(&f); err != nil {
				t.Fatal(err)
			}
			if want := (File{Schema, tt.traces}); !reflect.DeepEqual(f, want) {
				t.Errorf("read back:\n%+v\nwant\n%+v", f, want)
			}
			if !bytes.HasSuffix(got, []byte("}\n")) {
				t.Error("no line break at the end")
			}
		})
	}
}

// TestLoopAlwaysWritten: 0 means a loop over all, so it must not be left out of the JSON.
func TestLoopAlwaysWritten(t *testing.T) {
	for _, tt := range traces {
		b, err := json.Marshal(tt.make())
		if err != nil {
			t.Fatal(err)
		}
		var m map[string]any
		if err := json.Unmarshal(b, &m); err != nil {
			t.Fatal(err)
		}
		if got, ok := m["loop"].(float64); !ok || int(got) != tt.make().Loop {
			t.Errorf("%s: loop is %v", tt.name, m["loop"])
		}
		for _, key := range []string{"schema", "file", "property", "rule", "message", "steps", "assumptions"} {
			if _, ok := m[key]; !ok {
				t.Errorf("%s: %q is missing", tt.name, key)
			}
		}
	}
}

func TestSaveErrors(t *testing.T) {
	dir := t.TempDir()
	if err := Save(filepath.Join(dir, "missing", "t.json"), []*Trace{lasso()}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing folder: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "missing")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder was made: %v", err)
	}
	if err := Save(dir, []*Trace{lasso()}); err == nil {
		t.Error("a folder as the file: no error")
	}
	if _, err := os.Stat("/dev/full"); err == nil {
		if err := Save("/dev/full", []*Trace{lasso()}); err == nil {
			t.Error("a full device: no error")
		}
	}
	if _, err := os.Stat("/dev/null"); err == nil {
		if err := Save("/dev/null", []*Trace{lasso()}); err != nil {
			t.Errorf("a device that cannot sync: %v", err)
		}
	}
}
