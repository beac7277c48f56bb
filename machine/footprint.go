package machine

import (
	"fmt"

	"ptxmc/model"
)

// fitRegister cuts a result to the width of the register that receives it.
func fitRegister(t *threadInfo, in *model.Instr, d int, v model.Value) model.Value {
	if in.Dst[d].Kind != model.RegOperand {
		return v
	}
	if in.Op == model.Cvt {
		v = extend(v, in.Type) // into a wider register, PTX ISA 9.4.1
	}
	return truncate(v, t.code.entry.RegTypes[in.Dst[d].Reg])
}

// accessesOf lists the memory that an instruction may touch with these register values.
func (m *Machine) accessesOf(t *threadInfo, in *model.Instr, regs []absVal) []access {
	var out []access
	add := func(ai int, space model.Space, proto access) {
		a := &in.Addrs[ai]
		base := m.absOperand(t, &a.Base, regs)
		switch base.kind {
		case valSet:
			for _, x := range base.set {
				o, off, err := m.resolve(t.cta, space, x.Lo+uint64(a.Off)+uint64(proto.off))
				if err != nil || off < 0 || off+proto.n > o.size {
					continue // the machine refutes it when it happens
				}
				p := proto
				p.obj, p.off = o, off
				out = append(out, p)
			}
		case valIn:
			out = append(out, anywhere(proto, base.obj, space))
		default:
			out = append(out, anywhere(proto, nil, space))
		}
	}
	switch in.Op {
	case model.Ld, model.St, model.Atom, model.Red:
		if in.Op == model.Ld && !visible(in) {
			return nil
		}
		n := in.Type.Bytes()
		add(0, in.Space, access{n: n * in.Vec, unit: n, write: in.Op != model.Ld})
	case model.TensorAlloc:
		if t.linear%32 == 0 {
			add(0, in.Space, access{n: 4, write: true})
		}
	case model.TensorCommit:
		add(0, in.Space, access{n: 8, write: true, sync: true})
	case model.MMAAsync, model.TensorMMA:
		out = m.mmaAccesses(t, in, regs)
	case model.TryCancel:
		add(0, in.Space, access{n: chunkBytes, unit: chunkBytes, write: true})
		add(1, in.Space, access{n: 8, write: true, sync: true})
	case model.StBulk:
		sizes := m.absOperand(t, &in.Src[0], regs)
		if sizes.kind != valSet {
			add(0, in.Space, access{n: 8, unit: 8, write: true})
			for i := range out {
				out[i].off = -1
			}
		}
		for _, s := range sizes.set {
			if s.Lo > 0 && s.Lo <= maxStBulk {
				add(0, in.Space, access{n: int(s.Lo), write: true})
			}
		}
	case model.MBarrier:
		if len(in.Addrs) > 0 {
			op := in.MBar.Op
			add(0, in.Space, access{n: 8, write: op != model.MBarTestWait && op != model.MBarTryWait && op != model.MBarCheckLayout, sync: true})
		}
	case model.AsyncStore, model.AsyncRed:
		n := in.Type.Bytes()
		add(0, in.Space, access{n: n * in.Vec, unit: n, write: true})
		if len(in.Addrs) > 1 {
			add(1, in.Space, access{n: 8, write: true, sync: true})
		}
	case model.CopyArrive:
		add(0, in.Space, access{n: 8, write: true, sync: true})
	case model.BulkCopy, model.CopyAsync:
		m.copyAccesses(t, in, regs, add, func(a access) { out = append(out, a) })
		if in.Bulk.Completion == model.CompleteMBarrier {
			add(2, model.SharedCluster, access{n: 8, write: true, sync: true})
		}
		if in.Bulk.Multicast || in.Bulk.Pair {
			out = append(out, m.atPeers(t, out)...)
		}
	}
	return out
}

