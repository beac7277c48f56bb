package machine

import "ptxmc/model"

// This file says which agents can disturb each other's next moves, for the search's reduction. A
// set of agents is persistent if nothing that agents outside it may ever do, while the set stands
// still, conflicts with the set's next moves. A store need not be kept from later reads by others:
// they may still observe what they observed before it, so it can always be moved to the front.

// Agents lists every agent that has not finished, enabled or not.
func (m *Machine) Agents(s *State, buf []Agent) []Agent {
	buf = buf[:0]
	for i, t := range s.threads {
		if t.status == threadRunning || t.status == threadAtBarrier {
			buf = append(buf, Agent{ThreadAgent, i})
		}
	}
	for c := range m.ctas {
		if s.ctas[c].status == ctaPending && m.clusters[m.ctas[c].cluster][0] == c {
			buf = append(buf, Agent{CTAAgent, c})
		}
	}
	for i := range s.flights {
		buf = append(buf, Agent{FlightAgent, i})
	}
	for i, t := range s.threads {
		for k := range t.late {
			buf = append(buf, lateAgent(i, k))
		}
	}
	return buf
}

// AllEnded reports whether the program has finished.
func (m *Machine) AllEnded(s *State) bool {
	for c := range s.ctas {
		if s.ctas[c].status != ctaExited {
			return false
		}
	}
	return len(s.flights) == 0
}

// next is the footprint of an agent's next move. asStore: its writes may be moved before reads by
// others.
func (m *Machine) next(s *State, a Agent) (f footprint, asStore bool) {
	switch a.Kind {
	case ThreadAgent:
		t := s.threads[a.Index]
		e := m.threads[a.Index].code.entry
		if t.status == threadAtBarrier {
			// it cannot move; whoever may release it belongs to every set that it is in
			return m.facts[a.Index].blocked[t.pc], false
		}
		if t.pc == len(e.Code) {
			return m.nothing, true
		}
		switch e.Code[t.pc].Op {
		case model.Ret:
			return m.nothing, true // it only enables others
		case model.LaunchDependents:
			if cta := m.threads[a.Index].cta; !s.ctas[cta].triggered {
				return m.triggers[cta], true // it enables others; the first of the CTA counts
			}
			return m.nothing, true
		case model.WarpSync, model.WarpOp, model.Elect:
			return m.nothing, true // the same: who has arrived is told to nobody before all have
		case model.ClusterArrive:
			return m.nothing, true // every thread that has not ended must arrive: the order tells nothing
		case model.ClusterWait:
			if t.cluster != clusterArrived {
				return m.nothing, true // the round is complete, and no other can be before this thread arrives
			}
		case model.BarSync, model.BarRed:
			if m.rendezvous[m.threads[a.Index].cta] {
				return m.nothing, true // arrivals of the whole CTA: their order tells nothing
			}
		case model.St:
			asStore = true
		}
		return m.facts[a.Index].step[t.pc], asStore
	case CTAAgent:
		if g := m.ctas[a.Index].grid; m.slotsAll && s.grids[g].started && !m.grids[g].cancels {
			return m.nothing, false
		}
		return m.residency[a.Index][b2i(s.grids[m.ctas[a.Index].grid].started)+2*b2i(m.mayReside(s, a.Index))], false
	case LateAgent:
		ti, k := a.late()
		return s.threads[ti].late[k].touches, false
	default:
		return s.flights[a.Index].touches, false
	}
}

// future is the footprint of all that an agent may still do; a CTA's includes its threads'.
func (m *Machine) future(s *State, a Agent) footprint {
	switch a.Kind {
	case ThreadAgent:
		return m.facts[a.Index].future[s.threads[a.Index].pc]
	case FlightAgent:
		return s.flights[a.Index].ends
	case LateAgent:
		ti, k := a.late()
		return s.threads[ti].late[k].touches
	default:
		return m.whole[a.Index]
	}
}

// Persistent marks in the smallest persistent set of agents that contains the seed, and returns its
// size.
func (m *Machine) Persistent(s *State, agents []Agent, seed int, in []bool) int {
	for i := range in {
		in[i] = false
	}
	set := append(m.set[:0], seed)
	in[seed] = true
	for k := 0; k < len(set); k++ {
		next, asStore := m.next(s, agents[set[k]])
		for j, b := range agents {
			if in[j] {
				continue
			}
			fut := m.future(s, b)
			if m.binds(s, b, agents[set[k]]) || next.W.meets(fut.W) || next.R.meets(fut.W) || !asStore && next.W.meets(fut.R) {
				in[j] = true
				set = append(set, j)
			}
		}
	}
	m.set = set
	return len(set)
}

// binds reports whether agent b is a late load that thread a waits for: a can move only when it has its
// value.
func (m *Machine) binds(s *State, b, a Agent) bool {
	if b.Kind != LateAgent || a.Kind != ThreadAgent {
		return false
	}
	ti, _ := b.late()
	return ti == a.Index && m.mustBind(ti, s.threads[ti])
}
