// Package machine is the causal machine: threads that run PTX, asynchronous agents, mbarriers and
// launches over a memory that follows the PTX memory model. A State is one moment of one
// execution; Step performs one move of one agent, taking every nondeterministic decision from a
// Chooser, so that a search can try them all and replay any of them.
//
// The one invariant: everything nondeterministic goes through the Chooser or is the choice of the
// agent that moves.
package machine

import (
	"fmt"

	"ptxmc/memmodel"
	"ptxmc/memmodel/causal"
	"ptxmc/model"
	"ptxmc/model/launch"
)

type gridInfo struct {
	launch *launch.Launch
	ctas   []int
	deps   []dependency
	// after[g]: this grid starts only when grid g has completed.
	after []bool
	// hasDependent: a grid depends on this one by programmatic launch or programmatic event.
	hasDependent bool
	// cancels: a thread of the grid may cancel clusters that have not started.
	cancels bool
}

// dependency is a grid that must have completed, or triggered, before another one starts: the grid before
// it in its stream, or the one that records an event which its stream waits for.
type dependency struct {
	grid         int
	programmatic bool // every CTA has triggered or exited; else the grid has completed
}

type ctaInfo struct {
	grid    int
	coord   [3]int
	cluster int // numbered over all grids
	rank    int // in the cluster
	threads []int
}

type threadInfo struct {
	cta    int
	tid    [3]int
	linear int
	name   string // if not made of the CTA's
	place  memmodel.Place
	code   *code
	args   []byte // the parameter block
}

// Options are the switches of the machine.
type Options struct {
	// ReadsDoneAtIssue is the policy of that name: for a generic read and a later async write of
	// the same bytes base causality suffices.
	ReadsDoneAtIssue bool
	// InitsArrive is the policy mbarrier-init-fence: any arrival at a cluster barrier hands over
	// the initialisations of mbarriers that its thread knows.
	InitsArrive bool
	// AsyncFlagPayload is the policy of that name: for a copy from global memory base causality from
	// the generic writes of other threads suffices.
	AsyncFlagPayload bool
	// OrderThroughCompletion is the policy of that name: a completion hands over what its issuer knew.
	OrderThroughCompletion bool
	// TriggerReleasesCTA is the policy trigger-visibility: a programmatic trigger makes all earlier writes
	// of its CTA visible, with or without a release fence.
	TriggerReleasesCTA bool
	// AllResident is the policy residency: all CTAs fit, whatever the plan's slots say.
	AllResident bool
	// NoCollect turns the collection of dead and settled events off, for tests.
	NoCollect bool
	// KeepFinal keeps the last content of every buffer, so that Outcome can tell it.
	KeepFinal bool
	// Racy: races are no violations, and weak loads bind late as strong ones do: litmus tests.
	Racy bool
	// Break switches one rule of the semantics off, to show that a test fails without it.
	Break Rule
}

// Machine is a program ready to run: the case, its threads, memory layout and static facts. It is used
// by one goroutine at a time.
type Machine struct {
	Case *launch.Case
	Opts Options

	layout   *layout
	grids    []gridInfo
	ctas     []ctaInfo
	clusters [][]int // CTAs of each cluster
	threads  []threadInfo
	codes    map[*model.Entry]*code
	inputs   [][][]byte // by combination of inputs, by object: initial bytes

	facts      []threadFacts // by thread
	whole      []footprint   // by CTA: what it may do once it is resident
	rendezvous []bool        // by CTA: its barriers are only ever bar.sync of all threads
	triggers   []footprint   // by CTA: of griddepcontrol.launch_dependents
	// residency holds the footprints of CTAs that wait: by whether the grid has started, plus 2 if it may reside.
	residency [][4]footprint
	// set and gather are work space: a Machine is used by one goroutine at a time.
	set           []int
	gather        *collector
	nothing       footprint      // of a move that touches nothing
	nres          int            // resources: cells, then the special ones
	finals        []bool         // cells that a final condition reads
	slotsAll      bool           // every CTA fits at once
	widest        memmodel.Scope // the narrowest that includes all threads from each
	mixed         bool           // a litmus test with proxies other than generic and async, or aliases
	aliased       bool           // some memory has several virtual addresses (litmus tests)
	litmus        *litmusInfo
	coverage      coverage
	finalsChecked bool
}