// anywhere is the access at any place of an object, or of the space: in units that all its bounds are
// multiples of.
func anywhere(a access, o *object, space model.Space) access {
	for _, n := range []int{a.n, a.off} {
		for n != 0 {
			a.unit, n = n, a.unit%n
		}
	}
	a.obj, a.space, a.off = o, space, -1
	return a
}

// targets lists the objects that an access may touch.
func (m *Machine) targets(ti int, a access) []*object {
	if a.obj != nil {
		return []*object{a.obj}
	}
	var out []*object
	cluster := m.ctas[m.threads[ti].cta].cluster
	for _, o := range m.layout.objects {
		if o.cta < 0 && (a.space == model.GenericSpace || a.space == model.GlobalSpace) ||
			o.cta >= 0 && (a.space == model.GenericSpace || a.space.Shared()) && m.ctas[o.cta].cluster == cluster {
			out = append(out, o)
		}
	}
	return out
}

// cut marks the cell bounds that an access draws.
func (m *Machine) cut(ti int, a access, cuts map[*object]map[int]bool) {
	for _, o := range m.targets(ti, a) {
		unit := a.unit
		if unit == 0 {
			unit = a.n
		}
		from, to := a.off, a.off+a.n
		if a.off < 0 {
			from, to = 0, o.size
		}
		for off := from; off < to; off += unit {
			cuts[o][off] = true
		}
		cuts[o][to] = true
	}
}

// footprints fills step and future of one thread.
func (m *Machine) footprints(ti int) {
	f := &m.facts[ti]
	t := &m.threads[ti]
	e := t.code.entry
	n := len(e.Code)
	f.step = make([]footprint, n+1)
	f.blocked = make([]footprint, n+1)
	f.future = make([]footprint, n+1)
	f.strong = make([]bool, n+1)
	f.mma = make([]bool, n+1)
	for pc := 0; pc <= n; pc++ {
		f.step[pc] = m.newFootprint()
		if pc < n && f.reached[pc] {
			m.stepFootprint(ti, pc, &f.step[pc])
			f.strong[pc] = releases(&e.Code[pc])
			f.mma[pc] = e.Code[pc].Op == model.MMAAsync
		} else if pc == n {
			m.exitFootprint(ti, &f.step[pc])
		}
		// a waiting thread cannot move; whoever may release it belongs to every set that it is in
		f.blocked[pc] = m.newFootprint()
		f.blocked[pc].R.or(f.step[pc].R)
		f.blocked[pc].W.or(f.step[pc].W)
		f.blocked[pc].R.set(m.resNamed(t.cta))
	}
	m.futures(ti)
}

// futures joins to each instruction's footprint those of all that may follow.
func (m *Machine) futures(ti int) {
	f := &m.facts[ti]
	n := len(m.threads[ti].code.entry.Code)
	for pc := 0; pc <= n; pc++ {
		f.future[pc] = m.newFootprint()
		f.future[pc].R.or(f.step[pc].R)
		f.future[pc].W.or(f.step[pc].W)
		f.future[pc].A.or(f.step[pc].A)
		f.future[pc].P.or(f.step[pc].P)
	}
	for changed := true; changed; {
		changed = false
		for pc := n - 1; pc >= 0; pc-- {
			for _, next := range f.next[pc] {
				if f.future[pc].R.or(f.future[next].R) || f.future[pc].W.or(f.future[next].W) ||
					f.future[pc].A.or(f.future[next].A) || f.future[pc].P.or(f.future[next].P) {
					changed = true
				}
				if f.strong[next] && !f.strong[pc] {
					f.strong[pc], changed = true, true
				}
				if f.mma[next] && !f.mma[pc] {
					f.mma[pc], changed = true, true
				}
			}
		}
	}
}

// releases reports whether an instruction may hand on what an earlier release fence of its thread
// covered (PTX ISA 8.8, release patterns).
func releases(in *model.Instr) bool {
	switch in.Op {
	case model.St, model.Atom, model.Red, model.AsyncStore, model.AsyncRed:
		return in.Sem.Strong()
	case model.ClusterArrive:
		return true
	case model.MBarrier:
		return in.MBar.Op == model.MBarArrive || in.MBar.Op == model.MBarArriveDrop
	case model.LaunchDependents:
		return true
	default:
		return false
	}
}

