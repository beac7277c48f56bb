package machine

import (
	"encoding/binary"
	"fmt"

	"ptxmc/memmodel/causal"
	"ptxmc/model"
)

// cancelState follows a failed clusterlaunchcontrol.try_cancel of a CTA: once the CTA has observed it, the
// next one is undefined (PTX ISA, clusterlaunchcontrol.try_cancel).
type cancelState struct {
	stage cancelStage
	bar   int   // cell of the mbarrier that the failure completes on
	phase uint8 // its phase at that moment
}

type cancelStage uint8

const (
	noFailure     cancelStage = iota
	failed                    // a request failed; nobody has waited for its phase yet
	failureIsSeen             // somebody has
)

// tryCancel is clusterlaunchcontrol.try_cancel.async: it forks an agent that decides later whether a cluster
// of the grid that has not started is cancelled, and writes the response through the async proxy.
func (st *stepper) tryCancel() {
	m, s, in := st.m, st.s, st.in
	dst, dstOff, ok := st.locate(0, in.Space, chunkBytes, chunkBytes)
	if !ok {
		return
	}
	bar, barOff, ok := st.locate(1, in.Space, 8, 8)
	if !ok {
		return
	}
	if dst.cta != st.info.cta || bar.cta != st.info.cta {
		st.undefined("cancel-space", "the response and the mbarrier of clusterlaunchcontrol.try_cancel must lie in the shared memory of the executing CTA")
		return
	}
	if s.ctas[st.info.cta].cancel.stage == failureIsSeen {
		st.undefined("cancel-after-failure", "%s asks for another cluster although the CTA has observed that a request failed", m.threadName(st.ti))
		return
	}
	barCell, _ := bar.cellRange(barOff, 8)
	use := causal.Access{Place: st.info.place, Agent: st.ti, CTA: st.info.cta, First: barCell, N: 1}
	if st.liveBarrier(&use) == nil {
		return
	}
	f := &flight{thread: st.ti, pc: st.pc, dst: dst, dstOff: dstOff, n: chunkBytes, bar: barCell, view: st.t.view, bulk: true, exclusive: true,
		parts: []part{{dst: dstOff, src: -1, n: chunkBytes}}}
	m.spread(f)
	g := m.ctas[st.info.cta].grid
	for _, fp := range []*footprint{&f.touches, &f.ends} {
		fp.W.set(m.resLaunch(g))
		fp.W.set(m.resEnd(g))
	}
	if !st.checkIssue(f) {
		return
	}
	f.into.each(func(c int) {
		m.covered(st.ti, st.pc, c, 1, true)
		s.Mem.Drop(c)
	})
	s.flights = append(s.flights, f)
	m.sortFlights(s)
	st.rec.note("request in flight, tracked by %s", m.cellName(barCell, 1))
}

// completeCancel decides the request: any cluster of the grid that has not started may be the one, and the
// request may fail although there is one (CUDA guide, cluster launch control).
func (st *stepper) completeCancel(f *flight) {
	m, s := st.m, st.s
	g := m.ctas[st.info.cta].grid
	var waiting []int
	for _, c := range m.grids[g].ctas {
		if cl := m.clusters[m.ctas[c].cluster]; cl[0] == c && s.ctas[c].status == ctaPending {
			waiting = append(waiting, c)
		}
	}
	response := make([]byte, chunkBytes)
	own := &s.ctas[st.info.cta].cancel
	if i := st.ch.Choose(len(waiting) + 1); i < len(waiting) {
		c := waiting[i]
		for d, x := range m.ctas[c].coord {
			binary.LittleEndian.PutUint32(response[4*d:], uint32(x))
		}
		response[12] = 1
		st.rec.note("cancels the launch of %s", m.ctaName(c))
		if m.Opts.Break != RuleCancel {
			st.cancel(c)
		}
	} else {
		st.rec.note("fails")
		if b, live := s.barrierAt(f.bar); live && own.stage == noFailure {
			*own = cancelState{failed, f.bar, s.bars[b].Phase}
		}
	}
	if st.writeDestination(f, &payload{bytes: response, unknown: make([]bool, chunkBytes)}) {
		st.signal(f, false)
	}
}

// cancel takes a cluster out of the grid: its CTAs count as exited and never run.
func (st *stepper) cancel(first int) {
	m, s := st.m, st.s
	for _, c := range m.clusters[m.ctas[first].cluster] {
		s.ctas[c].status = ctaExited
		s.ctas[c].ended = len(m.ctas[c].threads)
		s.grids[m.ctas[c].grid].exited++
		for _, ti := range m.ctas[c].threads {
			*s.own(ti) = thread{status: threadEnded, regs: make([]model.Value, len(s.threads[ti].regs))}
		}
	}
}

// seeCancel notes that a wait observed the phase on which a request of the CTA failed.
func (st *stepper) seeCancel(b *barrier) {
	c := &st.s.ctas[st.info.cta].cancel
	if c.stage == failed && c.bar == b.cell && c.phase != b.Phase {
		*c = cancelState{stage: failureIsSeen}
	}
}

// queryCancel evaluates clusterlaunchcontrol.query_cancel on a response.
func queryCancel(in *model.Instr, r model.Value) ([]model.Value, error) {
	canceled := r.Hi>>32 == 1
	if in.Op == model.IsCanceled {
		return []model.Value{{Lo: b2u(canceled)}}, nil
	}
	if !canceled {
		return nil, fmt.Errorf("get_first_ctaid of a request that failed")
	}
	id := []model.Value{{Lo: r.Lo & 0xffffffff}, {Lo: r.Lo >> 32}, {Lo: r.Hi & 0xffffffff}, {}}
	if in.Vec == 4 {
		return id, nil
	}
	return id[in.Dim : in.Dim+1], nil
}

// findCancels notes the grids whose threads may cancel clusters.
func (m *Machine) findCancels() {
	for i := range m.threads {
		code := m.threads[i].code.entry.Code
		for pc := range code {
			if code[pc].Op == model.TryCancel && m.facts[i].reached[pc] {
				m.grids[m.ctas[m.threads[i].cta].grid].cancels = true
			}
		}
	}
}
