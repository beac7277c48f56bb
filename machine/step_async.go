package machine

import (
	"ptxmc/memmodel/causal"
	"ptxmc/model"
	"ptxmc/model/alu"
)

// This file holds st.async and red.async (PTX ISA 9.7.10.12, 9.7.15.7): asynchronous operations
// whose data comes from registers, through the generic proxy.

// asyncStore issues st.async or red.async.
func (st *stepper) asyncStore() {
	m, in := st.m, st.in
	n := in.Type.Bytes() * in.Vec
	dst, off, ok := st.locate(0, in.Space, n, n)
	if !ok {
		return
	}
	w := in.Type.Bytes()
	value := make([]byte, n)
	for i := range in.Src {
		putValue(value[i*w:(i+1)*w], st.operand(&in.Src[i]))
	}
	f := &flight{thread: st.ti, pc: st.pc, dst: dst, dstOff: off, n: n, bar: -1, view: st.t.view, elem: in.Type, stored: true,
		parts: []part{{dst: off, src: -1, n: n}}, data: &payload{bytes: value, unknown: make([]bool, n)},
		bulk: m.Opts.Break == RuleAsyncGeneric, exclusive: !in.Sem.Strong()}
	if len(in.Addrs) > 1 {
		if f.bar, ok = st.asyncBarrier(dst); !ok {
			return
		}
	} else if dst.cta >= 0 {
		st.undefined("async-space", "%s in %s; a release form writes global memory", m.flightWord(st.ti, st.pc), m.rangeName(dst, off, n))
		return
	}
	if in.Sem.Strong() {
		f.fences, f.sharedFence = st.t.fences, st.t.sharedFence // release patterns with the fences before it (PTX ISA 8.8)
	}
	m.spread(f)
	f.into.each(func(c int) { m.covered(st.ti, st.pc, c, 1, true) })
	if f.exclusive {
		if !st.checkIssue(f) {
			return
		}
		f.into.each(func(c int) { st.s.Mem.Drop(c) })
	}
	st.s.flights = append(st.s.flights, f)
	m.sortFlights(st.s)
	if st.rec == nil {
		return
	}
	by := "the end of the CTA"
	if f.bar >= 0 {
		by = m.cellName(f.bar, 1)
	}
	st.rec.note("%s to %s in flight, tracked by %s", m.flightWord(st.ti, st.pc), m.rangeName(dst, off, n), by)
}

// asyncBarrier finds the mbarrier of st.async or red.async, and checks which CTAs they may name.
func (st *stepper) asyncBarrier(dst *object) (int, bool) {
	m := st.m
	noun := m.flightWord(st.ti, st.pc)
	bar, off, ok := st.locate(1, st.in.Space, 8, 8)
	switch {
	case !ok:
	case dst.cta < 0 || bar.cta < 0:
		st.undefined("async-space", "%s with its destination in %s and its mbarrier in %s; both must lie in shared memory of the cluster", noun, dst.name, bar.name)
	case bar.cta != dst.cta:
		st.undefined("async-mbarrier-cta", "%s into %s with an mbarrier of %s; both must lie in one CTA", noun, m.ctaName(dst.cta), m.ctaName(bar.cta))
	case st.in.Op == model.AsyncRed && dst.cta == st.info.cta:
		st.undefined("async-own-cta", "red.async into %s, which is the executing CTA; the destination must lie in another CTA of the cluster", m.ctaName(dst.cta))
	case len(m.clusters[m.ctas[dst.cta].cluster]) == 1:
		st.undefined("async-no-cluster", "st.async in a cluster of one CTA; it needs a cluster of several")
	default:
		cell, _ := bar.cellRange(off, 8)
		use := causal.Access{Place: st.info.place, Agent: st.ti, CTA: st.info.cta, First: cell, N: 1}
		return cell, st.liveBarrier(&use) != nil
	}
	return 0, false
}

// completeStore performs an asynchronous store or update (rule DELAY): it has no acquire semantics,
// so the moment of completion stands for every moment since the issue.
func (st *stepper) completeStore(f *flight) {
	m := st.m
	st.t.fences, st.t.sharedFence, st.t.sharedFenced = f.fences, f.sharedFence, len(f.sharedFence) > 0
	for sc, v := range f.fences {
		st.t.fenced[sc] = len(v) > 0
	}
	st.before = f.view
	w := f.elem.Bytes()
	for at := 0; at < f.n && !st.out.Ended; at += w {
		a := m.flightAccess(f, true)
		a.First, a.N = f.dst.cellRange(f.dstOff+at, w)
		value := f.data.bytes[at : at+w : at+w]
		if st.in.Op != model.AsyncRed {
			st.write(&a, value, nil, nil)
			continue
		}
		st.modify(&a, w, func(old model.Value) (model.Value, bool, error) {
			v, err := alu.Atomic(st.in.AtomOp, f.elem, old, getValue(value), model.Value{})
			return v, true, err
		})
	}
	if st.out.Ended {
		return
	}
	for _, k := range st.t.view {
		if _, before := f.view.Level(k.Event); !before {
			st.handOver(f, k.Event, k.Level)
		}
	}
	if f.bar >= 0 {
		st.signal(f, false)
		return
	}
	cta := st.info.cta
	g := m.ctas[cta].grid
	st.s.grids[g].end = causal.Join(st.s.grids[g].end, st.own)
	st.exitIfDone(cta)
}

// deliver gives what a completion releases to the current phase: the destination's bytes to every
// acquire wait of its CTA, the reads of a source to a wait whose scope includes the issuer (PTX ISA
// 9.7.10.28.4.1: complete-tx has cluster scope).
func (st *stepper) deliver(f *flight, b *barrier) {
	var near, far causal.View
	remote := st.info.cta != f.dst.cta && st.m.Opts.Break != RuleCompleteRemote
	for _, k := range st.own {
		if remote && !st.s.Mem.Events[k.Event].Write {
			far = far.With(k.Event, k.Level)
		} else {
			near = near.With(k.Event, k.Level)
		}
	}
	b.current.near = causal.Join(b.current.near, near)
	b.current.far = causal.Join(b.current.far, far)
}