func (m *Machine) exitFootprint(ti int, f *footprint) {
	cta := m.threads[ti].cta
	f.W.set(m.resExit(cta))
	f.W.set(m.resEnd(m.ctas[cta].grid))
	f.W.set(m.resNamed(cta))
	f.W.set(m.resCluster(m.ctas[cta].cluster))
	f.W.set(m.resFree())
}

func (m *Machine) stepFootprint(ti, pc int, f *footprint) {
	t := &m.threads[ti]
	in := &t.code.entry.Code[pc]
	for _, a := range m.facts[ti].accesses[pc] {
		for _, o := range m.targets(ti, a) {
			first, count := o.first, len(o.bounds)
			if a.off >= 0 {
				first, count = o.cellRange(a.off, a.n)
			}
			for c := first; c < first+count; c++ {
				if a.write {
					f.W.set(c)
				} else {
					f.R.set(c)
				}
				copies := asynchronous(in.Op) && !a.sync
				if (in.Op == model.AsyncStore || in.Op == model.AsyncRed) && !a.sync {
					f.P.set(c)
					if m.Opts.Break == RuleAsyncGeneric {
						f.A.set(c)
					}
				}
				if copies && (in.Op != model.CopyAsync || m.Opts.Break == RuleCopyProxy) {
					f.A.set(c)
				}
				if copies {
					f.P.set(c) // not morally strong with what others do there
				}
				if copies && a.write && in.Bulk.Reduce != model.NoAtom {
					f.R.set(c)
				}
				if update := in.Op == model.Atom || in.Op == model.Red; !update && !a.write || in.Sem.Strong() && in.Scope < m.widest || count > 1 {
					f.P.set(c)
				}
			}
			if o.cta >= 0 && (asynchronous(in.Op) || in.Op == model.AsyncStore || in.Op == model.AsyncRed || o.cta != t.cta) {
				f.R.set(m.resExit(o.cta))
			}
		}
	}
	if in.Op == model.Atom || in.Op == model.Red || in.Op == model.AsyncRed {
		f.R.or(f.W)
	}
	grid := m.ctas[t.cta].grid
	switch in.Op {
	case model.Fence:
		if in.Sem.String() == "sc" {
			f.W.set(m.resSC())
		}
	case model.BarSync, model.BarArrive, model.BarRed, model.BarQuorum, model.WarpSync, model.WarpOp, model.Elect:
		f.R.set(m.resNamed(t.cta))
		f.W.set(m.resNamed(t.cta))
	case model.CopyWait, model.CopyArrive:
		f.R.set(m.resGroup(ti))
	case model.ClusterArrive:
		f.W.set(m.resCluster(m.ctas[t.cta].cluster))
	case model.ClusterWait:
		f.R.set(m.resCluster(m.ctas[t.cta].cluster))
	case model.GridDepWait:
		for g := range m.grids {
			if m.prerequisite(grid, g) {
				f.R.set(m.resEnd(g))
			}
		}
	case model.MMAWait, model.TensorCommit:
		m.mmaWaitFootprint(ti, f)
	case model.TryCancel:
		f.W.set(m.resLaunch(grid))
		f.W.set(m.resEnd(grid)) // a cancelled CTA counts as exited
	case model.LaunchDependents:
		f.W.set(m.resEnd(grid))
		m.triggerFootprint(t.cta, f)
	case model.Ret:
		m.exitFootprint(ti, f)
	}
}

// asynchronous reports whether an operation accesses memory through the async proxy, some time after its issue.
func asynchronous(op model.Op) bool {
	return op == model.BulkCopy || op == model.TryCancel || op == model.MMAAsync || op == model.TensorMMA
}

