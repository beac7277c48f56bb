package machine

import (
	"bytes"
	"cmp"
	"math/bits"
	"slices"

	"ptxmc/memmodel"
	"ptxmc/memmodel/causal"
)

// This file brings a state into the form in which states are compared: registers that nobody reads
// are cleared (runLocal), heads that nobody can join are dropped, events that nobody can still meet
// or that everybody knows leave all views, and the live ones are numbered canonically. So a retry
// loop closes on itself, and its proof is for any number of retries.

// collector is the work space of one collection.
type collector struct {
	m *Machine
	s *State
	// who may still touch memory: threads that have not ended
	alive []int
	r, w  bitset // what any of them may still read or write
	p     bitset // … read otherwise than by an update of device scope
	fly   bitset // cells of copies in flight
	late  bitset // cells of loads that bind late

	// buffers of one cell
	writes, ordered []causal.CellWrite
	reads           []causal.EventID
}

// Canonicalize drops what no future can tell apart and renumbers the rest.
func (m *Machine) Canonicalize(s *State) {
	c := m.gather
	if c == nil {
		c = &collector{m: m, r: newBitset(m.nres), w: newBitset(m.nres), p: newBitset(m.nres), fly: newBitset(m.nres), late: newBitset(m.nres)}
		m.gather = c
	}
	c.s, c.alive = s, c.alive[:0]
	clear(c.r)
	clear(c.w)
	clear(c.p)
	clear(c.fly)
	clear(c.late)
	for i, t := range s.threads {
		if t.status != threadEnded {
			c.alive = append(c.alive, i)
			f := &m.facts[i].future[t.pc]
			c.r.or(f.R)
			c.w.or(f.W)
			c.p.or(f.P)
			for _, l := range t.late {
				c.late.or(l.touches.R)
			}
		}
	}
	for _, f := range s.flights {
		c.fly.or(f.into)
		c.fly.or(f.from)
		if f.bar >= 0 {
			c.fly.set(f.bar)
		}
	}
	s.tidyGroups()
	m.sortFlights(s)
	if m.Opts.NoCollect {
		c.renumber()
		return
	}
	c.threads()
	c.groups()
	c.launches()
	for cell := range s.Mem.Cells {
		if s.Mem.Cells[cell] != nil {
			c.cell(cell)
		}
	}
	c.barriers()
	c.renumber()
}

// groups drops what finished copies of a thread hand over if no wait and no arrival can come.
func (c *collector) groups() {
	s := c.s
	s.finished = slices.DeleteFunc(s.finished, func(f *finished) bool {
		t := s.threads[f.thread]
		return (t.status == threadEnded || !c.m.facts[f.thread].future[t.pc].R.has(c.m.resGroup(f.thread))) &&
			!slices.ContainsFunc(s.flights, func(a *flight) bool { return a.arrival() && a.thread == f.thread })
	})
}

// threads drops the release heads of threads that release nothing any more.
func (c *collector) threads() {
	for _, i := range c.alive {
		t := c.s.threads[i]
		if c.m.facts[i].strong[t.pc] || !t.sharedFenced && len(t.released) == 0 && t.fenced == [len(t.fenced)]bool{} {
			continue
		}
		t = c.s.own(i)
		t.sharedFence, t.sharedFenced, t.released = nil, false, nil
		t.fenced, t.fences = [len(t.fenced)]bool{}, [len(t.fences)]causal.View{}
	}
}

// launches drops views of grids that no start and no wait can use any more.
func (c *collector) launches() {
	m, s := c.m, c.s
	for g := range m.grids {
		pending := false // a CTA still to begin, or a dependent whose start looks back
		endUsed := c.r.has(m.resEnd(g))
		for _, ct := range m.grids[g].ctas {
			pending = pending || s.ctas[ct].status == ctaPending
		}
		dependents := false
		for h := range m.grids {
			if s.grids[h].started {
				continue
			}
			for _, d := range m.grids[h].deps {
				dependents = dependents || d.grid == g && d.programmatic
				endUsed = endUsed || d.grid == g
			}
		}
		if !pending && !dependents {
			s.grids[g].start = nil
		}
		if !endUsed {
			s.grids[g].end = nil
		}
		if !dependents {
			for _, ct := range m.grids[g].ctas {
				s.ctas[ct].trigger = nil
			}
		}
	}
}

