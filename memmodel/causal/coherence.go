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
	before, ok := m.placement(e, view, readOf, ch)
	if !ok {
		return NoEvent
	}
	id := m.Add(e)
	for i := range e.N {
		c := e.First + i
		old := m.Cell(c)
		m.Cells[c] = &Cell{Writes: m.insert(e, id, i, &before, view, readOf), Reads: old.Reads, Base: old.Base}
	}
	return id
}

// insert returns the writes of e's i-th cell with e at the end and the order closed transitively.
func (m *Memory) insert(e *Event, id EventID, i int, o *order, view View, readOf Observation) []CellWrite {
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
		if m.ready(x, view, &e.Access) || o.has(x.Event, placedBefore) {
			w.Preds |= 1<<k | x.Preds
		}
	}
	for k, x := range old {
		if o.has(x.Event, placedAfter) {
			out[k].Preds |= 1 << self
		}
	}
	closeOrder(out)
	return out
}

// closeOrder closes coherence transitively, and with a barred write bars its successors.
func closeOrder(out []CellWrite) {
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
	for k := range out {
		for b := out[k].Barred; b != 0; b &= b - 1 {
			out[k].Barred |= successors(out, bits.TrailingZeros32(b))
		}
	}
}

// OrderBefore puts write w before write y in coherence order, in every cell that both are in; false, and
// nothing is changed, if that contradicts the order.
func (m *Memory) OrderBefore(w, y EventID) bool {
	cells := map[int][]CellWrite{}
	first, n := m.Events[y].First, m.Events[y].N
	for c := first; c < first+n; c++ {
		old := m.Cell(c).Writes
		i := slices.IndexFunc(old, func(x CellWrite) bool { return x.Event == w })
		k := slices.IndexFunc(old, func(x CellWrite) bool { return x.Event == y })
		if i < 0 || k < 0 || old[k].Preds&(1<<i) != 0 {
			continue
		}
		out := slices.Clone(old)
		out[k].Preds |= 1 << i
		closeOrder(out)
		if !m.sound(out, func(j int) *Access { return m.accessOf(out, j) }) {
			return false
		}
		cells[c] = out
	}
	for c, out := range cells {
		old := m.Cell(c)
		m.Cells[c] = &Cell{Writes: out, Reads: old.Reads, Base: old.Base}
	}
	return true
}

// Bar forbids that write x comes to stand before write w in a cell; false if it does already.
func (m *Memory) Bar(c int, x, w EventID) bool {
	old := m.Cell(c)
	i := slices.IndexFunc(old.Writes, func(o CellWrite) bool { return o.Event == x })
	k := slices.IndexFunc(old.Writes, func(o CellWrite) bool { return o.Event == w })
	if i < 0 || k < 0 || i == k {
		return true
	}
	if old.Writes[k].Preds&(1<<i) != 0 {
		return false
	}
	out := slices.Clone(old.Writes)
	out[k].Barred |= 1<<i | successors(out, i)
	m.Cells[c] = &Cell{Writes: out, Reads: old.Reads, Base: old.Base}
	return true
}

func (m *Memory) accessOf(writes []CellWrite, k int) *Access {
	if writes[k].Event == NoEvent {
		return nil
	}
	return &m.Events[writes[k].Event].Access
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
func (m *Memory) placement(e *Event, view View, readOf Observation, ch Chooser) (order, bool) {
	var o order
	for i := range e.N {
		for _, w := range m.Cell(e.First + i).Writes {
			if w.Event != NoEvent && !m.ready(w, view, &e.Access) && !slices.Contains(o.events, w.Event) &&
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
		if m.consistent(e, &o, view, readOf) {
			masks = append(masks, o.mask)
		}
	}
	if len(masks) == 0 {
		return o, false
	}
	o.mask = masks[ch.Choose(len(masks))]
	return o, true
}

// consistent checks one order in every cell: nothing stands before what everybody knew, and the order is
// sound.
func (m *Memory) consistent(e *Event, o *order, view View, readOf Observation) bool {
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
		writes := m.insert(e, NoEvent, i, o, view, readOf)
		access := func(k int) *Access {
			if k == len(writes)-1 {
				return &e.Access
			}
			return m.accessOf(writes, k)
		}
		if !m.sound(writes, access) {
			return false
		}
	}
	return true
}

// sound checks the order of one cell: it has no cycle, keeps what reads took to be unordered, and no write
// stands between a read-modify-write and what it read, as far as coherence has to order the two (axiom RMW
// atomicity).
func (m *Memory) sound(writes []CellWrite, access func(k int) *Access) bool {
	for k, w := range writes {
		if w.Preds&(1<<k|w.Barred) != 0 {
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
	return true
}
