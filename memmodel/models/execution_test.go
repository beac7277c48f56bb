package models

import (
	"fmt"
	"strings"
	"testing"

	"ptxmc/memmodel"
	"ptxmc/memmodel/cat"
)

// thread is a thread of a hand-made execution: its CTA and its events, one a string:
//
//	[label:] W|R|U|F|B [location] TAG… [data] [<- label]
//
// U is a read-modify-write (its label names the write), B a barrier with its number as location. A
// location x' is an alias of x. A tag is a cat set of events or a scope. data: depends on the read
// before it. "<- label" names the write that a read takes its value from, init the initial one.
type thread struct {
	cta    int
	events []string
}

// execution builds the environment of the models, but for co and sync_fence.
type execution struct {
	t       *testing.T
	env     *cat.Env
	event   []event
	byLabel map[string]int
	source  map[int]string // of reads
}

type event struct {
	thread, cta     int // -1 for initial writes
	kind, loc       string
	scope           string
	strongSC, write bool
	tags            []string
	data            bool
	partner         int // the read of an atomic's write, else -1
}

func newExecution(t *testing.T, threads []thread) *execution {
	x := &execution{t: t, byLabel: map[string]int{}, source: map[int]string{}}
	locations := map[string]bool{}
	for n, th := range threads {
		for _, text := range th.events {
			x.add(n, th.cta, strings.Fields(text))
		}
	}
	for _, e := range x.event {
		if name := strings.TrimSuffix(e.loc, "'"); e.kind != "B" && name != "" && !locations[name] {
			locations[name] = true
			x.byLabel["init "+name] = len(x.event)
			x.event = append(x.event, event{thread: -1, cta: -1, kind: "W", loc: name, write: true, tags: []string{"GEN"}, partner: -1})
		}
	}
	x.build()
	return x
}

func (x *execution) add(n, cta int, words []string) {
	label := ""
	if strings.HasSuffix(words[0], ":") {
		label, words = strings.TrimSuffix(words[0], ":"), words[1:]
	}
	e := event{thread: n, cta: cta, kind: words[0], partner: -1}
	words = words[1:]
	if e.kind != "F" {
		e.loc, words = words[0], words[1:]
	}
	from, proxy := "", "GEN"
	for k := 0; k < len(words); k++ {
		switch word := words[k]; word {
		case "<-":
			from, k = words[k+1], k+1
		case "data":
			e.data = true
		case "CTA", "GPU", "SYS":
			e.scope = word
		case "SUR", "TEX", "CON", "ALIAS":
			proxy = word
		default:
			e.tags = append(e.tags, word)
			if word == "SC" {
				e.tags, e.strongSC = append(e.tags, "ACQ_REL"), true
			}
		}
	}
	e.tags = append(e.tags, proxy)
	if from == "init" {
		from = "init " + strings.TrimSuffix(e.loc, "'")
	}
	if e.kind == "U" {
		read, write := e, e
		read.kind, write.kind, write.write, write.partner = "R", "W", true, len(x.event)
		x.source[len(x.event)] = from
		x.event = append(x.event, read, write)
	} else {
		if e.kind == "R" {
			x.source[len(x.event)] = from
		}
		e.write = e.kind == "W"
		x.event = append(x.event, e)
	}
	x.byLabel[label] = len(x.event) - 1
}

func (x *execution) build() {
	n := len(x.event)
	x.env = &cat.Env{N: n, Sets: map[string]*memmodel.Set{}, Rels: map[string]*memmodel.Rel{}}
	for _, name := range strings.Fields("W R F RLX ACQ REL ACQ_REL SC GEN SUR TEX CON ALIAS RED") {
		x.env.Sets[name] = memmodel.NewSet(n)
	}
	for _, name := range strings.Fields("po rf co loc vloc rmw addr data ctrl sr scta sync_fence sync_barrier") {
		x.env.Rels[name] = memmodel.NewRel(n)
	}
	for i, e := range x.event {
		if set := x.env.Sets[e.kind]; set != nil {
			set.Add(i)
		}
		for _, tag := range e.tags {
			set := x.env.Sets[tag]
			if set == nil {
				x.t.Fatalf("unknown tag %q", tag)
			}
			// an acquire is that of an atomic's read, a release that of its write
			if half := e.partner >= 0; half && tag == "ACQ" || e.kind == "R" && tag == "REL" {
				set = x.env.Sets["RLX"]
			}
			set.Add(i)
		}
		for j, f := range x.event {
			x.relate(i, j, e, f)
		}
	}
	for read, label := range x.source {
		from, ok := x.byLabel[label]
		if !ok {
			x.t.Fatalf("unknown source %q", label)
		}
		x.env.Rels["rf"].Add(from, read)
	}
}

