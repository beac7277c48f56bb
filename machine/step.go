package machine

import (
	"fmt"

	"ptxmc/memmodel"
	"ptxmc/memmodel/causal"
	"ptxmc/model"
	"ptxmc/model/launch"
	"ptxmc/model/mbarrier"
)

// Agent is who moves: a thread, a CTA that becomes resident, an asynchronous copy in flight, or a load
// that takes its value late.
type Agent struct {
	Kind  AgentKind
	Index int // thread; CTA; position among the copies in flight; thread and position among its late loads
}

// lateAgent is the k-th late load of a thread.
func lateAgent(ti, k int) Agent { return Agent{LateAgent, ti<<8 | k} }

func (a Agent) late() (ti, k int) { return a.Index >> 8, a.Index & 0xff }

// AgentKind says what an agent is.
type AgentKind uint8

// The kinds of agents.
const (
	ThreadAgent AgentKind = iota
	CTAAgent
	FlightAgent
	LateAgent
)

// Outcome is what a move did besides changing the state.
type Outcome struct {
	Violations []*Violation
	// Ended: the execution has no meaning past this move (undefined behaviour, or a race with an
	// asynchronous operation).
	Ended bool
	// Impossible: the decisions taken contradict each other; there is no such move.
	Impossible bool
	// Missed lists cells of which a strong read took an older value although a newer strong write
	// was there, and barriers whose completed phase a wait did not see: a fair execution does not
	// do so for ever.
	Missed []int
	// Changed lists cells and barriers that got a new value.
	Changed []int
}

// stepper is one move under way.
type stepper struct {
	m   *Machine
	s   *State
	ch  causal.Chooser
	rec *Recorder
	out Outcome

	ti   int // executing or issuing thread
	t    *thread
	info *threadInfo
	pc   int
	in   *model.Instr

	virt uint8 // virtual address of the memory operand, as causal.Access has it

	// before is what a release by the instruction covers: what came before it. Elements of a vector
	// access are unordered among each other (PTX ISA 8.2.4).
	before causal.View
	// acquired is what the elements of the instruction acquired so far.
	acquired causal.View

	// own and reads are what a copy hands over: its accesses so far, and the reads among them.
	own, reads causal.View
}

// Step makes agent a move in s, which the caller owns. Every decision is taken from ch; rec, if not
// nil, gets what happened in words.
func (m *Machine) Step(s *State, a Agent, ch causal.Chooser, rec *Recorder) Outcome {
	st := &stepper{m: m, s: s, ch: ch, rec: rec}
	switch a.Kind {
	case ThreadAgent:
		st.thread(a.Index)
	case CTAAgent:
		st.reside(a.Index)
	case FlightAgent:
		st.complete(a.Index)
	case LateAgent:
		st.bind(a.late())
	}
	if len(s.meets) > 0 && !st.out.Ended {
		st.openMeetings()
	}
	if !st.out.Ended {
		m.settle(s)
	}
	return st.out
}

// Enabled reports whether the agent can move at all.
func (m *Machine) Enabled(s *State, a Agent) bool {
	switch a.Kind {
	case ThreadAgent:
		t := s.threads[a.Index]
		if t.status != threadRunning || m.mustBind(a.Index, t) {
			return false
		}
		e := m.threads[a.Index].code.entry
		if t.pc < len(e.Code) && m.guardHolds(&e.Code[t.pc], t) {
			switch in := &e.Code[t.pc]; in.Op {
			case model.GridDepWait:
				return m.gridWaitOver(s, m.ctas[m.threads[a.Index].cta].grid)
			case model.ClusterWait:
				return t.cluster != clusterArrived
			case model.CopyWait:
				return m.groupsDone(s, a.Index, in)
			}
		}
		return true
	case CTAAgent:
		return m.mayReside(s, a.Index)
	case FlightAgent:
		f := s.flights[a.Index]
		return m.commitsInOrder(s, f) && (!f.arrival() || m.mayArrive(s, f))
	default:
		return true
	}
}

