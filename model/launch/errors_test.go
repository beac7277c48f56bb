package launch

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"ptxmc/model"
)

const smallModule = `.version 9.0
.target sm_90
.address_size 64
.visible .entry empty()
{
  ret;
}
.visible .entry copy(.param .u64 dst, .param .u32 n, .param .f32 f)
{
  ret;
}`

// firstError loads a text and makes all its cases.
func firstError(text string) error {
	spec, err := Load("t.ptx", text)
	if err != nil {
		return err
	}
	for _, v := range append([]string{""}, spec.VariantNames()...) {
		if _, err := spec.Case(v, nil); err != nil {
			return err
		}
	}
	return nil
}

func TestErrors(t *testing.T) {
	text, err := os.ReadFile("testdata/errors.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	for start := 2; start < len(lines); {
		end := start
		for end < len(lines) && lines[end] != "---" {
			end++
		}
		t.Run(fmt.Sprintf("line%d", start+1), func(t *testing.T) { checkChunk(t, lines[start:end]) })
		start = end + 1
	}
}

// checkChunk checks one mini spec; its expectation stands below the line that is wrong.
func checkChunk(t *testing.T, chunk []string) {
	var source []string
	var line, col int
	var want []string
	for _, l := range chunk {
		exp, ok := strings.CutPrefix(l, "### ")
		if !ok {
			source = append(source, strings.ReplaceAll(l, "$MODULE", smallModule))
			continue
		}
		c, msg, _ := strings.Cut(exp, " ")
		line, want = len(source), strings.Split(msg, " | ")
		var err error
		if col, err = strconv.Atoi(c); err != nil {
			t.Fatal(err)
		}
	}
	err := firstError(strings.Join(source, "\n"))
	var d *model.Diagnostic
	if !errors.As(err, &d) {
		t.Fatalf("got %v, want a Diagnostic", err)
	}
	if d.Pos.Line != line || d.Pos.Col != col || d.Pos.File != "t.ptx" {
		t.Errorf("reported at %v, want t.ptx:%d:%d", d.Pos, line, col)
	}
	for _, w := range want {
		if !strings.Contains(d.Msg, w) {
			t.Errorf("message lacks %q", w)
		}
	}
	if !strings.Contains(d.Msg, "; ") || !strings.Contains(d.Msg, "expected") && !strings.Contains(d.Msg, "holds") {
		t.Errorf("message does not say what was expected")
	}
	if d.Line != source[line-1] {
		t.Errorf("shows the line %q", d.Line)
	}
	if t.Failed() {
		t.Log(err)
	}
}

// TestSilent holds comments that are none of this package's business.
func TestSilent(t *testing.T) {
	for _, text := range []string{
		"",
		"// @empty",
		"// launch empty grid 0",
		"// see //@ launch",
		"//@",
		"//@   // a remark",
		"ret; // @empty has ended",
		".pragma \"//@ nothing\";",
	} {
		text = "//@ expect verified\n//@ launch empty grid 1 block 1\n" + smallModule + "\n" + text
		if _, err := Load("t.ptx", text); err != nil {
			t.Errorf("%q: %v", text[strings.LastIndex(text, "}")+1:], err)
		}
	}
	if spec, err := Load("t.ptx", "/* a */ ret; /* b\n c */ ret; //@ mark x\r\n"); err != nil || len(spec.marks["x"]) != 1 || spec.marks["x"][0] != 1 {
		t.Errorf("mark behind a block comment: %v %v", spec, err)
	}
}

// TestDepth nests deeper than any stack should follow.
func TestDepth(t *testing.T) {
	for _, text := range []string{
		"//@ param n = " + strings.Repeat("(", 1e5),
		"//@ param n = " + strings.Repeat("-", 1e5) + "1",
		"//@ final " + strings.Repeat("!(", 1e5),
		"//@ final forall " + strings.Repeat("i in 0..1,", 1e5),
		"//@ final " + strings.Repeat("forall i in 0..1:", 1e5),
		"//@ final " + strings.Repeat("a[", 1e5),
		"//@ final " + strings.Repeat("min(", 1e5),
		"//@ param n = 1" + strings.Repeat("+1", 1e5),
	} {
		if err := firstError(text); err == nil || !strings.Contains(err.Error(), "more than") {
			t.Errorf("%.40s...: %.200v", text, err)
		}
	}
}
