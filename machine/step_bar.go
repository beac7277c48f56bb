package machine

import (
	"slices"

	"ptxmc/memmodel/causal"
	"ptxmc/model"
)

// threadBarrier is bar.sync, bar.arrive and bar.red (PTX ISA 9.7.15.1). Arrivals of the same barrier form one
// rendezvous; the last one releases all who wait and joins what all brought.
func (st *stepper) threadBarrier() {
	m, s := st.m, st.s
	cta := st.info.cta
	v := st.operand(&st.in.Src[0]).Lo
	if v > 15 {
		st.undefined("barrier-number", "barrier %d; a CTA has barriers 0 to 15", v)
		return
	}
	id, count := int(v), 0
	counts := len(st.in.Src)
	use := barPlain
	if st.in.Op == model.BarRed {
		counts--
		use = barrierUses[st.in.AtomOp]
	}
	if counts > 1 {
		count = int(uint32(st.operand(&st.in.Src[1]).Lo))
		if count == 0 && st.in.Op == model.BarArrive {
			st.undefined("barrier-count", "barrier arrive with a thread count of 0")
			return
		}
	}
	i := slices.IndexFunc(s.named, func(b *namedBarrier) bool { return b.cta == cta && b.id == id })
	nb := &namedBarrier{cta: cta, id: id, count: count, red: use}
	if i >= 0 {
		c := *s.named[i]
		nb = &c
		nb.waiting = slices.Clone(nb.waiting)
		s.named = slices.Delete(s.named, i, i+1)
		if nb.count != count {
			st.undefined("barrier-count", "barrier %d is used with %d threads while a rendezvous with %d is under way", id, count, nb.count)
			return
		}
	}
	if nb.red != use {
		st.undefined("barrier-mixed", "barrier %d is used by %s while a rendezvous of another kind is under way: bar.red may not be mixed with other forms", id, st.in.Text)
		return
	}
	if use != barPlain && st.operand(&st.in.Src[len(st.in.Src)-1]).Lo&1 == 1 {
		nb.trues++
	}
	nb.arrived++
	nb.brought = causal.Join(nb.brought, st.t.view)
	if st.in.Op != model.BarArrive {
		st.t.status = threadAtBarrier
		nb.waiting = append(nb.waiting, st.ti)
		slices.Sort(nb.waiting)
	}
	s.named = append(s.named, nb)
	slices.SortFunc(s.named, func(a, b *namedBarrier) int { return (a.cta-b.cta)*64 + a.id - b.id })
	st.rec.note("arrives at barrier %d (%d of %d)", id, nb.arrived, m.expected(s, nb))
	st.checkBarrier(nb)
}

// expected is how many threads a rendezvous waits for: ended threads no longer count.
func (m *Machine) expected(s *State, nb *namedBarrier) int {
	alive := len(m.ctas[nb.cta].threads) - s.ctas[nb.cta].ended
	if nb.count == 0 {
		return alive
	}
	return nb.count
}

// checkBarrier completes the rendezvous if all have arrived, or if only ended threads are missing.
func (st *stepper) checkBarrier(nb *namedBarrier) {
	m, s := st.m, st.s
	alive := len(m.ctas[nb.cta].threads) - s.ctas[nb.cta].ended
	if nb.arrived < m.expected(s, nb) && (s.ctas[nb.cta].ended == 0 || len(nb.waiting) < alive) {
		return
	}
	s.named = slices.DeleteFunc(slices.Clone(s.named), func(b *namedBarrier) bool { return b == nb })
	st.rec.note("barrier %d completes", nb.id)
	ti, t, info := st.ti, st.t, st.info
	for _, w := range nb.waiting {
		o := t
		if w != ti {
			o = s.own(w)
		}
		o.status = threadRunning
		if m.Opts.Break != RuleBarrier {
			o.view = causal.Join(o.view, nb.brought)
		}
		st.enter(w, o)
		if nb.red != barPlain {
			st.set(&st.info.code.entry.Code[o.pc-1], 0, model.Value{Lo: nb.reduced()})
		}
		if w != ti {
			st.runLocal()
		}
	}
	st.ti, st.t, st.info = ti, t, info
}

// releaseBarriersOfEnded lets rendezvous go on whose missing threads have all ended.
func (st *stepper) releaseBarriersOfEnded() {
	for _, nb := range slices.Clone(st.s.named) {
		if nb.cta == st.info.cta && !st.out.Ended {
			st.checkBarrier(nb)
		}
	}
	for _, w := range slices.Clone(st.s.warps) {
		if w.cta == st.info.cta && !st.out.Ended {
			st.checkWarp(w)
		}
	}
}

// barrierUses are the reductions of bar.red.
var barrierUses = map[model.AtomOp]barrierUse{model.NoAtom: barPopc, model.AtomAnd: barAnd, model.AtomOr: barOr}

// reduced is the result of bar.red.
func (nb *namedBarrier) reduced() uint64 {
	switch nb.red {
	case barAnd:
		return b2u(nb.trues == nb.arrived)
	case barOr:
		return b2u(nb.trues > 0)
	default:
		return uint64(nb.trues)
	}
}
