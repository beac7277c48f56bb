package machine

import (
	"fmt"
	"slices"

	"ptxmc/memmodel"
	"ptxmc/memmodel/causal"
	"ptxmc/model"
)

// tainted marks data whose copy reported that it was not ready.
const tainted uint8 = 1

// issue is cp.async.bulk: it forks an agent that knows what its issuer knew (rule ISSUE). Accesses
// of the destination that are not ordered before the issue conflict with the copy.
func (st *stepper) issue() {
	m, s, in := st.m, st.s, st.in
	size := st.operand(&in.Src[0]).Lo & 0xffffffff
	n := int(size)
	if n == 0 || n%16 != 0 {
		st.undefined("bulk-size", "cp.async.bulk of %d bytes; the size must be a positive multiple of 16", n)
		return
	}
	dst, dstOff, ok := st.locate(0, in.Bulk.DstSpace, n, 16)
	if !ok {
		return
	}
	src, srcOff, ok := st.locate(1, in.Bulk.SrcSpace, n, 16)
	if !ok {
		return
	}
	bar, barOff, ok := st.locate(2, model.SharedCluster, 8, 8)
	if !ok {
		return
	}
	if bar.cta != dst.cta {
		st.undefined("bulk-mbarrier-cta", "the mbarrier of a cp.async.bulk must lie in the CTA of its destination (%s); it is in %s", m.ctaName(dst.cta), m.ctaName(max(bar.cta, 0)))
		return
	}
	barCell, _ := bar.cellRange(barOff, 8)
	use := causal.Access{Place: st.info.place, Agent: st.ti, CTA: st.info.cta, First: barCell, N: 1}
	b := st.liveBarrier(&use)
	if b == nil {
		return
	}
	if in.Bulk.Report != model.ReportDisabled && b.Layout == 0 {
		st.undefined("mbarrier-report-on-v0", "a copy with .mbarrier::report::validity is tracked by %s, a layout v0 object, which cannot carry a report: initialise it with .layout::v1", m.cellName(barCell, 1))
		return
	}
	f := &flight{thread: st.ti, pc: st.pc, dst: dst, src: src, dstOff: dstOff, srcOff: srcOff, n: n, bar: barCell, view: st.t.view}
	f.touches = m.flightFootprint(f)
	if !st.checkIssue(f) {
		return
	}
	first, count := dst.cellRange(dstOff, n)
	for c := first; c < first+count; c++ {
		m.covered(st.ti, st.pc, c, 1, true)
		s.Mem.Drop(c)
	}
	s.flights = append(s.flights, f)
	m.sortFlights(s)
	if st.rec == nil {
		return
	}
	st.rec.note("copy of %s to %s in flight, tracked by %s", m.rangeName(src, srcOff, n), m.rangeName(dst, dstOff, n), m.cellName(barCell, 1))
}

func (m *Machine) sortFlights(s *State) {
	slices.SortFunc(s.flights, func(a, b *flight) int {
		switch {
		case a.thread != b.thread:
			return a.thread - b.thread
		case a.pc != b.pc:
			return a.pc - b.pc
		case a.dst != b.dst:
			return a.dst.first - b.dst.first
		case a.dstOff != b.dstOff:
			return a.dstOff - b.dstOff
		default:
			return b.age - a.age
		}
	})
}

// checkIssue reports conflicts of a new copy with copies in flight and with unordered accesses of
// its destination.
func (st *stepper) checkIssue(f *flight) bool {
	m := st.m
	if m.Opts.Break == RuleInFlight {
		return true
	}
	for _, g := range st.s.flights {
		if spansMeet(f.dst, f.dstOff, f.n, g.dst, g.dstOff, g.n) || spansMeet(f.dst, f.dstOff, f.n, g.src, g.srcOff, g.n) || spansMeet(f.src, f.srcOff, f.n, g.dst, g.dstOff, g.n) {
			st.violate(&Violation{Property: "no-overwrite", Rule: "copies-overlap", Ends: true,
				Message: fmt.Sprintf("%s issues a copy to %s while another copy that uses these bytes is in flight", m.threadName(st.ti), m.rangeName(f.dst, f.dstOff, f.n)),
				Sites:   []Site{m.site(g.thread, g.pc, "the copy in flight")},
				Fix:     "wait for the completion of the first copy before issuing the next"})
			return false
		}
	}
	first, count := f.dst.cellRange(f.dstOff, f.n)
	if !st.checkMMAs(&causal.Access{First: first, N: count}, true) {
		return false
	}
	a := causal.Access{Place: st.info.place, Agent: st.ti, Proxy: memmodel.Async, CTA: st.info.cta, First: first, N: count}
	view := st.t.view
	if m.Opts.ReadsDoneAtIssue {
		view = m.readsDone(st.s, view, a.Needs())
	}
	if unordered := st.s.Mem.Unordered(&a, true, view); len(unordered) > 0 {
		id := unordered[0]
		e := st.s.Mem.Events[id]
		role, how := "the earlier read", "read"
		if e.Write {
			role, how = "the earlier write", "written"
		}
		why := "and nothing orders that before the copy"
		fix := "synchronise with that thread before issuing the copy"
		if _, known := st.t.view.Level(id); known {
			why = "and that access went through the generic proxy: no fence.proxy.async lies between it and the copy"
			fix = "execute fence.proxy.async after the access and before the copy is issued (policy reads-done-at-issue accepts reads without it)"
		}
		st.violate(&Violation{Property: "no-overwrite", Rule: "unordered-destination", Ends: true,
			Message: fmt.Sprintf("%s issues a copy into %s, which %s has %s, %s", m.threadName(st.ti), m.rangeName(f.dst, f.dstOff, f.n), m.threadName(e.Agent), how, why),
			Sites:   []Site{m.eventSite(e, role)}, Fix: fix})
		return false
	}
	return true
}

