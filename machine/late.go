package machine

import (
	"slices"

	"ptxmc/memmodel/causal"
	"ptxmc/model"
)

// This file binds loads late (rule LATE-LOAD, assumption A1). Instructions issue in program order, but a
// weak or relaxed load may take its value after later accesses of its thread: until an instruction that
// needs the value, or a fence, acquire, release, barrier, mbarrier or copy operation, or the end of the
// thread. Between issue and binding the load is an agent of its own, as PTX ISA 8.10.4 asks (causality
// does not forbid load buffering).

// lateLoad is one element of a load between issue and binding. It is never changed in place.
type lateLoad struct {
	pc, elem int
	a        causal.Access
	view     causal.View // what is ordered before the load
	// later: what the thread did on the same cells since the issue, as far as base causality leads from
	// the load to it.
	later   []laterAccess
	touches footprint
	unused  bool // its register has been overwritten
}

// laterAccess is an access that follows a late load in program order: the write that it made, or took its
// value from.
type laterAccess struct {
	cell  int
	event causal.EventID
	write bool
}

// deferred is a private instruction some of whose operands are registers of late loads, or come from them.
type deferred struct {
	pc   int
	src  []model.Value
	from []model.Reg // by operand: the register it waits for, or NoReg
}

// unbound calls f with each register whose value is still to come.
func (t *thread) unbound(info *threadInfo, f func(r model.Reg)) {
	code := info.code.entry.Code
	for _, l := range t.late {
		if !l.unused {
			f(code[l.pc].Dst[l.elem].Reg)
		}
	}
	for _, d := range t.deferred {
		for i := range code[d.pc].Dst {
			f(code[d.pc].Dst[i].Reg)
		}
	}
}

func (t *thread) isUnbound(info *threadInfo, r model.Reg) (yes bool) {
	t.unbound(info, func(u model.Reg) { yes = yes || u == r })
	return yes
}

// awaited reports whether a deferred instruction waits for a register, or for giving it its value.
func (t *thread) awaited(info *threadInfo, r model.Reg) bool {
	for _, d := range t.deferred {
		dst := info.code.entry.Code[d.pc].Dst
		if slices.Contains(d.from, r) || slices.ContainsFunc(dst, func(o model.Operand) bool { return o.Kind == model.RegOperand && o.Reg == r }) {
			return true
		}
	}
	return false
}

// overwrite notes that the registers of an instruction no longer take the values of late loads.
func (st *stepper) overwrite(in *model.Instr) {
	code := st.info.code.entry.Code
	for k, l := range st.t.late {
		for i := range in.Dst {
			if d := in.Dst[i]; !l.unused && d.Kind == model.RegOperand && d.Reg == code[l.pc].Dst[l.elem].Reg {
				n := *l
				n.unused = true
				st.t.late[k] = &n
			}
		}
	}
}

// bound reports whether all loads of the thread have their values.
func (t *thread) bound() bool { return len(t.late) == 0 }

// mustBind reports whether the thread cannot go on before some late load has its value.
func (m *Machine) mustBind(ti int, t *thread) bool {
	if t.bound() {
		return false
	}
	info := &m.threads[ti]
	code := info.code.entry.Code
	if t.pc == len(code) {
		return true
	}
	in := &code[t.pc]
	if in.Pred != model.NoReg && t.isUnbound(info, in.Pred) {
		return true
	}
	if !m.guardHolds(in, t) {
		return false
	}
	if visible(in) && !overtakes(in) {
		return true
	}
	must := slices.ContainsFunc(t.late, func(l *lateLoad) bool { return l.pc == t.pc }) // the same load of an earlier turn
	for i := range in.Dst {
		must = must || in.Dst[i].Kind == model.RegOperand && t.awaited(info, in.Dst[i].Reg)
	}
	if !must && !deferrable(in) {
		uses(in, func(r model.Reg) { must = must || t.isUnbound(info, r) })
	}
	return must
}

// overtakes reports whether a visible instruction leaves earlier loads of its thread unbound: an access
// that neither acquires nor releases (assumption A1).
func overtakes(in *model.Instr) bool {
	switch in.Op {
	case model.Ld, model.St, model.Atom, model.Red:
		return !in.Sem.Acquires() && !in.Sem.Releases()
	default:
		return false
	}
}

// deferrable reports whether an instruction only computes.
func deferrable(in *model.Instr) bool {
	if visible(in) {
		return false
	}
	switch in.Op {
	case model.Ld, model.MBarrier, model.Bra, model.Nanosleep:
		return false
	default:
		return true
	}
}

