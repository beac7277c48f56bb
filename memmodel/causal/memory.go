package causal

import (
	"slices"

	"ptxmc/memmodel"
)

// NoEvent is no event; as the writer of a cell it stands for the initial content, which everybody
// knows at every level.
const NoEvent EventID = 0xffff

// Access describes one memory event before it happens.
type Access struct {
	Place memmodel.Place
	Agent int // who performs it: a thread number, or an async agent's issuer
	Proxy memmodel.Proxy
	CTA   int // the CTA whose proxy is used; with proxies of several kinds, the number of the pair
	// Virt numbers the virtual addresses of memory that has several (PTX ISA 8.6, alias proxy); 0 where
	// there is but one.
	Virt   uint8
	Strong bool
	Scope  memmodel.Scope
	First  int  // first cell
	N      int  // number of cells
	Async  bool // performed by an asynchronous agent
	RMW    bool
	Ref    int // where in the program, for explanations; not part of the state
}

// Needs returns the level that an event at the same virtual address must have in a view to be ready
// for the access.
func (a *Access) Needs() Level {
	if a.Proxy != memmodel.Generic {
		return AsyncIn(a.CTA)
	}
	return G
}

// needsOf is the level that event e must have: with several virtual addresses, the one behind an
// alias fence too, or only that one.
func (a *Access) needsOf(e *Access) Level {
	need := a.Needs()
	switch {
	case a.Virt == 0:
		return need
	case a.Virt == e.Virt:
		return need | need<<aliasShift
	default:
		return need << aliasShift
	}
}

// Own returns the level with which the access enters its performer's view (rule WRITE-LEVEL).
func (a *Access) Own() Level { return a.Needs() }

// Event is a performed access. Events are never changed: several states share them.
type Event struct {
	Access
	Write bool
	Bytes []byte // what a write wrote, over all its cells
	Taint uint8  // the machine's mark of the data's quality; 0 if none
}

// Head is what a release left (semantics: synchronisation as heads): whoever acquires from it
// with fitting scopes joins View.
type Head struct {
	Scope memmodel.Scope
	Place memmodel.Place
	View  View
}

// Memory is the part of a state that all agents share.
type Memory struct {
	Events []*Event // nil: free
	Heads  [][]Head // by event; heads that a strong write carries
	Cells  []*Cell  // nil: the initial content, untouched
}

// Cell is the history of one cell as far as it still matters. It is never changed in place.
type Cell struct {
	Writes []CellWrite
	Reads  []EventID
	// Base is the content that NoEvent stands for, if a write that everybody knows has replaced
	// the initial one; nil for the initial content.
	Base *Event
}

// CellWrite is a live write of a cell.
type CellWrite struct {
	Event EventID // NoEvent: the initial content
	Preds uint32  // coherence predecessors, as bits over Cell.Writes
	RMWOf int8    // position of the write that this read-modify-write read; -1 for a plain write
	// Pinned: the write directly follows one that is gone and that everybody knew, so no morally
	// strong write may be placed before it.
	Pinned bool
	// Settled: every agent that may still meet the write knows it at every level, so views leave
	// it out.
	Settled bool
	// Barred lists writes, as bits over Cell.Writes, that must not come to stand before this one: a
	// read that knew this write took its value from them (rule READ). With a write its coherence
	// successors are barred too.
	Barred uint32
}

var untouched = Cell{Writes: []CellWrite{{Event: NoEvent, RMWOf: -1, Settled: true}}}

// Cell returns the history of cell c.
func (m *Memory) Cell(c int) *Cell {
	if m.Cells[c] == nil {
		return &untouched
	}
	return m.Cells[c]
}

// Settle returns the cell whose one write everybody knows as a cell with that content.
func Settle(e *Event) *Cell { return &Cell{Writes: untouched.Writes, Base: e} }

// Clone returns a memory that can be changed without changing m.
func (m *Memory) Clone() Memory {
	return Memory{slices.Clone(m.Events), slices.Clone(m.Heads), slices.Clone(m.Cells)}
}

// Add enters an event and returns its number.
func (m *Memory) Add(e *Event) EventID {
	for i, old := range m.Events {
		if old == nil {
			m.Events[i], m.Heads[i] = e, nil
			return EventID(i)
		}
	}
	m.Events = append(m.Events, e)
	m.Heads = append(m.Heads, nil)
	return EventID(len(m.Events) - 1)
}