// readsDone raises known reads to the level needed (policy reads-done-at-issue).
func (m *Machine) readsDone(s *State, v causal.View, need causal.Level) causal.View {
	for _, k := range v {
		if !s.Mem.Events[k.Event].Write {
			v = v.With(k.Event, need)
		}
	}
	return v
}

func spansMeet(a *object, aOff, aN int, b *object, bOff, bN int) bool {
	return a == b && aOff < bOff+bN && bOff < aOff+aN
}

// copyAccess describes the source read of a copy as a whole.
func (m *Machine) copyAccess(f *flight, in *model.Instr) causal.Access {
	first, n := f.src.cellRange(f.srcOff, f.n)
	return causal.Access{
		Place: m.threads[f.thread].place, Agent: f.thread, Proxy: memmodel.Async, CTA: m.threads[f.thread].cta,
		Strong: in.Sem.Strong(), Scope: in.Scope, First: first, N: n, Async: true, Ref: f.pc,
	}
}

// complete is the completion of a copy, in which it performs all its reads and writes (rule DELAY):
// observe the source, inspect, write the destination, report, complete-tx.
func (st *stepper) complete(fi int) {
	m, s := st.m, st.s
	f := s.flights[fi]
	s.flights = slices.Delete(slices.Clone(s.flights), fi, fi+1)
	st.ti, st.info, st.pc = f.thread, &m.threads[f.thread], f.pc
	st.in = &st.info.code.entry.Code[f.pc]
	st.t = &thread{view: f.view} // the agent: it has a view and nothing else
	if st.rec != nil {
		st.rec.agent(m.flightWord(f.thread, f.pc)+" by "+m.threadName(f.thread), st.in.Text)
		st.rec.pos(st.in.Pos)
	}

	switch st.in.Op {
	case model.TryCancel:
		st.completeCancel(f)
		return
	case model.TensorCommit:
		st.completeCommit(f)
		return
	}
	units := st.sourceUnits(f)
	chunks, ok := st.chunks(f, units)
	if !ok {
		return
	}
	picks, report := st.choose(chunks)
	data := make([]byte, 0, f.n)
	for k, c := range picks {
		data = append(data, c.bytes...)
		st.out.Missed = append(st.out.Missed, c.missed...)
		if !report {
			st.accept(f, k, c)
		}
	}
	st.recordSource(f, units)
	st.describe(units, picks, report)
	own := st.writeDestination(f, data, report)
	st.signal(f, own, report)
}

// sourceUnits lists the source reads of a copy: one event for each 16-byte unit of a .b128 copy, one
// for each cell otherwise.
func (st *stepper) sourceUnits(f *flight) []causal.Access {
	whole := st.m.copyAccess(f, st.in)
	var units []causal.Access
	if st.in.Type == model.B128 {
		for off := f.srcOff; off < f.srcOff+f.n; off += chunkBytes {
			a := whole
			a.First, a.N = f.src.cellRange(off, chunkBytes)
			units = append(units, a)
		}
		return units
	}
	for c := whole.First; c < whole.First+whole.N; c++ {
		a := whole
		a.First, a.N = c, 1
		units = append(units, a)
	}
	return units
}

