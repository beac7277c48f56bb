package axiomatic

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ptxmc/memmodel/cat"
	"ptxmc/model/litmus"
)

// Options bound the work of Run. The zero value takes the defaults.
type Options struct {
	// Unroll is how often a path passes a label in one entry of its loop (default 3).
	Unroll int
	// MaxCandidates bounds the evaluations of the model, and the paths of a thread (default 4,000,000).
	MaxCandidates int
	// Context ends the search early; nil does not.
	Context context.Context

	keepIdle bool // follow turns of loops that change nothing
}

// Result is what the oracle found.
type Result struct {
	Program    *litmus.Program
	Model      string
	Outcomes   []Outcome // the final states of the consistent executions, by value
	Verdicts   []Verdict // one for each condition of the program
	Executions int       // consistent executions that pass the filter
	Candidates int       // evaluations of the model
	Truncated  bool      // a path needed more turns of a loop than Options.Unroll
	Incomplete string    // why the search ended early, or ""
	Notes      []string  // accesses outside of all locations, flags that the model raised
}

// Outcome is a final state, restricted to the terms that the program speaks of.
type Outcome struct {
	Terms  []litmus.Term
	Values []int64
	Count  int // executions that end so
	prog   *litmus.Program
}

// NewOutcome is the final state of p with these values of its terms (litmus.Program.Terms).
func NewOutcome(p *litmus.Program, values []int64) Outcome {
	return Outcome{Terms: p.Terms(), Values: values, prog: p}
}

// String lists the terms as herd does: "P0:r0=1; x=2;".
func (o Outcome) String() string {
	var parts []string
	for i, t := range o.Terms {
		parts = append(parts, t.Name+"="+o.prog.Show(o.Values[i])+";")
	}
	return strings.Join(parts, " ")
}

// Verdict answers one condition.
type Verdict struct {
	Condition *litmus.Condition
	Holds     bool
	// Decided is false if the search was cut and what was cut could change the answer.
	Decided bool
	// Matches and Others count the executions that satisfy the expression and those that do not.
	Matches, Others int
	// Witness shows that the sought state is reached (the expression holds; for forall and assert: it does
	// not). If it is never reached, Forbidden says why, unless no values could even lead there.
	Witness   *Execution
	Forbidden *Forbidden
}

// sought is what a state must make of the expression to decide the condition by itself.
func sought(k litmus.Kind) bool { return k != litmus.Forall && k != litmus.Assert }

// Run lists the executions of p, judges them by m and answers the conditions of p.
func Run(p *litmus.Program, m *cat.Model, o Options) (*Result, error) {
	if o.Unroll <= 0 {
		o.Unroll = 3
	}
	if o.MaxCandidates <= 0 {
		o.MaxCandidates = 4_000_000
	}
	s := &search{prog: p, model: m, opts: o, terms: p.Terms(), counts: map[string]*Outcome{}, flags: map[string]bool{}}
	s.res = &Result{Program: p, Model: m.Name}
	s.fences = slices.Contains(m.Names(), "sync_fence")
	if len(p.Barriers) > 0 && !slices.Contains(m.Names(), "mbar") {
		return nil, fmt.Errorf("%s: the test has mbarrier objects, of which model %s says nothing; expected a model with the relation mbar: ptxmc", p.File, m.Name)
	}
	for i := range p.Conditions {
		s.res.Verdicts = append(s.res.Verdicts, Verdict{Condition: &p.Conditions[i]})
	}
	err := s.run()
	switch {
	case errors.Is(err, errTooMany):
		s.res.Incomplete = fmt.Sprintf("more than %d candidates", o.MaxCandidates)
	case err != nil && o.Context != nil && o.Context.Err() != nil:
		s.res.Incomplete = "interrupted"
	case err != nil:
		return nil, err
	}
	s.finish()
	return s.res, nil
}

// search is one run of the oracle.
type search struct {
	prog   *litmus.Program
	model  *cat.Model
	opts   Options
	res    *Result
	terms  []litmus.Term
	fences bool // the model uses sync_fence
	counts map[string]*Outcome
	flags  map[string]bool
	index  []map[string]int // of a thread: the positions of its registers
	steps  int
	probe  bool // only whether there is a consistent execution
}

func (s *search) run() error {
	var walkers []*walker
	for t := range s.prog.Threads {
		w := newWalker(s.prog, t, s.opts)
		walkers, s.index = append(walkers, w), append(s.index, w.regs)
	}
	paths, err := newDomains(s.prog).solve(walkers)
	for _, w := range walkers {
		s.res.Notes = append(s.res.Notes, slices.Sorted(maps.Keys(w.fault))...)
	}
	if err != nil {
		return err
	}
	if s.res.Truncated, err = s.truncated(walkers); err != nil {
		return err
	}
	return s.combine(paths)
}