func (m *Machine) gridWaitOver(s *State, g int) bool {
	for p := range m.grids {
		if m.prerequisite(g, p) && !m.completed(s, p) {
			return false
		}
	}
	return true
}

// mayReside: the grid has started, no CTA of the cluster is resident yet, and slots are free. A
// cluster's CTAs are co-scheduled; its first CTA stands for them.
func (m *Machine) mayReside(s *State, c int) bool {
	cluster := m.clusters[m.ctas[c].cluster]
	if s.ctas[c].status != ctaPending || !s.grids[m.ctas[c].grid].started || cluster[0] != c {
		return false
	}
	slots := m.slots()
	return slots == 0 || s.slots+len(cluster) <= slots || m.Opts.Break == RuleSlots
}

func (st *stepper) reside(c int) {
	m, s := st.m, st.s
	for _, peer := range m.clusters[m.ctas[c].cluster] {
		s.ctas[peer].status = ctaResident
		s.slots++
		if m.grids[m.ctas[peer].grid].launch.When == launch.WhenStarted {
			s.ctas[peer].triggered = true // the trigger at block start covers nothing
		}
		st.rec.agent(m.ctaName(peer), "becomes resident")
		for _, ti := range m.ctas[peer].threads {
			t := s.own(ti)
			t.status = threadRunning
			t.view = s.grids[m.ctas[peer].grid].start
			st.enter(ti, t)
			st.runLocal()
		}
	}
}

// enter makes ti the executing thread.
func (st *stepper) enter(ti int, t *thread) {
	st.ti, st.t, st.info = ti, t, &st.m.threads[ti]
}

func (m *Machine) guardHolds(in *model.Instr, t *thread) bool {
	return in.Pred == model.NoReg || (t.regs[in.Pred].Lo&1 == 1) != in.PredNeg
}

// thread executes the visible instruction at the thread's pc, then all private ones up to the next.
func (st *stepper) thread(ti int) {
	st.enter(ti, st.s.own(ti))
	e := st.info.code.entry
	st.pc = st.t.pc
	if st.pc == len(e.Code) {
		st.rec.step(st, "end of the entry")
		st.end()
		return
	}
	st.in = &e.Code[st.pc]
	st.m.cover(ti, st.pc)
	if !st.m.guardHolds(st.in, st.t) {
		st.t.pc++
		st.runLocal()
		return
	}
	st.rec.instr(st)
	st.overwrite(st.in)
	st.before, st.acquired = st.t.view, nil
	st.t.pc++
	if !st.checkRegisters(st.in) {
		return
	}
	switch st.in.Op {
	case model.Ld:
		st.load()
	case model.St:
		st.store()
	case model.StBulk:
		st.storeBulk()
	case model.Atom, model.Red:
		st.atomic()
	case model.Fence:
		st.fence()
	case model.FenceProxy:
		st.proxyFence()
	case model.FenceMBarrierInit:
		st.mbarrierInitFence()
	case model.BarSync, model.BarArrive, model.BarRed:
		st.threadBarrier()
	case model.BarQuorum:
		st.meet()
	case model.WarpSync, model.WarpOp, model.Elect:
		st.warp()
	case model.ActiveMask:
		st.activeMask()
	case model.MBarrier:
		st.mbarrier()
	case model.ClusterArrive:
		st.clusterArrive()
	case model.ClusterWait:
		st.clusterWait()
	case model.AsyncStore, model.AsyncRed:
		st.asyncStore()
	case model.BulkCopy, model.CopyAsync:
		st.issue()
	case model.CopyArrive:
		st.arriveCopies()
	case model.CopyCommit:
		st.commit(st.in.Group.Bulk)
	case model.CopyWait:
		st.groupWait()
	case model.MMAAsync:
		st.mmaAsync()
	case model.MMAWait:
		st.mmaWait()
	case model.TensorMMA:
		st.tensorMMA()
	case model.TensorCommit:
		st.tensorCommit()
	case model.TensorAlloc:
		st.tensorAlloc()
	case model.TryCancel:
		st.tryCancel()
	case model.LaunchDependents:
		st.trigger()
	case model.GridDepWait:
		st.gridWait()
	case model.Trap:
		st.violate(&Violation{Property: "asserts", Rule: "trap", Ends: true,
			Message: fmt.Sprintf("%s executes trap", st.m.threadName(ti))})
	case model.Ret:
		st.end()
	}
	if !st.out.Ended && st.t.status == threadRunning {
		st.runLocal()
	}
}

