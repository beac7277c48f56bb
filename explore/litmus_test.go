package explore

import (
	"bufio"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ptxmc/model/litmus"
)

const corpus = "../../shared/corpus/dat3m"

// list calls f for each line of one of the corpus's lists.
func list(t *testing.T, name string, f func(path string, p *litmus.Program, expected bool)) {
	t.Helper()
	file, err := os.Open(filepath.Join(corpus, name))
	if err != nil {
		t.Skipf("the corpus is absent: %v", err)
	}
	defer file.Close()
	for s := bufio.NewScanner(file); s.Scan(); {
		path, expected, _ := strings.Cut(s.Text(), ",")
		text, err := os.ReadFile(filepath.Join(corpus, path))
		if err != nil {
			t.Fatal(err)
		}
		progs, err := litmus.Parse(path, string(text))
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range progs {
			f(path, p, expected == "1")
		}
	}
}

// needsLater are tests of the corpus whose outcome needs what assumption A1 excludes.
var needsLater = map[string]string{
	"Manual/LB+RMW-a.litmus":      "an acquire load that takes its value after a later store of its thread is seen",
	"Manual/MICRO24-Fig4b.litmus": "a read-modify-write that takes effect after a later one of its thread, over a fence.sc.cta that does not reach the other CTA",
}

// TestCorpusConditions runs the condition lists of Dat3M's corpus on the machine.
func TestCorpusConditions(t *testing.T) {
	for _, name := range []string{"PTXv7_5-expected.csv", "PTXv6_0-expected.csv"} {
		list(t, name, func(path string, p *litmus.Program, expected bool) {
			r, err := Litmus(context.Background(), p, LitmusOptions{})
			if err != nil {
				t.Error(err)
				return
			}
			if r.Search.Verdict == Undecided {
				t.Errorf("%s: %s", path, r.Search.Limit)
			}
			c := &p.Conditions[0]
			if r.Holds(c) != expected && needsLater[path] == "" {
				t.Errorf("%s %s: %s %s is %v; states %d, final %v", name, path, c.Kind, c.Text, !expected, r.Search.States, r.Outcomes)
			}
		})
	}
}

// TestCorpusTermination runs the lists of tests that have to terminate, or not.
func TestCorpusTermination(t *testing.T) {
	for _, name := range []string{"PTXv7_5-Liveness-expected.csv", "PTXv6_0-Liveness-expected.csv"} {
		list(t, name, func(path string, p *litmus.Program, expected bool) {
			r, err := Litmus(context.Background(), p, LitmusOptions{Termination: true})
			if err != nil {
				t.Error(err)
				return
			}
			if r.Terminates != expected {
				t.Errorf("%s %s: terminates is %v: %v", name, path, r.Terminates, r.Search.Violation)
			}
		})
	}
}
