package machine

import (
	"encoding/binary"

	"ptxmc/memmodel"
	"ptxmc/memmodel/causal"
)

// Encode appends the canonical form of a state to buf: two states have the same future exactly if
// their bytes are equal, as far as Canonicalize could tell.
func (m *Machine) Encode(s *State, buf []byte) []byte {
	u := func(x int) { buf = binary.AppendUvarint(buf, uint64(x)) }
	view := func(v causal.View) {
		u(len(v))
		for _, k := range v {
			u(int(k.Event))
			buf = binary.AppendUvarint(buf, uint64(k.Level))
		}
	}
	u(s.input)
	for i, t := range s.threads {
		if t.status == threadEnded {
			buf = append(buf, 0xff)
			m.threads[i].code.live[len(m.threads[i].code.entry.Code)].each(func(r int) {
				buf = binary.AppendUvarint(buf, t.regs[r].Lo)
			})
			continue
		}
		buf = append(buf, byte(t.status)|byte(t.cluster)<<4)
		if t.status == threadWaiting {
			continue
		}
		u(t.pc)
		m.threads[i].code.live[t.pc].each(func(r int) {
			buf = binary.AppendUvarint(buf, t.regs[r].Lo)
			if m.threads[i].code.entry.RegTypes[r].Bytes() > 8 {
				buf = binary.AppendUvarint(buf, t.regs[r].Hi)
			}
		})
		view(t.view)
		u(len(t.observed))
		for _, o := range t.observed {
			u(o.cell + 1)
			buf = append(buf, byte(o.scope), byte(o.via.proxy), o.via.virt)
			view(o.view)
		}
		for sc := memmodel.CTA; sc <= memmodel.Sys; sc++ {
			view(t.fences[sc])
		}
		view(t.sharedFence)
		if m.threads[i].code.mma != nil {
			u(b2i(t.mma.fenced) | b2i(t.mma.dirty)<<1)
			view(t.mma.view)
		}
		u(len(t.released))
		for _, r := range t.released {
			u(r.cell)
			buf = append(buf, byte(r.scope), byte(r.via.proxy), r.via.virt)
			view(r.view)
		}
		u(len(t.late))
		for _, l := range t.late {
			u(l.pc)
			u(l.elem)
			u(l.a.First)
			u(l.a.N)
			buf = append(buf, l.a.Virt, byte(b2i(l.unused)))
			view(l.view)
			u(len(l.later))
			for _, y := range l.later {
				u(y.cell)
				u(int(y.event + 1))
				buf = append(buf, byte(b2i(y.write)))
			}
		}
		u(len(t.deferred))
		for _, d := range t.deferred {
			u(d.pc)
			for k, r := range d.from {
				u(int(r + 1)) // NoReg becomes 0
				u(int(d.src[k].Lo))
				u(int(d.src[k].Hi))
			}
		}
		u(len(t.turns))
		for _, n := range t.turns {
			m.encodeBarrier(n.key, &buf)
			u(n.times)
		}
	}
	for i := range s.ctas {
		buf = append(buf, byte(s.ctas[i].status)|byte(b2i(s.ctas[i].triggered))<<4)
		view(s.ctas[i].trigger)
		if c := s.ctas[i].cancel; m.grids[m.ctas[i].grid].cancels {
			u(int(c.stage) | int(c.phase)<<2 | c.bar<<4)
		}
	}
	for i := range s.grids {
		buf = append(buf, byte(b2i(s.grids[i].started)))
		view(s.grids[i].start)
		view(s.grids[i].end)
	}
	u(len(s.flights))
	for _, f := range s.flights {
		u(f.thread)
		u(f.pc)
		u(f.bar + 1)
		u(f.age)
		u(f.epoch)
		view(f.view)
		u(len(f.parts))
		if len(f.parts) == 0 {
			continue
		}
		u(f.dst.first)
		if f.src != nil {
			u(f.src.first + 1)
		} else {
			u(0)
		}
		u(f.n)
		u(f.issue)
		for _, p := range f.parts {
			u(p.dst)
			u(p.src + 1)
			u(p.n)
		}
		view(f.own)
		view(f.reads)
		for _, v := range f.fences {
			view(v)
		}
		view(f.sharedFence)
		if f.data == nil {
			buf = append(buf, 0)
			continue
		}
		buf = append(buf, 1|byte(b2i(f.data.report))<<1)
		buf = append(buf, f.data.bytes...)
		for _, x := range f.data.unknown {
			buf = append(buf, byte(b2i(x)))
		}
	}
	u(len(s.finished))
	for _, f := range s.finished {
		u(f.thread)
		u(f.age<<1 | b2i(f.bulk))
		u(f.epoch)
		view(f.reads)
		view(f.own)
	}
	u(len(s.bars))
	for _, b := range s.bars {
		u(b.cell)
		x := b.Barrier
		flags := b2i(x.Report) | b2i(x.DoneReport)<<1 | b2i(x.Observed)<<2 | b2i(x.ReportUnread)<<3 | int(x.Layout)<<4
		u(flags)
		u(int(x.Phase) | int(x.Conditional)<<2)
		u(int(x.Expected))
		u(int(x.Pending))
		buf = binary.AppendVarint(buf, int64(x.Tx))
		buf = append(buf, x.ReportValue, x.DoneValue)
		view(b.current.near)
		view(b.current.far)
		view(b.done.near)
		view(b.done.far)
	}
	u(len(s.named))
	for _, n := range s.named {
		u(n.cta)
		u(n.id)
		u(n.count)
		u(n.arrived)
		u(len(n.waiting))
		for _, w := range n.waiting {
			u(w)
		}
		view(n.brought)
		u(int(n.red) | n.trues<<2)
	}
	u(len(s.mmas))
	for _, x := range s.mmas {
		u(x.thread)
		u(x.pc)
		u(x.age + 1)
		for _, t := range x.tiles {
			u(t.off)
			u(t.n)
		}
		view(x.behind)
	}
	u(len(s.warps))
	for _, w := range s.warps {
		u(w.cta)
		u(w.warp)
		u(int(w.mask))
		u(int(w.kind))
		u(len(w.arrivals))
		for _, a := range w.arrivals {
			u(a.thread)
			buf = binary.AppendUvarint(buf, a.value.Lo)
			u(a.from<<1 | b2i(a.inRange))
		}
		view(w.brought)
	}
	u(len(s.meets))
	for _, n := range s.meets {
		m.encodeBarrier(n.key, &buf)
		u(n.arrived)
		u(len(n.waiting))
		for _, w := range n.waiting {
			u(w.thread)
			u(w.quorum)
		}
		view(n.brought)
	}
	for _, b := range s.clusters {
		view(b.brought)
		view(b.done)
	}
	u(len(s.fences))
	for _, f := range s.fences {
		u(f.thread)
		buf = append(buf, byte(f.scope))
		view(f.view)
	}
	return m.encodeMemory(s, buf)
}