// maxLocal bounds a run of private instructions; a longer one does not end.
const maxLocal = 1 << 16

// runLocal executes private instructions until the next visible one.
func (st *stepper) runLocal() {
	e := st.info.code.entry
	t := st.t
	for n := 0; t.pc < len(e.Code); n++ {
		in := &e.Code[t.pc]
		if st.m.mustBind(st.ti, t) || visible(in) && st.m.guardHolds(in, t) {
			break
		}
		if n == maxLocal {
			st.in, st.pc = in, t.pc
			st.violate(&Violation{Property: "terminates", Rule: "private-loop", Ends: true,
				Message: fmt.Sprintf("%s runs %d instructions without touching memory or a barrier: the loop does not end", st.m.threadName(st.ti), maxLocal)})
			return
		}
		st.m.cover(st.ti, t.pc)
		holds := st.m.guardHolds(in, t)
		if in.Op == model.Bra {
			st.m.coverBranch(st.ti, t.pc, holds)
		}
		if !holds {
			t.pc++
			continue
		}
		if in.Op == model.Bra {
			t.pc = in.Target
			continue
		}
		st.in, st.pc = in, t.pc
		if !st.checkRegisters(in) {
			return
		}
		st.overwrite(in)
		if st.mmaLocal(in) || st.putOff(in, t.pc) {
			t.pc++
			continue
		}
		src := make([]model.Value, len(in.Src))
		for i := range in.Src {
			src[i] = st.operand(&in.Src[i])
		}
		dst, err := st.private(in, src)
		if err != nil {
			st.in, st.pc = in, t.pc
			rule := "arithmetic"
			if _, ok := err.(badAddress); ok {
				rule = "shared-address"
			}
			st.undefined(rule, "%v", err)
			return
		}
		for i := range in.Dst {
			st.set(in, i, dst[i])
		}
		t.pc++
	}
	for r := range t.regs {
		if !st.info.code.live[t.pc].has(r) {
			t.regs[r] = model.Value{}
		}
	}
}

func (st *stepper) private(in *model.Instr, src []model.Value) ([]model.Value, error) {
	switch in.Op {
	case model.Ld:
		return st.m.loadPrivate(st.info, in, st.address(in, 0))
	case model.MBarrier: // pending_count
		n, err := mbarrier.PendingCount(src[0].Lo)
		return []model.Value{{Lo: uint64(n)}}, err
	default:
		return st.m.pure(st.info, in, src)
	}
}

func (st *stepper) operand(o *model.Operand) model.Value {
	if o.Kind == model.RegOperand {
		v := st.t.regs[o.Reg]
		if o.Neg {
			v.Lo ^= 1
		}
		return v
	}
	return st.m.constant(st.info, o)
}

func (st *stepper) set(in *model.Instr, d int, v model.Value) {
	if d < len(in.Dst) && in.Dst[d].Kind == model.RegOperand {
		st.t.regs[in.Dst[d].Reg] = fitRegister(st.info, in, d, v)
	}
}

func (st *stepper) address(in *model.Instr, i int) uint64 {
	return st.operand(&in.Addrs[i].Base).Lo + uint64(in.Addrs[i].Off)
}

