package axiomatic

import (
	"errors"
	"fmt"
	"slices"

	"ptxmc/memmodel"
	"ptxmc/memmodel/cat"
	"ptxmc/model/litmus"
)

// combination tries the orders of one choice of paths: barriers, sources of the reads, Fence-SC, coherence.
func (s *search) combination(paths []*path) error {
	if !s.probe && !s.relevant(paths) {
		return nil
	}
	k := newSkeleton(s.prog, paths)
	reads, from, ok := k.sources()
	if !ok {
		return nil
	}
	barriers := k.barrierOrders()
	if len(barriers) == 0 {
		return nil
	}
	k.session = s.model.Session(k.env, "rf", "co", "fr", "sync_fence", "sync_barrier", "syncbar")
	fences := []*memmodel.Rel{memmodel.NewRel(len(k.events))}
	if s.fences {
		fences = k.fenceOrders()
	}
	k.reads, k.from = reads, from
	forced := memmodel.NewRel(len(k.events)) // reads with a single source come first, all at once
	for i, r := range reads {
		if len(from[i]) == 1 {
			forced.Add(from[i][0], r)
		}
	}
	for _, b := range barriers {
		k.setBarriers(b)
		for _, f := range fences {
			k.env.Rels["sync_fence"] = f
			if err := s.coherence(k, forced, k.co, 0); err != nil {
				return err
			}
		}
	}
	return nil
}

// sources goes on with each source of the next read that has several; with none left the execution is
// complete, and consistent.
func (s *search) sources(k *skeleton, rf, co *memmodel.Rel, next int, values map[string]cat.Value) error {
	for next < len(k.reads) && len(k.from[next]) == 1 {
		next++
	}
	switch {
	case next < len(k.reads):
		for _, w := range k.from[next] {
			more := rf.Clone()
			more.Add(w, k.reads[next])
			if err := s.coherence(k, more, co, next+1); err != nil {
				return err
			}
		}
	case s.probe:
		return errFound
	default:
		s.consistent(k, co, values)
	}
	return nil
}

// errFound ends a probe.
var errFound = errors.New("found a consistent execution")

// exists reports whether the paths have a consistent execution.
func (s *search) exists(paths []*path) (bool, error) {
	s.probe = true
	err := s.combination(paths)
	s.probe = false
	if errors.Is(err, errFound) {
		return true, nil
	}
	return false, err
}

// relevant reports whether the registers may pass the filter.
func (s *search) relevant(paths []*path) bool {
	if s.prog.Filter == nil || slices.ContainsFunc(litmus.TermsOf(s.prog.Filter), func(t litmus.Term) bool { return t.Thread < 0 }) {
		return true
	}
	return litmus.Eval(s.prog.Filter, func(t litmus.Term) int64 { return s.register(paths, t) }) != 0
}

// coherence asks the model about an execution with the sources rf, which reads from next on may still lack,
// and the order co of writes. For each pair that an axiom misses in co it tries both directions.
func (s *search) coherence(k *skeleton, rf, co *memmodel.Rel, next int) error {
	if s.res.Candidates++; s.res.Candidates > s.opts.MaxCandidates {
		return errTooMany
	}
	if c := s.opts.Context; c != nil && c.Err() != nil {
		return c.Err()
	}
	// fr is for models that leave it to the prelude, whose fr counts reads without a source.
	k.env.Rels["rf"], k.env.Rels["co"], k.env.Rels["fr"] = rf, co, rf.Inverse().Compose(co)
	checks, values, err := k.session.Run()
	if err != nil {
		return err
	}
	var broken []cat.Check
	var missing []int
	for _, c := range checks {
		switch {
		case c.Flag:
			if c.Holds {
				s.flags[c.Name] = true
			}
		case c.Holds:
		case missing == nil && k.missing(co, c):
			missing = c.Witness
		case k.missing(co, c):
		default:
			broken = append(broken, c)
		}
	}
	switch {
	case broken != nil && s.probe:
		return nil
	case broken != nil:
		s.forbidden(k, co, broken, values)
		return nil
	case missing == nil:
		return s.sources(k, rf, co, next, values)
	}
	for _, p := range [][2]int{{missing[0], missing[1]}, {missing[1], missing[0]}} {
		if err := s.coherence(k, rf, with(co, p[0], p[1]), next); err != nil {
			return err
		}
	}
	return nil
}