// ready reports whether write w is in the view at the level that the access needs (rule READY).
func (m *Memory) ready(w CellWrite, view View, a *Access) bool {
	return w.Settled || m.Ready(w.Event, view, a)
}

// Ready reports whether an event is in the view at the level that the access needs (rule READY).
func (m *Memory) Ready(e EventID, view View, a *Access) bool {
	l, ok := view.Level(e)
	return ok && l&a.needsOf(&m.Events[e].Access) != 0
}

// MaxWrites is how many live writes a cell can hold.
const MaxWrites = 32

// TooManyWrites is the panic of a cell that would get more than MaxWrites live writes.
type TooManyWrites struct{ Cell int }

// Error implements error.
func (e TooManyWrites) Error() string {
	return "a location has more than 32 writes that some agent may still observe"
}

// Crowded reports whether a cell has so many live writes that the memory should be collected.
func (m *Memory) Crowded() bool {
	for _, c := range m.Cells {
		if c != nil && len(c.Writes) >= MaxWrites/2 {
			return true
		}
	}
	return false
}

// Visible returns the positions in Cell(c).Writes of the writes that an access with this view may
// observe (rule READ): all but those with a coherence successor that is in the view and ready.
func (m *Memory) Visible(c int, view View, a *Access, buf []int) []int {
	cell := m.Cell(c)
	if len(cell.Writes) == 1 {
		return append(buf, 0)
	}
	var hidden uint32
	for _, w := range cell.Writes {
		if m.ready(w, view, a) {
			hidden |= w.Preds
		}
	}
	for i := range cell.Writes {
		if hidden&(1<<i) == 0 {
			buf = append(buf, i)
		}
	}
	return buf
}

// Covers reports whether the scopes of two strong accesses include each other (PTX ISA 8.7,
// clause i of moral strength).
func Covers(a, b *Access) bool {
	return a.Strong && b.Strong && a.Scope.Includes(a.Place, b.Place) && b.Scope.Includes(b.Place, a.Place)
}

// MorallyStrong reports whether the two accesses are morally strong by scope, proxy and complete
// overlap (PTX ISA 8.7); program order is the caller's concern.
func MorallyStrong(a, b *Access) bool {
	return a.Proxy == b.Proxy && a.Virt == b.Virt && a.First == b.First && a.N == b.N && Covers(a, b)
}

// Serial reports whether coherence has to order the two writes: they are morally strong, or
// overlapping read-modify-writes whose scopes include each other, of which one runs wholly before
// the other whatever their sizes (PTX ISA 8.7.2, mixed-size races).
func Serial(a, b *Access) bool {
	return MorallyStrong(a, b) || a.RMW && b.RMW && a.Proxy == b.Proxy && Covers(a, b)
}

// singleCopy reports whether read r takes all its cells from w or newer writes once it takes one:
// rule X3 for morally strong pairs, and rule ACROSS-PROXY-128 for aligned 16-byte pairs of the
// generic and the async proxy. unitBytes is the size of the accessed unit.
func singleCopy(r, w *Access, unitBytes int) bool {
	if r.First != w.First || r.N != w.N || !Covers(r, w) {
		return false
	}
	return r.Proxy == w.Proxy || unitBytes == 16
}

// Observation is one way to read all cells of an access: for each the position of the write.
type Observation []int

// Observe lists every observation that rules READ and single-copy atomicity allow. unitBytes is
// the size of the access.
func (m *Memory) Observe(a *Access, view View, unitBytes int) []Observation {
	options := make([][]int, a.N)
	total := 1
	for i := range options {
		options[i] = m.Visible(a.First+i, view, a, nil)
		total *= len(options[i])
	}
	var out []Observation
	pick := make(Observation, a.N)
	var rec func(i int)
	rec = func(i int) {
		if i == a.N {
			if total == 1 || m.untorn(a, pick, unitBytes) {
				out = append(out, slices.Clone(pick))
			}
			return
		}
		for _, o := range options[i] {
			pick[i] = o
			rec(i + 1)
		}
	}
	rec(0)
	return out
}

// untorn checks single-copy atomicity: no cell from a write that comes, in that cell, before a
// write with which the access is single-copy atomic and from which another cell is taken.
func (m *Memory) untorn(a *Access, pick Observation, unitBytes int) bool {
	for i, p := range pick {
		ev := m.Cell(a.First + i).Writes[p].Event
		if ev == NoEvent || !singleCopy(a, &m.Events[ev].Access, unitBytes) {
			continue
		}
		for j, q := range pick {
			cell := m.Cell(a.First + j)
			for k, w := range cell.Writes {
				if w.Event == ev && k != q && w.Preds&(1<<q) != 0 {
					return false
				}
			}
		}
	}
	return true
}

