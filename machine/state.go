package machine

import (
	"slices"

	"ptxmc/memmodel"
	"ptxmc/memmodel/causal"
	"ptxmc/model"
	"ptxmc/model/mbarrier"
)

// State is one moment of one execution. What the pointers lead to is shared between states and
// never changed in place.
type State struct {
	Mem     causal.Memory
	threads []*thread
	ctas    []ctaState
	grids   []gridState
	flights []*flight // sorted by thread and pc of the issue
	// finished copies that a wait of their thread has still to hand over; sorted by thread
	finished []*finished
	bars     []*barrier       // sorted by cell
	named    []*namedBarrier  // sorted by CTA and number
	clusters []clusterBarrier // by cluster
	meets    []*meeting       // barriers of the litmus dialect, sorted by key
	warps    []*warpMeeting   // sorted by warp, mask and kind
	mmas     []*mma           // by thread, in the order of issue
	fences   []scFence
	input    int // combination of inputs
	slots    int // CTAs resident
}

type threadStatus uint8

const (
	threadWaiting threadStatus = iota // its CTA is not resident yet
	threadRunning
	threadAtBarrier // arrived at a thread barrier
	threadEnded
)

type thread struct {
	status threadStatus
	pc     int
	regs   []model.Value
	view   causal.View
	// observed heads wait for a later acquire fence, or an acquire of the same location.
	observed []observed
	// fences: what the last release fence of each scope covered.
	fences [memmodel.Sys + 1]causal.View
	fenced [memmodel.Sys + 1]bool
	// released: what earlier releases of this thread to a location covered.
	released []released
	late     []*lateLoad // loads without a value yet, in program order
	deferred []deferred  // instructions that wait for them
	turns    []turn      // of the litmus dialect's barriers
	cluster  clusterTurn // at the barrier of its cluster
	// sharedFence is the last release fence with .sync_restrict: it covers shared memory only.
	sharedFence  causal.View
	sharedFenced bool
	mma          mmaState
}

// observed is a head that a strong read or a relaxed wait brought, and what an acquire needs to
// join it.
type observed struct {
	cell  int            // where it was read; -1: through an mbarrier or a completion
	via   way            // how
	scope memmodel.Scope // narrowest scope of an acquire that includes the releasing thread
	view  causal.View
}

type released struct {
	cell  int
	via   way
	scope memmodel.Scope
	view  causal.View
}

// way is what two accesses of one thread to one location have to share to be ordered by their location
// (PTX ISA 8.8, patterns): the proxy and the virtual address.
type way struct {
	proxy memmodel.Proxy
	virt  uint8
}

func wayOf(a *causal.Access) way { return way{a.Proxy, a.Virt} }

type ctaStatus uint8

const (
	ctaPending ctaStatus = iota
	ctaResident
	ctaExited
)

type ctaState struct {
	status    ctaStatus
	ended     int // threads that ended
	triggered bool
	trigger   causal.View // what release fences before the trigger hand to dependents
	cancel    cancelState
}

type gridState struct {
	started bool
	start   causal.View // what every thread of the grid begins with
	end     causal.View // what its ended threads knew
	exited  int         // CTAs
}

// barrier is an mbarrier object with the heads of its phases.
type barrier struct {
	cell int
	mbarrier.Barrier
	// current and done hold what the arrivals of the current and of the completed phases
	// released: near to any acquire wait, far only to one of cluster scope (PTX ISA 9.7.15.16).
	current, done phaseHeads
}

type phaseHeads struct{ near, far causal.View }

// namedBarrier is barrier a of a CTA between its first arrival and its completion.
type namedBarrier struct {
	cta, id int
	count   int // threads expected
	arrived int
	waiting []int // threads blocked in bar.sync
	brought causal.View
	red     barrierUse
	trues   int // predicates of bar.red that were true
}

// barrierUse says whether a rendezvous reduces predicates, and how: bar.red is not to be mixed with other
// forms on an active barrier (PTX ISA 9.7.15.1).
type barrierUse uint8

const (
	barPlain barrierUse = iota
	barPopc
	barAnd
	barOr
)

type scFence struct {
	scope  memmodel.Scope
	thread int
	view   causal.View
}

