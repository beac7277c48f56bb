package litmus

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"ptxmc/model"
)

func TestErrors(t *testing.T) {
	text, err := os.ReadFile("testdata/errors.txt")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "dialect.\n")
	for i, chunk := range strings.Split(rest, "---\n") {
		t.Run(fmt.Sprint(i), func(t *testing.T) { checkChunk(t, strings.Split(strings.TrimSuffix(chunk, "\n"), "\n")) })
	}
}

// checkChunk checks one mini test; its expectation stands below the line that is wrong.
func checkChunk(t *testing.T, chunk []string) {
	var source []string
	var line, col int
	var want []string
	for _, l := range chunk[1:] {
		rest, ok := strings.CutPrefix(l, "### ")
		if !ok {
			source = append(source, l)
			continue
		}
		n, texts, _ := strings.Cut(rest, " ")
		line, want = len(source), strings.Split(texts, " | ")
		col, _ = strconv.Atoi(n)
	}
	_, err := Parse("t."+chunk[0], strings.Join(source, "\n"))
	var d *model.Diagnostic
	if !errors.As(err, &d) {
		t.Fatalf("%q: error %v; expected a diagnostic", source, err)
	}
	if d.Pos.Line != line || d.Pos.Col != col || d.Line != source[line-1] {
		t.Errorf("reported at line %d, column %d; expected line %d, column %d\n%v", d.Pos.Line, d.Pos.Col, line, col, err)
	}
	for _, w := range want {
		if !strings.Contains(d.Msg, w) {
			t.Errorf("expected %q in\n%v", w, err)
		}
	}
}

func TestOtherFiles(t *testing.T) {
	for file, text := range map[string]string{
		"t.ptx": "", "t": "PTX t", "big.litmus": strings.Repeat(" ", maxFile+1),
		"deep.litmus": "PTX t\n{}\nP0@cta 0,gpu 0;\nexists " + strings.Repeat("(", 1000),
		"wide.test":   ".global x;\nd0.b0.t0 {" + strings.Repeat("$0;", 3000) + "}\npermit (x == 0);\n$$\n" + strings.Repeat("\nst [x], 1", 500),
	} {
		_, err := Parse(file, text)
		var d *model.Diagnostic
		if !errors.As(err, &d) || !strings.Contains(d.Msg, "expected") {
			t.Errorf("%s: error %v; expected a diagnostic that says what was expected", file, err)
		}
	}
}
