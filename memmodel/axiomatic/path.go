package axiomatic

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"ptxmc/model/litmus"
)

// Kind says what an Event is.
type Kind int

// The kinds of events. Init is the initial value of a location. An asynchronous copy is an Issue, which stands in
// program order, and a Read, a Write and a Completion, which do not.
const (
	Init Kind = iota
	Read
	Write
	Fence
	ProxyFence
	AliasFence
	Barrier
	Arrive // at an mbarrier object
	Wait   // for the first phase of one
	Issue
	Completion
)

var kindNames = [...]string{"init", "read", "write", "fence", "proxy fence", "alias fence", "barrier",
	"arrival", "wait", "issue", "completion"}

// String returns the kind in words.
func (k Kind) String() string { return kindNames[k] }

// maxEvents bounds the events of a thread: a set of them is one word.
const maxEvents = 64

// maxPaths bounds the paths of a thread.
const maxPaths = 200_000

// event is an event of one path. Sets of events of the path are bits by position.
type event struct {
	kind             Kind
	thread           int
	instr            *litmus.Instr
	loc              int   // location accessed
	val              int64 // value read or written
	addr, data, ctrl uint64
	operand          uint64 // of the read of an RMW: what its operands come from, whether it writes or not
	read             int    // of the write of an RMW: the position of its read; else -1
	depth            int    // computing writes behind the value
	bar              barrierKey
	quorum           int64 // 0: all
	async            bool  // of a copy, after its issue: not in program order
}

// barrierKey names what barrier events meet at.
type barrierKey struct {
	mbarrier int // 1 and the number of an mbarrier object, or 0
	cta      int
	inst, id int64
	named    bool // has an id
	turn     int  // how often the thread has been there before
}

// path is one run of a thread.
type path struct {
	events []event
	regs   []int64 // final values
	cut    bool    // ends at the bound of a loop
}

// walker lists the paths of one thread.
type walker struct {
	prog   *litmus.Program
	thread int
	code   []litmus.Instr
	dom    *domains
	unroll int
	limit  int
	idle   bool // follow idle turns

	regs   map[string]int
	labels map[string]int
	live   [][]bool

	paths   []*path
	partial []*path // those that do not reach the end: what they wrote others may have read
	fault   map[string]bool
}

// errTooMany says that a program is too large for the oracle.
var errTooMany = errors.New("too many executions")

func newWalker(p *litmus.Program, thread int, o Options) *walker {
	w := &walker{prog: p, thread: thread, code: p.Threads[thread].Code, unroll: o.Unroll, idle: o.keepIdle, limit: min(o.MaxCandidates, maxPaths),
		regs: map[string]int{}, labels: map[string]int{}, fault: map[string]bool{}}
	for pc := range w.code {
		if w.code[pc].Op == litmus.Label {
			w.labels[w.code[pc].Label] = pc
		}
		d, u := defUse(&w.code[pc], thread)
		for _, r := range append(u, d) {
			w.reg(r)
		}
	}
	for r := range p.Threads[thread].Regs {
		w.reg(r)
	}
	w.live = liveness(w)
	return w
}

func (w *walker) reg(name string) int {
	if n, ok := w.regs[name]; ok || name == "" {
		return n
	}
	w.regs[name] = len(w.regs)
	return w.regs[name]
}

// state is a point of a path.
type state struct {
	pc     int
	vals   []int64
	deps   []uint64 // the reads that a register's value comes from
	ctrl   uint64
	events []event
	visits map[int]int
	turns  map[barrierKey]int
	marks  []mark
}

// mark is a visit of a label.
type mark struct {
	pc, effects int
	vals        []int64
	deps        []uint64
}

func (s *state) clone() *state {
	c := &state{pc: s.pc, vals: slices.Clone(s.vals), deps: slices.Clone(s.deps), ctrl: s.ctrl,
		events: slices.Clone(s.events), marks: slices.Clone(s.marks),
		visits: make(map[int]int, len(s.visits)), turns: make(map[barrierKey]int, len(s.turns))}
	for k, v := range s.visits {
		c.visits[k] = v
	}
	for k, v := range s.turns {
		c.turns[k] = v
	}
	return c
}

// walk lists all paths for the domains d.
func (w *walker) walk(d *domains) error {
	w.dom, w.paths, w.partial = d, nil, nil
	clear(w.fault)
	s := &state{vals: make([]int64, len(w.regs)), deps: make([]uint64, len(w.regs))}
	s.visits, s.turns = map[int]int{}, map[barrierKey]int{}
	for r, v := range w.prog.Threads[w.thread].Regs {
		s.vals[w.regs[r]] = v
	}
	return w.run(s)
}

