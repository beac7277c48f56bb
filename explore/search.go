package explore

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"

	"ptxmc/machine"
	"ptxmc/memmodel/causal"
)

// search is one search under way.
type search struct {
	m    *machine.Machine
	opts Options
	ctx  context.Context

	seen  *visited
	nodes []node
	queue []queued
	head  int
	infos *infoTable
	book  moveBook
	sets  *interner
	names map[machine.AgentKey]int

	result      Result
	found       *finding
	also        map[string]bool
	transitions int
	start       time.Time
	lastReport  time.Time
	buf         []byte
	agents      []machine.Agent
	in          []bool
	fallbacks   []*finding
	full        map[uint32]bool // states to expand without reduction
}

type queued struct {
	id    uint32
	state *machine.State
}

// finding is a violation with the moves that lead to it.
type finding struct {
	violation *machine.Violation
	from      uint32
	last      *move  // nil: the violation is a property of the state itself
	loop      []move // then for ever
}

func newSearch(ctx context.Context, m *machine.Machine, opts Options) *search {
	now := time.Now()
	return &search{
		m: m, opts: opts, ctx: ctx, seen: newVisited(), infos: newInfoTable(), sets: newInterner(),
		names: map[machine.AgentKey]int{}, also: map[string]bool{}, full: map[uint32]bool{}, start: now, lastReport: now,
	}
}

// Run searches all executions of m.
func Run(ctx context.Context, m *machine.Machine, opts Options) *Result {
	s := newSearch(ctx, m, opts)
	func() {
		defer func() {
			switch p := recover().(type) {
			case nil:
			case causal.TooManyWrites: // a limit of the state, not an error: nothing is proved
				s.result.Limit = p.Error()
			default:
				panic(p)
			}
		}()
		s.run()
	}()
	s.finish()
	return &s.result
}

func (s *search) run() {
	for i, st := range s.m.Initial() {
		s.m.Canonicalize(st)
		s.enter(st, uint32(i), 0, 0)
	}
	for {
		if !s.drain() {
			return
		}
		if !s.liveness() {
			return
		}
		if s.found != nil || s.head == len(s.queue) {
			return
		}
	}
}

// drain expands the frontier until it is empty; false: the search is over.
func (s *search) drain() bool {
	for s.head < len(s.queue) {
		q := s.queue[s.head]
		s.queue[s.head] = queued{}
		s.head++
		if s.head > 4096 && s.head*2 > len(s.queue) {
			s.queue = slices.Clone(s.queue[s.head:])
			s.head = 0
		}
		s.expand(q.id, q.state)
		if s.found != nil {
			return false
		}
		if s.stopped() {
			return false
		}
	}
	return true
}

// stopped checks the limits and reports progress.
func (s *search) stopped() bool {
	n := s.seen.len()
	if s.opts.MaxStates > 0 && n >= s.opts.MaxStates {
		s.result.Limit = fmt.Sprintf("the limit of %d states was reached", s.opts.MaxStates)
		return true
	}
	if s.ctx.Err() != nil {
		s.result.Limit = "interrupted"
		return true
	}
	now := time.Now()
	if s.opts.Timeout > 0 && now.Sub(s.start) > s.opts.Timeout {
		s.result.Limit = fmt.Sprintf("the time limit of %v was reached", s.opts.Timeout)
		return true
	}
	if now.Sub(s.lastReport) < 200*time.Millisecond {
		return false
	}
	s.lastReport = now
	p := s.progress()
	if s.opts.MaxMemory > 0 && p.Memory > s.opts.MaxMemory {
		s.result.Limit = fmt.Sprintf("the memory limit of %d MB was reached", s.opts.MaxMemory>>20)
		return true
	}
	if s.opts.Progress != nil {
		s.opts.Progress(p)
	}
	return false
}

func (s *search) progress() Progress {
	var ms runtime.MemStats
	runtime.ReadMemStats(&ms)
	depth := 0
	if len(s.nodes) > 0 {
		depth = int(s.nodes[len(s.nodes)-1].depth)
	}
	return Progress{
		States: s.seen.len(), Transitions: s.transitions, Depth: depth,
		Frontier: len(s.queue) - s.head, Memory: ms.HeapAlloc, Elapsed: time.Since(s.start),
	}
}

