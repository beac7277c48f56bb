package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"ptxmc/graph"
	"ptxmc/memmodel/axiomatic"
	"ptxmc/model/litmus"
)

// picture is a verdict to draw, with the result that it belongs to.
type picture struct {
	result  *axiomatic.Result
	verdict *axiomatic.Verdict
}

// offer takes the first verdict, but rather the first that does not hold.
func (p *picture) offer(r *axiomatic.Result, v *axiomatic.Verdict) {
	if p.verdict == nil || p.verdict.Holds && !v.Holds {
		p.result, p.verdict = r, v
	}
}

// write draws the execution that decides the verdict. Nothing is written if there is none.
func (p *picture) write(file string) error {
	if p.verdict == nil {
		return errors.New("no test was judged")
	}
	g := p.graph()
	if g == nil {
		return errors.New("nothing to draw: no choice of values that the loads may return leads to the state that the condition speaks of; expected a test whose state has a candidate execution")
	}
	svg, err := g.SVG()
	if err != nil {
		return err
	}
	if err := os.WriteFile(file, svg, 0o644); err != nil {
		return fmt.Errorf("%w; expected a file that can be written", err)
	}
	return nil
}

// graph is the witness, or the forbidden candidate with the cycle that forbids it; nil if there is neither.
func (p *picture) graph() *graph.Graph {
	v, prog := p.verdict, p.result.Program
	d := &adapter{g: &graph.Graph{}}
	answer := map[bool]string{true: "holds", false: "does not hold"}[v.Holds]
	if !v.Decided {
		answer = "is undecided"
	}
	name := prog.Name
	if v.Condition.Name != "" {
		name += "." + v.Condition.Name
	}
	condition := fmt.Sprintf("%s %s %s", v.Condition.Kind, v.Condition.Text, answer)
	var how string
	switch {
	case v.Witness != nil:
		d.x = v.Witness
		how = fmt.Sprintf("This execution is allowed by %s: %s", p.result.Model, d.x.Outcome)
	case v.Forbidden != nil:
		d.x, d.cycle = v.Forbidden.Execution, v.Forbidden.Cycle
		how = fmt.Sprintf("%s of %s forbids this execution: %s", strings.Join(v.Forbidden.Also, ", "), p.result.Model, d.x.Outcome)
		d.g.Emphasis = "the edges that break " + v.Forbidden.Axiom
	default:
		return nil
	}
	d.g.Title, d.g.Notes = "Litmus test "+name, append([]string{condition, how}, aliases(prog)...)
	d.g.Desc = condition + ". " + how
	for i := range prog.Threads {
		t := &prog.Threads[i]
		d.g.Groups = append(d.g.Groups, graph.Group{Name: t.Name, Place: fmt.Sprintf("gpu %d, cluster %d, cta %d", t.GPU, t.Cluster, t.CTA)})
	}
	d.draw()
	return d.g
}

// aliases says which names are one memory.
func aliases(p *litmus.Program) []string {
	var out []string
	for i := range p.Locs {
		var names []string
		for _, l := range p.Locs {
			if l.Phys == i {
				names = append(names, fmt.Sprintf("%s (%s)", l.Name, l.Proxy))
			}
		}
		if len(names) > 1 {
			out = append(out, "One memory: "+strings.Join(names, ", "))
		}
	}
	return out
}

// adapter turns an execution into a graph. It leaves out what follows from what is drawn; else the drawing
// of a small test is a tangle.
type adapter struct {
	x     *axiomatic.Execution
	cycle []axiomatic.Edge
	g     *graph.Graph
	edges []graph.Edge // between events of x
}

func (d *adapter) draw() {
	for _, e := range d.cycle {
		d.emphasise(e)
	}
	for _, e := range d.x.Edges {
		if d.kept(e) {
			d.add(graph.Edge{From: e.From, To: e.To, Relation: e.Name})
		}
	}
	used := make([]bool, len(d.x.Events))
	for _, e := range d.edges {
		used[e.From], used[e.To] = true, true
	}
	at := make([]int, len(d.x.Events))
	for i, e := range d.x.Events {
		if e.Kind == axiomatic.Init && !used[i] {
			continue
		}
		at[i] = len(d.g.Events)
		d.g.Events = append(d.g.Events, d.event(i, len(d.g.Events)))
	}
	for _, e := range d.edges {
		e.From, e.To = at[e.From], at[e.To]
		d.g.Edges = append(d.g.Edges, e)
	}
	var path []string
	for _, e := range d.g.Edges {
		if e.Strong {
			path = append(path, fmt.Sprintf("%s to %s by %s", d.g.Events[e.From].Label, d.g.Events[e.To].Label, e.Relation))
		}
	}
	if path != nil {
		d.g.Desc += " The edges that break the axiom: " + strings.Join(path, "; ") + "."
	}
}