// knows reports whether thread i has the event ready for each way in which it may still access the
// cell.
func (c *collector) knows(i int, ev causal.EventID, cell int) bool {
	m, s := c.m, c.s
	t := s.threads[i]
	need := causal.G
	if m.facts[i].future[t.pc].A.has(cell) {
		need |= causal.AsyncIn(m.threads[i].cta)
	}
	view := t.view
	if t.status == threadWaiting {
		g := m.ctas[m.threads[i].cta].grid
		if e := s.Mem.Events[ev]; !s.grids[g].started {
			if e.Async {
				return false // known at the start only if somebody waited for the copy
			}
			return m.grids[g].after[m.ctas[m.threads[e.Agent].cta].grid]
		}
		view = s.grids[g].start
	}
	l, _ := view.Level(ev)
	if m.facts[i].mma[t.pc] && need != causal.G {
		mma, _ := t.mma.view.Level(ev) // a matrix multiplication knows what the last wgmma.fence saw
		l &= mma
	}
	return l&need == need
}

// flightsKnow is the same for the copies in flight that touch the cell.
func (c *collector) flightsKnow(ev causal.EventID, cell int) bool {
	if !c.fly.has(cell) {
		return true
	}
	for _, f := range c.s.flights {
		need := causal.Level(0)
		if f.into.has(cell) || f.from.has(cell) {
			need = c.m.flightLevel(f)
		} else if cell == f.bar {
			need = causal.G
		}
		if l, _ := f.view.Level(ev); l&need != need {
			return false
		}
	}
	return true
}

// cell removes dead writes and reads from one cell and marks settled ones.
func (c *collector) cell(x int) {
	m, s := c.m, c.s
	old := s.Mem.Cells[x]
	if c.late.has(x) {
		return // rare and short: all is kept
	}
	final := m.finals[x]
	if !c.r.has(x) && !c.w.has(x) && !c.fly.has(x) && !final {
		s.Mem.Cells[x] = nil
		return
	}
	if len(old.Writes) == 1 && old.Writes[0].Event == causal.NoEvent && len(old.Reads) == 0 {
		return // settled for good
	}
	cell := causal.Cell{Writes: append(c.writes[:0], old.Writes...), Reads: c.reads[:0], Base: old.Base}
	c.writes = cell.Writes
	var settled uint32
	for k := range cell.Writes {
		w := &cell.Writes[k]
		if !w.Settled {
			w.Settled = c.flightsKnow(w.Event, x)
			for _, i := range c.alive {
				f := &m.facts[i].future[s.threads[i].pc]
				if w.Settled && (f.R.has(x) || f.W.has(x)) {
					w.Settled = c.knows(i, w.Event, x)
				}
			}
		}
		if w.Settled {
			settled |= 1 << k
		}
	}
	var dead uint32
	for k := range cell.Writes {
		if settled&(1<<k) != 0 {
			dead |= cell.Writes[k].Preds & settled
		}
	}
	dead |= c.updated(x, &cell)
	for k := range cell.Writes {
		if w := &cell.Writes[k]; w.RMWOf >= 0 && dead&(1<<w.RMWOf) != 0 {
			w.Pinned = true // what it read goes, but all that is still to come stands behind that
		}
	}
	for _, r := range old.Reads {
		done := c.flightsKnow(r, x)
		e := s.Mem.Events[r]
		for _, i := range c.alive {
			f := &m.facts[i].future[s.threads[i].pc]
			// a thread's own reads are ordered before its generic writes, those of its copies are not
			if done && f.W.has(x) && (i != e.Agent || e.Async || f.A.has(x)) {
				done = c.knows(i, r, x)
			}
		}
		if !done {
			cell.Reads = append(cell.Reads, r)
		}
	}
	c.reads = cell.Reads
	c.compress(&cell, dead)
	if slices.Equal(cell.Writes, old.Writes) && slices.Equal(cell.Reads, old.Reads) {
		return
	}
	s.Mem.Cells[x] = &causal.Cell{Writes: slices.Clone(cell.Writes), Reads: slices.Clone(cell.Reads), Base: cell.Base}
	if len(cell.Writes) == 1 && len(cell.Reads) == 0 {
		w := cell.Writes[0]
		switch {
		case w.Event == causal.NoEvent && cell.Base == nil:
			s.Mem.Cells[x] = nil
		case w.Event != causal.NoEvent && w.Settled && s.Mem.Events[w.Event].Taint == 0 && len(s.Mem.Heads[w.Event]) == 0:
			s.Mem.Cells[x] = causal.Settle(s.Mem.Events[w.Event])
		}
	}
}

