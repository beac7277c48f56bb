package axiomatic

import (
	"math/bits"

	"ptxmc/memmodel"
	"ptxmc/memmodel/cat"
	"ptxmc/model/litmus"
)

// skeleton is an execution of one path of each thread before its orders are chosen. Events are the initial
// writes, one a memory, and then those of the threads, one thread after the other.
type skeleton struct {
	prog   *litmus.Program
	paths  []*path
	events []event
	start  []int // of a thread: its first event
	inits  map[int]int
	env    *cat.Env
	co     *memmodel.Rel // initial write first

	session *cat.Session
	reads   []int
	from    [][]int // of each read: the writes of its value
}

func newSkeleton(p *litmus.Program, paths []*path) *skeleton {
	s := &skeleton{prog: p, paths: paths, inits: map[int]int{}}
	for i, l := range p.Locs {
		if l.Phys == i {
			s.inits[i] = len(s.events)
			s.events = append(s.events, event{kind: Init, thread: -1, loc: i, val: l.Init, read: -1})
		}
	}
	for _, q := range paths {
		s.start = append(s.start, len(s.events))
		s.events = append(s.events, q.events...)
	}
	s.relate()
	return s
}

func (s *skeleton) phys(i int) int { return s.prog.Locs[s.events[i].loc].Phys }

func (e *event) memory() bool { return e.kind <= Write }
func (e *event) writes() bool { return e.kind == Write || e.kind == Init }

// proxySets are the sets of the proxies, by litmus.Proxy.
var proxySets = [...]string{"GEN", "SUR", "TEX", "CON", "ASY"}

// scopeSets are the sets of the scopes, by memmodel.Scope.
var scopeSets = [...]string{"", "CTA", "CLUSTER", "GPU", "SYS"}

// tags returns the sets of the environment that an event is in (header of ptx-7.5.cat).
func (e *event) tags() []string {
	switch e.kind {
	case Init:
		return []string{"W", "M", "IW", "WEAK", "GEN"}
	case AliasFence:
		return []string{"F", "ALIAS"}
	case ProxyFence:
		return []string{"F", proxySets[e.instr.Proxy]}
	case Barrier:
		return []string{"B"}
	case Issue:
		return []string{"ISSUE"}
	case Completion:
		return []string{"COMPLETE"}
	}
	in := e.instr
	tags := []string{proxySets[in.Proxy]}
	if e.kind == Arrive || e.kind == Wait {
		tags = append(tags, map[Kind]string{Arrive: "ARRIVE", Wait: "WAIT"}[e.kind],
			map[memmodel.Sem]string{memmodel.Relaxed: "RLX", memmodel.Acquire: "ACQ", memmodel.Release: "REL"}[in.Sem])
	} else if e.kind == Fence {
		tags = append(tags, "F")
		switch in.Sem {
		case memmodel.SC:
			tags = append(tags, "SC", "ACQ_REL")
		case memmodel.AcqRel:
			tags = append(tags, "ACQ_REL")
		case memmodel.Acquire:
			tags = append(tags, "ACQ")
		case memmodel.Release:
			tags = append(tags, "REL")
		}
	} else {
		tags = append(tags, "M")
		order := "RLX"
		switch {
		case in.Sem == memmodel.Weak:
			order = "WEAK"
		case e.kind == Read && in.Sem.Acquires():
			order = "ACQ"
		case e.kind == Write && in.Sem.Releases():
			order = "REL"
		}
		tags = append(tags, order, map[Kind]string{Read: "R", Write: "W"}[e.kind])
		if in.Op == litmus.RMW {
			tags = append(tags, "RMW")
			if in.Sem.Releases() {
				tags = append(tags, "RELEASING")
			}
		}
		if in.NoReturn {
			tags = append(tags, "RED")
		}
	}
	if in.Scope != memmodel.ScopeNone {
		tags = append(tags, scopeSets[in.Scope])
	}
	return tags
}

// relate fills the environment but for the orders that are chosen.
func (s *skeleton) relate() {
	n := len(s.events)
	s.env = &cat.Env{N: n, Sets: map[string]*memmodel.Set{}, Rels: map[string]*memmodel.Rel{}}
	for _, name := range []string{"W", "R", "M", "F", "B", "IW", "RMW", "RELEASING", "RED", "WEAK", "RLX", "ACQ", "REL", "ACQ_REL", "SC",
		"GEN", "SUR", "TEX", "CON", "ASY", "ALIAS", "ARRIVE", "WAIT", "ISSUE", "COMPLETE", "CTA", "CLUSTER", "GPU", "SYS"} {
		s.env.Sets[name] = memmodel.NewSet(n)
	}
	for _, name := range []string{"po", "loc", "vloc", "rmw", "addr", "data", "ctrl", "operand", "sr", "scta", "rf", "sync_fence", "issue", "complete", "mbar"} {
		s.env.Rels[name] = memmodel.NewRel(n)
	}
	s.co = memmodel.NewRel(n)
	for a := range s.events {
		e := &s.events[a]
		for _, tag := range e.tags() {
			s.env.Sets[tag].Add(a)
		}
		if e.thread >= 0 {
			s.depend(a)
		}
		for b := range s.events {
			s.pair(a, b)
		}
	}
	s.setBarriers(memmodel.NewRel(n))
}

