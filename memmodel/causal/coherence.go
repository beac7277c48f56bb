package causal

import (
	"math/bits"
	"slices"
)

// Chooser decides among n ≥ 1 alternatives; the search tries them all.
type Chooser interface{ Choose(n int) int }

// Write enters a write over all its cells into coherence order (rule COHERENCE) and returns it.
// readOf gives, for a read-modify-write, the position in each cell of the write that it read
// (rule ATOMIC); nil for a plain write. It returns NoEvent, and enters nothing, if no order is left
// for a read-modify-write: what it read cannot be what it directly follows.
func (m *Memory) Write(e *Event, view View, readOf Observation, ch Chooser) EventID {
	need := e.Needs()
	before, ok := m.placement(e, view, need, readOf, ch)
	if !ok {
		return NoEvent
	}
	id := m.Add(e)
	for i := range e.N {
		c := e.First + i
		old := m.Cell(c)
		m.Cells[c] = &Cell{Writes: m.insert(e, id, i, &before, view, need, readOf), Reads: old.Reads, Base: old.Base}
	}
	return id
}

// insert returns the writes of e's i-th cell with e at the end and the order closed transitively.
func (m *Memory) insert(e *Event, id EventID, i int, o *order, view View, need Level, readOf Observation) []CellWrite {
	old := m.Cell(e.First + i).Writes
	self := len(old)
	if self == MaxWrites {
		panic(TooManyWrites{e.First + i})
	}
	out := make([]CellWrite, self+1)
	copy(out, old)
	w := &out[self]
	*w = CellWrite{Event: id, RMWOf: -1}
	if readOf != nil {
		w.RMWOf = int8(readOf[i])
	}
	for k, x := range old {
		if ready(x, view, need) || o.has(x.Event, placedBefore) {
			w.Preds |= 1<<k | x.Preds
		}
	}
	for k, x := range old {
		if o.has(x.Event, placedAfter) {
			out[k].Preds |= 1 << self
		}
	}
	for changed := true; changed; {
		changed = false
		for k := range out {
			p := out[k].Preds
			for b := p; b != 0; b &= b - 1 {
				p |= out[bits.TrailingZeros32(b)].Preds
			}
			if p != out[k].Preds {
				out[k].Preds, changed = p, true
			}
		}
	}
	return out
}

type placed uint8

const (
	unplaced placed = iota
	placedBefore
	placedAfter
)

// order says where the concurrent writes that coherence has to order with a new one stand.
type order struct {
	events []EventID
	mask   uint // bit i: events[i] comes before the new write
}

func (o *order) has(e EventID, p placed) bool { return e != NoEvent && o.of(e) == p }

func (o *order) of(e EventID) placed {
	for i, x := range o.events {
		if x == e {
			if o.mask&(1<<i) != 0 {
				return placedBefore
			}
			return placedAfter
		}
	}
	return unplaced
}

// maxConcurrent is how many unordered writes a new one can be placed among: all orders are tried.
const maxConcurrent = 12

// placement decides for every concurrent write that coherence has to order with e whether it comes
// before or after. Orders that contradict coherence, or part a read-modify-write from what it
// directly follows, are not taken.
func (m *Memory) placement(e *Event, view View, need Level, readOf Observation, ch Chooser) (order, bool) {
	var o order
	for i := range e.N {
		for _, w := range m.Cell(e.First + i).Writes {
			if w.Event != NoEvent && !ready(w, view, need) && !slices.Contains(o.events, w.Event) &&
				Serial(&e.Access, &m.Events[w.Event].Access) {
				o.events = append(o.events, w.Event)
			}
		}
	}
	if len(o.events) == 0 && readOf == nil {
		return o, true
	}
	if len(o.events) > maxConcurrent {
		panic(TooManyWrites{e.First})
	}
	var masks []uint
	for o.mask = 0; o.mask < 1<<len(o.events); o.mask++ {
		if m.consistent(e, &o, view, need, readOf) {
			masks = append(masks, o.mask)
		}
	}
	if len(masks) == 0 {
		return o, false
	}
	o.mask = masks[ch.Choose(len(masks))]
	return o, true
}

// consistent checks one order in every cell: it has no cycle, nothing stands before what everybody
// knew, and no write stands between a read-modify-write and what it read, as far as coherence has to
// order the two (axiom RMW atomicity).
func (m *Memory) consistent(e *Event, o *order, view View, need Level, readOf Observation) bool {
	for i := range e.N {
		cell := m.Cell(e.First + i)
		if readOf != nil && o.has(cell.Writes[readOf[i]].Event, placedAfter) {
			return false
		}
		for _, w := range cell.Writes {
			if w.Pinned && o.has(w.Event, placedAfter) {
				return false
			}
		}
		writes := m.insert(e, NoEvent, i, o, view, need, readOf)
		access := func(k int) *Access {
			if k == len(writes)-1 {
				return &e.Access
			}
			if writes[k].Event == NoEvent {
				return nil
			}
			return &m.Events[writes[k].Event].Access
		}
		for k, w := range writes {
			if w.Preds&(1<<k) != 0 {
				return false
			}
			if w.RMWOf < 0 {
				continue
			}
			for j, x := range writes {
				if w.Preds&(1<<j) != 0 && x.Preds&(1<<w.RMWOf) != 0 && access(j) != nil && Serial(access(k), access(j)) {
					return false
				}
			}
		}
	}
	return true
}