// event names an event as herd does: a letter, what it does, and below it the instruction.
func (d *adapter) event(i, n int) graph.Event {
	e := &d.x.Events[i]
	label := fmt.Sprintf("e%d", n)
	if n < 26 {
		label = string(rune('a' + n))
	}
	switch e.Kind {
	case axiomatic.Init:
		label += fmt.Sprintf(": init %s = %s", e.Loc, e.Shown)
	case axiomatic.Read:
		label += fmt.Sprintf(": R %s = %s", e.Loc, e.Shown)
	case axiomatic.Write:
		label += fmt.Sprintf(": W %s = %s", e.Loc, e.Shown)
	default:
		label += ": " + e.Kind.String()
	}
	group := slices.IndexFunc(d.g.Groups, func(g graph.Group) bool { return g.Name == e.Thread })
	return graph.Event{Group: group, Label: label, Text: e.Text}
}

// emphasise adds an edge of the cycle; program order step by step.
func (d *adapter) emphasise(e axiomatic.Edge) {
	if strings.HasPrefix(e.Name, "obs") && d.has("rf", e.From, e.To) {
		e.Name = "rf" // what is observed directly
	}
	if e.Name != "po" {
		d.add(graph.Edge{From: e.From, To: e.To, Relation: e.Name, Strong: true})
		return
	}
	for i := e.From; i < e.To; i++ { // events of a thread stand side by side in program order
		d.add(graph.Edge{From: i, To: i + 1, Relation: "po", Strong: true})
	}
}

// add adds an edge once. A barrier synchronises both ways: that is one edge.
func (d *adapter) add(e graph.Edge) {
	for i := range d.edges {
		o := &d.edges[i]
		switch {
		case o.Relation != e.Relation:
		case o.From == e.From && o.To == e.To:
			return
		case o.From == e.To && o.To == e.From && e.Relation == "sync_barrier":
			o.Both = true
			return
		}
	}
	d.edges = append(d.edges, e)
}

func (d *adapter) has(name string, from, to int) bool {
	return slices.Contains(d.x.Edges, axiomatic.Edge{From: from, To: to, Name: name})
}

// kept reports whether an edge says something that the others do not.
func (d *adapter) kept(e axiomatic.Edge) bool {
	from, to := &d.x.Events[e.From], &d.x.Events[e.To]
	local := from.Thread == to.Thread && from.Thread != "" // both orders agree with po
	some := func(f func(axiomatic.Edge) bool) bool {
		return slices.ContainsFunc(d.x.Edges, func(o axiomatic.Edge) bool { return o != e && o.Name == e.Name && f(o) })
	}
	within := func(a, b int) bool { // a is b or before it in program order
		return a <= b && d.x.Events[a].Thread == d.x.Events[b].Thread
	}
	switch e.Name {
	case "po":
		return !d.has("rmw", e.From, e.To)
	case "co":
		return from.Kind != axiomatic.Init && !(local && e.From < e.To)
	case "fr":
		// fr goes on along co
		return !(local && e.From < e.To) && !slices.ContainsFunc(d.x.Edges, func(o axiomatic.Edge) bool {
			return o.Name == "co" && o.To == e.To && d.has("fr", e.From, o.From)
		})
	case "sync_fence":
		return !local && !some(func(o axiomatic.Edge) bool { return o.From == e.From && d.has(e.Name, o.To, e.To) })
	case "sync":
		return !local && !some(func(o axiomatic.Edge) bool { return within(e.From, o.From) && within(o.To, e.To) })
	case "data":
		return !d.has("rmw", e.From, e.To)
	case "ctrl":
		return !some(func(o axiomatic.Edge) bool { return o.From == e.From && o.To < e.To })
	}
	return true
}