// putOff keeps a private instruction for when its operands have values; false if they have.
func (st *stepper) putOff(in *model.Instr, pc int) bool {
	t := st.t
	if t.bound() {
		return false
	}
	d := deferred{pc: pc}
	waits := false
	for i := range in.Src {
		o := &in.Src[i]
		if o.Kind == model.RegOperand && t.isUnbound(st.info, o.Reg) {
			waits = true
			d.src, d.from = append(d.src, model.Value{}), append(d.from, o.Reg)
		} else {
			d.src, d.from = append(d.src, st.operand(o)), append(d.from, model.NoReg)
		}
	}
	if waits {
		t.deferred = append(t.deferred, d)
	}
	return waits
}

// catchUp executes what waited for a register, in program order.
func (st *stepper) catchUp() {
	t := st.t
	list := t.deferred
	t.deferred = nil
	for i, d := range list {
		in := &st.info.code.entry.Code[d.pc]
		d.src, d.from = slices.Clone(d.src), slices.Clone(d.from)
		waits := false
		for k, r := range d.from {
			switch {
			case r == model.NoReg:
			case t.isUnbound(st.info, r):
				waits = true
			default:
				d.src[k], d.from[k] = st.operand(&in.Src[k]), model.NoReg
			}
		}
		if waits {
			t.deferred = append(t.deferred, d)
			continue
		}
		dst, err := st.m.pure(st.info, in, d.src)
		if err != nil {
			st.in, st.pc = in, d.pc
			st.undefined("arithmetic", "%v", err)
			t.deferred = append(t.deferred, list[i+1:]...)
			return
		}
		for k := range in.Dst {
			st.set(in, k, dst[k])
		}
	}
}

// issueLate leaves a load unbound.
func (st *stepper) issueLate(a *causal.Access, elem int) bool {
	if !st.plainMemory(a) || !st.checkFlights(a, false) || !st.checkRaces(a, false) {
		return false
	}
	l := &lateLoad{pc: st.pc, elem: elem, a: *a, view: st.before, touches: st.m.newFootprint()}
	for c := a.First; c < a.First+a.N; c++ {
		l.touches.R.set(c)
		l.touches.W.set(c)
	}
	st.t.late = append(st.t.late, l)
	st.recordRead(a)
	st.rec.note("the load of %s takes its value later", st.m.cellName(a.First, a.N))
	return true
}

// noteLater tells late loads that stand before an access of the thread in program order what it did in a
// cell. before is how many of them do.
func (st *stepper) noteLater(a *causal.Access, before, cell int, ev causal.EventID, write bool) {
	for i, l := range st.t.late[:before] {
		if cell < l.a.First || cell >= l.a.First+l.a.N || l.a.Needs() != a.Needs() || l.a.Virt != a.Virt || l.pc == st.pc {
			continue
		}
		n := *l
		n.later = append(slices.Clone(l.later), laterAccess{cell, ev, write})
		st.t.late[i] = &n
	}
}

// noteRead tells late loads what a later read of the thread took.
func (st *stepper) noteRead(a *causal.Access, before int, pick causal.Observation) {
	for i, p := range pick {
		st.noteLater(a, before, a.First+i, st.s.Mem.Cell(a.First + i).Writes[p].Event, false)
	}
}

// bind gives a late load its value.
func (st *stepper) bind(ti, k int) {
	m, s := st.m, st.s
	st.enter(ti, s.own(ti))
	l := st.t.late[k]
	st.pc, st.in = l.pc, &st.info.code.entry.Code[l.pc]
	st.rec.instr(st)
	st.rec.note("takes its value")
	a := &l.a
	if o := m.layout.cells[a.First].obj; o.cta >= 0 && !st.ctaAlive(o.cta) {
		return
	}
	var picks []causal.Observation
	for _, p := range m.observe(s, a, l.view, m.bytesOf(a)) {
		if trial := s.Mem.Clone(); bindTo(&trial, l, p) {
			picks = append(picks, p)
		}
	}
	if len(picks) == 0 {
		st.out.Impossible, st.out.Ended = true, true
		return
	}
	pick := picks[st.ch.Choose(len(picks))]
	bindTo(&s.Mem, l, pick)
	st.t.late = slices.Delete(st.t.late, k, k+1)
	bytes, ok := st.take(a, l.view, k, pick)
	if !ok {
		return
	}
	if !l.unused {
		st.set(st.in, l.elem, extend(getValue(bytes), st.in.Type))
	}
	st.catchUp()
	if !st.out.Ended {
		st.runLocal()
	}
}

