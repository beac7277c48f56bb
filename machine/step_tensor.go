package machine

import (
	"ptxmc/memmodel/causal"
	"ptxmc/model"
)

// tensorMMA issues a tcgen05.mma: ordered behind what its thread did before, it reads shared memory through the
// async proxy at any moment until a commit's arrival tells of its completion (PTX ISA 9.7.17). Tensor memory is
// not modelled (assumption A9).
func (st *stepper) tensorMMA() {
	st.startMMA(st.operand(&st.in.Src[0]).Lo, st.t.view)
}

// tensorAlloc stores the address of tensor memory, once for the warp that allocates: a weak store of 0, as
// nothing is known of addresses in tensor memory.
func (st *stepper) tensorAlloc() {
	if st.info.linear%32 != 0 {
		return
	}
	o, off, ok := st.locate(0, st.in.Space, 4, 4)
	if !ok {
		return
	}
	a := st.access(o, off, 4)
	st.write(&a, make([]byte, 4), nil, nil)
}

// tensorCommit is tcgen05.commit: it forks an agent that arrives on the mbarrier when all earlier
// multiplications of the thread have completed.
func (st *stepper) tensorCommit() {
	m, s := st.m, st.s
	bar, off, ok := st.locate(0, st.in.Space, 8, 8)
	if !ok {
		return
	}
	if bar.cta < 0 {
		st.undefined("mbarrier-space", "an mbarrier object must lie in shared memory; the operand is in %s", bar.name)
		return
	}
	cell, _ := bar.cellRange(off, 8)
	use := causal.Access{Place: st.info.place, Agent: st.ti, CTA: st.info.cta, First: cell, N: 1}
	if st.liveBarrier(&use) == nil {
		return
	}
	for i, x := range s.mmas {
		if x.thread == st.ti {
			c := *x
			c.age++
			s.mmas[i] = &c
		}
	}
	for i, f := range s.flights {
		if f.thread == st.ti && m.commits(f) {
			c := *f
			c.age++
			s.flights[i] = &c
		}
	}
	// the agent accesses no memory but the object
	f := &flight{thread: st.ti, pc: st.pc, dst: bar, dstOff: off, n: 8, bar: cell, view: st.t.view, bulk: true}
	m.spread(f)
	for _, fp := range []*footprint{&f.touches, &f.ends} {
		m.mmaWaitFootprint(st.ti, fp)
		m.commitFootprint(st.ti, fp)
	}
	s.flights = append(s.flights, f)
	m.sortFlights(s)
	st.rec.note("commit in flight, tracked by %s", m.cellName(cell, 1))
}

func (m *Machine) commits(f *flight) bool {
	return m.threads[f.thread].code.entry.Code[f.pc].Op == model.TensorCommit
}

// commitsInOrder: the commits of one thread arrive in order, as each waits for all that came before it.
func (m *Machine) commitsInOrder(s *State, f *flight) bool {
	if !m.commits(f) {
		return true
	}
	for _, g := range s.flights {
		if g.thread == f.thread && g.age > f.age && m.commits(g) {
			return false
		}
	}
	return true
}

// commitFootprint marks the objects of all commits of a thread: they wait for each other.
func (m *Machine) commitFootprint(ti int, f *footprint) {
	code := m.threads[ti].code.entry.Code
	for pc := range code {
		if code[pc].Op != model.TensorCommit {
			continue
		}
		for _, a := range m.facts[ti].accesses[pc] {
			for _, o := range m.targets(ti, a) {
				first, count := o.first, len(o.bounds)
				if a.off >= 0 {
					first, count = o.cellRange(a.off, a.n)
				}
				for c := first; c < first+count; c++ {
					f.W.set(c)
				}
			}
		}
	}
}

// completeCommit completes the multiplications that came before the commit and arrives. The arrival hands over
// their reads and the writes of their tiles that they came behind (base causality is transitive, PTX ISA 8.9.4),
// and nothing else of the thread that issued them (rule MMA-COMMIT).
func (st *stepper) completeCommit(f *flight) {
	m, s := st.m, st.s
	i, live := s.barrierAt(f.bar)
	if !live {
		st.undefined("mbarrier-not-initialized", "a commit arrives on %s, which no longer holds a live mbarrier object", m.cellName(f.bar, 1))
		return
	}
	b := *s.bars[i]
	s.bars[i] = &b
	known := causal.Join(b.current.near, b.done.near)
	keep := s.mmas[:0:0]
	var own causal.View
	for _, x := range s.mmas {
		if x.thread != f.thread || x.age < f.age {
			keep = append(keep, x)
			continue
		}
		own = causal.Join(own, causal.Join(x.behind, st.finishMMA(x, known)))
	}
	s.mmas = keep
	nb, eff, err := b.Arrive(1)
	if err != nil {
		st.misuse(err)
		return
	}
	if m.Opts.Break != RuleMMACommit {
		b.current.near = causal.Join(b.current.near, own)
	}
	st.update(&b, nb, eff)
}