func (st *stepper) fence() {
	in, t := st.in, st.t
	if in.Sem.Acquires() {
		keep := t.observed[:0]
		for _, o := range t.observed {
			if o.scope <= in.Scope && (in.SyncRestrict == model.GenericSpace || o.cell < 0 || st.m.layout.cells[o.cell].obj.cta >= 0) {
				if st.m.Opts.Break != RuleAcquire {
					t.view = causal.Join(t.view, o.view)
				}
				continue
			}
			keep = append(keep, o)
		}
		t.observed = keep
	}
	if in.Sem == memmodel.SC {
		st.fenceSC()
	}
	if in.Sem.Releases() {
		if in.SyncRestrict != model.GenericSpace {
			t.sharedFence, t.sharedFenced = t.view, true
			return
		}
		for sc := range in.Scope {
			t.fences[sc], t.fenced[sc] = nil, false // the wider, later fence covers more
		}
		t.fences[in.Scope], t.fenced[in.Scope] = t.view, true
	}
}

// fenceSC joins every earlier morally strong fence.sc (axiom Fence-SC): the order of exploration is
// the fence-SC order.
func (st *stepper) fenceSC() {
	in, t := st.in, st.t
	keep := st.s.fences[:0]
	for _, f := range st.s.fences {
		here, there := st.info.place, st.m.threads[f.thread].place
		if in.Scope.Includes(here, there) && f.scope.Includes(there, here) && st.m.Opts.Break != RuleSCFence {
			t.view = causal.Join(t.view, f.view)
		}
		if f.thread != st.ti || f.scope > in.Scope {
			keep = append(keep, f)
		}
	}
	st.s.fences = append(keep, scFence{in.Scope, st.ti, t.view})
}

func (st *stepper) proxyFence() {
	if st.m.Opts.Break == RuleProxyFence {
		return
	}
	v := st.t.view
	if st.in.ProxyFence.Alias {
		if st.m.aliased { // else one virtual address for each location: nothing to order
			st.t.view = v.AliasFence()
		}
		return
	}
	// a fence that is limited to a space carries only events of that space
	sem := st.in.ProxyFence.Sem
	fence := v.ProxyFence
	if st.m.aliased {
		fence = v.ProxyFenceAliased
	}
	fenced := fence(st.m.proxyPlace(st.in.ProxyFence.Proxy, st.info.cta), sem == memmodel.Weak, true)
	if sp := st.in.ProxyFence.Space; sp != model.GenericSpace {
		for i, k := range fenced {
			if o := st.m.layout.cells[st.s.Mem.Events[k.Event].First].obj; (o.cta >= 0) != sp.Shared() {
				fenced = withLevel(fenced, v, i)
			}
		}
	}
	st.t.view = fenced
}

func withLevel(fenced, old causal.View, i int) causal.View {
	if fenced[i] == old[i] {
		return fenced
	}
	c := append(causal.View(nil), fenced...)
	c[i] = old[i]
	return c
}

// mbarrierInitFence releases the thread's own earlier mbarrier.init, and nothing else, at cluster
// scope (PTX ISA 9.7.15.4).
func (st *stepper) mbarrierInitFence() {
	var v causal.View
	for _, k := range st.t.view {
		e := st.s.Mem.Events[k.Event]
		if e.Write && e.Agent == st.ti && st.m.initEvent(e) {
			v = v.With(k.Event, k.Level)
		}
	}
	st.t.fences[memmodel.Cluster] = causal.Join(st.t.fences[memmodel.Cluster], v)
	st.t.fenced[memmodel.Cluster] = true
}

// trigger is griddepcontrol.launch_dependents: it takes effect for the CTA at its first execution
// and hands over only what earlier release fences of device scope cover (PTX ISA 9.7.15.14).
func (st *stepper) trigger() {
	c := &st.s.ctas[st.info.cta]
	if c.triggered {
		return
	}
	c.triggered = true
	if !st.m.grids[st.m.ctas[st.info.cta].grid].hasDependent {
		return
	}
	for sc := memmodel.GPU; sc <= memmodel.Sys; sc++ {
		c.trigger = causal.Join(c.trigger, st.t.fences[sc])
	}
	if st.m.Opts.Break == RuleTrigger {
		c.trigger = st.t.view
	}
	if st.m.Opts.TriggerReleasesCTA {
		c.trigger = causal.Join(c.trigger, st.m.writesOf(st.s, st.info.cta))
	}
}

