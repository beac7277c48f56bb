package machine

import (
	"errors"
	"fmt"
	"slices"

	"ptxmc/memmodel"
	"ptxmc/memmodel/causal"
	"ptxmc/model"
	"ptxmc/model/mbarrier"
)

// mbarrier performs one mbarrier instruction (PTX ISA 9.7.15.16): one atomic operation on the
// object, and what it releases or acquires.
func (st *stepper) mbarrier() {
	f := st.in.MBar
	o, off, ok := st.locate(0, st.in.Space, 8, 8)
	if !ok {
		return
	}
	if o.cta < 0 {
		st.undefined("mbarrier-space", "an mbarrier object must lie in shared memory; the operand is in %s", o.name)
		return
	}
	remote := o.cta != st.info.cta
	if remote && !remoteAllowed(f.Op) {
		st.undefined("mbarrier-remote", "%s on the object of %s; only arrive, arrive_drop, expect_tx and complete_tx may use an object of another CTA", st.in.Text, st.m.ctaName(o.cta))
		return
	}
	a := st.access(o, off, 8)
	st.m.covered(st.ti, st.pc, a.First, 1, f.Op != model.MBarTestWait && f.Op != model.MBarTryWait && f.Op != model.MBarCheckLayout)
	if f.Op == model.MBarInit {
		st.initBarrier(&a)
		return
	}
	b := st.liveBarrier(&a)
	if b == nil {
		return
	}
	switch f.Op {
	case model.MBarInval:
		st.invalBarrier(&a)
	case model.MBarTestWait, model.MBarTryWait:
		st.wait(b)
	case model.MBarCheckLayout:
		st.set(st.in, 0, model.Value{Lo: b2u(b.Layout == f.Layout)})
	default:
		st.arrive(b, remote)
	}
}

func remoteAllowed(op model.MBarOp) bool {
	switch op {
	case model.MBarArrive, model.MBarArriveDrop, model.MBarExpectTx, model.MBarCompleteTx:
		return true
	default:
		return false
	}
}

func (st *stepper) initBarrier(a *causal.Access) {
	s := st.s
	i, live := s.barrierAt(a.First)
	if live {
		st.undefined("mbarrier-init-live", "mbarrier.init on %s, which holds a live mbarrier object: invalidate it first", st.m.cellName(a.First, 1))
		return
	}
	b, err := mbarrier.Init(st.in.MBar.Layout, uint32(st.operand(&st.in.Src[0]).Lo))
	if err != nil {
		st.misuse(err)
		return
	}
	a.Strong = false
	if !st.checkFlights(a, true) || !st.checkRaces(a, true) {
		return
	}
	st.enterEvent(a)
	s.bars = slices.Insert(s.bars, i, &barrier{cell: a.First, Barrier: b})
	if st.rec != nil {
		st.rec.note("%s: %v", st.m.cellName(a.First, 1), b)
	}
}

// enterEvent records init and inval as ordinary writes of the object's location (PTX ISA
// 9.7.15.16.9): other threads need synchronisation before they use it.
func (st *stepper) enterEvent(a *causal.Access) {
	n := 0
	for c := a.First; c < a.First+a.N; c++ {
		n += st.m.layout.cells[c].size
	}
	id := st.s.Mem.Write(&causal.Event{Access: *a, Write: true, Bytes: make([]byte, n)}, st.t.view, nil, st.ch)
	st.t.view = st.t.view.With(id, a.Own())
}

func (st *stepper) invalBarrier(a *causal.Access) {
	i, _ := st.s.barrierAt(a.First)
	st.s.bars = slices.Delete(st.s.bars, i, i+1)
	a.Strong = false
	st.enterEvent(a)
}

// liveBarrier returns a changeable copy of the object, if it is live and its initialisation is
// visible to the executing thread.
func (st *stepper) liveBarrier(a *causal.Access) *barrier {
	i, live := st.s.barrierAt(a.First)
	if !live {
		st.undefined("mbarrier-not-initialized", "%s holds no live mbarrier object when %s uses it", st.m.cellName(a.First, 1), st.m.threadName(st.ti))
		return nil
	}
	if st.m.Opts.Break != RuleRace && len(st.s.Mem.Unordered(a, true, st.t.view)) > 0 {
		st.undefined("mbarrier-init-not-visible", "the mbarrier.init of %s is not ordered before its use by %s", st.m.cellName(a.First, 1), st.m.threadName(st.ti))
		return nil
	}
	b := *st.s.bars[i]
	st.s.bars[i] = &b
	return &b
}

// misuse turns an error of the object into undefined behaviour of its rule.
func (st *stepper) misuse(err error) {
	var mu *mbarrier.Misuse
	if errors.As(err, &mu) {
		st.undefined(mu.Rule, "%s: %s", st.m.threadName(st.ti), mu.Msg)
		return
	}
	st.undefined("mbarrier", "%v", err)
}

