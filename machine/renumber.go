package machine

import (
	"cmp"
	"slices"

	"ptxmc/memmodel/causal"
)

// renumber drops events that no cell lists, takes settled events out of all views, and numbers the
// rest in the order of their cells.
func (c *collector) renumber() {
	m, s := c.m, c.s
	const unseen, inViews, settledOnly = 0, 1, 2
	state := make([]uint8, len(s.Mem.Events))
	var live []causal.EventID
	touch := func(ev causal.EventID, settled bool) {
		if state[ev] == unseen {
			live = append(live, ev)
			state[ev] = settledOnly
		}
		if !settled {
			state[ev] = inViews
		}
	}
	for _, cell := range s.Mem.Cells {
		if cell == nil {
			continue
		}
		for _, w := range cell.Writes {
			if w.Event != causal.NoEvent {
				touch(w.Event, w.Settled)
			}
		}
		for _, r := range cell.Reads {
			touch(r, false)
		}
	}
	rank := make([]int, len(s.Mem.Events))
	for i, ev := range live {
		rank[ev] = i
	}
	slices.SortStableFunc(live, func(a, b causal.EventID) int {
		x, y := s.Mem.Events[a], s.Mem.Events[b]
		if d := cmp.Or(cmp.Compare(x.First, y.First), b2i(y.Write)-b2i(x.Write)); d != 0 {
			return d
		}
		if x.Write {
			return rank[a] - rank[b] // the order of the cell's writes, canonical already
		}
		return c.compareEvents(a, b)
	})
	number := make([]causal.EventID, len(s.Mem.Events)) // new numbers in cells
	views := make([]causal.EventID, len(s.Mem.Events))  // new numbers in views
	for i := range number {
		number[i], views[i] = causal.NoEvent, causal.NoEvent
	}
	events := make([]*causal.Event, len(live))
	heads := make([][]causal.Head, len(live))
	for i, ev := range live {
		number[ev] = causal.EventID(i)
		if state[ev] == inViews {
			views[ev] = causal.EventID(i)
		}
		events[i] = s.Mem.Events[ev]
		if m.Opts.NoCollect || c.r.has(events[i].First) {
			heads[i] = s.Mem.Heads[ev]
		}
	}
	s.Mem.Events, s.Mem.Heads = events, heads
	for x, cell := range s.Mem.Cells {
		if cell == nil {
			continue
		}
		same := true
		for _, w := range cell.Writes {
			same = same && (w.Event == causal.NoEvent || number[w.Event] == w.Event)
		}
		for _, r := range cell.Reads {
			same = same && number[r] == r
		}
		if same {
			continue
		}
		nc := &causal.Cell{Writes: slices.Clone(cell.Writes), Base: cell.Base}
		for k := range nc.Writes {
			if nc.Writes[k].Event != causal.NoEvent {
				nc.Writes[k].Event = number[nc.Writes[k].Event]
			}
		}
		for _, r := range cell.Reads {
			nc.Reads = append(nc.Reads, number[r])
		}
		slices.Sort(nc.Reads)
		s.Mem.Cells[x] = nc
	}
	for i, t := range s.threads {
		if len(t.late) > 0 {
			t = s.own(i)
			for k, l := range t.late {
				t.late[k] = l.renumber(number)
			}
		}
	}
	for i, v := range views {
		if v != causal.EventID(i) {
			c.mapViews(func(v causal.View) causal.View { return v.Renumber(views) })
			return
		}
	}
}

// mapViews applies f to every view of the state.
func (c *collector) mapViews(f func(causal.View) causal.View) {
	s := c.s
	for i, hs := range s.Mem.Heads {
		var out []causal.Head
		for _, h := range hs {
			if h.View = f(h.View); len(h.View) > 0 {
				out = append(out, h)
			}
		}
		s.Mem.Heads[i] = out
	}
	for i := range s.threads {
		t := *s.threads[i]
		if t.status == threadEnded {
			continue
		}
		t.view = f(t.view)
		var obs []observed
		for _, o := range t.observed {
			if o.view = f(o.view); len(o.view) > 0 {
				obs = mergeObserved(obs, o)
			}
		}
		t.observed = obs
		for sc := range t.fences {
			t.fences[sc] = f(t.fences[sc])
			t.fenced[sc] = len(t.fences[sc]) > 0
		}
		t.mma.view = f(t.mma.view)
		t.sharedFence = f(t.sharedFence)
		t.sharedFenced = len(t.sharedFence) > 0
		var rel []released
		for _, r := range t.released {
			if r.view = f(r.view); len(r.view) > 0 {
				rel = append(rel, r)
			}
		}
		t.released = rel
		for k, l := range t.late {
			n := *l
			n.view = f(l.view)
			if k == 0 {
				t.late = slices.Clone(t.late)
			}
			t.late[k] = &n
		}
		s.threads[i] = &t
	}
	for i := range s.ctas {
		s.ctas[i].trigger = f(s.ctas[i].trigger)
	}
	for i := range s.grids {
		s.grids[i].start, s.grids[i].end = f(s.grids[i].start), f(s.grids[i].end)
	}
	for i := range s.flights {
		fl := *s.flights[i]
		fl.view, fl.own, fl.reads = f(fl.view), f(fl.own), f(fl.reads)
		for sc := range fl.fences {
			fl.fences[sc] = f(fl.fences[sc])
		}
		fl.sharedFence = f(fl.sharedFence)
		s.flights[i] = &fl
	}
	for i := range s.finished {
		x := *s.finished[i]
		x.own, x.reads = f(x.own), f(x.reads)
		s.finished[i] = &x
	}
	s.finished = slices.DeleteFunc(s.finished, func(x *finished) bool { return len(x.own) == 0 && len(x.reads) == 0 })
	for i := range s.bars {
		b := *s.bars[i]
		b.current = phaseHeads{f(b.current.near), f(b.current.far)}
		b.done = phaseHeads{f(b.done.near), f(b.done.far)}
		s.bars[i] = &b
	}
	for i := range s.named {
		n := *s.named[i]
		n.brought = f(n.brought)
		s.named[i] = &n
	}
	for i := range s.meets {
		n := *s.meets[i]
		n.brought = f(n.brought)
		s.meets[i] = &n
	}
	for i := range s.mmas {
		x := *s.mmas[i]
		x.behind = f(x.behind)
		s.mmas[i] = &x
	}
	for i := range s.warps {
		w := *s.warps[i]
		w.brought = f(w.brought)
		s.warps[i] = &w
	}
	for i, b := range s.clusters {
		s.clusters[i] = clusterBarrier{brought: f(b.brought), done: f(b.done)}
	}
	var scs []scFence
	for _, x := range s.fences {
		if x.view = f(x.view); len(x.view) > 0 {
			scs = append(scs, x)
		}
	}
	slices.SortFunc(scs, func(a, b scFence) int { return cmp.Or(a.thread-b.thread, int(a.scope)-int(b.scope)) })
	s.fences = scs
}

// mergeObserved joins heads that the same acquire would join.
func mergeObserved(list []observed, o observed) []observed {
	for i := range list {
		if list[i].cell == o.cell && list[i].via == o.via && list[i].scope == o.scope {
			list[i].view = causal.Join(list[i].view, o.view)
			return list
		}
	}
	return append(list, o)
}