func (m *Machine) encodeMemory(s *State, buf []byte) []byte {
	u := func(x int) { buf = binary.AppendUvarint(buf, uint64(x)) }
	u(len(s.Mem.Events))
	for i, e := range s.Mem.Events {
		u(e.First)
		u(e.N)
		u(e.Agent)
		u(e.Ref)
		buf = append(buf, byte(b2i(e.Write))|byte(b2i(e.Strong))<<1|byte(b2i(e.Async))<<2|byte(b2i(e.RMW))<<3|byte(e.Proxy)<<4, byte(e.Scope), e.Taint, e.Virt)
		buf = append(buf, e.Bytes...)
		u(len(s.Mem.Heads[i]))
		for _, h := range s.Mem.Heads[i] {
			buf = append(buf, byte(h.Scope))
			u(h.Place.Thread)
			u(len(h.View))
			for _, k := range h.View {
				u(int(k.Event))
				buf = binary.AppendUvarint(buf, uint64(k.Level))
			}
		}
	}
	last := 0
	for x, cell := range s.Mem.Cells {
		if cell == nil {
			continue
		}
		u(x - last + 1)
		last = x
		u(len(cell.Writes)<<1 | b2i(cell.Base != nil))
		if cell.Base != nil {
			b, _ := m.content(s, x, causal.NoEvent)
			buf = append(buf, b...)
		}
		for _, w := range cell.Writes {
			u(int(w.Event + 1)) // NoEvent becomes 0
			u(int(w.Preds))
			u(int(w.Barred))
			buf = append(buf, byte(w.RMWOf), byte(b2i(w.Settled)|b2i(w.Pinned)<<1))
		}
		u(len(cell.Reads))
		for _, r := range cell.Reads {
			u(int(r))
		}
	}
	u(0)
	return buf
}
