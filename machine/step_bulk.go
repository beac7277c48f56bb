package machine

import (
	"fmt"
	"slices"

	"ptxmc/memmodel/causal"
	"ptxmc/model"
	"ptxmc/model/alu"
)

// The marks of data that may not be used.
const (
	tainted       uint8 = 1 // its copy reported that it was not ready
	indeterminate uint8 = 2 // copied from where nothing had written
)

// issue is cp.async, cp.async.bulk, cp.reduce.async.bulk or a tensor form: it forks agents that know
// what their issuer knew (rule ISSUE), one for each CTA that it copies to.
func (st *stepper) issue() {
	if st.m.litmus != nil {
		if f, ok := st.litmusCopy(); ok {
			st.launch(f)
			st.m.sortFlights(st.s)
		}
		return
	}
	f, ok := st.describeCopy()
	if !ok {
		return
	}
	list, ok := st.destinations(f)
	if !ok {
		return
	}
	for _, f := range list {
		if !st.launch(f) {
			return
		}
	}
	st.m.sortFlights(st.s)
}

// launch puts one copy in flight. Accesses of an exclusive destination that are not ordered before the
// issue conflict with the copy.
func (st *stepper) launch(f *flight) bool {
	m, s, in := st.m, st.s, st.in
	if f.bar >= 0 && in.Bulk.Report != model.ReportDisabled {
		if i, live := s.barrierAt(f.bar); live && s.bars[i].Layout == 0 {
			st.undefined("mbarrier-report-on-v0", "a copy with .mbarrier::report::validity is tracked by %s, a layout v0 object, which cannot carry a report: initialise it with .layout::v1", m.cellName(f.bar, 1))
			return false
		}
	}
	f.bulk = in.Op == model.BulkCopy || m.Opts.Break == RuleCopyProxy
	strong := in.Sem.Strong()
	f.exclusive = (!strong || f.dst.cta >= 0 && in.Bulk.Reduce == model.NoAtom) && !m.Opts.Racy
	f.staged = f.grouped() && in.Op == model.BulkCopy && st.info.code.reads
	f.epoch = st.newEpoch()
	if m.Opts.AsyncFlagPayload && f.src != nil && f.src.cta < 0 {
		f.view = m.flagPayload(s, f, f.view)
	}
	m.spread(f)
	f.into.each(func(c int) { m.covered(st.ti, st.pc, c, 1, true) })
	f.from.each(func(c int) { m.covered(st.ti, st.pc, c, 1, false) })
	if !st.checkIssue(f) {
		return false
	}
	if f.exclusive {
		f.into.each(func(c int) { s.Mem.Drop(c) })
	}
	if in.Bulk.Reduce != model.NoAtom && m.Opts.Break != RuleElementwise {
		s.flights = append(s.flights, st.elementwise(f)...)
	} else {
		s.flights = append(s.flights, f)
	}
	if st.rec == nil {
		return true
	}
	src, by := "zeros", "a group of the thread"
	if f.src != nil {
		src = m.rangeName(f.src, f.srcOff, f.n)
	}
	if f.bar >= 0 {
		by = m.cellName(f.bar, 1)
	}
	st.rec.note("copy of %s to %s in flight, tracked by %s", src, m.rangeName(f.dst, f.dstOff, f.n), by)
	return true
}

// elementwise splits a reduction: each element is an atomic operation of its own (rule ELEMENTWISE).
func (st *stepper) elementwise(f *flight) []*flight {
	for _, g := range st.s.flights {
		if g.thread == f.thread && g.pc == f.pc {
			f.issue = max(f.issue, g.issue+1)
		}
	}
	w := f.elem.Bytes()
	var out []*flight
	for _, p := range f.parts {
		for off := 0; off < p.n; off += w {
			e := *f
			e.parts = []part{{dst: p.dst + off, src: p.src + off, n: w, tile: p.tile + off}}
			st.m.spread(&e)
			out = append(out, &e)
		}
	}
	return out
}

