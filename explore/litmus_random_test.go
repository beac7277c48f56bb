package explore

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ptxmc/memmodel/axiomatic"
	"ptxmc/memmodel/cat"
	"ptxmc/memmodel/models"
	"ptxmc/model/litmus"
)

// litmusGen draws litmus tests that ask for every register and location.
type litmusGen struct {
	t       *rapid.T
	locs    []string // generic names
	views   []string // proxy views of x: "texture t", …
	threads [][]string
	labels  int
	async   bool       // with an mbarrier object
	jumps   bool       // with branches, but without barriers that wait for whoever may come (docs/litmus.md)
	regs    []int      // registers of each thread
	loaded  [][]string // registers with a loaded value
}

func (g *litmusGen) pick(label string, from ...string) string {
	return rapid.SampledFrom(from).Draw(g.t, label)
}

func (g *litmusGen) scope() string { return g.pick("scope", "cta", "cluster", "gpu", "sys") }

func (g *litmusGen) fresh(th int) string {
	g.regs[th]++
	return fmt.Sprintf("r%d", g.regs[th]-1)
}

func (g *litmusGen) load(th int, format string, args ...any) string {
	r := g.fresh(th)
	g.loaded[th] = append(g.loaded[th], r)
	return fmt.Sprintf(format, append([]any{r}, args...)...)
}

// value is a constant or, as a dependency, what an earlier load returned.
func (g *litmusGen) value(th int) string {
	if n := len(g.loaded[th]); n > 0 && rapid.IntRange(0, 2).Draw(g.t, "depend") == 0 {
		return g.loaded[th][rapid.IntRange(0, n-1).Draw(g.t, "register")]
	}
	return g.pick("value", "1", "2")
}

// instruction draws the next instruction of a thread; a branch also gives a label for its end.
func (g *litmusGen) instruction(th int) (text, label string) {
	x := rapid.SampledFrom(g.locs).Draw(g.t, "location")
	switch k := rapid.IntRange(0, 15+2*len(g.views)).Draw(g.t, "kind"); k {
	case 0, 1:
		return g.load(th, "ld.weak %s, %s", x), ""
	case 2, 3:
		return g.load(th, "ld.relaxed."+g.scope()+" %s, %s", x), ""
	case 4:
		return g.load(th, "ld.acquire."+g.scope()+" %s, %s", x), ""
	case 5, 6:
		return fmt.Sprintf("st.weak %s, %s", x, g.value(th)), ""
	case 7, 8:
		return fmt.Sprintf("st.relaxed.%s %s, %s", g.scope(), x, g.value(th)), ""
	case 9:
		return fmt.Sprintf("st.release.%s %s, %s", g.scope(), x, g.value(th)), ""
	case 10:
		sem := g.pick("sem", "relaxed", "relaxed", "acquire", "release", "acq_rel")
		if rapid.Bool().Draw(g.t, "cas") {
			return g.load(th, "atom."+sem+"."+g.scope()+".cas %s, %s, 0, %s", x, g.value(th)), ""
		}
		return g.load(th, "atom."+sem+"."+g.scope()+"."+g.pick("op", "add", "exch")+" %s, %s, %s", x, g.value(th)), ""
	case 11:
		return fmt.Sprintf("red.%s.%s.add %s, 1", g.pick("sem", "relaxed", "release"), g.scope(), x), ""
	case 12, 13:
		return "fence." + g.pick("sem", "sc", "acq_rel", "acquire", "release") + "." + g.scope(), ""
	case 14:
		if n := len(g.loaded[th]); n > 0 {
			if g.jumps && rapid.Bool().Draw(g.t, "branch") {
				g.labels++
				label = fmt.Sprintf("LC%d", g.labels)
				return fmt.Sprintf("bne %s, 0, %s", g.loaded[th][n-1], label), label
			}
			r := g.fresh(th)
			text = fmt.Sprintf("add %s, %s, 1", r, g.loaded[th][n-1])
			g.loaded[th] = append(g.loaded[th], r)
			return text, ""
		}
		fallthrough
	case 15:
		if g.jumps {
			return "bar.cta." + g.pick("barrier", "sync 1, 1, 2", "arrive 1, 1, 2"), ""
		}
		return "bar.cta." + g.pick("barrier", "sync 1", "sync 1", "sync 1, 1, 2", "arrive 1, 1, 2"), ""
	default:
		kind, name, _ := strings.Cut(g.views[(k-16)%len(g.views)], " ")
		if rapid.IntRange(0, 2).Draw(g.t, "fence") == 0 {
			if kind == "generic" {
				kind = "alias"
			}
			return "fence.proxy." + kind, ""
		}
		store := rapid.Bool().Draw(g.t, "store")
		switch kind {
		case "texture":
			return g.load(th, "tld.weak %s, %s", name), ""
		case "constant":
			return g.load(th, "cold.weak %s, %s", name), ""
		case "surface":
			if store {
				return fmt.Sprintf("sust.%s %s, %s", g.pick("sem", "weak", "relaxed.gpu"), name, g.value(th)), ""
			}
			return g.load(th, "suld."+g.pick("sem", "weak", "relaxed.gpu")+" %s, %s", name), ""
		default:
			if store {
				return fmt.Sprintf("st.%s %s, %s", g.pick("sem", "weak", "relaxed.gpu"), name, g.value(th)), ""
			}
			return g.load(th, "ld."+g.pick("sem", "weak", "relaxed.gpu", "acquire.gpu")+" %s, %s", name), ""
		}
	}
}