func (st *stepper) gridWait() {
	g := st.m.ctas[st.info.cta].grid
	for p := range st.m.grids {
		if st.m.prerequisite(g, p) && st.m.Opts.Break != RuleGridWait {
			end := st.s.grids[p].end.Map(func(causal.Level) causal.Level { return causal.All })
			st.t.view = causal.Join(st.t.view, end)
		}
	}
}

// end is the exit of a thread and, with the last one, of its CTA.
func (st *stepper) end() {
	m, s := st.m, st.s
	t, cta := st.t, st.info.cta
	g := m.ctas[cta].grid
	t.status = threadEnded
	s.grids[g].end = causal.Join(s.grids[g].end, t.view)
	*t = thread{status: threadEnded, regs: st.info.code.finals(t.regs)}
	s.ctas[cta].ended++
	st.releaseBarriersOfEnded()
	st.checkClusterBarrier(m.ctas[cta].cluster)
	if !st.out.Ended {
		st.exitIfDone(cta)
	}
}

// exitIfDone lets a CTA exit once its threads have ended and the asynchronous stores that nothing but its
// end waits for are done (PTX ISA 9.7.10.12, 9.7.15.7).
func (st *stepper) exitIfDone(cta int) {
	m, s := st.m, st.s
	if s.ctas[cta].ended < len(m.ctas[cta].threads) {
		return
	}
	for _, f := range s.flights {
		if m.threads[f.thread].cta == cta && f.endsWithCTA() {
			return
		}
	}
	if m.litmus != nil { // its memory stays
		s.ctas[cta].status = ctaExited
		s.grids[m.ctas[cta].grid].exited++
		return
	}
	st.exitCTA(cta)
}

func (st *stepper) exitCTA(cta int) {
	m, s := st.m, st.s
	for _, f := range s.flights {
		if m.needs(f, cta) {
			st.violate(&Violation{Property: "lifetime", Rule: "in-flight-at-exit", Ends: true,
				Message: fmt.Sprintf("%s exits while the %s issued by %s is still in flight", m.ctaName(cta), m.flightWord(f.thread, f.pc), m.threadName(f.thread)),
				Sites:   []Site{m.site(f.thread, f.pc, "the "+m.flightWord(f.thread, f.pc))},
				Fix:     "wait for the " + m.flightWord(f.thread, f.pc) + "'s completion before the CTA's threads end"})
			return
		}
	}
	if !st.checkExit(cta) {
		return
	}
	for _, b := range s.bars {
		if m.layout.cells[b.cell].obj.cta == cta && b.ReportUnread {
			st.violate(&Violation{Property: "no-lost-report", Rule: "report-unread",
				Message: fmt.Sprintf("%s exits although the last phase of %s completed with a report that no wait on the primary phase returned", m.ctaName(cta), m.cellName(b.cell, 1)),
				Fix:     "let the thread that re-issues the copy wait on .phase_type::primary and take the report predicate"})
		}
	}
	keep := s.bars[:0:0]
	for _, b := range s.bars {
		if m.layout.cells[b.cell].obj.cta != cta {
			keep = append(keep, b)
		}
	}
	s.bars = keep
	if o := m.layout.shared[cta]; o >= 0 {
		obj := m.layout.objects[o]
		for c := obj.first; c < obj.first+len(obj.bounds); c++ {
			s.Mem.Cells[c] = nil
		}
	}
	s.ctas[cta].status = ctaExited
	s.slots--
	s.grids[m.ctas[cta].grid].exited++
	st.rec.note("%s has exited", m.ctaName(cta))
}
