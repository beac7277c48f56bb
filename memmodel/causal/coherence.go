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
		cell := &Cell{Writes: slices.Clone(old.Writes), Reads: old.Reads, Base: old.Base}
		self := len(cell.Writes)
		if self == MaxWrites {
			panic(TooManyWrites{c})
		}
		w := CellWrite{Event: id, RMWOf: -1}
		if readOf != nil {
			w.RMWOf = int8(readOf[i])
		}
		for k, x := range old.Writes {
			if ready(x, view, need) || before.has(x.Event, placedBefore) {
				w.Preds |= 1<<k | x.Preds
			}
		}
		for k, x := range old.Writes {
			if before.has(x.Event, placedAfter) {
				cell.Writes[k].Preds |= 1<<self | w.Preds
			}
		}
		// whatever follows a write that follows the new one follows it too
		for changed := true; changed; {
			changed = false
			for k := range old.Writes {
				p := cell.Writes[k].Preds
				for b := p; b != 0; b &= b - 1 {
					if j := bits.TrailingZeros32(b); j < self {
						p |= cell.Writes[j].Preds
					}
				}
				if p != cell.Writes[k].Preds {
					cell.Writes[k].Preds, changed = p, true
				}
			}
		}
		cell.Writes = append(cell.Writes, w)
		m.Cells[c] = cell
	}
	return id
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

// consistent checks one order in every cell.
func (m *Memory) consistent(e *Event, o *order, view View, need Level, readOf Observation) bool {
	for i := range e.N {
		cell := m.Cell(e.First + i)
		before := func(w CellWrite) bool { return ready(w, view, need) || o.has(w.Event, placedBefore) }
		after := func(w CellWrite) bool { return o.has(w.Event, placedAfter) }
		for k, w := range cell.Writes {
			if after(w) {
				if w.Pinned {
					return false
				}
				for _, x := range cell.Writes {
					if x.Preds&(1<<k) != 0 && before(x) {
						return false // e → w → x → e
					}
				}
			}
			// e between a read-modify-write and what it directly follows
			if r := w.RMWOf; r >= 0 && w.Preds&(1<<r) != 0 && after(w) && before(cell.Writes[r]) {
				return false
			}
		}
		if readOf == nil {
			continue
		}
		source := cell.Writes[readOf[i]]
		if after(source) {
			return false
		}
		follows := before(source)
		for _, w := range cell.Writes {
			if w.Event == NoEvent || !Serial(&e.Access, &m.Events[w.Event].Access) {
				continue
			}
			// w between what e reads and e
			if w.Preds&(1<<readOf[i]) != 0 && before(w) && follows {
				return false
			}
		}
	}
	return true
}
