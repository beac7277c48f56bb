package machine

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"ptxmc/memmodel/causal"
	"ptxmc/model"
)

// Clone returns a state that can be changed without changing s.
func (s *State) Clone() *State { return s.clone() }

// AgentKey identifies an agent over all states: a copy in flight and a late load by their issue.
type AgentKey struct {
	Kind              AgentKind
	Index, PC, Offset int
	Nth               int // among those of one issue to one place
}

// Key returns the identity of an agent of s.
func (m *Machine) Key(s *State, a Agent) AgentKey {
	if a.Kind == FlightAgent {
		f := s.flights[a.Index]
		if len(f.parts) == 0 { // an arrival
			return AgentKey{FlightAgent, f.thread, f.pc, f.bar, 0}
		}
		k := AgentKey{FlightAgent, f.thread, f.pc, f.dst.first<<20 | f.parts[0].dst, 0}
		for _, g := range s.flights[:a.Index] {
			if g.thread == f.thread && g.pc == f.pc && g.dst == f.dst && g.parts[0].dst == f.parts[0].dst {
				k.Nth++
			}
		}
		return k
	}
	if a.Kind == LateAgent {
		ti, k := a.late()
		l := s.threads[ti].late[k]
		return AgentKey{LateAgent, ti, l.pc, l.elem, 0}
	}
	return AgentKey{Kind: a.Kind, Index: a.Index}
}

// AgentName names an agent by its key.
func (m *Machine) AgentName(k AgentKey) string {
	switch k.Kind {
	case ThreadAgent:
		return m.threadName(k.Index)
	case CTAAgent:
		return m.ctaName(k.Index)
	case LateAgent:
		return "load by " + m.threadName(k.Index)
	default:
		return m.flightWord(k.Index, k.PC) + " by " + m.threadName(k.Index)
	}
}

// flightWord says what kind of agent an instruction forks.
func (m *Machine) flightWord(ti, pc int) string {
	switch m.threads[ti].code.entry.Code[pc].Op {
	case model.TryCancel:
		return "request"
	case model.TensorCommit:
		return "commit"
	case model.AsyncStore:
		return "asynchronous store"
	case model.AsyncRed:
		return "asynchronous reduction"
	default:
		return "copy"
	}
}

// Stutters reports whether a move of thread a left the thread where it was: the turn of a wait or
// poll loop that found nothing new.
func (m *Machine) Stutters(before, after *State, a Agent) bool {
	if a.Kind != ThreadAgent {
		return false
	}
	t, u := before.threads[a.Index], after.threads[a.Index]
	if t.pc != u.pc || t.status != u.status || len(before.flights) != len(after.flights) || len(t.observed) != len(u.observed) || len(t.late) != len(u.late) {
		return false
	}
	for r := range t.regs {
		if t.regs[r] != u.regs[r] {
			return false
		}
	}
	return true
}

// Terminal judges a state that no agent can leave: the final conditions if all has ended, else a
// deadlock, or an endless poll.
func (m *Machine) Terminal(s *State, agents []Agent) *Violation {
	if m.AllEnded(s) {
		return m.checkFinals(s)
	}
	v := &Violation{Property: "deadlock-free", Rule: "deadlock"}
	var waits []string
	for _, a := range agents {
		switch a.Kind {
		case ThreadAgent:
			text, site, polls := m.waitsFor(s, a.Index)
			if polls {
				v.Property, v.Rule = "terminates", "endless-poll"
			}
			waits = append(waits, text)
			v.Sites = append(v.Sites, site)
		case CTAAgent:
			waits = append(waits, m.ctaWaits(s, a.Index))
		}
	}
	if v.Property == "terminates" {
		v.Message = "the execution polls for ever: " + strings.Join(waits, "; ")
		v.Fix = "somebody must write what the poll waits for"
	} else {
		v.Message = "no agent can move: " + strings.Join(waits, "; ")
		v.Fix = "compare the arrivals and bytes that the phase still waits for with what the program does"
	}
	return v
}

// waitsFor says in words what a thread waits for.
func (m *Machine) waitsFor(s *State, ti int) (text string, site Site, polls bool) {
	t := s.threads[ti]
	name := m.threadName(ti)
	if t.status == threadAtBarrier {
		site = m.site(ti, t.pc-1, "waits here")
		return fmt.Sprintf("%s waits at %s (line %d)", name, site.Text, site.Pos.Line), site, false
	}
	site = m.site(ti, t.pc, "waits here")
	e := m.threads[ti].code.entry
	if t.pc == len(e.Code) {
		return name + " is at its end", site, false
	}
	in := &e.Code[t.pc]
	switch in.Op {
	case model.MBarrier:
		f := in.MBar
		what, late := "a phase", ""
		if in.MBar.Parity {
			st := &stepper{m: m, s: s, t: t, info: &m.threads[ti]}
			par := st.operand(&in.Src[0]).Lo & 1
			kind := "primary"
			if in.MBar.PhaseType == model.PhaseConditional {
				kind = "conditional"
			}
			what = fmt.Sprintf("the %s phase of parity %d", kind, par)
			addr := st.address(in, 0)
			if o, off, err := m.resolve(m.threads[ti].cta, in.Space, addr); err == nil && off >= 0 && off < o.size {
				first, n := o.cellRange(off, 8)
				if i, ok := s.barrierAt(first); ok {
					if b := s.bars[i]; f.PhaseType == model.PhasePrimary && uint64(b.Phase&1) == par && b.Phase >= 2 {
						late = "; a phase of this parity has completed before: a wait that comes when the next but one is under way no longer sees it"
					}
					what += fmt.Sprintf(" of %s (%v: %s)", m.cellName(first, n), s.bars[i].Barrier, outstanding(s.bars[i]))
				}
			}
		}
		return fmt.Sprintf("%s waits at line %d for %s%s", name, site.Pos.Line, what, late), site, false
	case model.ClusterWait:
		return fmt.Sprintf("%s waits at line %d for the barrier of its cluster (%s)", name, site.Pos.Line, m.clusterMissing(s, m.ctas[m.threads[ti].cta].cluster)), site, false
	case model.GridDepWait:
		return fmt.Sprintf("%s waits at line %d for the prerequisite grid", name, site.Pos.Line), site, false
	default:
		return fmt.Sprintf("%s polls at line %d: %s", name, site.Pos.Line, site.Text), site, true
	}
}