// markReported notes for every cell the mechanism of the reporting copies that read it.
func (m *Machine) markReported() {
	for i := range m.layout.cells {
		c := &m.layout.cells[i]
		if b := c.obj.buffer; b >= 0 && m.Case.Plan.Buffers[b].HasSentinel {
			w := c.obj.elem.Bytes()
			pat := make([]byte, w)
			putValue(pat, model.Value{Lo: m.Case.Plan.Buffers[b].Sentinel})
			c.sentinel = make([]byte, c.size)
			for j := range c.sentinel {
				c.sentinel[j] = pat[(c.off+j)%w]
			}
		}
	}
	for ti := range m.threads {
		for _, list := range m.facts[ti].accesses {
			for _, a := range list {
				if a.report == model.ReportDisabled {
					continue
				}
				for _, o := range m.targets(ti, a) {
					first, count := o.first, len(o.bounds)
					if a.off >= 0 {
						first, count = o.cellRange(a.off, a.n)
					}
					for c := first; c < first+count; c++ {
						m.layout.cells[c].report = a.report
					}
				}
			}
		}
	}
}

// residencies fills the footprints of CTAs that are not resident: they compete for slots, and wait for
// slots to be freed and for grids to end.
func (m *Machine) residencies() {
	m.residency = make([][4]footprint, len(m.ctas))
	for c := range m.ctas {
		for i := range 4 {
			f := m.newFootprint()
			started, free := i&1 != 0, i&2 != 0
			if !m.slotsAll {
				f.R.set(m.resSlots())
				f.W.set(m.resSlots())
				if !free {
					f.R.set(m.resFree())
				}
			}
			if g := m.ctas[c].grid; m.grids[g].cancels {
				f.W.set(m.resLaunch(g)) // a cluster either starts or is cancelled
			}
			if !started {
				m.startReads(m.ctas[c].grid, &f)
			}
			m.residency[c][i] = f
		}
	}
}

// startReads marks the ends of all grids that the start of a grid waits for, directly or through others.
func (m *Machine) startReads(g int, f *footprint) {
	for _, d := range m.grids[g].deps {
		f.R.set(m.resEnd(d.grid))
		m.startReads(d.grid, f)
	}
}

// findRendezvous notes the CTAs that use their barriers only as bar.sync of all threads: arrivals
// commute with everything, since nobody can tell their order.
func (m *Machine) findRendezvous() {
	m.rendezvous = make([]bool, len(m.ctas))
	for c := range m.ctas {
		m.rendezvous[c] = true
		for _, ti := range m.ctas[c].threads {
			code := m.threads[ti].code.entry.Code
			for pc := range code {
				in := &code[pc]
				if m.facts[ti].reached[pc] && (in.Op == model.BarArrive || in.Op == model.BarQuorum || in.Op == model.BarSync && len(in.Src) > 1 || in.Op == model.BarRed && len(in.Src) > 2) {
					m.rendezvous[c] = false
				}
			}
		}
	}
}

// prerequisite reports whether griddepcontrol.wait of grid g waits for grid p: a grid that g depends on by
// programmatic launch or programmatic event (PTX ISA 9.7.15.14; CUDA runtime, programmatic events). Waiting for
// less is the safe reading.
func (m *Machine) prerequisite(g, p int) bool {
	for _, d := range m.grids[g].deps {
		if d.grid == p && d.programmatic {
			return true
		}
	}
	return false
}

// covered checks an actual access against the analysis: a footprint that missed it would make the
// search unsound, so it is an internal error.
func (m *Machine) covered(ti, pc, first, n int, write bool) {
	f := &m.facts[ti].step[pc]
	for c := first; c < first+n; c++ {
		if write && !f.W.has(c) || !write && !f.R.has(c) {
			panic(fmt.Sprintf("internal: %s at %v touches %s, which the footprint analysis did not foresee",
				m.threadName(ti), m.threads[ti].code.entry.Code[pc].Pos, m.cellName(c, 1)))
		}
	}
}