// enter stores a canonical state and queues it if it is new.
func (s *search) enter(st *machine.State, parent uint32, via uint32, depth uint32) uint32 {
	s.buf = s.m.Encode(st, s.buf[:0])
	id, fresh := s.seen.add(s.buf)
	if fresh {
		s.nodes = append(s.nodes, node{parent: parent, depth: depth, via: via})
		s.queue = append(s.queue, queued{uint32(id), st})
	}
	return uint32(id)
}

// expand makes every move of the smallest persistent set in which something changes.
func (s *search) expand(id uint32, st *machine.State) {
	s.agents = s.m.Agents(st, s.agents)
	agents := slices.Clone(s.agents)
	var enabled []int
	for i, a := range agents {
		if s.m.Enabled(st, a) {
			enabled = append(enabled, i)
		}
	}
	ready := make([]int, 0, len(enabled))
	for _, i := range enabled {
		ready = append(ready, s.number(st, agents[i]))
	}
	s.nodes[id].ready = s.sets.id(ready)
	done := make([]bool, len(agents)) // moved already, and nothing changed
	for {
		set := s.choose(id, st, agents, enabled, done)
		if set == nil {
			s.terminal(id, st, agents, enabled)
			return
		}
		var turn []int
		var edges []edge
		progress := false
		for _, i := range set {
			if done[i] {
				continue
			}
			done[i] = true
			turn = append(turn, s.number(st, agents[i]))
			es, changed, possible := s.moves(id, st, agents[i])
			edges = append(edges, es...)
			progress = progress || changed
			if s.found != nil {
				return
			}
			if !possible {
				// whatever else happens, this agent cannot go on: no execution comes by here
				s.nodes[id].turn = s.nodes[id].ready
				return
			}
		}
		if progress {
			s.nodes[id].turn = s.sets.id(turn)
			s.nodes[id].edges = edges
			return
		}
	}
}

// choose returns the enabled agents of the best persistent set that still has an unmoved one.
func (s *search) choose(id uint32, st *machine.State, agents []machine.Agent, enabled []int, done []bool) []int {
	if s.opts.NoReduction || s.full[id] {
		for _, i := range enabled {
			if !done[i] {
				return enabled
			}
		}
		return nil
	}
	if cap(s.in) < len(agents) {
		s.in = make([]bool, len(agents)+16)
	}
	in := s.in[:len(agents)]
	var best []int
	for _, i := range enabled {
		if done[i] {
			continue
		}
		s.m.Persistent(st, agents, i, in)
		var set []int
		for _, j := range enabled {
			if in[j] {
				set = append(set, j)
			}
		}
		if best == nil || len(set) < len(best) {
			best = set
		}
		if len(best) == 1 {
			break
		}
	}
	return best
}

// number gives every agent a stable small number, over all states.
func (s *search) number(st *machine.State, a machine.Agent) int {
	k := s.m.Key(st, a)
	n, ok := s.names[k]
	if !ok {
		n = len(s.names)
		s.names[k] = n
	}
	return n
}

// moves tries every combination of choices of one agent. changed: some move led elsewhere; possible: there
// is a move at all.
func (s *search) moves(id uint32, st *machine.State, a machine.Agent) (edges []edge, changed, possible bool) {
	var ch chooser
	for {
		next := st.Clone()
		run := chain{s: s, st: next, from: id}
		ok := run.first(a, &ch)
		if run.impossible {
			if !ch.next() {
				return edges, changed, possible
			}
			continue
		}
		possible = true
		s.transitions++
		if len(run.violations) > 0 {
			s.violated(id, &move{a, slices.Clone(ch.taken)}, run.violations)
			if s.found != nil {
				return nil, true, true
			}
		}
		if ok {
			s.m.Canonicalize(run.st)
			via := s.book.add(move{a, ch.taken})
			to := s.enter(run.st, id, via, s.nodes[id].depth+1)
			if to != id || len(run.moved) > 1 { // a turn of several moves is no wait
				changed = true
			}
			edges = append(edges, edge{to, s.infos.id(run.moved, run.missed, run.changed), via})
		} else {
			changed = true
		}
		if !ch.next() {
			return edges, changed, possible
		}
	}
}