// setBarriers sets the order of the barriers, under the names of our models and of Dat3M's.
func (s *skeleton) setBarriers(r *memmodel.Rel) {
	s.env.Rels["sync_barrier"], s.env.Rels["syncbar"] = r, r
}

// depend adds the dependencies of an event, and the pair of an RMW.
func (s *skeleton) depend(b int) {
	e, at := &s.events[b], s.start[s.events[b].thread]
	for name, from := range map[string]uint64{"addr": e.addr, "data": e.data, "ctrl": e.ctrl, "operand": e.operand} {
		for ; from != 0; from &= from - 1 {
			s.env.Rels[name].Add(at+bits.TrailingZeros64(from), b)
		}
	}
	if e.read >= 0 {
		s.env.Rels["rmw"].Add(at+e.read, b)
	}
}

func (s *skeleton) pair(a, b int) {
	x, y, rels := &s.events[a], &s.events[b], s.env.Rels
	if x.memory() && y.memory() && s.phys(a) == s.phys(b) {
		rels["loc"].Add(a, b)
		if s.prog.Locs[x.loc].Virt == s.prog.Locs[y.loc].Virt {
			rels["vloc"].Add(a, b)
		}
		if x.kind == Init && y.kind == Write {
			s.co.Add(a, b)
		}
	}
	if x.thread < 0 || y.thread < 0 {
		return
	}
	if x.thread == y.thread && a < b && !x.async && !y.async {
		rels["po"].Add(a, b)
	}
	s.copies(a, b)
	p, q := s.prog.Place(x.thread), s.prog.Place(y.thread)
	if p.CTA == q.CTA {
		rels["scta"].Add(a, b)
	}
	if x.instr.Scope.Includes(p, q) && y.instr.Scope.Includes(q, p) {
		rels["sr"].Add(a, b)
	}
}

// copies relates the events of a copy, and what completes a phase to the waits for it.
func (s *skeleton) copies(a, b int) {
	x, y := &s.events[a], &s.events[b]
	same := x.thread == y.thread && x.instr == y.instr // a copy occurs once in a path
	switch {
	case same && x.kind == Issue && y.memory():
		s.env.Rels["issue"].Add(a, b)
	case same && x.async && x.memory() && y.kind == Completion:
		s.env.Rels["complete"].Add(a, b)
	case (x.kind == Arrive || x.kind == Completion) && y.kind == Wait && x.bar == y.bar:
		s.env.Rels["mbar"].Add(a, b)
	}
}

// sources returns, for each read of the execution, the writes of its value; it is false if one has none.
func (s *skeleton) sources() (reads []int, from [][]int, ok bool) {
	for r := range s.events {
		if s.events[r].kind != Read {
			continue
		}
		var list []int
		for w := range s.events {
			if e := &s.events[w]; e.writes() && e.val == s.events[r].val && s.phys(w) == s.phys(r) {
				list = append(list, w)
			}
		}
		if list == nil {
			return nil, nil, false
		}
		reads, from = append(reads, r), append(from, list)
	}
	return reads, from, true
}

// fenceOrders returns the Fence-SC orders (PTX ISA 8.10.2): each relates every morally strong pair of
// fence.sc and agrees with program order.
func (s *skeleton) fenceOrders() []*memmodel.Rel {
	sc, sr := s.env.Sets["SC"], s.env.Rels["sr"]
	base := memmodel.NewRel(len(s.events))
	var open [][2]int
	for _, a := range sc.Members() {
		for _, b := range sc.Members() {
			switch {
			case s.env.Rels["po"].Has(a, b):
				base.Add(a, b)
			case a < b && s.events[a].thread != s.events[b].thread && sr.Has(a, b):
				open = append(open, [2]int{a, b})
			}
		}
	}
	var out []*memmodel.Rel
	var choose func(order *memmodel.Rel, open [][2]int)
	choose = func(order *memmodel.Rel, open [][2]int) {
		for len(open) > 0 && (order.Has(open[0][0], open[0][1]) || order.Has(open[0][1], open[0][0])) {
			open = open[1:]
		}
		if len(open) == 0 {
			out = append(out, order)
			return
		}
		a, b := open[0][0], open[0][1]
		choose(with(order, a, b), open[1:])
		choose(with(order, b, a), open[1:])
	}
	choose(base.Plus(), open)
	return out
}

// with returns the transitive closure of r, which is transitive, and one more pair.
func with(r *memmodel.Rel, a, b int) *memmodel.Rel {
	c := r.Clone()
	c.Add(a, b)
	return c.Plus()
}
