package machine

import (
	"fmt"
	"slices"
	"strings"

	"ptxmc/memmodel"
	"ptxmc/memmodel/causal"
	"ptxmc/model"
)

// What is wrong with data that a reporting copy delivered.
const (
	taintNone uint8 = iota
	taintUnready
	taintTorn
)

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
		default:
			return a.dstOff - b.dstOff
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
	a := causal.Access{Place: st.info.place, Agent: st.ti, Proxy: memmodel.Async, CTA: st.info.cta, First: first, N: count}
	view := st.t.view
	if m.Opts.ReadsDoneAtIssue {
		view = m.readsDone(st.s, view, a.Needs())
	}
	for _, id := range st.s.Mem.Unordered(&a, true, view) {
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

// unit is one event of a copy's source, with what it observed.
type unit struct {
	access causal.Access
	pick   causal.Observation
	bytes  []byte
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
	st.rec.agent("copy by "+m.threadName(f.thread), st.in.Text)
	st.rec.pos(st.in.Pos)

	units, ok := st.readSource(f)
	if !ok {
		return
	}
	data := make([]byte, 0, f.n)
	for _, u := range units {
		data = append(data, u.bytes...)
	}
	report, chunks := st.inspect(data)
	taints := st.judge(f, units, data, report)
	own, ok := st.writeDestination(f, data, taints)
	if !ok {
		return
	}
	st.describe(f, units, data, chunks, report)
	st.signal(f, own, report)
}

// readSource performs the source reads: one event for each 16-byte unit of a .b128 copy, one for
// each cell otherwise.
func (st *stepper) readSource(f *flight) ([]unit, bool) {
	m := st.m
	var units []unit
	whole := m.copyAccess(f, st.in)
	step := func(first, n, bytes int) bool {
		a := whole
		a.First, a.N = first, n
		if !a.Strong && m.Opts.Break != RuleRace {
			for _, id := range st.s.Mem.Unordered(&a, false, st.t.view) {
				st.race(&a, false, m.eventSite(st.s.Mem.Events[id], "the conflicting write"), false, "")
			}
		} else {
			st.checkRaces(&a, false)
		}
		obs := m.observe(st.s, &a, st.t.view, bytes)
		if len(obs) == 0 {
			st.undefined("no-value", "the copy's read of %s has no value to take", m.cellName(first, n))
			return false
		}
		pick := obs[st.ch.Choose(len(obs))]
		st.noteMissed(&a, pick)
		b, _ := m.bytes(st.s, &a, pick)
		units = append(units, unit{a, pick, b})
		return true
	}
	if st.in.Type == model.B128 {
		for off := f.srcOff; off < f.srcOff+f.n; off += 16 {
			first, n := f.src.cellRange(off, 16)
			if !step(first, n, 16) {
				return nil, false
			}
		}
	} else {
		for c := whole.First; c < whole.First+whole.N; c++ {
			if !step(c, 1, m.layout.cells[c].size) {
				return nil, false
			}
		}
	}
	for i := range units {
		a := units[i].access
		if m.othersWrite(st.s, -1, a.First, a.N) {
			id := st.s.Mem.Read(&causal.Event{Access: a})
			st.t.view = st.t.view.With(id, a.Own())
		}
	}
	return units, true
}

// inspect decides the report: of each chunk one sampled element, or every element, is compared with
// the pattern, and the copy reports if any of them matches (CUDA guide Table 15). It also returns
// the reported chunks.
func (st *stepper) inspect(data []byte) (bool, []int) {
	mech, ok := mechanisms[st.in.Bulk.Report]
	if !ok {
		return false, nil
	}
	report := false
	var chunks []int
	for i := 0; i < len(data); i += chunkBytes {
		match := mech.matches(data[i : i+chunkBytes])
		all, any := true, false
		for _, x := range match {
			all, any = all && x, any || x
		}
		hit := any
		if !mech.every && any && !all {
			hit = st.m.Opts.Break != RuleSample && st.ch.Choose(2) == 1
		}
		if hit {
			chunks = append(chunks, i/chunkBytes)
			report = true
		}
	}
	if st.m.Opts.Break == RuleReport && len(chunks) < len(data)/chunkBytes {
		report = false
	}
	return report, chunks
}

// judge looks at every chunk of what the copy observed. Without a report the data is accepted, and
// a torn chunk or one with older content is a violation; with a report the chunk is marked, so that
// its use is one.
func (st *stepper) judge(f *flight, units []unit, data []byte, report bool) []uint8 {
	m := st.m
	taints := make([]uint8, len(data)/chunkBytes)
	mech, inspected := mechanisms[st.in.Bulk.Report]
	off := 0
	type part struct{ u, i, cell, off int }
	chunks := make([][]part, len(taints))
	for ui := range units {
		u := &units[ui]
		for i := range u.pick {
			c := u.access.First + i
			chunks[off/chunkBytes] = append(chunks[off/chunkBytes], part{ui, i, c, off})
			off += m.layout.cells[c].size
		}
	}
	for k, parts := range chunks {
		watched := inspected
		for _, p := range parts {
			watched = watched || m.layout.cells[p.cell].sentinel != nil
		}
		if !watched {
			continue
		}
		var stale, torn, unwritten string
		writers := map[causal.EventID]bool{}
		concurrent := false
		for _, p := range parts {
			u := &units[p.u]
			w := st.s.Mem.Cell(p.cell).Writes[u.pick[p.i]]
			writers[w.Event] = true
			if _, known := f.view.Level(w.Event); !known && !w.Settled {
				concurrent = true
			}
			size := m.layout.cells[p.cell].size
			b := data[p.off : p.off+size]
			if m.sentinelCell(p.cell, b) {
				unwritten = m.cellName(p.cell, 1)
			}
			if m.isStale(st.s, p.cell, u.pick[p.i]) {
				stale = m.cellName(p.cell, 1)
			}
		}
		if concurrent && len(writers) > 1 && !mech.every && inspected {
			torn = "takes its elements from different writes"
		}
		if torn == "" && unwritten != "" && inspected && !mech.every {
			for _, is := range mech.matches(data[k*chunkBytes : (k+1)*chunkBytes]) {
				if !is {
					torn = "still holds the sentinel in " + unwritten
				}
			}
		}
		name := m.rangeName(f.src, f.srcOff+k*chunkBytes, chunkBytes)
		switch {
		case torn != "" && report:
			taints[k] = taintTorn
		case torn != "":
			st.tornChunk(k, name, torn, parts[0].cell)
		case (stale != "" || unwritten != "") && report:
			taints[k] = taintUnready
		case stale != "":
			st.violate(&Violation{Property: "no-stale-data", Rule: "older-content-accepted",
				Message: fmt.Sprintf("the copy accepts chunk %d (%s) with content from before this round's initialisation (%s)", k, name, stale),
				Fix:     "make the sentinel initialisation of every location visible to the consumer before it loads (guide 4.6.4.2)"})
		case unwritten != "":
			st.violate(&Violation{Property: "no-stale-data", Rule: "sentinel-accepted",
				Message: fmt.Sprintf("the copy delivers chunk %d (%s) without a report although it still holds the sentinel", k, name),
				Fix:     "use a validity report mechanism that matches the sentinel (guide Table 15), or load the data only after its producer has been synchronised with"})
		}
	}
	return taints
}

func (st *stepper) tornChunk(k int, name, how string, cell int) {
	var sites []Site
	seen := map[int]bool{}
	var lines []string
	for _, w := range st.s.Mem.Cell(cell).Writes {
		if w.Event == causal.NoEvent {
			continue
		}
		e := st.s.Mem.Events[w.Event]
		s := st.m.eventSite(e, "writes part of the chunk")
		if !seen[s.Pos.Line] && !st.sentinelEvent(e) {
			seen[s.Pos.Line] = true
			sites = append(sites, s)
			lines = append(lines, fmt.Sprintf("%d (%s)", s.Pos.Line, firstWord(s.Text)))
		}
	}
	why := ""
	if len(lines) > 0 {
		why = "; the chunk is not written as one 16-byte unit: see line " + strings.Join(lines, ", ")
	}
	st.violate(&Violation{Property: "no-torn-chunk", Rule: "torn-chunk-accepted",
		Message: fmt.Sprintf("the copy inspected one element of chunk %d (%s) and reported nothing, but the chunk %s%s", k, name, how, why),
		Sites:   sites,
		Fix:     "write each aligned 16-byte chunk with a single strong 128-bit store (st.relaxed.gpu.global.b128) or a .relaxed.gpu .b128 bulk store (guide 4.6.4.3)"})
}

func (st *stepper) sentinelEvent(e *causal.Event) bool {
	n := st.m.layout.cells[e.First].size
	return st.m.sentinelCell(e.First, e.Bytes[:n])
}

func firstWord(s string) string {
	for _, w := range strings.Fields(s) {
		if w[0] != '@' {
			return w
		}
	}
	return s
}

// isStale: the observed content of a cell dates from before the round's initialisation: it was
// declared stale or never written, or a sentinel write comes after it.
func (m *Machine) isStale(s *State, c, pos int) bool {
	cell := s.Mem.Cell(c)
	info := &m.layout.cells[c]
	if cell.Writes[pos].Event == causal.NoEvent && (m.stale[info.obj][info.off] || m.unknown[info.obj][info.off]) {
		return true
	}
	own, _ := m.content(s, c, cell.Writes[pos].Event)
	if m.sentinelCell(c, own) {
		return false
	}
	for _, w := range cell.Writes {
		if w.Preds&(1<<pos) == 0 || w.Event == causal.NoEvent {
			continue
		}
		if b, _ := m.content(s, c, w.Event); m.sentinelCell(c, b) {
			return true
		}
	}
	return false
}

// writeDestination writes what was read: one event for each 16-byte unit or for each cell. It
// returns the agent's own accesses, ready for whoever observes the completion: the completion is
// followed by an implicit generic-async proxy fence (PTX ISA 9.7.10.28.2).
func (st *stepper) writeDestination(f *flight, data []byte, taints []uint8) (causal.View, bool) {
	s := st.s
	var own causal.View
	in := st.in
	put := func(off, n int) bool {
		first, cnt := f.dst.cellRange(off, n)
		a := causal.Access{
			Place: st.info.place, Agent: st.ti, Proxy: memmodel.Async, CTA: st.info.cta,
			Strong: in.Sem.Strong(), Scope: in.Scope, First: first, N: cnt, Async: true, Ref: st.pc,
		}
		at := off - f.dstOff
		id := s.Mem.Write(&causal.Event{Access: a, Write: true, Bytes: data[at : at+n : at+n], Taint: taints[at/chunkBytes]}, st.t.view, nil, st.ch)
		st.t.view = st.t.view.With(id, a.Own()|causal.G)
		own = own.With(id, a.Own()|causal.G)
		return true
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
	return own, true
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

// describe tells the trace what the copy saw.
func (st *stepper) describe(f *flight, units []unit, data []byte, chunks []int, report bool) {
	if st.rec == nil {
		return
	}
	for i := range units {
		u := &units[i]
		st.rec.note("reads %s = %s%s", st.m.cellName(u.access.First, u.access.N), hex(u.bytes), st.m.origin(st.s, &u.access, u.pick))
	}
	switch {
	case report && len(chunks) == 1:
		st.rec.note("reports: the inspected element of chunk %d holds the sentinel", chunks[0])
	case report:
		st.rec.note("reports: the inspected elements of chunks %v hold the sentinel", chunks)
	case st.in.Bulk.Report != model.ReportDisabled:
		st.rec.note("reports nothing: the data is accepted")
	}
	st.rec.note("delivers %d bytes to %s", len(data), st.m.rangeName(f.dst, f.dstOff, f.n))
}