// chain is one move followed by all moves that nothing can disturb and that leave no choice.
type chain struct {
	s          *search
	st         *machine.State
	from       uint32
	rec        *machine.Recorder
	log        *[]single // gets the moves after the first, if not nil
	moved      []int
	missed     []int
	changed    []int
	violations []*machine.Violation
	impossible bool
}

// maxChain bounds a chain, so that an endless one is cut into states and closes on itself.
const maxChain = 64

// first makes the given move and runs the chain; false: the execution ended in a violation.
func (c *chain) first(a machine.Agent, ch *chooser) bool {
	ch.pos = 0
	c.moved = append(c.moved, c.s.number(c.st, a))
	if !c.take(c.s.m.Step(c.st, a, ch, c.rec)) {
		return false
	}
	if c.s.opts.NoReduction {
		return true
	}
	for range maxChain {
		if c.st.Mem.Crowded() {
			break
		}
		ok, more := c.follow()
		if !ok {
			return false
		}
		if !more {
			break
		}
	}
	return true
}

func (c *chain) take(o machine.Outcome) bool {
	c.impossible = c.impossible || o.Impossible
	c.missed = append(c.missed, o.Missed...)
	c.changed = append(c.changed, o.Changed...)
	c.violations = append(c.violations, o.Violations...)
	return !o.Ended
}

// follow makes one undisturbed move without choices, if there is one.
func (c *chain) follow() (ok, more bool) {
	s := c.s
	s.agents = s.m.Agents(c.st, s.agents)
	if cap(s.in) < len(s.agents) {
		s.in = make([]bool, len(s.agents)+16)
	}
	in := s.in[:len(s.agents)]
	for i, a := range s.agents {
		if !s.m.Enabled(c.st, a) || s.m.Persistent(c.st, s.agents, i, in) > 1 {
			continue
		}
		next := c.st.Clone()
		var ch chooser
		steps := 0
		if c.rec != nil {
			steps = len(c.rec.Steps)
		}
		n := s.number(c.st, a)
		o := s.m.Step(next, a, &ch, c.rec)
		if o.Impossible || len(ch.taken) > 0 || len(o.Violations) == 0 && s.m.Stutters(c.st, next, a) {
			if c.rec != nil {
				c.rec.Steps = c.rec.Steps[:steps]
			}
			continue
		}
		if c.log != nil {
			*c.log = append(*c.log, single{key: s.m.Key(c.st, a)})
		}
		c.moved = append(c.moved, n)
		c.st = next
		return c.take(o), true
	}
	return true, false
}

// violated keeps a violation: the one that is looked for ends the search.
func (s *search) violated(id uint32, via *move, vs []*machine.Violation) {
	if s.opts.FinalStates {
		for _, v := range vs {
			if v.Ends {
				s.result.LeftOut = v.Message
			}
		}
		return
	}
	slices.SortStableFunc(vs, func(a, b *machine.Violation) int { return rank(a.Property) - rank(b.Property) })
	for _, v := range vs {
		switch {
		case s.opts.Target != "" && v.Property != s.opts.Target,
			s.opts.Only != "" && v.Property != s.opts.Only && !v.Ends:
			if s.opts.Only == "" {
				s.remember(v.Property, &finding{violation: v, from: id, last: via})
			}
		default:
			s.found = &finding{violation: v, from: id, last: via}
			return
		}
	}
}

// remember keeps the first violation of each property that is not the target.
func (s *search) remember(property string, f *finding) {
	if !s.also[property] {
		s.also[property] = true
		s.result.Also = append(s.result.Also, property)
		s.fallbacks = append(s.fallbacks, f)
	}
}

// severity orders the properties that one move breaks at once: the more telling comes first.
var severity = []string{
	"defined-behavior", "no-overwrite", "no-torn-chunk", "no-stale-data", "no-lost-report", "write-once",
	"lifetime", "race-free", "asserts", "deadlock-free", "terminates",
}

func rank(property string) int { return slices.Index(severity, property) }

// terminal judges a state in which no agent can change anything.
func (s *search) terminal(id uint32, st *machine.State, agents []machine.Agent, enabled []int) {
	if s.opts.Ended != nil && s.m.AllEnded(st) {
		s.opts.Ended(st)
	}
	if v := s.m.Terminal(st, agents); v != nil {
		s.violated(id, nil, []*machine.Violation{v})
	}
}