// chunks lists what each 16-byte chunk of the source may deliver, after a look for races.
func (st *stepper) chunks(f *flight, units []causal.Access) ([][]chunk, bool) {
	m := st.m
	out := make([][]chunk, f.n/chunkBytes)
	for i := range units {
		a := &units[i]
		st.checkSource(a)
		first := &m.layout.cells[a.First]
		last := &m.layout.cells[a.First+a.N-1]
		k := (first.off - f.srcOff) / chunkBytes
		obs := m.observe(st.s, a, st.t.view, last.off+last.size-first.off)
		if len(obs) == 0 {
			st.undefined("no-value", "the copy's read of %s has no value to take", m.cellName(a.First, a.N))
			return nil, false
		}
		if out[k] == nil {
			out[k] = []chunk{{}}
		}
		var next []chunk
		for _, c := range out[k] {
			for _, pick := range obs {
				next = append(next, c.with(st, f, a, pick))
			}
		}
		out[k] = next
	}
	for k := range out {
		out[k] = st.inspect(f, k, out[k])
	}
	return out, true
}

// choose decides what the chunks deliver and whether the copy reports. A reported copy's data must
// not be used, so which data it is need not be told apart: one way for each chunk that may cause the
// report is enough, the one that misses least.
func (st *stepper) choose(chunks [][]chunk) ([]chunk, bool) {
	quiet := make([][]chunk, len(chunks)) // what may be delivered without a report
	var ways [][]chunk
	acceptable := true
	for k, options := range chunks {
		for _, c := range options {
			if !c.hit {
				quiet[k] = append(quiet[k], c)
			}
		}
		acceptable = acceptable && len(quiet[k]) > 0
	}
	for k, options := range chunks {
		for _, hit := range causes(options) {
			way := make([]chunk, len(chunks))
			for j := range chunks {
				way[j] = newest(chunks[j])
			}
			way[k] = hit
			ways = append(ways, way)
		}
	}
	n := len(ways)
	if acceptable {
		n++
	}
	i := st.ch.Choose(n)
	if i < len(ways) {
		return ways[i], st.m.Opts.Break != RuleReport || len(chunks) == 1
	}
	picks := make([]chunk, len(chunks))
	for k := range chunks {
		picks[k] = quiet[k][st.ch.Choose(len(quiet[k]))]
	}
	return picks, false
}

// writeDestination writes what was read: one event for each 16-byte unit or for each cell. It
// returns the agent's own accesses, ready for whoever observes the completion: the completion is
// followed by an implicit generic-async proxy fence (PTX ISA 9.7.10.28.2).
func (st *stepper) writeDestination(f *flight, data []byte, report bool) causal.View {
	s := st.s
	var own causal.View
	in := st.in
	taint := uint8(0)
	if report {
		taint = tainted
		data = make([]byte, len(data)) // nobody may look at it
	}
	put := func(off, n int) {
		first, cnt := f.dst.cellRange(off, n)
		a := causal.Access{
			Place: st.info.place, Agent: st.ti, Proxy: memmodel.Async, CTA: st.info.cta,
			Strong: in.Sem.Strong(), Scope: in.Scope, First: first, N: cnt, Async: true, Ref: st.pc,
		}
		at := off - f.dstOff
		id := s.Mem.Write(&causal.Event{Access: a, Write: true, Bytes: data[at : at+n : at+n], Taint: taint}, st.t.view, nil, st.ch)
		st.t.view = st.t.view.With(id, a.Own()|causal.G)
		own = own.With(id, a.Own()|causal.G)
	}
	if in.Type == model.B128 {
		for off := f.dstOff; off < f.dstOff+f.n; off += chunkBytes {
			put(off, chunkBytes)
		}
	} else {
		first, cnt := f.dst.cellRange(f.dstOff, f.n)
		for c := first; c < first+cnt; c++ {
			info := st.m.layout.cells[c]
			put(info.off, info.size)
		}
	}
	for _, k := range st.t.view {
		if _, before := f.view.Level(k.Event); !before {
			own = own.With(k.Event, k.Level)
		}
	}
	return own
}

// signal reports and completes on the mbarrier: complete-tx is a release at cluster scope that
// carries the operation's own accesses and nothing of its issuer's (assumption A4).
func (st *stepper) signal(f *flight, own causal.View, report bool) {
	m, s := st.m, st.s
	i, live := s.barrierAt(f.bar)
	if !live {
		st.undefined("mbarrier-not-initialized", "the copy completes on %s, which no longer holds a live mbarrier object", m.cellName(f.bar, 1))
		return
	}
	b := *s.bars[i]
	s.bars[i] = &b
	nb := b.Barrier
	if report {
		var err error
		if nb, err = nb.ReportOn(0); err != nil {
			st.misuse(err)
			return
		}
	}
	nb, eff, err := nb.CompleteTx(uint32(f.n))
	if err != nil {
		st.misuse(err)
		return
	}
	switch m.Opts.Break {
	case RuleComplete:
	case RuleCompleteOnly:
		b.current.near = causal.Join(b.current.near, st.t.view)
	default:
		b.current.near = causal.Join(b.current.near, own)
	}
	st.update(&b, nb, eff)
}
