package axiomatic

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"ptxmc/memmodel"
	"ptxmc/memmodel/cat"
	"ptxmc/model/litmus"
)

// naive lists the outcomes of a program without loops as the definition says: every value of every load out
// of a fixed domain, every rf, every partial order as coherence.
func naive(t *rapid.T, p *litmus.Program, m *cat.Model, values []int64) []string {
	s := &search{prog: p, model: m, terms: p.Terms(), res: &Result{}, fences: true}
	d := newDomains(p)
	for i := range d.values {
		d.values[i] = values
	}
	var paths [][]*path
	for th := range p.Threads {
		w := newWalker(p, th, Options{Unroll: 1, MaxCandidates: 1 << 20})
		if err := w.walk(d); err != nil {
			t.Fatal(err)
		}
		paths, s.index = append(paths, w.paths), append(s.index, w.regs)
	}
	found := map[string]bool{}
	judged := 0
	each(paths, nil, func(chosen []*path) {
		k := newSkeleton(p, chosen)
		reads, from, ok := k.sources()
		if !ok {
			return
		}
		each(from, nil, func(sources []int) {
			rf := memmodel.NewRel(len(k.events))
			for i, w := range sources {
				rf.Add(w, reads[i])
			}
			k.env.Rels["rf"] = rf
			for _, b := range k.barrierOrders() {
				k.setBarriers(b)
				for _, f := range k.fenceOrders() {
					k.env.Rels["sync_fence"] = f
					for _, co := range k.coherences() {
						k.env.Rels["co"] = co
						if judged++; judged > 4000 {
							t.Skip("too many candidates to judge them all")
						}
						consistent, err := m.Consistent(k.env)
						if err != nil {
							t.Fatal(err)
						}
						if consistent {
							s.finals(k, co, func(value func(litmus.Term) int64) {
								found[s.outcome(value).String()] = true
							})
						}
					}
				}
			}
		})
	})
	return slices.Sorted(maps.Keys(found))
}

// each calls f with every choice of one of each list.
func each[T any](lists [][]T, chosen []T, f func([]T)) {
	if len(chosen) == len(lists) {
		f(chosen)
		return
	}
	for _, x := range lists[len(chosen)] {
		each(lists, append(slices.Clone(chosen), x), f)
	}
}

// coherences returns every strict partial order on the writes of each location with the initial one first.
func (k *skeleton) coherences() []*memmodel.Rel {
	out := []*memmodel.Rel{k.co}
	for a := range k.events {
		for b := range a {
			if k.events[a].kind != Write || k.events[b].kind != Write || k.phys(a) != k.phys(b) {
				continue
			}
			for _, co := range out[:len(out):len(out)] {
				for _, p := range [][2]int{{a, b}, {b, a}} {
					next := co.Clone()
					next.Add(p[0], p[1])
					out = append(out, next)
				}
			}
		}
	}
	return slices.DeleteFunc(out, func(r *memmodel.Rel) bool { return !r.Equal(r.Plus()) || !r.Irreflexive() })
}