// Constrain keeps what an observation makes of unordered writes: one that the reader knew at the level of
// the read must not come to stand after the one it took (axiom Causality).
func (m *Memory) Constrain(a *Access, view View, pick Observation) {
	for i, p := range pick {
		c := a.First + i
		old := m.Cell(c)
		var out []CellWrite
		for k, w := range old.Writes {
			if k == p || (w.Preds|w.Barred)&(1<<p) != 0 || old.Writes[p].Preds&(1<<k) != 0 || !m.ready(w, view, a) {
				continue
			}
			if out == nil {
				out = slices.Clone(old.Writes)
			}
			out[k].Barred |= 1<<p | successors(out, p)
		}
		if out != nil {
			m.Cells[c] = &Cell{Writes: out, Reads: old.Reads, Base: old.Base}
		}
	}
}

// successors returns the coherence successors of a write, as bits.
func successors(writes []CellWrite, p int) (out uint32) {
	for k, w := range writes {
		if w.Preds&(1<<p) != 0 {
			out |= 1 << k
		}
	}
	return out
}

// MayUpdate reports whether a read-modify-write a with this view may read the write at position r of cell
// c: no morally strong read-modify-write that stands after r in coherence order has taken its place (rule
// ATOMIC). If nothing orders r before the update, the update may still go before who took its place.
func (m *Memory) MayUpdate(c, r int, a *Access, view View) bool {
	read := m.Cell(c).Writes[r]
	if !m.ready(read, view, a) && !MorallyStrong(a, &m.Events[read.Event].Access) {
		return true
	}
	for _, w := range m.Cell(c).Writes {
		if w.RMWOf == int8(r) && w.Preds&(1<<r) != 0 && w.Event != NoEvent && Serial(a, &m.Events[w.Event].Access) {
			return false
		}
	}
	return true
}

// Read records a read event, for race detection, and returns it.
func (m *Memory) Read(e *Event) EventID {
	id := m.Add(e)
	for i := range e.N {
		c := e.First + i
		old := m.Cell(c)
		m.Cells[c] = &Cell{Writes: old.Writes, Reads: append(slices.Clip(slices.Clone(old.Reads)), id), Base: old.Base}
	}
	return id
}

// Supersede forgets earlier reads of the same cells by the same agent in the same manner, as far as
// the view has them: whoever will know the new read will know them too, and what conflicts with
// them conflicts with it.
func (m *Memory) Supersede(a *Access, view View) {
	var old []EventID
	for c := a.First; c < a.First+a.N; c++ {
		old = append(old, m.Cell(c).Reads...)
	}
	for _, id := range old {
		e := &m.Events[id].Access
		if l, ok := view.Level(id); !ok || l&a.Own() == 0 || e.Agent != a.Agent || e.Proxy != a.Proxy || e.CTA != a.CTA ||
			e.Strong != a.Strong || e.Scope != a.Scope || e.Async != a.Async || e.First != a.First || e.N != a.N {
			continue
		}
		for c := a.First; c < a.First+a.N; c++ {
			cell := m.Cell(c)
			if !slices.Contains(cell.Reads, id) {
				continue
			}
			m.Cells[c] = &Cell{Writes: cell.Writes, Base: cell.Base, Reads: slices.DeleteFunc(slices.Clone(cell.Reads), func(r EventID) bool { return r == id })}
		}
	}
}

// Unordered returns the live events that conflict with the access and are not ordered before it:
// not in the view, or not ready for its proxy.
func (m *Memory) Unordered(a *Access, write bool, view View) []EventID {
	var out []EventID
	see := func(id EventID) {
		if !m.Ready(id, view, a) && !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	for i := range a.N {
		cell := m.Cell(a.First + i)
		for _, w := range cell.Writes {
			if !w.Settled {
				see(w.Event)
			}
		}
		if write {
			for _, r := range cell.Reads {
				see(r)
			}
		}
	}
	return out
}

// Drop forgets all that happened to a cell but keeps it distinct from the initial content: an
// asynchronous write is under way there.
func (m *Memory) Drop(c int) { m.Cells[c] = &Cell{} }
