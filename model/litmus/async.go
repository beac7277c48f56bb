package litmus

import (
	"slices"
	"strings"

	"ptxmc/memmodel"
)

// barrierEntry parses "mbarrier b = 2" or "mbarrier b@P1 = 2" of the initial state.
func (p *parser) barrierEntry() error {
	p.pos++
	t, err := p.newLoc()
	if err != nil {
		return err
	}
	if p.findBarrier(t.text) >= 0 {
		return p.errAt(t.off, "barrier %s is declared twice; expected one declaration", t.text)
	}
	b := MBarrier{Name: t.text}
	if p.accept("@") {
		if b.Thread, err = p.thread(); err != nil {
			return err
		}
	}
	if err := p.expect("=", "and the number of arrivals that the first phase waits for"); err != nil {
		return err
	}
	at := p.peek()
	n, err := p.number()
	if err != nil {
		return err
	}
	if n < 1 || n > maxCount {
		return p.errAt(at.off, "%d arrivals are out of range; expected 1 to %d", n, maxCount)
	}
	b.Count = int(n)
	p.prog.Barriers = append(p.prog.Barriers, b)
	p.barriers = append(p.barriers, t)
	return nil
}

// maxCount bounds the arrivals of a phase (layout v0: PTX ISA 9.7.15.16.3).
const maxCount = 1<<20 - 1

func (p *parser) findBarrier(name string) int {
	return slices.IndexFunc(p.prog.Barriers, func(b MBarrier) bool { return b.Name == name })
}

// mbarrierSems are the semantics of the two operations, the default first.
var mbarrierSems = map[Op][]string{MBarArrive: {"release", "relaxed"}, MBarWait: {"acquire", "relaxed"}}

// mbarrier parses mbarrier.arrive{.expect_tx}{.sem}{.scope} [b]{, K} and mbarrier.wait{.sem}{.scope} [b].
func (p *parser) mbarrier(in *Instr, m *mnemonic, thread int) error {
	expect := false
	switch {
	case len(m.parts) > 0 && m.parts[0] == "arrive":
	case len(m.parts) > 0 && m.parts[0] == "wait":
		in.Op = MBarWait
	default:
		return p.errAt(m.tok.off, "%s neither arrives nor waits; expected mbarrier.arrive or mbarrier.wait", m.tok.text)
	}
	known := slices.Concat(mbarrierSems[in.Op], []string{"cta", "cluster"})
	var sem, scope string
	for i, part := range m.parts[1:] {
		slot := &sem
		switch {
		case part == "expect_tx" && in.Op == MBarArrive && !expect:
			expect = true
			continue
		case part == "cta", part == "cluster":
			slot = &scope
		case !slices.Contains(known, part):
			if in.Op == MBarArrive {
				known = append(known, "expect_tx")
			}
			return p.unknown(m.place(i+1), part, "qualifier", known)
		}
		if *slot != "" {
			return p.errAt(m.place(i+1).off, "%s has both .%s and .%s; expected one of them", m.tok.text, *slot, part)
		}
		*slot = part
	}
	if sem == "" {
		sem = known[0]
	}
	if scope == "" {
		scope = "cta"
	}
	in.Sem, in.Scope = sems[sem], scopes[scope]
	if err := p.barrierOperand(in, thread); err != nil {
		return err
	}
	if !expect {
		return nil
	}
	if err := p.expect(",", "before the number of copies that the phase waits for"); err != nil {
		return err
	}
	t := p.peek()
	n, err := p.number()
	if err != nil {
		return err
	}
	if n < 1 || n > maxCount {
		return p.errAt(t.off, "%d copies are out of range; expected 1 to %d", n, maxCount)
	}
	in.Tx = int(n)
	return nil
}

// barrierOperand parses [b].
func (p *parser) barrierOperand(in *Instr, thread int) error {
	if err := p.expect("[", "and the name of a barrier"); err != nil {
		return err
	}
	t := p.peek()
	n := p.findBarrier(t.text)
	if n < 0 {
		var names []string
		for _, b := range p.prog.Barriers {
			names = append(names, b.Name)
		}
		if t.kind == wordToken && len(names) == 0 {
			return p.errAt(t.off, "barrier %s is not declared; expected mbarrier %s=1; in the initial state of a .litmus file", t.text, t.text)
		}
		return p.unknown(t, t.text, "barrier", names)
	}
	p.pos++
	in.Bar = n
	p.barUses = append(p.barUses, barUse{thread, len(p.prog.Threads[thread].Code), t})
	return p.expect("]", "after the barrier")
}