// randomProgram draws two or three threads of at most budget instructions over two locations, an alias and a surface of one of them.
func randomProgram(t *rapid.T, budget int) string {
	pick := func(name string, from ...string) string { return rapid.SampledFrom(from).Draw(t, name) }
	scope := func() string { return pick("scope", "cta", "gpu", "sys") }
	instr := func(reg int) string {
		loc, v := pick("loc", "x", "x", "y"), pick("value", "1", "2")
		switch pick("op", "ld", "ld", "st", "st", "atom", "cas", "red", "fence", "other", "bar") {
		case "ld":
			return fmt.Sprintf("ld.%s r%d, %s", pick("sem", "weak", "relaxed."+scope(), "acquire."+scope()), reg, loc)
		case "st":
			return fmt.Sprintf("st.%s %s, %s", pick("sem", "weak", "relaxed."+scope(), "release."+scope()), loc, pick("source", v, v, "r0"))
		case "atom":
			return fmt.Sprintf("atom.%s.%s.%s r%d, %s, 1", pick("sem", "relaxed", "acquire", "release", "acq_rel"), scope(), pick("rmw", "add", "exch"), reg, loc)
		case "cas":
			return fmt.Sprintf("atom.relaxed.%s.cas r%d, %s, 0, %s", scope(), reg, loc, v)
		case "red":
			return fmt.Sprintf("red.relaxed.%s.add %s, 1", scope(), loc)
		case "fence":
			return fmt.Sprintf("fence.%s.%s", pick("sem", "sc", "sc", "acq_rel"), scope())
		case "bar":
			return "bar.cta.sync 0"
		}
		return pick("proxy", fmt.Sprintf("ld.weak r%d, z", reg), "st.weak z, "+v, "fence.proxy.alias",
			"fence.proxy.surface", fmt.Sprintf("suld.weak r%d, s", reg), "sust.weak s, "+v)
	}
	var columns [][]string
	for th := range rapid.IntRange(2, 3).Draw(t, "threads") {
		n := min(budget, rapid.IntRange(1, 3).Draw(t, "instructions"))
		budget -= n
		column := []string{fmt.Sprintf("P%d@cta %s,gpu 0", th, pick("cta", "0", "1"))}
		for i := range n {
			column = append(column, instr(i))
		}
		columns = append(columns, column)
	}
	var b strings.Builder
	b.WriteString("PTX random\n{ x=0; y=0; z @ generic aliases x; s @ surface aliases x;\n")
	var terms []string
	for th := range columns {
		for r := range 3 {
			fmt.Fprintf(&b, "P%d:r%d=0; ", th, r)
			terms = append(terms, fmt.Sprintf("P%d:r%d", th, r))
		}
	}
	b.WriteString("}\n")
	for row := range 5 {
		for i, c := range columns {
			if i > 0 {
				b.WriteString(" | ")
			}
			if row < len(c) {
				b.WriteString(c[row])
			}
		}
		b.WriteString(" ;\n")
	}
	fmt.Fprintf(&b, "exists (%s == 0 /\\ x == 0 /\\ y == 0)\n", strings.Join(terms, " == 0 /\\ "))
	return b.String()
}

// withCopies puts an mbarrier object into a program: a copy or two and the arrivals before or behind what the first
// thread does, and a wait at the end of the first thread or of one more.
func withCopies(t *rapid.T, text string) string {
	pick := func(from ...string) string { return rapid.SampledFrom(from).Draw(t, "async") }
	copies := []string{pick("cp.async.bulk", "cp.async.bulk.relaxed.gpu") + pick(" [y], [x], [b]", " [x], [y], [b]")}
	if rapid.Bool().Draw(t, "two copies") {
		copies = append(copies, "cp.async.bulk [x], [y], [b]")
	}
	arrive := fmt.Sprintf("mbarrier.arrive.expect_tx%s [b], %d", pick("", ".relaxed.cta"), len(copies))
	wait := []string{pick("mbarrier.wait [b]", "mbarrier.wait.relaxed.cta [b]"), pick("", "fence.acq_rel.cta"), pick("ld.weak r5, [y]", "ld.weak r5, [x]", "st.weak x, 2")}
	first := append([]string{pick("", "st.weak x, 1", "fence.proxy.async", "ld.weak r4, y"), pick("", "fence.proxy.async", "fence.release.cta"), arrive}, copies...)
	second := wait
	if rapid.Bool().Draw(t, "one thread") {
		first, second = append(first, wait...), nil
	}
	lines := strings.Split(text, "\n")
	var head []string
	for i, l := range lines {
		switch {
		case strings.HasPrefix(l, "{"):
			lines[i] = l + " mbarrier b@P8 = 1; P8:r5=0; P9:r5=0;"
		case strings.HasPrefix(l, "P0@"):
			head = lines[:i]
			rows := lines[i+1 : len(lines)-2]
			body := []string{"P8@cta 0,gpu 0 | P9@cta 0,gpu 0 | " + l}
			blank := strings.Repeat("|", strings.Count(l, "|")) + " ;"
			for r := range max(len(first), len(second), len(rows)) {
				at := func(from []string, none string) string {
					if r < len(from) {
						return from[r]
					}
					return none
				}
				body = append(body, at(first, "")+" | "+at(second, "")+" | "+at(rows, blank))
			}
			question := strings.Replace(lines[len(lines)-2], "exists (", "exists (P8:r5 == 0 /\\ P9:r5 == 0 /\\ ", 1)
			return strings.Join(slices.Concat(head, body, []string{question, ""}), "\n")
		}
	}
	t.Fatalf("no threads in\n%s", text)
	return ""
}

