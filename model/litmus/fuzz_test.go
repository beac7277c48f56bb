package litmus

import (
	"errors"
	"os"
	"strings"
	"testing"

	"ptxmc/model"
)

// FuzzParse checks that a text gives programs that can be executed, or a diagnostic inside of the text.
func FuzzParse(f *testing.F) {
	for _, name := range []string{"every.litmus", "async.litmus", "table.test", "errors.txt"} {
		text, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		if name != "errors.txt" {
			f.Add(string(text), strings.HasSuffix(name, ".test"))
			continue
		}
		for chunk := range strings.SplitSeq(string(text), "---\n") {
			dialect, body, _ := strings.Cut(chunk, "\n")
			f.Add(body, dialect == "test")
		}
	}
	f.Fuzz(func(t *testing.T, text string, blocks bool) {
		file := "f.litmus"
		if blocks {
			file = "f.test"
		}
		progs, err := Parse(file, text)
		if err != nil {
			var d *model.Diagnostic
			if !errors.As(err, &d) {
				t.Fatalf("error %v is no diagnostic", err)
			}
			lines := strings.Split(text, "\n")
			if d.Pos.Line < 1 || d.Pos.Line > len(lines) || d.Pos.Col < 1 || d.Pos.Col > len(lines[d.Pos.Line-1])+1 {
				t.Fatalf("place outside of the text: %v", err)
			}
			return
		}
		for _, p := range progs {
			if len(p.Conditions) == 0 || len(p.Threads) == 0 {
				t.Errorf("no condition or no thread: %+v", p)
			}
			checkExecutable(t, p)
		}
	})
}