// run follows a path to its end, and for a load each value in turn.
func (w *walker) run(s *state) error {
	for s.pc < len(w.code) {
		in := &w.code[s.pc]
		if len(s.events)+4 > maxEvents {
			return fmt.Errorf("thread %s has more than %d events; lower the bound of loops (--unroll)", w.prog.Threads[w.thread].Name, maxEvents-4)
		}
		switch in.Op {
		case litmus.Load, litmus.RMW:
			return w.load(s, in)
		case litmus.Store:
			loc, addr, ok := w.address(s, in, in.Addr)
			if !ok {
				return w.stop(s, false)
			}
			v, data := w.operand(s, in.Src[0])
			w.add(s, event{kind: Write, instr: in, loc: loc, val: v, addr: addr, data: data, read: -1})
		case litmus.Fence:
			w.add(s, event{kind: Fence, instr: in, loc: -1, read: -1})
		case litmus.ProxyFence:
			w.add(s, event{kind: ProxyFence, instr: in, loc: -1, read: -1})
		case litmus.AliasFence:
			w.add(s, event{kind: AliasFence, instr: in, loc: -1, read: -1})
		case litmus.Barrier:
			w.barrier(s, in)
		case litmus.MBarArrive:
			w.add(s, event{kind: Arrive, instr: in, loc: -1, read: -1, bar: barrierKey{mbarrier: in.Bar + 1}})
		case litmus.MBarWait:
			w.add(s, event{kind: Wait, instr: in, loc: -1, read: -1, bar: barrierKey{mbarrier: in.Bar + 1}})
		case litmus.AsyncCopy:
			return w.copy(s, in)
		case litmus.Assign:
			r := w.regs[in.Dst]
			s.vals[r], s.deps[r] = w.eval(s, in.Expr)
		case litmus.Branch:
			v, deps := w.eval(s, in.Cond)
			s.ctrl |= deps
			if v != 0 {
				s.pc = w.jump(s, in.Target)
				continue
			}
		case litmus.Goto:
			s.pc = w.jump(s, in.Target)
			continue
		case litmus.Label:
			if goOn, cut := w.visit(s); !goOn {
				return w.stop(s, cut)
			}
		}
		s.pc++
	}
	w.paths = append(w.paths, &path{events: s.events, regs: s.vals})
	return w.check()
}

// stop ends a path before the end of its thread.
func (w *walker) stop(s *state, cut bool) error {
	w.partial = append(w.partial, &path{events: s.events, cut: cut})
	return w.check()
}

func (w *walker) check() error {
	if len(w.paths)+len(w.partial) > w.limit {
		return errTooMany
	}
	return nil
}

// jump returns the target; a jump back starts the loops within anew.
func (w *walker) jump(s *state, label string) int {
	to := w.labels[label]
	for pc := range s.visits {
		if to < pc && pc <= s.pc {
			delete(s.visits, pc)
		}
	}
	return to
}

// visit passes a label, unless the path ends here: cut at the bound, or because the last turn of the loop
// changed nothing.
func (w *walker) visit(s *state) (goOn, cut bool) {
	m := mark{pc: s.pc, vals: slices.Clone(s.vals), deps: slices.Clone(s.deps)}
	for _, e := range s.events {
		if e.kind == Write || e.kind == Barrier {
			m.effects++
		}
	}
	for r, live := range w.live[s.pc] {
		if !live {
			m.vals[r], m.deps[r] = 0, 0
		}
	}
	for _, o := range s.marks {
		if !w.idle && o.pc == m.pc && o.effects == m.effects && slices.Equal(o.vals, m.vals) && slices.Equal(o.deps, m.deps) {
			return false, false
		}
	}
	if s.visits[s.pc]++; s.visits[s.pc] > w.unroll {
		return false, true
	}
	s.marks = append(s.marks, m)
	return true, false
}

func (w *walker) add(s *state, e event) {
	e.thread, e.ctrl = w.thread, s.ctrl
	if e.kind == Write {
		if from := e.addr | e.data; from != 0 {
			e.depth = 1
			for ; from != 0; from &= from - 1 {
				r := &s.events[bits.TrailingZeros64(from)]
				if w.dom.same(w.phys(r.loc), w.phys(e.loc)) {
					e.depth = max(e.depth, r.depth+1)
				}
			}
		}
	}
	s.events = append(s.events, e)
}

func (w *walker) phys(loc int) int { return w.prog.Locs[loc].Phys }

