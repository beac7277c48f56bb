package causal

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ptxmc/memmodel"
)

// testing helpers: a memory with the views of its agents, stepped as the machine steps it.

// script plays given choices and fails if more or others are asked for.
type script struct {
	t     testing.TB
	picks []int
	pos   int
}

func (s *script) Choose(n int) int {
	s.t.Helper()
	if n == 1 {
		return 0 // nothing to decide
	}
	if s.pos == len(s.picks) {
		s.t.Fatalf("choice %d among %d alternatives is not in the script %v", s.pos, n, s.picks)
	}
	k := s.picks[s.pos]
	s.pos++
	if k >= n {
		s.t.Fatalf("choice %d is %d of %d", s.pos-1, k, n)
	}
	return k
}

// done reports choices that nobody asked for.
func (s *script) done() {
	s.t.Helper()
	if s.pos != len(s.picks) {
		s.t.Errorf("%d of the choices %v were asked for", s.pos, s.picks)
	}
}

// none fails on every choice.
func none(t testing.TB) Chooser { return &script{t: t} }

// odometer tries all choices.
type odometer struct{ taken, arity []int }

type replay struct {
	o   *odometer
	pos int
}

func (r *replay) Choose(n int) int {
	if r.pos == len(r.o.taken) {
		r.o.taken, r.o.arity = append(r.o.taken, 0), append(r.o.arity, n)
	}
	r.pos++
	return r.o.taken[r.pos-1]
}

// everyWay calls f with choosers that together make every combination of choices.
func everyWay(f func(Chooser)) {
	var o odometer
	for {
		f(&replay{o: &o})
		i := len(o.taken) - 1
		for i >= 0 && o.taken[i]+1 == o.arity[i] {
			i--
		}
		if i < 0 {
			return
		}
		o.taken[i]++
		o.taken, o.arity = o.taken[:i+1], o.arity[:i+1]
	}
}

// at is the place of agent i: each in a CTA of its own, two CTAs a cluster, all on one GPU.
func at(i int) memmodel.Place { return memmodel.Place{Cluster: i / 2, CTA: i, Thread: i} }

// strong is a strong generic access at gpu scope.
func strong(agent, first, n int) Access {
	return Access{Place: at(agent), Agent: agent, CTA: agent, Strong: true, Scope: memmodel.GPU, First: first, N: n}
}

func weak(agent, first, n int) Access {
	return Access{Place: at(agent), Agent: agent, CTA: agent, First: first, N: n}
}

func scoped(a Access, s memmodel.Scope) Access {
	a.Scope = s
	return a
}

// async is the same access through the async proxy of the agent's CTA.
func async(a Access) Access {
	a.Proxy = memmodel.Async
	return a
}

func newMemory(cells int) Memory { return Memory{Cells: make([]*Cell, cells)} }

// world is a memory with a view for each agent.
type world struct {
	Memory
	views []View
}

func newWorld(agents, cells int) *world {
	return &world{newMemory(cells), make([]View, agents)}
}

func (w *world) clone() *world { return &world{w.Memory.Clone(), slices.Clone(w.views)} }

// write performs a plain write and enters it in its agent's view (rule WRITE-LEVEL).
func (w *world) write(a Access, ch Chooser) EventID { return w.update(a, nil, ch) }

func (w *world) update(a Access, readOf Observation, ch Chooser) EventID {
	id := w.Write(&Event{Access: a, Write: true}, w.views[a.Agent], readOf, ch)
	if id == NoEvent {
		return id // no order is left: this execution does not exist
	}
	w.views[a.Agent] = w.views[a.Agent].With(id, a.Own())
	return id
}

// know adds what a morally strong read makes known (rule READ).
func (w *world) know(a Access, pick Observation) {
	if !a.Strong {
		return
	}
	for i, p := range pick {
		x := w.Cell(a.First + i).Writes[p]
		if x.Event != NoEvent && !x.Settled && MorallyStrong(&a, &w.Events[x.Event].Access) {
			w.views[a.Agent] = w.views[a.Agent].With(x.Event, a.Own())
		}
	}
}

// rmw performs the read-modify-write that reads pick; the caller has checked MayUpdate.
func (w *world) rmw(a Access, pick Observation, ch Chooser) EventID {
	a.RMW = true
	w.know(a, pick)
	return w.update(a, pick, ch)
}

// position finds an event's write in a cell.
func (m *Memory) position(c int, e EventID) int {
	return slices.IndexFunc(m.Cell(c).Writes, func(w CellWrite) bool { return w.Event == e })
}

// before reports whether a is a coherence predecessor of b in cell c.
func (m *Memory) before(c int, a, b EventID) bool {
	return m.Cell(c).Writes[m.position(c, b)].Preds&(1<<m.position(c, a)) != 0
}

// visible lists the events that the access may observe in cell c.
func (w *world) visible(a Access, c int) []EventID {
	out := []EventID{}
	for _, p := range w.Visible(c, w.views[a.Agent], &a, nil) {
		out = append(out, w.Cell(c).Writes[p].Event)
	}
	return out
}

// seen lists the observations as events, cell by cell: "0 0" "- 1"; "-" is the initial content.
func (w *world) seen(a Access, unitBytes int) []string {
	var out []string
	for _, o := range w.Observe(&a, w.views[a.Agent], unitBytes) {
		var parts []string
		for i, p := range o {
			parts = append(parts, label(w.Cell(a.First + i).Writes[p].Event))
		}
		out = append(out, strings.Join(parts, " "))
	}
	slices.Sort(out)
	return out
}

func label(e EventID) string {
	if e == NoEvent {
		return "-"
	}
	return fmt.Sprint(e)
}

// checkOrder reports what is wrong with the coherence order of a cell, or "".
func checkOrder(c *Cell) string {
	n := len(c.Writes)
	bit := func(i int) uint32 { return 1 << i }
	for k, w := range c.Writes {
		if w.Preds&bit(k) != 0 {
			return fmt.Sprintf("write %d precedes itself", k)
		}
		if n < 32 && w.Preds>>n != 0 {
			return fmt.Sprintf("write %d has predecessors %#x that do not exist", k, w.Preds)
		}
		for j, x := range c.Writes {
			if w.Preds&bit(j) == 0 {
				continue
			}
			if x.Preds&bit(k) != 0 {
				return fmt.Sprintf("writes %d and %d precede each other", j, k)
			}
			if x.Preds&^w.Preds != 0 {
				return fmt.Sprintf("not closed: %d precedes %d, but %#x precede only the former", j, k, x.Preds&^w.Preds)
			}
		}
	}
	return ""
}

// checkAtomic reports a morally strong write between a read-modify-write and the write it read.
func checkAtomic(m *Memory, c int) string {
	ws := m.Cell(c).Writes
	for k, w := range ws {
		if w.RMWOf < 0 {
			continue
		}
		r := int(w.RMWOf)
		a := &m.Events[w.Event].Access
		if w.Preds&(1<<r) == 0 {
			if s := ws[r]; s.Event == NoEvent || MorallyStrong(a, &m.Events[s.Event].Access) {
				return fmt.Sprintf("write %d read %d, but does not follow it", k, r)
			}
			continue // a racing source: nothing orders them
		}
		for j, x := range ws {
			if w.Preds&(1<<j) != 0 && x.Preds&(1<<r) != 0 && x.Event != NoEvent && MorallyStrong(a, &m.Events[x.Event].Access) {
				return fmt.Sprintf("write %d read %d, but %d stands between", k, r, j)
			}
		}
	}
	return ""
}
