package explore

import (
	"slices"
	"time"

	"ptxmc/machine"
)

// finish turns what was found into the result.
func (s *search) finish() {
	r := &s.result
	r.Progress = s.progress()
	r.Elapsed = time.Since(s.start)
	r.LoopStart = -1
	for _, n := range s.nodes {
		r.Depth = max(r.Depth, int(n.depth))
	}
	if n := s.seen.len(); n > 0 {
		r.StateBytes = len(s.seen.arena) / n
	}
	r.Unreached = s.m.Unreached()
	switch {
	case s.found != nil:
		r.Verdict = Refuted
	case r.Limit != "":
		r.Verdict = Undecided
		return
	case len(s.fallbacks) > 0:
		r.Verdict = Refuted
		s.found = s.fallbacks[0]
	default:
		r.Verdict = Verified
		return
	}
	if steps, ok := s.minimised(s.found); ok {
		r.Steps = steps
	} else {
		r.Steps, r.LoopStart = s.schedule(s.found)
	}
	r.Violation = s.found.violation
	r.Also = slices.DeleteFunc(r.Also, func(p string) bool { return p == r.Violation.Property })
}

// minimised shortens the schedule of a violation that one move makes; what a state as a whole
// violates (a deadlock, a final condition, a lasso) needs every agent.
func (s *search) minimised(f *finding) ([]machine.TraceStep, bool) {
	if f.last == nil || f.loop != nil {
		return nil, false
	}
	return s.minimise(f)
}

// path returns the moves from the initial state to a state.
func (s *search) path(id uint32) (root uint32, moves []move) {
	for s.nodes[id].depth > 0 {
		moves = append(moves, s.book.get(s.nodes[id].via))
		id = s.nodes[id].parent
	}
	slices.Reverse(moves)
	return s.nodes[id].parent, moves
}

// replay runs the moves to a state again and returns it.
func (s *search) replay(id uint32) *machine.State {
	return s.retrace(id, nil)
}

func (s *search) retrace(id uint32, rec *machine.Recorder) *machine.State {
	root, moves := s.path(id)
	st := s.m.Initial()[root]
	s.m.Canonicalize(st)
	for _, mv := range moves {
		st, _ = s.repeat(st, mv, rec)
	}
	return st
}

// repeat makes one recorded move again; it returns the state and what was violated on the way.
func (s *search) repeat(st *machine.State, mv move, rec *machine.Recorder) (*machine.State, []*machine.Violation) {
	ch := chooser{taken: slices.Clone(mv.choice), arity: make([]uint32, len(mv.choice))}
	run := chain{s: s, st: st.Clone(), rec: rec}
	if run.first(mv.agent, &ch) {
		s.m.Canonicalize(run.st)
	}
	return run.st, run.violations
}

// schedule runs the moves of a finding again and puts them into words.
func (s *search) schedule(f *finding) ([]machine.TraceStep, int) {
	rec := &machine.Recorder{}
	st := s.retrace(f.from, rec)
	if f.last != nil {
		_, vs := s.repeat(st, *f.last, rec)
		for _, v := range vs {
			if v.Property == f.violation.Property && v.Message == f.violation.Message {
				rec.Steps = rec.Steps[:v.Step]
				break
			}
		}
	}
	loop := -1
	if f.loop != nil {
		loop = len(rec.Steps)
		for _, mv := range f.loop {
			st, _ = s.repeat(st, mv, rec)
		}
	}
	return rec.Steps, loop
}
