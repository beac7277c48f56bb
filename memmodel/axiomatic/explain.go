package axiomatic

import (
	"fmt"
	"slices"
	"strings"

	"ptxmc/memmodel"
	"ptxmc/memmodel/cat"
)

// Event is an event of an Execution.
type Event struct {
	Kind   Kind
	Thread string // "" of an initial write
	Line   int    // of the instruction; 0 of an initial write
	Text   string // the instruction
	Loc    string // location accessed, or ""
	Value  int64  // value read or written
	Shown  string // Value, or the name of the location whose address it is
}

// String names the event: "P0:7 st.weak x, 1 (write x=1)".
func (e Event) String() string {
	switch {
	case e.Kind == Init:
		return fmt.Sprintf("init %s=%s", e.Loc, e.Shown)
	case e.Loc != "":
		return fmt.Sprintf("%s:%d %s (%s %s=%s)", e.Thread, e.Line, e.Text, e.Kind, e.Loc, e.Shown)
	}
	return fmt.Sprintf("%s:%d %s", e.Thread, e.Line, e.Text)
}

// Edge relates two events of an Execution. Name is that of a relation: rf, co, fr, po, rmw, sync_fence,
// sync_barrier, addr, data, ctrl, or one that the model defines.
type Edge struct {
	From, To int
	Name     string
}

// Execution is an execution to look at.
type Execution struct {
	Events  []Event
	Edges   []Edge // co and po without what follows by transitivity
	Outcome Outcome
}

// Forbidden says which axiom forbids a candidate that ends in the sought state.
type Forbidden struct {
	Axiom     string // name in the model, such as Causality
	Cycle     []Edge // the edges that break it; those of an empty axiom lead from the first event to the last
	Execution *Execution
	Also      []string // all axioms that the candidate breaks; no candidate that ends so breaks fewer
}

// String lists the events of the cycle with the relations between them.
func (f *Forbidden) String() string {
	var b strings.Builder
	for i, e := range f.Cycle {
		if i == 0 || f.Cycle[i-1].To != e.From {
			if i > 0 {
				b.WriteString("; ")
			}
			b.WriteString(f.Execution.Events[e.From].String())
		}
		fmt.Fprintf(&b, " -%s-> %s", e.Name, f.Execution.Events[e.To])
	}
	return b.String()
}

// shown are the relations of an Execution.
var shown = []string{"po", "rf", "co", "fr", "rmw", "sync", "sync_fence", "sync_barrier", "addr", "data", "ctrl", "mbar", "issue", "complete"}

// relation returns a relation that the model defines or the environment provides.
func (k *skeleton) relation(name string, values map[string]cat.Value) *memmodel.Rel {
	if v, ok := values[name]; ok && v.Rel != nil {
		return v.Rel
	}
	if r := k.env.Rels[name]; r != nil {
		return r
	}
	return memmodel.NewRel(len(k.events))
}

// execution copies a candidate.
func (s *search) execution(k *skeleton, values map[string]cat.Value, o *Outcome) *Execution {
	x := &Execution{Outcome: *o}
	for i := range k.events {
		e := &k.events[i]
		out := Event{Kind: e.kind, Value: e.val, Shown: s.prog.Show(e.val)}
		if e.loc >= 0 {
			out.Loc = s.prog.Locs[e.loc].Name
		}
		if e.thread >= 0 {
			out.Thread, out.Line, out.Text = s.prog.Threads[e.thread].Name, e.instr.Line, e.instr.Text
		}
		x.Events = append(x.Events, out)
	}
	for _, name := range shown {
		r := k.relation(name, values)
		if name == "po" || name == "co" {
			r = r.Minus(r.Compose(r))
		}
		r.Each(func(a, b int) { x.Edges = append(x.Edges, Edge{a, b, name}) })
	}
	return x
}