// TestNaive holds the oracle to the definition, without its pruning: the domains, the coherence orders that it
// leaves out and the candidates that it never builds must not change what is reached.
func TestNaive(t *testing.T) {
	for _, name := range []string{"ptx-7.5", "ptx-6.0", "ptxmc"} {
		m := load(t, name)
		rapid.Check(t, func(t *rapid.T) {
			text := randomProgram(t, 4)
			if name == "ptxmc" {
				text = withCopies(t, randomProgram(t, 3))
			}
			progs, err := litmus.Parse("random.litmus", text)
			if err != nil {
				t.Fatal(err)
			}
			r, err := Run(progs[0], m, Options{MaxCandidates: 2000})
			if err != nil {
				t.Fatal(err)
			}
			if r.Incomplete != "" {
				t.Skip(r.Incomplete)
			}
			got := outcomes(r)
			values := []int64{0, 1, 2}
			for range strings.Count(text, ".add") {
				values = append(values, int64(len(values)))
			}
			if diff := cmp.Diff(naive(t, progs[0], m, values), got); diff != "" {
				t.Errorf("%s: outcomes of the definition (-) and of the oracle (+):\n%s\n%s", m.Name, diff, text)
			}
		})
	}
}

func outcomes(r *Result) []string {
	var out []string
	for _, o := range r.Outcomes {
		out = append(out, o.String())
	}
	slices.Sort(out)
	return out
}

// TestIdleTurns holds that leaving out the turns of loops that change nothing loses no outcome.
func TestIdleTurns(t *testing.T) {
	m := load(t, "ptx-7.5")
	rapid.Check(t, func(t *rapid.T) {
		text := randomProgram(t, 4)
		loop := "P7@cta " + rapid.SampledFrom([]string{"0", "1"}).Draw(t, "cta") + ",gpu 0 | "
		lines := strings.SplitAfter(text, "\n")
		lines[3] = loop + lines[3]
		body := []string{"L0:", rapid.SampledFrom([]string{"ld.weak r0, x", "ld.acquire.gpu r0, x", "atom.relaxed.gpu.cas r0, x, 1, 2"}).Draw(t, "load"),
			rapid.SampledFrom([]string{"", "fence.sc.gpu", "st.relaxed.gpu y, 1", "add r1, r1, r0"}).Draw(t, "body"), "bne r0, 1, L0"}
		for i, text := range body {
			lines[4+i] = text + " | " + lines[4+i]
		}
		text = strings.Replace(strings.Join(lines, ""), "exists (", "exists (P7:r0 == 1 /\\ ", 1)
		progs, err := litmus.Parse("random.litmus", text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		var got [2][]string
		for i, keep := range []bool{false, true} {
			r, err := Run(progs[0], m, Options{Unroll: 2, keepIdle: keep})
			if err != nil {
				t.Fatal(err)
			}
			if r.Incomplete != "" {
				t.Skip(r.Incomplete)
			}
			got[i] = outcomes(r)
		}
		if diff := cmp.Diff(got[1], got[0]); diff != "" {
			t.Errorf("outcomes with (-) and without (+) idle turns:\n%s\n%s", diff, text)
		}
	})
}
