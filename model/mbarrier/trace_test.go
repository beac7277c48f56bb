package mbarrier

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"
)

var update = flag.Bool("update", false, "rewrite the expected output in testdata")

// TestTraces runs the scripts in testdata. Each is paragraphs of operations; below the "----" of a
// paragraph stand the printed results, one a line. An object lives to the end of its file.
func TestTraces(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var s script
			var out []string
			for _, par := range strings.Split(strings.TrimSpace(string(text)), "\n\n") {
				input, _, _ := strings.Cut(par+"\n", "----\n")
				out = append(out, strings.TrimRight(input, "\n"))
				if !strings.Contains(par, "----") {
					continue // a comment
				}
				out = append(out, "----")
				for _, line := range strings.Split(strings.TrimSpace(input), "\n") {
					if strings.HasPrefix(line, "#") {
						continue
					}
					got, err := s.run(line)
					if err != nil {
						t.Fatal(err)
					}
					out = append(out, got)
				}
				out = append(out, "")
			}
			got := strings.TrimRight(strings.Join(out, "\n"), "\n") + "\n"
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if got != string(text) {
				t.Errorf("got:\n%s", got)
			}
		})
	}
}

// TestSize keeps the object small: every state of a search holds all of them.
func TestSize(t *testing.T) {
	if n := unsafe.Sizeof(Barrier{}); n > 24 {
		t.Errorf("a Barrier has %d bytes", n)
	}
}
