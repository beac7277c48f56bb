// Package cat reads and evaluates memory models written in cat, the language of herd and Dat3M: a
// model defines sets of events and relations between them and says which must be empty,
// irreflexive or acyclic.
//
// Supported: a name in the first line; (* nested *) and // comments; include; let, let … and …,
// let rec … and … (least fixpoint), let … in … inside expressions; functions f(x, y), f x; the
// operators below; domain, range, toid, fencerel; acyclic, irreflexive and empty, each with ~,
// flag and "as name". show, unshow, cut and "with … from …" are read and have no effect.
//
// Operators from loose to tight: r|s, r;s, r\s (to the left), r&s, A*B (once), ~x or !x, and the
// postfix r^-1 r+ r* r? (also r^+ r^* r^?). Note that a\b&c is a\(b&c). Simple expressions: _ (all
// events), {} or 0 (empty set or relation), id, [S] (identity on S), ( … ).
//
// Sets and relations are told apart when a model runs. What a model does not define, the
// environment provides; see Model.Names, and preludeText for names with a usual definition.
//
// Invariant: a Model does not change after Parse, so it may be run from many goroutines at once.
package cat

import (
	"slices"
	"sort"

	"ptxmc/memmodel"
)

// Model is a parsed memory model.
type Model struct {
	Name string // from its first line, else the name given to Parse

	nodes  []node
	loops  []*fixpoint
	checks []check
	cheap  []check     // those that are no flags, the ones with the fewest operations first
	lets   []namedNode // in the order of the text; a later one of the same name counts
}

type check struct {
	*checkStmt
	node int
}

type namedNode struct {
	name string
	node int
}

// Env is an execution: what the names stand for that a model does not define.
type Env struct {
	N    int // number of events
	Sets map[string]*memmodel.Set
	Rels map[string]*memmodel.Rel
}

// Value is a set or a relation. Both fields are nil in the value of {} alone, which is the empty
// one of either kind.
type Value struct {
	Set *memmodel.Set
	Rel *memmodel.Rel
}

// Check is the outcome of one check of a model on one execution.
type Check struct {
	Name          string // from "as", else the kind and the line
	Kind          string // "acyclic", "irreflexive" or "empty"
	Flag, Negated bool
	// Holds reports whether the condition is true. An execution is consistent if all checks
	// without Flag hold; a flag that holds is raised.
	Holds bool
	// Witness shows what stands against acyclic (the events of a shortest cycle, in order),
	// irreflexive (an event) or empty (a pair, or for a set a member). It is nil if there is none;
	// with Negated it shows why the check holds.
	Witness []int
}

// Parse reads a model. include returns the text of a file that an include statement names; it may
// be nil if there is no such statement. Errors are of type *Error.
func Parse(name, text string, include func(file string) (string, error)) (*Model, error) {
	p, err := parseFile(name, text, include, 0)
	if err != nil {
		return nil, err
	}
	derived, library := prelude()
	r := &resolver{known: map[shape]int{}, derived: derived, library: library}
	m := &Model{Name: p.name}
	if m.Name == "" {
		m.Name = name
	}
	record := func(name string, id int) { m.lets = append(m.lets, namedNode{name, id}) }
	var top *scope
	for _, st := range p.stmts {
		if st.let != nil {
			if top, err = r.let(st.let, top, record); err != nil {
				return nil, err
			}
			continue
		}
		id, err := r.expr(st.check.body, top)
		if err != nil {
			return nil, err
		}
		m.checks = append(m.checks, check{st.check, id})
	}
	m.nodes, m.loops = r.nodes, r.loops
	m.cheap = cheapestFirst(m)
	return m, nil
}

// Names returns, sorted, the names that the environment must provide: those that neither the
// model nor the prelude defines.
func (m *Model) Names() []string {
	seen := map[string]bool{}
	var names []string
	for _, n := range m.nodes {
		if n.op == opFree && !seen[n.name] {
			seen[n.name] = true
			names = append(names, n.name)
		}
	}
	sort.Strings(names)
	return names
}

// CheckNames returns the names of the model's checks in the order of its text.
func (m *Model) CheckNames() []string {
	var names []string
	for _, c := range m.checks {
		names = append(names, c.name)
	}
	return names
}

// Run evaluates all checks and all named sets and relations of the model, functions excepted. The
// values must not be changed: they may be shared with each other and with env.
func (m *Model) Run(env *Env) ([]Check, map[string]Value, error) {
	return newEvaluator(m, env).run()
}

// Consistent reports whether all checks hold that are no flags. It stops at the first that does
// not and evaluates only what is needed: the fast path of a search through executions.
func (m *Model) Consistent(env *Env) (bool, error) {
	return newEvaluator(m, env).consistent()
}

// Without returns the model without its checks of that name.
func (m *Model) Without(name string) *Model {
	c := *m
	named := func(k check) bool { return k.name == name }
	c.checks = slices.DeleteFunc(slices.Clone(m.checks), named)
	c.cheap = slices.DeleteFunc(slices.Clone(m.cheap), named)
	return &c
}