// bindTo enters in coherence order what it means for the accesses after a late load that the load takes
// its value from these writes; false if that cannot be. The accesses come after the observed write in
// causality order if the observation is morally strong (PTX ISA 8.9.6).
func bindTo(mem *causal.Memory, l *lateLoad, pick causal.Observation) bool {
	sources := make([]causal.EventID, len(pick))
	for i, p := range pick {
		sources[i] = mem.Cell(l.a.First + i).Writes[p].Event
	}
	for _, y := range l.later {
		w := sources[y.cell-l.a.First]
		if y.write && w == y.event {
			return false
		}
		if w == causal.NoEvent || w == y.event || !causal.MorallyStrong(&l.a, &mem.Events[w].Access) {
			continue
		}
		if y.write && !mem.OrderBefore(w, y.event) || !y.write && !mem.Bar(y.cell, y.event, w) {
			return false
		}
	}
	return true
}

// bytesOf returns the size of an access.
func (m *Machine) bytesOf(a *causal.Access) (n int) {
	for c := a.First; c < a.First+a.N; c++ {
		n += m.layout.cells[c].size
	}
	return n
}

// findLate notes the loads for which it makes a difference that they bind late: a store that another thread
// may read can be issued before. A weak load that such a store could tell from an early one races, so it
// only counts where races are no violations.
func (m *Machine) findLate() {
	for ti := range m.threads {
		f := &m.facts[ti]
		code := m.threads[ti].code.entry.Code
		f.late = newBitset(len(code) + 1)
		if m.Opts.Break == RuleLateLoad {
			continue
		}
		others := newBitset(m.nres)
		for i := range m.threads {
			if i != ti || m.mixed { // a thread may see its own later store through another proxy
				others.or(m.facts[i].future[0].R)
			}
		}
		for pc := range code {
			if asynchronous(code[pc].Op) || code[pc].Op == model.CopyAsync {
				others.or(f.step[pc].R) // the thread's own copies
			}
		}
		for pc := range code {
			in := &code[pc]
			if f.reached[pc] && in.Op == model.Ld && overtakes(in) && (in.Sem.Strong() || m.Opts.Racy) && m.mayOvertake(ti, pc, others) {
				f.late.set(pc)
			}
		}
	}
	for ti := range m.threads {
		m.facts[ti].late.each(func(pc int) {
			f := &m.facts[ti].step[pc]
			f.W.or(m.cellsOnly(f.R)) // it may settle an order of writes when it binds
		})
		m.futures(ti)
	}
}

func (m *Machine) cellsOnly(b bitset) bitset {
	out := newBitset(m.nres)
	b.each(func(i int) {
		if i < len(m.layout.cells) {
			out.set(i)
		}
	})
	return out
}

// mayOvertake follows the code behind a load until its value is needed.
func (m *Machine) mayOvertake(ti, load int, others bitset) bool {
	f := &m.facts[ti]
	info := &m.threads[ti]
	code := info.code.entry.Code
	type point struct {
		pc      int
		tainted string // registers that come from the load, as a key
	}
	seen := map[point]bool{}
	var walk func(pc int, tainted []model.Reg) bool
	walk = func(pc int, tainted []model.Reg) bool {
		if pc == len(code) {
			return false
		}
		slices.Sort(tainted)
		key := make([]byte, 0, 2*len(tainted))
		for _, r := range tainted {
			key = append(key, byte(r), byte(r>>8))
		}
		p := point{pc, string(key)}
		if seen[p] {
			return false
		}
		seen[p] = true
		in := &code[pc]
		needs := in.Pred != model.NoReg && slices.Contains(tainted, in.Pred)
		depends := false
		uses(in, func(r model.Reg) { depends = depends || slices.Contains(tainted, r) })
		if needs || visible(in) && !overtakes(in) && in.Pred == model.NoReg || depends && !deferrable(in) {
			return false
		}
		if visible(in) && in.Op != model.Ld && f.step[pc].W.meets(others) {
			return true
		}
		if depends {
			for i := range in.Dst {
				if in.Dst[i].Kind == model.RegOperand {
					tainted = append(slices.Clone(tainted), in.Dst[i].Reg)
				}
			}
		}
		for _, next := range f.next[pc] {
			if walk(next, slices.Clone(tainted)) {
				return true
			}
		}
		return false
	}
	var dst []model.Reg
	for _, d := range code[load].Dst {
		if d.Kind == model.RegOperand {
			dst = append(dst, d.Reg)
		}
	}
	if len(dst) < len(code[load].Dst) || code[load].Dst == nil {
		return false // an element that goes to no register is bound at once
	}
	for _, next := range f.next[load] {
		if walk(next, slices.Clone(dst)) {
			return true
		}
	}
	return false
}

// renumber returns the load with the events of later accesses renamed.
func (l *lateLoad) renumber(to []causal.EventID) *lateLoad {
	n := *l
	n.later = slices.Clone(l.later)
	for i, y := range n.later {
		if y.event != causal.NoEvent {
			n.later[i].event = to[y.event]
		}
	}
	return &n
}