// checkIssue reports conflicts of a new copy with copies in flight and with unordered accesses of
// its destination.
func (st *stepper) checkIssue(f *flight) bool {
	m := st.m
	if m.Opts.Break == RuleInFlight || m.Opts.Racy {
		return true
	}
	for _, g := range st.s.flights {
		if m.conflict(f, g) {
			st.violate(&Violation{Property: "no-overwrite", Rule: "copies-overlap", Ends: true,
				Message: fmt.Sprintf("%s issues a copy to %s while another copy that uses these bytes is in flight", m.threadName(st.ti), m.rangeName(f.dst, f.dstOff, f.n)),
				Sites:   []Site{m.site(g.thread, g.pc, "the copy in flight")},
				Fix:     "wait for the completion of the first copy before issuing the next"})
			return false
		}
	}
	if !f.exclusive {
		return true // its accesses are checked as they happen
	}
	ok := true
	f.into.each(func(c int) { ok = ok && st.checkMMAs(&causal.Access{First: c, N: 1}, true) })
	f.into.each(func(c int) { ok = ok && st.checkOrdered(f, c) })
	return ok
}

// conflict reports whether two copies use bytes that one of them writes, and are not both strong there
// with scopes that include each other.
func (m *Machine) conflict(f, g *flight) bool {
	clash := func(a, b bitset, aw, bw bool) bool {
		if a == nil || b == nil || !a.meets(b) {
			return false
		}
		x, y := m.flightAccess(f, aw), m.flightAccess(g, bw)
		return aw && f.exclusive || bw && g.exclusive || !causal.Covers(&x, &y)
	}
	return clash(f.into, g.into, true, true) || clash(f.into, g.from, true, false) || clash(f.from, g.into, false, true)
}

