package ptx

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"ptxmc/model"
)

var quoted = regexp.MustCompile(`"((?:[^"\\]|\\.)*)"?`)

// errorChunks returns the chunks of the error tests as modules.
func errorChunks(t testing.TB) []string {
	t.Helper()
	data, err := os.ReadFile("testdata/errors.txt")
	if err != nil {
		t.Fatal(err)
	}
	chunks := strings.Split(string(data), "\n---\n")[1:]
	for i, c := range chunks {
		if !strings.HasPrefix(c, ".version") && !strings.HasPrefix(c, ".target") {
			chunks[i] = prelude + c + "\nL:\n}\n"
		}
	}
	return chunks
}

func TestErrors(t *testing.T) {
	for _, text := range errorChunks(t) {
		lines := strings.Split(text, "\n")
		wantLine, place, rest := 0, "", ""
		for i, l := range lines {
			if code, want, ok := strings.Cut(l, "// want @"); ok {
				wantLine = i + 1
				place, rest, _ = strings.Cut(want, " \"")
				rest = "\"" + rest
				if place == "" { // the end of the statement
					place = "//"
					lines[i] = strings.TrimRight(code, " ") + "// want"
				}
			}
		}
		if wantLine == 0 {
			t.Errorf("chunk expects nothing:\n%s", text)
			continue
		}
		name := strings.TrimSpace(strings.Split(lines[wantLine-1], "//")[0])
		t.Run(name, func(t *testing.T) {
			_, err := Parse(model.NewSource("t.ptx", strings.Join(lines, "\n")))
			if err == nil {
				t.Fatal("no error")
			}
			d := diagnostic(t, err)
			wantCol := strings.Index(lines[wantLine-1], place) + 1
			if d.Pos.Line != wantLine || d.Pos.Col != wantCol {
				t.Errorf("error at %d:%d, want %d:%d\n%v", d.Pos.Line, d.Pos.Col, wantLine, wantCol, err)
			}
			if !strings.Contains(d.Msg, ";") && !strings.Contains(d.Msg, "expected") {
				t.Errorf("message does not say what was expected: %s", d.Msg)
			}
			for _, m := range quoted.FindAllStringSubmatch(rest, -1) {
				want, err := strconv.Unquote(`"` + m[1] + `"`)
				if err != nil {
					t.Fatal(err)
				}
				if !strings.Contains(d.Msg, want) {
					t.Errorf("message %q does not contain %q", d.Msg, want)
				}
			}
		})
	}
}

// An edit's text starts inside its line; places must follow it.
func TestPositionsFollowTheSource(t *testing.T) {
	src := model.NewSource("t.ptx", prelude)
	src.Lines = append(src.Lines,
		model.SourceLine{Text: "add.u32 r1, r2, oops;", Line: 77, Col: 9},
		model.SourceLine{Text: "}", Line: 78, Col: 1})
	_, err := Parse(src)
	d := diagnostic(t, err)
	if d.Pos != (model.Pos{File: "t.ptx", Line: 77, Col: 25}) {
		t.Errorf("place is %v", d.Pos)
	}
	shown := strings.Split(err.Error(), "\n")
	if caret, name := strings.Index(shown[2], "^"), strings.Index(shown[1], "oops"); caret != name {
		t.Errorf("caret stands in column %d, the name in %d:\n%v", caret, name, err)
	}
}