// missing reports whether a check fails for a pair of writes that co does not order yet.
func (k *skeleton) missing(co *memmodel.Rel, c cat.Check) bool {
	if c.Kind != "empty" || c.Negated || len(c.Witness) != 2 {
		return false
	}
	a, b := c.Witness[0], c.Witness[1]
	return a != b && k.events[a].writes() && k.events[b].writes() && k.phys(a) == k.phys(b) && !co.Has(a, b) && !co.Has(b, a)
}

// finals calls f with each final state of an execution: a location ends with any write that is last in co.
func (s *search) finals(k *skeleton, co *memmodel.Rel, f func(value func(litmus.Term) int64)) {
	last := map[int][]int64{}
	for w := range k.events {
		if k.events[w].writes() && co.RestrictDomain(single(len(k.events), w)).Empty() {
			if v := k.events[w].val; !slices.Contains(last[k.phys(w)], v) {
				last[k.phys(w)] = append(last[k.phys(w)], v)
			}
		}
	}
	var open []int
	for _, t := range s.terms {
		if t.Thread < 0 && !slices.Contains(open, s.prog.Locs[t.Loc].Phys) {
			open = append(open, s.prog.Locs[t.Loc].Phys)
		}
	}
	memory := map[int]int64{}
	value := func(t litmus.Term) int64 {
		if t.Thread < 0 {
			return memory[s.prog.Locs[t.Loc].Phys]
		}
		return s.register(k.paths, t)
	}
	var choose func(i int)
	choose = func(i int) {
		if i == len(open) {
			if s.prog.Filter == nil || litmus.Eval(s.prog.Filter, value) != 0 {
				f(value)
			}
			return
		}
		for _, v := range last[open[i]] {
			memory[open[i]] = v
			choose(i + 1)
		}
	}
	choose(0)
}

func single(n, i int) *memmodel.Set {
	s := memmodel.NewSet(n)
	s.Add(i)
	return s
}

// register returns the final value of a register. One that no instruction has is 0.
func (s *search) register(paths []*path, t litmus.Term) int64 {
	if n, ok := s.index[t.Thread][t.Reg]; ok {
		return paths[t.Thread].regs[n]
	}
	return 0
}

func (s *search) outcome(value func(litmus.Term) int64) Outcome {
	o := Outcome{Terms: s.terms, prog: s.prog}
	for _, t := range s.terms {
		o.Values = append(o.Values, value(t))
	}
	return o
}

// consistent counts an execution that the model allows.
func (s *search) consistent(k *skeleton, co *memmodel.Rel, values map[string]cat.Value) {
	s.finals(k, co, func(value func(litmus.Term) int64) {
		s.res.Executions++
		o := s.outcome(value)
		key := fmt.Sprint(o.Values)
		if s.counts[key] == nil {
			s.counts[key] = &o
		}
		s.counts[key].Count++
		for i := range s.res.Verdicts {
			v := &s.res.Verdicts[i]
			holds := litmus.Eval(v.Condition.Expr, value) != 0
			if holds {
				v.Matches++
			} else {
				v.Others++
			}
			if holds == sought(v.Condition.Kind) && v.Witness == nil {
				v.Witness = s.execution(k, values, &o)
			}
		}
	})
}

// forbidden notes the axioms that forbid a candidate, if it would decide a condition and breaks fewer
// than those before.
func (s *search) forbidden(k *skeleton, co *memmodel.Rel, broken []cat.Check, values map[string]cat.Value) {
	wanted := slices.ContainsFunc(s.res.Verdicts, func(v Verdict) bool {
		return v.Witness == nil && (v.Forbidden == nil || len(v.Forbidden.Also) >= len(broken))
	})
	if !wanted {
		return
	}
	s.finals(k, co, func(value func(litmus.Term) int64) {
		for i := range s.res.Verdicts {
			v := &s.res.Verdicts[i]
			if v.Witness != nil || v.Forbidden != nil && len(v.Forbidden.Also) < len(broken) ||
				(litmus.Eval(v.Condition.Expr, value) != 0) != sought(v.Condition.Kind) {
				continue
			}
			o := s.outcome(value)
			v.Forbidden = s.explain(k, broken, values, &o)
		}
	})
}