func (x *execution) relate(i, j int, e, f event) {
	add := func(name string, holds bool) {
		if holds {
			x.env.Rels[name].Add(i, j)
		}
	}
	memory := e.kind != "F" && e.kind != "B" && f.kind != "F" && f.kind != "B"
	includes := func(scope string) bool { return scope == "GPU" || scope == "SYS" || scope == "CTA" && e.cta == f.cta }
	add("loc", memory && strings.TrimSuffix(e.loc, "'") == strings.TrimSuffix(f.loc, "'"))
	add("vloc", memory && e.loc == f.loc)
	add("sr", includes(e.scope) && includes(f.scope))
	add("scta", e.cta >= 0 && e.cta == f.cta)
	add("po", i < j && e.thread >= 0 && e.thread == f.thread)
	add("rmw", f.partner == i)
	add("data", f.data && j == i+1 && e.thread == f.thread)
	add("sync_barrier", e.kind == "B" && f.kind == "B" && i != j && e.loc == f.loc && e.cta == f.cta)
}

// allowed reports whether some coherence order and some order of fences make the execution
// consistent, with the checks named in without left out.
func (x *execution) allowed(m *cat.Model, without ...string) bool {
	var fences []int
	x.env.Sets["SC"].Each(func(i int) { fences = append(fences, i) })
	found := false
	session := m.Session(x.env, "co", "sync_fence")
	permutations(fences, func(order []int) {
		if found {
			return
		}
		fence := memmodel.NewRel(x.env.N)
		for k, i := range order {
			for _, j := range order[k+1:] {
				if x.env.Rels["sr"].Has(i, j) {
					fence.Add(i, j)
				}
			}
		}
		x.env.Rels["sync_fence"] = fence
		x.coherences(func(co *memmodel.Rel) {
			x.env.Rels["co"] = co
			found = found || x.consistent(m, session, without)
		})
	})
	return found
}

// consistent judges the execution as it is now. It also checks that all ways to ask agree.
func (x *execution) consistent(m *cat.Model, session *cat.Session, without []string) bool {
	checks, _, err := m.Run(x.env)
	if err != nil {
		x.t.Fatal(err)
	}
	all := true
	for _, c := range checks {
		ignored := false
		for _, name := range without {
			ignored = ignored || c.Name == name
		}
		all = all && (c.Holds || ignored)
	}
	if len(without) == 0 {
		if fast, err := m.Consistent(x.env); err != nil || fast != all {
			x.t.Fatalf("Consistent = %v, %v, but the checks say %v: %v", fast, err, all, checks)
		}
		if fast, err := session.Consistent(); err != nil || fast != all {
			x.t.Fatalf("in a session Consistent = %v, %v, but the checks say %v: %v", fast, err, all, checks)
		}
	}
	return all
}

// coherences calls f with every partial order of the writes of each location, initial ones first.
func (x *execution) coherences(f func(*memmodel.Rel)) {
	base := memmodel.NewRel(x.env.N)
	var free [][2]int // pairs to order one way, the other, or not
	for i, e := range x.event {
		for j, g := range x.event {
			if e.write && g.write && x.env.Rels["loc"].Has(i, j) {
				switch {
				case e.thread < 0 && g.thread >= 0:
					base.Add(i, j)
				case e.thread >= 0 && g.thread >= 0 && i < j:
					free = append(free, [2]int{i, j})
				}
			}
		}
	}
	var choose func(co *memmodel.Rel, free [][2]int)
	choose = func(co *memmodel.Rel, free [][2]int) {
		if len(free) == 0 {
			if co.Irreflexive() && co.Contains(co.Compose(co)) {
				f(co)
			}
			return
		}
		for _, pair := range [][2]int{free[0], {free[0][1], free[0][0]}} {
			with := co.Clone()
			with.Add(pair[0], pair[1])
			choose(with, free[1:])
		}
		choose(co, free[1:])
	}
	choose(base, free)
}

func permutations(items []int, f func([]int)) {
	if len(items) == 0 {
		f(nil)
		return
	}
	for k, first := range items {
		rest := append(append([]int(nil), items[:k]...), items[k+1:]...)
		permutations(rest, func(tail []int) { f(append([]int{first}, tail...)) })
	}
}

func load(t *testing.T, name string) *cat.Model {
	t.Helper()
	m, err := Load(name)
	if err != nil {
		t.Fatal(err)
	}
	if m.Name != name {
		t.Errorf("the first line of %s says %q", name, m.Name)
	}
	return m
}

func verdict(allowed bool) string { return fmt.Sprintf("allowed=%v", allowed) }