// clone returns a state that can be changed without changing s.
func (s *State) clone() *State {
	c := *s
	c.Mem = s.Mem.Clone()
	c.threads = slices.Clone(s.threads)
	c.ctas = slices.Clone(s.ctas)
	c.grids = slices.Clone(s.grids)
	c.flights = slices.Clone(s.flights)
	c.clusters = slices.Clone(s.clusters)
	c.finished = slices.Clone(s.finished)
	c.bars = slices.Clone(s.bars)
	c.named = slices.Clone(s.named)
	c.meets = slices.Clone(s.meets)
	c.warps = slices.Clone(s.warps)
	c.mmas = slices.Clone(s.mmas)
	c.fences = slices.Clone(s.fences)
	return &c
}

// own returns thread i for changing.
func (s *State) own(i int) *thread {
	t := *s.threads[i]
	t.regs = slices.Clone(t.regs)
	t.observed = slices.Clone(t.observed)
	t.released = slices.Clone(t.released)
	t.late = slices.Clone(t.late)
	t.deferred = slices.Clone(t.deferred)
	t.turns = slices.Clone(t.turns)
	s.threads[i] = &t
	return &t
}

// barrierAt returns the position of the live mbarrier at a cell, or where it would stand.
func (s *State) barrierAt(cell int) (int, bool) {
	return slices.BinarySearchFunc(s.bars, cell, func(b *barrier, c int) int { return b.cell - c })
}

// Initial returns the states in which executions begin, one for each combination of inputs.
func (m *Machine) Initial() []*State {
	var out []*State
	for i := range m.inputs {
		s := &State{input: i}
		s.Mem.Cells = make([]*causal.Cell, len(m.layout.cells))
		for t := range m.threads {
			s.threads = append(s.threads, &thread{regs: make([]model.Value, len(m.threads[t].code.entry.RegTypes))})
		}
		s.ctas = make([]ctaState, len(m.ctas))
		s.grids = make([]gridState, len(m.grids))
		s.clusters = make([]clusterBarrier, len(m.clusters))
		if m.litmus != nil {
			m.initialBarriers(s) // NewLitmus has tried it
		}
		m.settle(s)
		out = append(out, s)
	}
	return out
}

// settle starts the grids whose conditions hold: nothing is chosen, so it is no step.
func (m *Machine) settle(s *State) {
	for g := range m.grids {
		if s.grids[g].started || !m.mayStart(s, g) {
			continue
		}
		s.grids[g].started = true
		s.grids[g].start = m.startView(s, g)
	}
}

// mayStart applies PTX ISA 9.7.15.14, stream order and events: a programmatic dependency needs every CTA of
// the other grid triggered or exited, any other one that grid's completion.
func (m *Machine) mayStart(s *State, g int) bool {
	for _, d := range m.grids[g].deps {
		if !s.grids[d.grid].started || d.programmatic && !m.triggered(s, d.grid) || !d.programmatic && !m.completed(s, d.grid) {
			return false
		}
	}
	return true
}

// triggered reports whether every CTA of a grid has triggered or exited.
func (m *Machine) triggered(s *State, g int) bool {
	for _, c := range m.grids[g].ctas {
		if !s.ctas[c].triggered && s.ctas[c].status != ctaExited {
			return false
		}
	}
	return true
}

// completed reports whether all CTAs of a grid have exited. A programmatic dependent that does not
// execute griddepcontrol.wait may complete before the grid that it depends on (CUDA guide 4.6.5).
func (m *Machine) completed(s *State, g int) bool {
	return s.grids[g].exited == len(m.grids[g].ctas)
}

// startView is what is ordered before the start of a grid, at every level (rule GRID-START).
func (m *Machine) startView(s *State, g int) causal.View {
	var v causal.View
	for _, d := range m.grids[g].deps {
		if !d.programmatic {
			v = causal.Join(v, s.grids[d.grid].end)
			continue
		}
		v = causal.Join(v, s.grids[d.grid].start)
		for _, c := range m.grids[d.grid].ctas {
			v = causal.Join(v, s.ctas[c].trigger)
		}
	}
	if m.Opts.Break == RuleGridStart {
		return v
	}
	return v.Map(func(causal.Level) causal.Level { return causal.All })
}