// explain turns the witness of a broken axiom into edges between events.
func (s *search) explain(k *skeleton, broken []cat.Check, values map[string]cat.Value, o *Outcome) *Forbidden {
	f := &Forbidden{Axiom: broken[0].Name, Execution: s.execution(k, values, o)}
	for _, c := range broken {
		f.Also = append(f.Also, c.Name)
	}
	g := newGraph(k, values)
	switch w := broken[0].Witness; {
	case broken[0].Kind == "acyclic" && len(w) > 0:
		for i := range w {
			f.Cycle = append(f.Cycle, g.path(w[i], w[(i+1)%len(w)])...)
		}
	case len(w) == 2 && k.env.Rels["rmw"].Has(w[0], w[1]):
		f.Cycle = g.conflict(w[0], w[1])
	case len(w) == 2:
		f.Cycle = append(g.path(w[0], w[1]), g.conflict(w[0], w[1])...)
	case len(w) == 1:
		f.Cycle = g.cycle(w[0])
	}
	return f
}

// graph holds the named relations that an axiom's cycle is made of: comm are the communications, cause
// what base causality and observation are made of.
type graph struct {
	n     int
	comm  []named
	cause []named
}

type named struct {
	name string
	rel  *memmodel.Rel
}

func newGraph(k *skeleton, values map[string]cat.Value) *graph {
	g := &graph{n: len(k.events)}
	for _, name := range []string{"rf", "co", "fr", "sync_fence"} {
		g.comm = append(g.comm, named{name, k.relation(name, values)})
	}
	for _, name := range []string{"po", "sync", "sync_fence", "sync_barrier", "obs", "observation", "issue", "complete", "mbar", "rmw", "addr", "data", "ctrl"} {
		g.cause = append(g.cause, named{name, k.relation(name, values)})
	}
	return g
}

// path returns a shortest path from a to b: one communication if there is one, else by causality, else
// by anything.
func (g *graph) path(a, b int) []Edge {
	for _, r := range g.comm {
		if r.rel.Has(a, b) {
			return []Edge{{a, b, r.name}}
		}
	}
	if p := g.search(a, b, g.cause); p != nil {
		return p
	}
	return g.search(a, b, slices.Concat(g.cause, g.comm))
}

// cycle returns a shortest cycle through a: a communication (rf, fr, co, Fence-SC) and causality back.
func (g *graph) cycle(a int) []Edge {
	var best []Edge
	for _, r := range g.comm {
		r.rel.RestrictDomain(single(g.n, a)).Each(func(_, b int) {
			if back := g.search(b, a, g.cause); back != nil && (best == nil || len(back)+1 < len(best)) {
				best = append([]Edge{{a, b, r.name}}, back...)
			}
		})
	}
	if best == nil {
		best = g.search(a, a, slices.Concat(g.cause, g.comm))
	}
	return best
}

// conflict returns what stands against the pair: an order of the same writes the other way round, or for
// the read and the write of an RMW the write between them.
func (g *graph) conflict(a, b int) []Edge {
	co, fr := g.comm[1], g.comm[2]
	if co.rel.Has(b, a) {
		return []Edge{{b, a, co.name}}
	}
	for w := range g.n {
		if fr.rel.Has(a, w) && co.rel.Has(w, b) {
			return []Edge{{a, w, fr.name}, {w, b, co.name}}
		}
	}
	return nil
}

// search returns a shortest path of at least one edge, or nil.
func (g *graph) search(a, b int, rels []named) []Edge {
	in := make([]*Edge, g.n)
	for queue := []int{a}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		for to := range g.n {
			for _, r := range rels {
				if in[to] == nil && r.rel.Has(at, to) {
					in[to] = &Edge{at, to, r.name}
					queue = append(queue, to)
				}
			}
		}
	}
	if in[b] == nil {
		return nil
	}
	path := []Edge{*in[b]}
	for path[0].From != a {
		path = append([]Edge{*in[path[0].From]}, path...)
	}
	return path
}