// checkOrdered asks for all accesses of a cell to be ordered before the issue, ready for the copy.
func (st *stepper) checkOrdered(f *flight, c int) bool {
	m := st.m
	a := m.flightAccess(f, true)
	a.First, a.N = c, 1
	view := st.t.view
	if m.Opts.ReadsDoneAtIssue {
		view = m.readsDone(st.s, view, a.Needs())
	}
	unordered := st.s.Mem.Unordered(&a, true, view)
	if len(unordered) == 0 {
		return true
	}
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

// complete is a move of an asynchronous operation: its reads, its writes and its completion, all at
// once (rule DELAY). A store whose thread waits for the reads alone makes two moves of it.
func (st *stepper) complete(fi int) {
	m, s := st.m, st.s
	f := s.flights[fi]
	s.flights = slices.Delete(slices.Clone(s.flights), fi, fi+1)
	st.ti, st.info, st.pc = f.thread, &m.threads[f.thread], f.pc
	st.in = &st.info.code.entry.Code[f.pc]
	st.t = &thread{view: f.view} // the agent: it has a view and nothing else
	st.own, st.reads = f.own, f.reads
	if st.rec != nil {
		st.rec.agent(m.flightWord(f.thread, f.pc)+" by "+m.threadName(f.thread), st.in.Text)
		st.rec.pos(st.in.Pos)
	}
	switch {
	case f.stored:
		st.completeStore(f)
		return
	case f.arrival():
		st.arrived(f)
		return
	case st.in.Op == model.TryCancel:
		st.completeCancel(f)
		return
	case st.in.Op == model.TensorCommit:
		st.completeCommit(f)
		return
	}
	data := f.data
	if data == nil {
		var ok bool
		if data, ok = st.readSource(f); !ok {
			return
		}
		if f.staged {
			nf := *f
			nf.data, nf.own, nf.reads, nf.view = data, st.own, st.reads, st.t.view
			m.spread(&nf)
			s.flights = append(s.flights, &nf)
			m.sortFlights(s)
			st.rec.note("has read its source")
			return
		}
	}
	write := st.writeDestination
	if st.in.Bulk.Reduce != model.NoAtom {
		write = st.reduce
	}
	if !write(f, data) {
		return
	}
	if f.bar >= 0 {
		st.signal(f, data.report)
		return
	}
	s.finished = append(s.finished, &finished{thread: f.thread, bulk: f.bulk, age: f.age, epoch: f.epoch, reads: st.reads, own: st.own})
}

// handOver adds an access to what the completion hands over: the completion of a bulk copy is followed
// by an implicit generic-async proxy fence (PTX ISA 9.7.10.28.2).
func (st *stepper) handOver(f *flight, id causal.EventID, l causal.Level) {
	if f.bulk {
		l |= causal.G
	}
	st.t.view = st.t.view.With(id, l)
	st.own = st.own.With(id, l)
	if !st.s.Mem.Events[id].Write {
		st.reads = st.reads.With(id, l)
	}
}

// writeDestination writes what was read: one event for each 16-byte unit or for each cell.
func (st *stepper) writeDestination(f *flight, data *payload) bool {
	at := 0
	put := func(a causal.Access, at, n int) bool {
		e := &causal.Event{Access: a, Write: true, Bytes: data.bytes[at : at+n : at+n]}
		switch {
		case data.report:
			e.Taint, e.Bytes = tainted, make([]byte, n) // nobody may look at it
		case slices.Contains(data.unknown[at:at+n], true):
			e.Taint = indeterminate
		}
		id := st.enterCopied(f, e)
		if id == causal.NoEvent {
			return false
		}
		st.handOver(f, id, a.Own())
		return true
	}
	for _, p := range f.parts {
		for _, a := range st.units(f, f.dst, p.dst, p.n, true) {
			n := st.m.cellBytes(a.First, a.N)
			if !put(a, at, n) {
				return false
			}
			at += n
		}
	}
	return true
}

// enterCopied enters a write of a copy. Where the destination is exclusive, all conflicts were met at
// the issue or are by whoever touches it meanwhile.
func (st *stepper) enterCopied(f *flight, e *causal.Event) causal.EventID {
	a := &e.Access
	if !f.exclusive {
		if !st.plainMemory(a) || !st.checkFlights(a, true) || !st.checkRaces(a, true) {
			return causal.NoEvent
		}
		st.checkWriteOnce(a, e.Bytes)
	}
	for c := a.First; c < a.First+a.N; c++ {
		if f.dst.cta < 0 {
			st.out.Changed = append(st.out.Changed, c)
		}
	}
	return st.s.Mem.Write(e, st.t.view, nil, st.ch)
}

// reduce performs the elements of a reduction: strong read-modify-writes at the destination.
func (st *stepper) reduce(f *flight, data *payload) bool {
	w := f.elem.Bytes()
	at := 0
	for _, p := range f.parts {
		for off := 0; off < p.n; off += w {
			if slices.Contains(data.unknown[at:at+w], true) {
				st.undefined("uninitialized-read", "the reduction reads a source that nothing has written")
				return false
			}
			operand := getValue(data.bytes[at : at+w])
			a := st.m.flightAccess(f, true)
			a.First, a.N = f.dst.cellRange(p.dst+off, w)
			before := st.t.view
			_, ok := st.modify(&a, w, func(old model.Value) (model.Value, bool, error) {
				v, err := alu.Atomic(st.in.Bulk.Reduce, f.elem, old, operand, model.Value{})
				return v, true, err
			})
			if !ok {
				return false
			}
			for _, k := range st.t.view {
				if _, known := before.Level(k.Event); !known {
					st.handOver(f, k.Event, k.Level)
				}
			}
			at += w
		}
	}
	return true
}

// signal reports and completes on the mbarrier: complete-tx is a release at cluster scope that
// carries the operation's own accesses and nothing of its issuer's (assumption A4). The last element
// of a reduction signals for all.
func (st *stepper) signal(f *flight, report bool) {
	m, s := st.m, st.s
	for i, g := range s.flights {
		if st.in.Bulk.Reduce != model.NoAtom && g.thread == f.thread && g.pc == f.pc && g.issue == f.issue && g.bar == f.bar && g.dst == f.dst && g.dstOff == f.dstOff {
			ng := *g
			ng.own = causal.Join(g.own, st.own)
			s.flights[i] = &ng
			return
		}
	}
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
	switch {
	case m.Opts.Break == RuleComplete:
	case m.Opts.Break == RuleCompleteOnly || m.Opts.OrderThroughCompletion:
		b.current.near = causal.Join(b.current.near, causal.Join(st.t.view, st.own))
	case m.litmus != nil || f.dst.cta < 0:
		b.current.near = causal.Join(b.current.near, st.own)
	default:
		st.deliver(f, &b)
	}
	st.update(&b, nb, eff)
}