// New prepares a case. An error is a *model.Diagnostic or says that the program is too large.
func New(c *launch.Case, opts Options) (*Machine, error) {
	m := &Machine{Case: c, Opts: opts, codes: map[*model.Entry]*code{}, widest: memmodel.GPU}
	m.buildTopology()
	if len(m.ctas) > causal.MaxCTAs {
		return nil, fmt.Errorf("the launch plan starts %d CTAs; at most %d are supported: use smaller grids", len(m.ctas), causal.MaxCTAs)
	}
	m.layout = newLayout(c, m.ctas, m.grids)
	if err := m.initialMemory(); err != nil {
		return nil, err
	}
	for i := range m.threads {
		t := &m.threads[i]
		t.args = m.grids[m.ctas[t.cta].grid].launch.ArgBytes(func(b int) uint64 { return m.layout.objects[m.layout.buffers[b]].base }, tensorAddress)
	}
	m.coverage = newCoverage(m.codes)
	if err := m.analyse(); err != nil {
		return nil, err
	}
	if err := m.checkActive(); err != nil {
		return nil, err
	}
	return m, m.checkOpaque()
}

func (m *Machine) buildTopology() {
	last := map[int]int{}
	for gi := range m.Case.Plan.Launches {
		l := &m.Case.Plan.Launches[gi]
		g := gridInfo{launch: l, after: make([]bool, len(m.Case.Plan.Launches))}
		if p, ok := last[l.Stream]; ok {
			m.depend(&g, dependency{p, l.Programmatic})
		}
		for _, p := range l.After {
			if m.Opts.Break == RuleEvent {
				continue
			}
			m.depend(&g, dependency{p, m.Case.Plan.Launches[p].When != launch.WhenCompleted})
		}
		last[l.Stream] = gi
		m.grids = append(m.grids, g)
		m.buildCTAs(gi)
	}
	m.slotsAll = m.slots() == 0 || m.slots() >= len(m.ctas)
}

func (m *Machine) depend(g *gridInfo, d dependency) {
	g.deps = append(g.deps, d)
	for p, done := range m.grids[d.grid].after {
		g.after[p] = g.after[p] || done
	}
	if d.programmatic {
		m.grids[d.grid].hasDependent = true
	} else {
		g.after[d.grid] = true
	}
}

func (m *Machine) buildCTAs(gi int) {
	g := &m.grids[gi]
	l := g.launch
	code := m.codes[l.Entry]
	if code == nil {
		code = newCode(l.Entry)
		m.codes[l.Entry] = code
	}
	clusterOf := map[[3]int]int{}
	for z := range l.Grid[2] {
		for y := range l.Grid[1] {
			for x := range l.Grid[0] {
				cl := [3]int{x / l.Cluster[0], y / l.Cluster[1], z / l.Cluster[2]}
				id, ok := clusterOf[cl]
				if !ok {
					id = len(m.clusters)
					clusterOf[cl] = id
					m.clusters = append(m.clusters, nil)
				}
				ci := len(m.ctas)
				rank := x%l.Cluster[0] + l.Cluster[0]*(y%l.Cluster[1]+l.Cluster[1]*(z%l.Cluster[2]))
				cta := ctaInfo{grid: gi, coord: [3]int{x, y, z}, cluster: id, rank: rank}
				n := l.Block[0] * l.Block[1] * l.Block[2]
				for t := range n {
					cta.threads = append(cta.threads, len(m.threads))
					m.threads = append(m.threads, threadInfo{
						cta:    ci,
						tid:    [3]int{t % l.Block[0], t / l.Block[0] % l.Block[1], t / (l.Block[0] * l.Block[1])},
						linear: t, code: code,
						place: memmodel.Place{Cluster: id, CTA: ci, Thread: len(m.threads)},
					})
				}
				m.clusters[id] = append(m.clusters[id], ci)
				g.ctas = append(g.ctas, ci)
				m.ctas = append(m.ctas, cta)
			}
		}
	}
}

