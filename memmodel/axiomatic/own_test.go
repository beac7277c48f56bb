package axiomatic

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"ptxmc/memmodel/cat"
	"ptxmc/memmodel/models"
	"ptxmc/model/litmus"
)

// own holds our own tests. Each says in its remark why its condition holds or not; the lists NAME.csv say which do by
// the model NAME.
const own = "../../testdata/litmus/"

// ownList reads the list of a model: the tests in its order, and their verdicts.
func ownList(t *testing.T, model string) (tests []string, verdict map[string]bool) {
	t.Helper()
	text, err := os.ReadFile(own + model + ".csv")
	if err != nil {
		t.Fatal(err)
	}
	verdict = map[string]bool{}
	for line := range strings.Lines(string(text)) {
		path, v, _ := strings.Cut(strings.TrimSpace(line), ",")
		if _, twice := verdict[path]; twice || v != "0" && v != "1" {
			t.Errorf("%s.csv: %s", model, line)
		}
		tests, verdict[path] = append(tests, path), v == "1"
	}
	return tests, verdict
}

// wrong returns the names of those tests of a list, or of all if none is named, whose verdict by m is not the expected
// one.
func wrong(t *testing.T, m *cat.Model, list string, only ...string) (names []string) {
	t.Helper()
	tests, verdict := ownList(t, list)
	for _, path := range tests {
		name := strings.TrimSuffix(filepath.Base(path), ".litmus")
		if len(only) > 0 && !slices.Contains(only, name) {
			continue
		}
		if v := judge(t, parse(t, own+path)[0], m); v.Holds != verdict[path] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// TestOwn checks the lists, and that every test is on the list of ptxmc, and without asynchronous operations on that of
// ptx-7.5.
func TestOwn(t *testing.T) {
	for _, name := range models.Names() {
		if names := wrong(t, load(t, name), name); names != nil {
			t.Errorf("%s: not the expected verdict: %v", name, names)
		}
	}
	files, err := filepath.Glob(own + "*/*.litmus")
	if err != nil {
		t.Fatal(err)
	}
	for _, model := range []string{"ptxmc", "ptx-7.5"} {
		tests, _ := ownList(t, model)
		for _, f := range files {
			path := strings.TrimPrefix(f, own)
			if asks := model == "ptxmc" || strings.HasPrefix(path, "ptx/"); asks && !slices.Contains(tests, path) {
				t.Errorf("%s is not in %s.csv", path, model)
			}
		}
	}
}

// edited returns a built-in model with old replaced by new in the file that holds it, once. An old that begins with
// "as " names an axiom, which is taken out.
func edited(t *testing.T, model, old, replacement string) *cat.Model {
	t.Helper()
	found := 0
	edit := func(text string) string {
		if axiom, ok := strings.CutPrefix(old, "as "); ok {
			re := regexp.MustCompile(`(?m)^.* as ` + axiom + `$`)
			found += len(re.FindAllString(text, -1))
			return re.ReplaceAllString(text, "")
		}
		found += strings.Count(text, old)
		return strings.ReplaceAll(text, old, replacement)
	}
	text, err := models.Text(model + ".cat")
	if err != nil {
		t.Fatal(err)
	}
	m, err := cat.Parse("edited", edit(text), func(file string) (string, error) {
		text, err := models.Text(file)
		return edit(text), err
	})
	if err != nil {
		t.Fatalf("%s without %q: %v", model, old, err)
	}
	if found != 1 {
		t.Fatalf("%s has %q %d times; expected once", model, old, found)
	}
	return m
}

// TestEdits takes out one axiom, or weakens or drops one clause of a definition: the tests named notice.
func TestEdits(t *testing.T) {
	for _, c := range edits {
		t.Run(c.model+"/"+c.old+" to "+c.new, func(t *testing.T) {
			t.Parallel()
			want := slices.Sorted(slices.Values(c.tests))
			if names := wrong(t, edited(t, c.model, c.old, c.new), c.model, c.tests...); !slices.Equal(names, want) {
				t.Errorf("expected to notice: %v; these do: %v", want, names)
			}
		})
	}
}

// TestImplied holds that the edits without a test change the outcomes of no random program.
func TestImplied(t *testing.T) {
	for _, c := range edits {
		if c.tests != nil {
			continue
		}
		t.Run(c.model+"/"+c.old, func(t *testing.T) {
			t.Parallel()
			m, e := load(t, c.model), edited(t, c.model, c.old, c.new)
			rapid.Check(t, func(t *rapid.T) {
				text := randomProgram(t, 5)
				if c.model == "ptxmc" {
					text = withCopies(t, text)
				}
				progs, err := litmus.Parse("random.litmus", text)
				if err != nil {
					t.Fatal(err)
				}
				var got [2][]string
				for i, m := range []*cat.Model{m, e} {
					r, err := Run(progs[0], m, Options{MaxCandidates: 2000})
					if err != nil {
						t.Fatal(err)
					}
					if r.Incomplete != "" {
						t.Skip(r.Incomplete)
					}
					got[i] = outcomes(r)
				}
				if diff := cmp.Diff(got[0], got[1]); diff != "" {
					t.Errorf("with (-) and without (+):\n%s\n%s", diff, text)
				}
			})
		})
	}
}

// TestEveryAxiomIsEdited holds that the table takes out every axiom of every model.
func TestEveryAxiomIsEdited(t *testing.T) {
	for _, name := range models.Names() {
		var taken []string
		for _, c := range edits {
			if axiom, ok := strings.CutPrefix(c.old, "as "); ok && c.model == name {
				taken = append(taken, axiom)
			}
		}
		want := load(t, name).CheckNames()
		slices.Sort(want)
		slices.Sort(taken)
		if diff := cmp.Diff(want, taken); diff != "" {
			t.Errorf("%s: axioms (-) and those taken out (+):\n%s", name, diff)
		}
	}
}

// TestNoBarriers holds that a model that knows no mbarrier objects is not asked about them.
func TestNoBarriers(t *testing.T) {
	p, err := litmus.Parse("t.litmus", "PTX t\n{ x=0; mbarrier b = 1; }\nP0@cta 0,gpu 0 ;\nmbarrier.arrive [b] ;\nexists x==0")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Run(p[0], load(t, "ptx-7.5"), Options{}); err == nil || !strings.Contains(err.Error(), "ptxmc") {
		t.Errorf("error %v; expected one that names ptxmc", err)
	}
}