// operations puts the arrivals, copies and waits of the first phase of an mbarrier object into the threads, and returns
// its declaration. Sources and destinations may be shared with everybody else.
func (g *litmusGen) operations(cta []int) string {
	t := g.t
	owner := rapid.IntRange(0, len(cta)-1).Draw(t, "owner")
	insert := func(th int, text string) {
		at := rapid.IntRange(0, len(g.threads[th])).Draw(t, "position")
		g.threads[th] = slices.Insert(g.threads[th], at, text)
	}
	anyone := func(label string) int { return rapid.IntRange(0, len(cta)-1).Draw(t, label) }
	scope := func() string { return g.pick("scope", "cta", "cluster") }
	arrivals, copies := rapid.IntRange(1, 2).Draw(t, "arrivals"), rapid.IntRange(0, 2).Draw(t, "copies")
	for i := range arrivals {
		expect, tx := "", ""
		if i == 0 && copies > 0 {
			expect, tx = ".expect_tx", fmt.Sprintf(", %d", copies)
		}
		insert(anyone("arrival"), "mbarrier.arrive"+expect+"."+g.pick("sem", "release", "relaxed")+"."+scope()+" [b]"+tx)
	}
	for range copies {
		x := func() string { return rapid.SampledFrom(g.locs).Draw(t, "location") }
		insert(anyone("copy"), "cp.async.bulk"+g.pick("strength", "", ".relaxed.cluster", ".relaxed.gpu")+" ["+x()+"], ["+x()+"], [b]")
	}
	for range rapid.IntRange(0, 2).Draw(t, "fences") {
		insert(anyone("fence"), "fence.proxy.async")
	}
	for th := range cta {
		if cta[th] == cta[owner] && rapid.IntRange(0, 2).Draw(t, "wait") > 0 {
			insert(th, "mbarrier.wait."+g.pick("sem", "acquire", "relaxed")+"."+scope()+" [b]")
		}
	}
	return fmt.Sprintf("mbarrier b@P%d = %d; ", owner, arrivals)
}