// outstanding says what the current phase of an object still needs.
func outstanding(b *barrier) string {
	switch {
	case b.Pending > 0 && b.Tx != 0:
		return fmt.Sprintf("its phase needs %d more arrivals and has %d bytes outstanding", b.Pending, b.Tx)
	case b.Pending > 0:
		return fmt.Sprintf("its phase needs %d more arrivals", b.Pending)
	case b.Tx != 0:
		return fmt.Sprintf("its phase has %d bytes outstanding", b.Tx)
	default:
		return "nothing is outstanding"
	}
}

func (m *Machine) ctaWaits(s *State, c int) string {
	if !s.grids[m.ctas[c].grid].started {
		return fmt.Sprintf("grid %s has not started", m.grids[m.ctas[c].grid].launch.Name)
	}
	return fmt.Sprintf("%s waits for a free slot (%d of %d taken)", m.ctaName(c), s.slots, m.Case.Plan.Slots)
}

// checkFinals evaluates the plan's final conditions on memory when everything has ended.
func (m *Machine) checkFinals(s *State) *Violation {
	for i := range m.Case.Plan.Finals {
		f := &m.Case.Plan.Finals[i]
		holds, why := f.Check(func(buffer string, elem int) (model.Value, bool) {
			for bi := range m.Case.Plan.Buffers {
				if m.Case.Plan.Buffers[bi].Name == buffer {
					return m.finalValue(s, m.layout.objects[m.layout.buffers[bi]], elem)
				}
			}
			return model.Value{}, false
		})
		m.finalsChecked = true
		if !holds {
			return &Violation{Property: "asserts", Rule: "final-condition",
				Message: fmt.Sprintf("the final condition %q does not hold: %s", f.Text, why),
				Sites:   []Site{{Pos: f.Pos, Text: f.Text, Role: "the condition"}}}
		}
	}
	return nil
}

// finalValue is the content of an element when nothing writes it any more; unknown if several
// unordered writes stand last, or none.
func (m *Machine) finalValue(s *State, o *object, elem int) (model.Value, bool) {
	w := o.elem.Bytes()
	var out []byte
	for c := o.first; c < o.first+len(o.bounds); c++ {
		info := &m.layout.cells[c]
		if info.off+info.size <= elem*w || info.off >= (elem+1)*w {
			continue
		}
		cell := s.Mem.Cell(c)
		var all uint32
		for _, x := range cell.Writes {
			all |= x.Preds
		}
		last := -1
		for k := range cell.Writes {
			if all&(1<<k) == 0 {
				if last >= 0 {
					return model.Value{}, false
				}
				last = k
			}
		}
		ev := causal.NoEvent
		if last >= 0 {
			ev = cell.Writes[last].Event
		}
		b, known := m.content(s, c, ev)
		if !known {
			return model.Value{}, false
		}
		lo, hi := max(elem*w-info.off, 0), min((elem+1)*w-info.off, info.size)
		out = append(out, b[lo:hi]...)
	}
	return getValue(out), true
}

// FinalsReached reports whether the final conditions were evaluated at all, or there are none.
func (m *Machine) FinalsReached() bool { return m.finalsChecked || len(m.Case.Plan.Finals) == 0 }

// Lasso is the violation of an infinite execution in which the named agents move for ever.
func (m *Machine) Lasso(movers []string) *Violation {
	return &Violation{Property: "terminates", Rule: "fair-cycle",
		Message: "the execution need not end: " + strings.Join(movers, ", ") + " can go on for ever although every agent that can move does, copies complete, and no strong read misses a newer strong write for ever",
		Fix:     "look at what the loop waits for: a value that is never written (a leaked sentinel), a write without a promise to be seen (weak, or of too narrow a scope), or a producer that cannot run"}
}

// Outcome is the content of all buffers when everything has ended, in words: what a litmus test
// calls a final state. A location with several unordered last writes shows all their values.
func (m *Machine) Outcome(s *State) string {
	var b strings.Builder
	for _, o := range m.layout.objects {
		if o.cta >= 0 {
			continue
		}
		for c := o.first; c < o.first+len(o.bounds); c++ {
			fmt.Fprintf(&b, "%s=", m.cellName(c, 1))
			var last []string
			for _, v := range m.lastValues(s, c) {
				last = append(last, hex(v))
			}
			b.WriteString(strings.Join(last, "|") + " ")
		}
	}
	return b.String()
}

// lastValues are the different contents that a cell may be left with, sorted.
func (m *Machine) lastValues(s *State, c int) (out [][]byte) {
	cell := s.Mem.Cell(c)
	var before uint32
	for _, w := range cell.Writes {
		before |= w.Preds
	}
	for k, w := range cell.Writes {
		if before&(1<<k) == 0 {
			v, _ := m.content(s, c, w.Event)
			out = append(out, v)
		}
	}
	slices.SortFunc(out, bytes.Compare)
	return slices.CompactFunc(out, bytes.Equal)
}