// updated finds writes that a read-modify-write of device scope has replaced, where all that is to
// come on the cell are such updates and stores: no update may read them again (rule ATOMIC), and if
// everybody knew the first of the chain, nothing can be placed before its successor either.
func (c *collector) updated(x int, cell *causal.Cell) (dead uint32) {
	if c.p.has(x) || c.fly.has(x) {
		return 0
	}
	for k := range cell.Writes {
		w := &cell.Writes[k]
		if w.RMWOf < 0 || w.Event == causal.NoEvent {
			continue
		}
		e := c.s.Mem.Events[w.Event]
		source := &cell.Writes[w.RMWOf]
		if w.Preds&(1<<w.RMWOf) != 0 && c.m.device(e) && (source.Settled || source.Pinned && c.m.device(c.s.Mem.Events[source.Event])) {
			dead |= 1 << w.RMWOf
		}
	}
	return dead
}

// device reports whether a write is of one cell and morally strong with every access whose scope includes
// all threads.
func (m *Machine) device(e *causal.Event) bool {
	return e.N == 1 && e.Strong && e.Scope >= m.widest && e.Proxy == memmodel.Generic
}

// compress removes the dead writes and puts the rest into canonical order.
func (c *collector) compress(cell *causal.Cell, dead uint32) {
	var order [causal.MaxWrites]int8
	n := 0
	for k := range cell.Writes {
		if dead&(1<<k) == 0 {
			order[n] = int8(k)
			n++
		}
	}
	slices.SortFunc(order[:n], func(a, b int8) int {
		wa, wb := &cell.Writes[a], &cell.Writes[b]
		if d := bits.OnesCount32(wa.Preds&^dead) - bits.OnesCount32(wb.Preds&^dead); d != 0 {
			return d
		}
		return c.compareEvents(wa.Event, wb.Event)
	})
	var to [causal.MaxWrites]int8
	for k := range to {
		to[k] = -1
	}
	for i, k := range order[:n] {
		to[k] = int8(i)
	}
	out := c.ordered[:0]
	for _, k := range order[:n] {
		w := cell.Writes[k]
		var preds uint32
		for b := w.Preds &^ dead; b != 0; b &= b - 1 {
			preds |= 1 << to[bits.TrailingZeros32(b)]
		}
		w.Preds = preds
		var barred uint32
		for b := w.Barred &^ dead; b != 0; b &= b - 1 {
			barred |= 1 << to[bits.TrailingZeros32(b)]
		}
		w.Barred = barred
		if w.RMWOf >= 0 {
			w.RMWOf = to[w.RMWOf]
		}
		out = append(out, w)
	}
	c.ordered = out
	cell.Writes = out
}

func (c *collector) compareEvents(a, b causal.EventID) int {
	if a == b {
		return 0
	}
	if a == causal.NoEvent || b == causal.NoEvent {
		return cmp.Compare(b2i(a != causal.NoEvent), b2i(b != causal.NoEvent)) // the initial content first
	}
	x, y := c.s.Mem.Events[a], c.s.Mem.Events[b]
	if d := cmp.Or(cmp.Compare(x.First, y.First), cmp.Compare(x.N, y.N), cmp.Compare(x.Agent, y.Agent), cmp.Compare(x.Ref, y.Ref),
		cmp.Compare(x.Proxy, y.Proxy), bytes.Compare(x.Bytes, y.Bytes), cmp.Compare(x.Taint, y.Taint)); d != 0 {
		return d
	}
	return cmp.Compare(b2i(x.Write), b2i(y.Write))
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// barriers drops the heads of objects on which nobody can wait any more.
func (c *collector) barriers() {
	for i, b := range c.s.bars {
		if c.r.has(b.cell) {
			continue
		}
		nb := *b
		nb.current, nb.done = phaseHeads{}, phaseHeads{}
		c.s.bars[i] = &nb
	}
}
