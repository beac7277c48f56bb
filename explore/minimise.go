package explore

import (
	"slices"

	"ptxmc/machine"
)

// This file shortens schedules. The search follows undisturbed moves at once, so a schedule that it
// finds holds moves of agents that have nothing to do with the violation. Each agent's moves are
// taken out from its last one backwards, as many at a time as possible, as long as the rest still
// runs and ends in the same violation.

// single is one move of one agent, named so that it can be found in another schedule.
type single struct {
	key    machine.AgentKey
	choice []uint32
}

// flatten lists the single moves of a finding.
func (s *search) flatten(f *finding) []single {
	var out []single
	root, moves := s.path(f.from)
	st := s.m.Initial()[root]
	s.m.Canonicalize(st)
	for _, mv := range append(moves, *f.last) {
		ch := chooser{taken: slices.Clone(mv.choice), arity: make([]uint32, len(mv.choice))}
		out = append(out, single{s.m.Key(st, mv.agent), mv.choice})
		run := chain{s: s, st: st.Clone(), log: &out}
		if run.first(mv.agent, &ch) {
			s.m.Canonicalize(run.st)
		}
		st = run.st
	}
	return out
}

// repeatSingles runs single moves from an initial state. It returns the number of moves up to and
// with the one that violates as v does, 0 if none does or a move is not possible.
func (s *search) repeatSingles(root uint32, list []single, v *machine.Violation, rec *machine.Recorder) int {
	st := s.m.Initial()[root]
	s.m.Canonicalize(st)
	for i, mv := range list {
		agent, ok := s.find(st, mv.key)
		if !ok {
			return 0
		}
		ch := chooser{taken: slices.Clone(mv.choice), arity: make([]uint32, len(mv.choice))}
		o, ok := step(s.m, st, agent, &ch, rec)
		if !ok {
			return 0
		}
		for _, w := range o.Violations {
			if w.Property == v.Property && w.Rule == v.Rule {
				*v = *w
				return i + 1
			}
		}
		if o.Ended {
			return 0
		}
		s.m.Canonicalize(st)
	}
	return 0
}

// step makes one move; false if a choice is out of range, which happens when what it was taken from
// is gone.
func step(m *machine.Machine, st *machine.State, a machine.Agent, ch *chooser, rec *machine.Recorder) (o machine.Outcome, ok bool) {
	strict := &strictChooser{chooser: ch}
	o = m.Step(st, a, strict, rec)
	return o, !strict.failed
}

// strictChooser notes decisions that the recorded ones do not fit.
type strictChooser struct {
	*chooser
	failed bool
}

// Choose implements causal.Chooser.
func (c *strictChooser) Choose(n int) int {
	k := c.chooser.Choose(n)
	if k >= n {
		c.failed = true
		return 0
	}
	return k
}

// find returns the agent of a key, if it can move.
func (s *search) find(st *machine.State, key machine.AgentKey) (machine.Agent, bool) {
	for _, a := range s.m.Agents(st, nil) {
		if s.m.Key(st, a) == key {
			return a, s.m.Enabled(st, a)
		}
	}
	return machine.Agent{}, false
}

// minimise returns the steps of a shorter schedule with the same violation; false if the schedule
// cannot be run move by move.
func (s *search) minimise(f *finding) ([]machine.TraceStep, bool) {
	root, _ := s.path(f.from)
	v := *f.violation
	list := s.flatten(f)
	n := s.repeatSingles(root, list, &v, nil)
	if n == 0 {
		return nil, false
	}
	list = list[:n]
	for shrunk := true; shrunk; {
		shrunk = false
		for _, key := range agentsOf(list) {
			if shorter, ok := s.without(root, list, key, &v); ok {
				list, shrunk = shorter, true
			}
		}
	}
	rec := &machine.Recorder{}
	s.repeatSingles(root, list, &v, rec)
	f.violation = &v
	return rec.Steps, true
}

// agentsOf lists the agents of a schedule but that of the violation, the last to begin first.
func agentsOf(list []single) []machine.AgentKey {
	var out []machine.AgentKey
	for _, mv := range list {
		if !slices.Contains(out, mv.key) {
			out = append(out, mv.key)
		}
	}
	slices.Reverse(out)
	return out
}

// without takes the longest possible tail of one agent's moves out.
func (s *search) without(root uint32, list []single, key machine.AgentKey, v *machine.Violation) ([]single, bool) {
	var at []int
	for i, mv := range list[:len(list)-1] {
		if mv.key == key {
			at = append(at, i)
		}
	}
	for keep := range at {
		drop := at[keep:]
		var rest []single
		for i, mv := range list {
			if _, found := slices.BinarySearch(drop, i); !found {
				rest = append(rest, mv)
			}
		}
		w := *v
		if n := s.repeatSingles(root, rest, &w, nil); n > 0 {
			*v = w
			return rest[:n], true
		}
	}
	return nil, false
}