// barUse is an instruction that names a barrier.
type barUse struct {
	thread, pc int
	tok        token
}

// copy parses cp.async.bulk{.weak|.relaxed.scope} [dst], [src], [b].
func (p *parser) copy(in *Instr, m *mnemonic, f family, thread int) error {
	if len(m.parts) < 2 || m.parts[0] != "async" || m.parts[1] != "bulk" {
		return p.errAt(m.tok.off, "instruction %s is not known; expected cp.async.bulk", m.tok.text)
	}
	f.sems = []string{"weak", "relaxed"}
	m.head, m.parts = "cp.async.bulk", m.parts[2:]
	if err := p.qualifiers(m, f); err != nil {
		return err
	}
	in.Sem, in.Scope = sems[m.sem], scopes[m.scope]
	if (in.Sem == memmodel.Relaxed) != (in.Scope != memmodel.ScopeNone) {
		return p.errAt(m.tok.off, "%s has semantics without scope, or a scope without; expected cp.async.bulk, or cp.async.bulk.relaxed and one of .%s",
			m.tok.text, strings.Join(sortedKeys(scopes), ", ."))
	}
	if err := p.address(in, thread); err != nil {
		return err
	}
	if err := p.expect(",", "before the source"); err != nil {
		return err
	}
	var src Instr
	if err := p.address(&src, thread); err != nil {
		return err
	}
	in.Src = []Operand{src.Addr}
	if err := p.expect(",", "before the barrier"); err != nil {
		return err
	}
	return p.barrierOperand(in, thread)
}

// checkBarriers checks that the first phase of every barrier can complete, and in every execution by the same
// operations: each is executed once, arrivals and copies are as many as the phase waits for.
func (p *parser) checkBarriers() error {
	arrivals, expected, copies := make([]int, len(p.barriers)), make([]int, len(p.barriers)), make([]int, len(p.barriers))
	for _, u := range p.barUses {
		th := &p.prog.Threads[u.thread]
		in := &th.Code[u.pc]
		if j := th.jumpAround(u.pc); j != nil {
			return p.errAt(u.tok.off, "%s in line %d jumps over or back before this use of barrier %s; expected it to be executed once in every execution (a litmus test has one phase of a barrier)",
				j.Op, j.Line, u.tok.text)
		}
		home := p.prog.Place(p.prog.Barriers[in.Bar].Thread)
		reach, where := memmodel.Cluster, "cluster"
		switch in.Op {
		case MBarArrive:
			arrivals[in.Bar]++
			expected[in.Bar] += in.Tx
		case MBarWait:
			reach, where = memmodel.CTA, "CTA"
		case AsyncCopy:
			copies[in.Bar]++
		}
		if !reach.Includes(home, p.prog.Place(u.thread)) {
			return p.errAt(u.tok.off, "barrier %s lies in the CTA of %s, which %s cannot reach here; expected a thread of the same %s, or mbarrier %s@%s in the initial state",
				u.tok.text, p.prog.Threads[p.prog.Barriers[in.Bar].Thread].Name, th.Name, where, u.tok.text, th.Name)
		}
	}
	for i, t := range p.barriers {
		switch n := p.prog.Barriers[i].Count; {
		case arrivals[i] != n:
			return p.errAt(t.off, "barrier %s waits for %d arrivals, and the threads arrive %d times; expected equal numbers", t.text, n, arrivals[i])
		case expected[i] != copies[i]:
			return p.errAt(t.off, "the arrivals at barrier %s expect %d copies, and %d copies name it; expected equal numbers (mbarrier.arrive.expect_tx [%s], %d)",
				t.text, expected[i], copies[i], t.text, max(copies[i], 1))
		}
	}
	return nil
}

// jumpAround returns a jump because of which the instruction at pc may be left out or executed twice.
func (t *Thread) jumpAround(pc int) *Instr {
	for from := range t.Code {
		in := &t.Code[from]
		if in.Op != Branch && in.Op != Goto {
			continue
		}
		to := slices.IndexFunc(t.Code, func(l Instr) bool { return l.Op == Label && l.Label == in.Target })
		if from < pc && pc < to || to < pc && pc < from {
			return in
		}
	}
	return nil
}