// litmusProgram draws a test of two to four threads over one to three locations.
func litmusProgram(t *rapid.T) string {
	g := &litmusGen{t: t, locs: []string{"x", "y", "z"}[:rapid.IntRange(1, 3).Draw(t, "locations")]}
	if rapid.IntRange(0, 3).Draw(t, "proxies") == 0 {
		for _, v := range []string{"texture t", "surface s", "constant c", "generic a"} {
			if rapid.IntRange(0, 2).Draw(t, "view") == 0 {
				g.views = append(g.views, v)
			}
		}
	}
	n := rapid.IntRange(2, 4).Draw(t, "threads")
	g.regs, g.loaded = make([]int, n), make([][]string, n)
	var header, shown []string
	where := []string{"cta 0,cluster 0,gpu 0", "cta 1,cluster 0,gpu 0", "cta 2,cluster 1,gpu 0", "cta 3,cluster 2,gpu 1"}
	g.async = rapid.IntRange(0, 3).Draw(t, "async") == 0
	g.jumps = !g.async && rapid.Bool().Draw(t, "jumps")
	places, most := len(where), []int{0, 0, 5, 3, 2}[n]
	if g.async {
		places, most = 2, []int{0, 0, 3, 2, 1}[n] // one cluster
	}
	cta := make([]int, n)
	for th := range n {
		cta[th] = rapid.IntRange(0, places-1).Draw(t, "place")
		header = append(header, fmt.Sprintf("P%d@%s", th, where[cta[th]]))
		var col, labels []string
		for range rapid.IntRange(1, most).Draw(t, "instructions") {
			text, label := g.instruction(th)
			col = append(col, text)
			if label != "" {
				labels = append(labels, label+":")
			}
		}
		g.threads = append(g.threads, append(col, labels...))
		for r := range g.regs[th] {
			shown = append(shown, fmt.Sprintf("P%d:r%d;", th, r))
		}
	}
	var b strings.Builder
	b.WriteString("PTX random\n{ x=0; y=0; z=0; ")
	if g.async {
		b.WriteString(g.operations(cta))
	}
	rows := 0
	for _, col := range g.threads {
		rows = max(rows, len(col))
	}
	for _, v := range g.views {
		kind, name, _ := strings.Cut(v, " ")
		fmt.Fprintf(&b, "%s @ %s aliases x; ", name, kind)
	}
	b.WriteString("}\n " + strings.Join(header, " | ") + " ;\n")
	for i := range rows {
		cells := make([]string, n)
		for th, col := range g.threads {
			if i < len(col) {
				cells[th] = col[i]
			}
		}
		b.WriteString(" " + strings.Join(cells, " | ") + " ;\n")
	}
	fmt.Fprintf(&b, "locations [%s x; y; z;]\nexists (x == 7)\n", strings.Join(shown, " "))
	return b.String()
}

// sameOutcomes compares the final states of the machine with those of the oracle.
func sameOutcomes(t *rapid.T, text string, m *cat.Model, o LitmusOptions) {
	progs, err := litmus.Parse("random.litmus", text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	want, err := axiomatic.Run(progs[0], m, axiomatic.Options{MaxCandidates: 40_000})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if want.Incomplete != "" {
		t.Skip(want.Incomplete)
	}
	o.MaxStates = 40_000
	got, err := Litmus(context.Background(), progs[0], o)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if got.Search.Verdict == Undecided {
		t.Skip(got.Search.Limit)
	}
	var oracle [][]int64
	for _, x := range want.Outcomes {
		oracle = append(oracle, x.Values)
	}
	show := func(a, b [][]int64) string {
		var out []string
		for _, v := range a {
			if !slices.ContainsFunc(b, func(w []int64) bool { return slices.Equal(v, w) }) {
				out = append(out, fmt.Sprint(v))
			}
		}
		return strings.Join(out, " ")
	}
	missing, surplus := show(oracle, got.Outcomes), show(got.Outcomes, oracle)
	if missing != "" || surplus != "" {
		t.Fatalf("terms %v\nthe machine lacks: %s\nthe machine has too many: %s\n%s", got.Terms, missing, surplus, text)
	}
}

// TestMachineEqualsOracle draws litmus tests and compares what the machine and the axioms let them end in:
// a hundred a round, or as many as -rapid.checks says. A failure that rapid has made small belongs into
// testdata/litmus/machine.
func TestMachineEqualsOracle(t *testing.T) {
	m, err := models.Load("ptxmc")
	if err != nil {
		t.Fatal(err)
	}
	rounds := 20
	if testing.Short() {
		rounds = 4
	}
	for i := range rounds {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) { sameOutcomes(t, litmusProgram(t), m, LitmusOptions{}) })
		})
	}
}