// truncated reports whether a path that was cut at the bound of a loop may be part of an execution. A path
// is not if it reads nothing that another thread may write and the model forbids it by itself.
func (s *search) truncated(walkers []*walker) (bool, error) {
	for t, w := range walkers {
		for _, p := range w.partial {
			if !p.cut {
				continue
			}
			if s.foreign(walkers, t, p) {
				return true, nil
			}
			alone := make([]*path, len(walkers))
			for i := range alone {
				alone[i] = &path{}
			}
			alone[t] = p
			if found, err := s.exists(alone); found || err != nil {
				return found, err
			}
		}
	}
	return false, nil
}

// foreign reports whether another thread may write a value that the path reads, or the path meets a barrier.
func (s *search) foreign(walkers []*walker, t int, p *path) bool {
	for i := range p.events {
		r := &p.events[i]
		if r.kind == Barrier || r.kind == Wait {
			return true
		}
		if r.kind != Read {
			continue
		}
		for u, w := range walkers {
			if u == t {
				continue
			}
			for _, q := range slices.Concat(w.paths, w.partial) {
				for j := range q.events {
					e := &q.events[j]
					if e.kind == Write && e.val == r.val && w.phys(e.loc) == w.phys(r.loc) {
						return true
					}
				}
			}
		}
	}
	return false
}

// supply are the values that a path writes, and the ones that it reads, as bits of a hash: a bit that is
// missing proves that a value is.
type supply struct{ has, needs uint64 }

func hash(loc int, v int64) uint64 {
	return 1 << ((uint64(v)*0x9e3779b97f4a7c15 + uint64(loc)*0xc2b2ae3d27d4eb4f) >> 58)
}

// combine tries each choice of one path a thread in which every value read is written.
func (s *search) combine(paths [][]*path) error {
	var first supply
	for i, l := range s.prog.Locs {
		if l.Phys == i {
			first.has |= hash(i, l.Init)
		}
	}
	supplies := make([][]supply, len(paths))
	rest := make([]uint64, len(paths)+1) // what threads from here on may write
	for t := len(paths) - 1; t >= 0; t-- {
		rest[t] = rest[t+1]
		for _, p := range paths[t] {
			var u supply
			for i := range p.events {
				switch e := &p.events[i]; e.kind {
				case Write:
					u.has |= hash(s.prog.Locs[e.loc].Phys, e.val)
				case Read:
					u.needs |= hash(s.prog.Locs[e.loc].Phys, e.val)
				}
			}
			supplies[t] = append(supplies[t], u)
			rest[t] |= u.has
		}
	}
	chosen := make([]*path, len(paths))
	var choose func(t int, u supply) error
	choose = func(t int, u supply) error {
		if u.needs&^(u.has|rest[t]) != 0 {
			return nil
		}
		if err := s.step(); err != nil {
			return err
		}
		if t == len(paths) {
			return s.combination(slices.Clone(chosen))
		}
		for i, p := range paths[t] {
			chosen[t] = p
			v := supplies[t][i]
			if err := choose(t+1, supply{u.has | v.has, u.needs | v.needs}); err != nil {
				return err
			}
		}
		return nil
	}
	return choose(0, first)
}

// step counts partial choices, so that also a search that builds no candidate ends.
func (s *search) step() error {
	if s.steps++; s.steps > 16*s.opts.MaxCandidates {
		return errTooMany
	}
	if c := s.opts.Context; c != nil && s.steps%256 == 0 {
		return c.Err()
	}
	return nil
}

// finish sorts the outcomes and decides the conditions.
func (s *search) finish() {
	r := s.res
	for _, k := range slices.Sorted(maps.Keys(s.counts)) {
		r.Outcomes = append(r.Outcomes, *s.counts[k])
	}
	slices.SortFunc(r.Outcomes, func(a, b Outcome) int { return slices.Compare(a.Values, b.Values) })
	for _, f := range slices.Sorted(maps.Keys(s.flags)) {
		r.Notes = append(r.Notes, "flag "+f+" of the model is raised")
	}
	if r.Executions == 0 && !r.Truncated && r.Incomplete == "" {
		r.Notes = append(r.Notes, "no execution ends (and passes the filter): what is said of all of them says nothing")
	}
	for i := range r.Verdicts {
		v := &r.Verdicts[i]
		v.Holds = v.Condition.Kind.Holds(v.Matches > 0, v.Others > 0)
		v.Decided = v.Witness != nil || !r.Truncated && r.Incomplete == ""
		if v.Witness != nil {
			v.Forbidden = nil
		}
	}
}