// arrive performs the operations that count: arrive, arrive_drop, expect_tx, complete_tx.
func (st *stepper) arrive(b *barrier, remote bool) {
	f := st.in.MBar
	arg := uint32(1)
	if len(st.in.Src) > 0 {
		arg = uint32(st.operand(&st.in.Src[0]).Lo)
	}
	token := b.Token()
	var (
		nb  mbarrier.Barrier
		eff mbarrier.Effect
		err error
	)
	switch {
	case f.Op == model.MBarExpectTx:
		nb, err = b.ExpectTx(arg)
	case f.Op == model.MBarCompleteTx:
		nb, eff, err = b.CompleteTx(arg)
	case f.NoComplete && f.Op == model.MBarArrive:
		token = b.NoCompleteToken()
		nb, err = b.ArriveNoComplete(arg)
	case f.NoComplete:
		token = b.NoCompleteToken()
		nb, err = b.ArriveDropNoComplete(arg)
	case f.Op == model.MBarArrive && f.ExpectTx:
		nb, eff, err = b.ArriveExpectTx(arg)
	case f.Op == model.MBarArrive:
		nb, eff, err = b.Arrive(arg)
	case f.ExpectTx:
		nb, eff, err = b.ArriveDropExpectTx(arg)
	default:
		nb, eff, err = b.ArriveDrop(arg)
	}
	if err != nil {
		st.misuse(err)
		return
	}
	if f.Op == model.MBarArrive || f.Op == model.MBarArriveDrop {
		st.set(st.in, 0, model.Value{Lo: token})
		st.release(b, remote)
	}
	st.update(b, nb, eff)
}

// release adds what the arrival releases to the current phase's heads. A remote arrival is observed only
// if both sides have cluster scope (PTX ISA 9.7.15.16.13), whatever the scope of a fence before it (8.9.2).
func (st *stepper) release(b *barrier, remote bool) {
	t := st.t
	if remote && st.in.Scope < memmodel.Cluster {
		return
	}
	var v causal.View
	for sc := memmodel.CTA; sc <= memmodel.Sys; sc++ {
		if t.fenced[sc] && (!remote || sc >= memmodel.Cluster) {
			v = causal.Join(v, t.fences[sc])
		}
	}
	if t.sharedFenced {
		v = causal.Join(v, t.sharedFence)
	}
	if st.in.Sem.Releases() {
		v = causal.Join(v, t.view)
	}
	if remote {
		b.current.far = causal.Join(b.current.far, v)
	} else {
		b.current.near = causal.Join(b.current.near, v)
	}
}

// update puts the new object in place and moves the heads of a completed phase.
func (st *stepper) update(b *barrier, nb mbarrier.Barrier, eff mbarrier.Effect) {
	if eff.Completed && eff.Reported && st.m.Opts.Break == RuleConditional && !eff.ConditionalAdvanced {
		nb.Conditional = (nb.Conditional + 1) % 4
	}
	b.Barrier = nb
	st.out.Changed = append(st.out.Changed, b.cell)
	if st.rec != nil {
		st.rec.note("%s: %v", st.m.cellName(b.cell, 1), nb)
	}
	if !eff.Completed {
		return
	}
	b.done.near = causal.Join(b.done.near, b.current.near)
	b.done.far = causal.Join(b.done.far, b.current.far)
	b.current = phaseHeads{}
	if eff.LostReport {
		st.violate(&Violation{
			Property: "no-lost-report", Rule: "report-overtaken",
			Message: fmt.Sprintf("%s completes another primary phase although nobody took the report predicate of the phase before", st.m.cellName(b.cell, 1)),
			Fix:     "let the thread that re-issues the copy take the predicate of every primary phase before the next one can complete",
		})
	}
}

// wait performs test_wait and try_wait. A wait on a completed phase may still answer false, but not
// for ever.
func (st *stepper) wait(b *barrier) {
	f := st.in.MBar
	arg := st.operand(&st.in.Src[0]).Lo
	var complete bool
	if f.Parity {
		complete = b.TestParity(f.PhaseType, uint32(arg))
	} else {
		var err error
		if complete, err = b.TestState(arg); err != nil {
			st.misuse(err)
			return
		}
	}
	if complete && st.ch.Choose(2) == 1 {
		st.out.Missed = append(st.out.Missed, b.cell)
		complete = false
	}
	st.set(st.in, 0, model.Value{Lo: b2u(complete)})
	if !complete {
		if st.rec != nil {
			st.rec.note("answers false; %s: %v", st.m.cellName(b.cell, 1), b.Barrier)
		}
		if len(st.in.Dst) > 1 {
			// the report outputs of an unsuccessful wait are undefined
			st.set(st.in, 1, model.Value{Lo: uint64(st.ch.Choose(2))})
		}
		return
	}
	st.seeCancel(b)
	took := len(st.in.Dst) > 1 && f.PhaseType == model.PhasePrimary
	report, value := b.DoneReport, b.DoneValue
	b.Barrier = b.Wait(f.PhaseType, took)
	if took {
		st.set(st.in, 1, model.Value{Lo: b2u(report)})
		st.set(st.in, 2, model.Value{Lo: uint64(value)})
		st.rec.note("answers true, report predicate %v", report)
	} else {
		st.rec.note("answers true")
	}
	st.acquireWait(b)
}

// acquireWait joins the heads of the completed phases, or keeps them for a later acquire fence.
func (st *stepper) acquireWait(b *barrier) {
	t := st.t
	switch {
	case st.m.Opts.Break == RuleAcquire:
	case st.in.Sem.Acquires() || st.m.Opts.Break == RuleRelaxedWait:
		t.view = causal.Join(t.view, b.done.near)
		if st.in.Scope >= memmodel.Cluster {
			t.view = causal.Join(t.view, b.done.far)
		}
	default:
		t.observed = append(t.observed, observed{cell: -1, scope: memmodel.CTA, view: b.done.near})
		if st.in.Scope >= memmodel.Cluster {
			t.observed = append(t.observed, observed{cell: -1, scope: memmodel.Cluster, view: b.done.far})
		}
	}
}