// initialMemory lists the initial contents for every combination of inputs.
func (m *Machine) initialMemory() error {
	base := make([][]byte, len(m.layout.objects))
	for i, o := range m.layout.objects {
		o.index = i
		base[i] = make([]byte, o.size)
		o.unknown = make([]bool, o.size)
		o.stale = make([]bool, o.size)
		if o.cta >= 0 {
			for j := range o.size {
				o.unknown[j] = true
			}
		}
	}
	for i, v := range m.Case.Module.Globals {
		o := m.layout.objects[m.layout.globals[i]]
		copy(base[m.layout.globals[i]], v.Init)
		if v.Init == nil && v.Space == model.GlobalSpace {
			for j := range o.size {
				o.unknown[j] = true
			}
		}
	}
	m.inputs = [][][]byte{base}
	const maxInputs = 4096
	for i := range m.Case.Plan.Buffers {
		b := &m.Case.Plan.Buffers[i]
		oi := m.layout.buffers[i]
		o, w := m.layout.objects[oi], b.Elem.Bytes()
		for e, init := range b.Init {
			for j := e * w; j < (e+1)*w; j++ {
				o.unknown[j], o.stale[j] = init.Unknown, init.Stale
			}
			if len(init.Values) == 0 {
				continue
			}
			var next [][][]byte
			for _, in := range m.inputs {
				for k, v := range init.Values {
					mem := in
					if k < len(init.Values)-1 {
						mem = cloneMemory(in)
					}
					putValue(mem[oi][e*w:(e+1)*w], v)
					next = append(next, mem)
				}
			}
			if len(next) > maxInputs {
				return fmt.Errorf("%v: the inputs of the plan have more than %d combinations; give fewer elements a set of values", b.Pos, maxInputs)
			}
			m.inputs = next
		}
	}
	return nil
}

func cloneMemory(mem [][]byte) [][]byte {
	out := make([][]byte, len(mem))
	for i := range mem {
		out[i] = append([]byte(nil), mem[i]...)
	}
	return out
}

// putValue stores v little endian in b.
func putValue(b []byte, v model.Value) {
	for i := range b {
		if i < 8 {
			b[i] = byte(v.Lo >> (8 * i))
		} else {
			b[i] = byte(v.Hi >> (8 * (i - 8)))
		}
	}
}

// getValue loads up to 16 bytes, little endian.
func getValue(b []byte) (v model.Value) {
	for i, x := range b {
		if i < 8 {
			v.Lo |= uint64(x) << (8 * i)
		} else {
			v.Hi |= uint64(x) << (8 * (i - 8))
		}
	}
	return v
}

// CTAName and thread names as traces print them.
func (m *Machine) ctaName(c int) string {
	cta := m.ctas[c]
	g := m.grids[cta.grid]
	if len(g.ctas) == 1 {
		return g.launch.Name
	}
	if g.launch.Grid[1] == 1 && g.launch.Grid[2] == 1 {
		return fmt.Sprintf("%s[%d]", g.launch.Name, cta.coord[0])
	}
	return fmt.Sprintf("%s[%d,%d,%d]", g.launch.Name, cta.coord[0], cta.coord[1], cta.coord[2])
}

func (m *Machine) threadName(t int) string {
	th := m.threads[t]
	if th.name != "" {
		return th.name
	}
	if len(m.ctas[th.cta].threads) == 1 {
		return m.ctaName(th.cta)
	}
	return fmt.Sprintf("%s.t%d", m.ctaName(th.cta), th.linear)
}
