package machine

import (
	"ptxmc/memmodel/causal"
	"ptxmc/model"
)

// This file holds the groups of asynchronous copies (PTX ISA 9.7.10.28.3.2, .3 and 9.7.10.28.6) and
// the asynchronous arrival (9.7.15.16.18). A copy knows how many groups its thread has committed
// since its issue; an empty group is no object.

// commit closes a group: it takes in what is not committed, and all earlier groups grow older.
// Beyond what any wait of the thread can tell apart they do not.
func (st *stepper) commit(bulk bool) {
	oldest := st.info.code.pending[b2i(bulk)] + 1
	for i, f := range st.s.flights {
		if f.thread == st.ti && f.grouped() && f.bulk == bulk && f.age < oldest {
			nf := *f
			nf.age++
			st.s.flights[i] = &nf
		}
	}
	for i, f := range st.s.finished {
		if f.thread == st.ti && f.bulk == bulk && f.age < oldest {
			nf := *f
			nf.age++
			st.s.finished[i] = &nf
		}
	}
	st.m.sortFlights(st.s)
}

// groupsDone reports whether a wait_group may go on: of the committed groups at most the last N are
// pending.
func (m *Machine) groupsDone(s *State, ti int, in *model.Instr) bool {
	for _, f := range s.flights {
		if f.thread != ti || !f.grouped() || f.bulk != in.Group.Bulk || in.Group.Read && f.data != nil && m.Opts.Break != RuleReadWait {
			continue
		}
		if in.Group.All || f.age > int(in.Src[0].Imm.Lo) {
			return false
		}
	}
	return true
}

// groupWait hands over what the copies of the groups did: their reads alone with .read. Nothing else
// is ordered.
func (st *stepper) groupWait() {
	g := st.in.Group
	if g.All {
		st.commit(false)
	}
	n := int(st.in.Src[0].Imm.Lo)
	join := func(v causal.View) {
		if st.m.Opts.Break != RuleGroupWait {
			st.t.view = causal.Join(st.t.view, v)
		}
	}
	for _, f := range st.s.flights {
		if f.thread == st.ti && f.grouped() && f.bulk == g.Bulk && f.age > n {
			join(f.reads)
		}
	}
	keep := st.s.finished[:0:0]
	for _, f := range st.s.finished {
		if f.thread != st.ti || f.bulk != g.Bulk || f.age <= n {
			keep = append(keep, f)
			continue
		}
		if g.Read && st.m.Opts.Break != RuleReadWait {
			join(f.reads)
			keep = append(keep, f)
			continue
		}
		join(f.own)
		if !f.bulk && st.info.code.arrives {
			keep = append(keep, f) // a later arrival hands them over, too
		}
	}
	st.s.finished = keep
}

// arriveCopies is cp.async.mbarrier.arrive: it forks an agent that arrives when all earlier cp.async
// of the thread have completed. Without .noinc the object expects one arrival more in this phase.
func (st *stepper) arriveCopies() {
	m := st.m
	o, off, ok := st.locate(0, st.in.Space, 8, 8)
	if !ok {
		return
	}
	if o.cta != st.info.cta {
		st.undefined("mbarrier-remote", "%s on an object outside the shared memory of the executing CTA", st.in.Text)
		return
	}
	a := st.access(o, off, 8)
	m.covered(st.ti, st.pc, a.First, 1, true)
	b := st.liveBarrier(&a)
	if b == nil {
		return
	}
	if !st.in.Group.NoInc {
		nb, err := b.ExpectArrival()
		if err != nil {
			st.misuse(err)
			return
		}
		b.Barrier = nb
		st.out.Changed = append(st.out.Changed, b.cell)
		if st.rec != nil {
			st.rec.note("%s: %v", m.cellName(b.cell, 1), nb)
		}
	}
	f := &flight{thread: st.ti, pc: st.pc, bar: a.First, view: st.t.view}
	for _, g := range st.s.flights {
		if g.thread == st.ti {
			f.epoch = max(f.epoch, g.epoch)
		}
	}
	for _, g := range st.s.finished {
		if g.thread == st.ti {
			f.epoch = max(f.epoch, g.epoch)
		}
	}
	m.spread(f)
	st.s.flights = append(st.s.flights, f)
	m.sortFlights(st.s)
}

// newEpoch is that of a copy issued now: no arrival in flight waits for it.
func (st *stepper) newEpoch() int {
	epoch := 0
	for _, f := range st.s.flights {
		if f.arrival() && f.thread == st.ti {
			epoch = max(epoch, f.epoch+1)
		}
	}
	return epoch
}

// mayArrive: all cp.async before the arrival have completed.
func (m *Machine) mayArrive(s *State, a *flight) bool {
	for _, f := range s.flights {
		if f.thread == a.thread && f.grouped() && !f.bulk && f.epoch <= a.epoch {
			return false
		}
	}
	return true
}

// arrived is the asynchronous arrival: it hands over the copies before it and nothing else of its
// thread.
func (st *stepper) arrived(f *flight) {
	i, live := st.s.barrierAt(f.bar)
	if !live {
		st.undefined("mbarrier-not-initialized", "the asynchronous arrival finds no live mbarrier object at %s", st.m.cellName(f.bar, 1))
		return
	}
	b := *st.s.bars[i]
	st.s.bars[i] = &b
	nb, eff, err := b.Arrive(1)
	if err != nil {
		st.misuse(err)
		return
	}
	if st.m.Opts.Break != RuleCopyArrive {
		for _, g := range st.s.finished {
			if g.thread == f.thread && !g.bulk && g.epoch <= f.epoch {
				b.current.near = causal.Join(b.current.near, g.own)
			}
		}
	}
	if st.m.Opts.OrderThroughCompletion {
		b.current.near = causal.Join(b.current.near, f.view)
	}
	st.update(&b, nb, eff)
}