// load goes on with each value of the domain.
func (w *walker) load(s *state, in *litmus.Instr) error {
	loc, addr, ok := w.address(s, in, in.Addr)
	if !ok {
		return w.stop(s, false)
	}
	return w.values(s, loc, func(next *state, v int64, depth int) {
		at := len(next.events)
		w.add(next, event{kind: Read, instr: in, loc: loc, val: v, addr: addr, read: -1, depth: depth})
		if in.Op == litmus.RMW {
			var src []int64
			var data uint64
			for _, o := range in.Src {
				v, deps := w.operand(next, o)
				src, data = append(src, v), data|deps
			}
			next.events[at].operand = data
			if in.RMWOp != "exch" {
				data |= 1 << at
			}
			if to, writes := litmus.RMWValue(in.RMWOp, v, src...); writes {
				w.add(next, event{kind: Write, instr: in, loc: loc, val: to, addr: addr, data: data, read: at})
			}
		}
		if in.Dst != "" {
			r := w.regs[in.Dst]
			next.vals[r], next.deps[r] = v, 1<<at
		}
	})
}

// copy issues an asynchronous copy and goes on with each value that it may copy.
func (w *walker) copy(s *state, in *litmus.Instr) error {
	to, toDeps, ok := w.address(s, in, in.Addr)
	if !ok {
		return w.stop(s, false)
	}
	from, fromDeps, ok := w.address(s, in, in.Src[0])
	if !ok {
		return w.stop(s, false)
	}
	bar := barrierKey{mbarrier: in.Bar + 1}
	w.add(s, event{kind: Issue, instr: in, loc: -1, read: -1, addr: toDeps | fromDeps, bar: bar})
	return w.values(s, from, func(next *state, v int64, depth int) {
		at := len(next.events)
		w.add(next, event{kind: Read, instr: in, loc: from, val: v, addr: fromDeps, read: -1, depth: depth, async: true})
		w.add(next, event{kind: Write, instr: in, loc: to, val: v, addr: toDeps, data: 1 << at, read: -1, async: true})
		w.add(next, event{kind: Completion, instr: in, loc: -1, read: -1, bar: bar, async: true})
	})
}

// values goes on behind a read of loc with each value of its domain; f adds the events.
func (w *walker) values(s *state, loc int, f func(next *state, v int64, depth int)) error {
	values := w.dom.values[w.phys(loc)]
	for i, v := range values {
		next := s
		if i < len(values)-1 {
			next = s.clone()
		}
		f(next, v, w.dom.depth[w.phys(loc)][v])
		next.pc++
		if err := w.run(next); err != nil {
			return err
		}
	}
	return nil
}

// address returns the location accessed and the reads that the address comes from. An address outside of
// all locations ends the path: it has no final state.
func (w *walker) address(s *state, in *litmus.Instr, o litmus.Operand) (loc int, deps uint64, ok bool) {
	if o.Kind == litmus.LocOperand {
		return o.Loc, 0, true
	}
	v, deps := w.operand(s, o)
	loc, ok = w.prog.LocOf(v)
	if !ok {
		w.fault[fmt.Sprintf("%s:%d: thread %s may access address %d, which is no location; such executions are left out",
			w.prog.File, in.Line, w.prog.Threads[w.thread].Name, v)] = true
	}
	return loc, deps, ok
}

func (w *walker) barrier(s *state, in *litmus.Instr) {
	e := event{kind: Barrier, instr: in, loc: -1, read: -1}
	e.bar.cta = w.prog.Threads[w.thread].CTA
	e.bar.inst, _ = w.operand(s, in.BarInst)
	if e.bar.named = in.BarID.Kind != litmus.NoOperand; e.bar.named {
		e.bar.id, _ = w.operand(s, in.BarID)
	}
	if in.BarCount.Kind != litmus.NoOperand {
		e.quorum, _ = w.operand(s, in.BarCount)
	}
	key := e.bar
	e.bar.turn = s.turns[key]
	s.turns[key]++
	w.add(s, e)
}

func (w *walker) operand(s *state, o litmus.Operand) (int64, uint64) {
	var deps uint64
	v := o.Value(func(r string) int64 {
		deps = s.deps[w.regs[r]]
		return s.vals[w.regs[r]]
	})
	return v, deps
}

func (w *walker) eval(s *state, e litmus.Expr) (int64, uint64) {
	var deps uint64
	for _, r := range exprRegs(e, w.thread) {
		deps |= s.deps[w.regs[r]]
	}
	return litmus.Eval(e, func(t litmus.Term) int64 { return s.vals[w.regs[t.Reg]] }), deps
}
