package machine

import (
	"fmt"
	"slices"
	"strings"

	"ptxmc/memmodel"
	"ptxmc/memmodel/causal"
	"ptxmc/model"
	"ptxmc/model/alu"
)

// locate resolves the memory operand of n bytes, aligned to align, or reports why it is undefined.
func (st *stepper) locate(i int, space model.Space, n, align int) (*object, int, bool) {
	addr := st.address(st.in, i)
	o, off, err := st.m.resolve(st.info.cta, space, addr)
	_, outside := err.(outsideWindow)
	switch {
	case outside:
		st.undefined("shared-window", "%v", err)
	case err != nil:
		st.undefined("out-of-bounds", "%v", err)
	case off < 0 || off+n > o.size:
		st.undefined("out-of-bounds", "access of %d bytes at offset %d of %s, which has %d bytes", n, off, st.m.rangeName(o, 0, o.size), o.size)
	case off%align != 0:
		st.undefined("misaligned", "access of %d bytes at offset %d of %s is not aligned to %d bytes", n, off, o.name, align)
	case o.cta >= 0 && !st.ctaAlive(o.cta):
		return nil, 0, false
	default:
		st.virt = st.m.virtual(addr)
		return o, off, true
	}
	return nil, 0, false
}

// ctaAlive reports an access to the shared memory of a CTA that has not started or has exited
// (CUDA guide, distributed shared memory).
func (st *stepper) ctaAlive(cta int) bool {
	if st.m.litmus != nil {
		return true // the memory of a litmus test is there all the time
	}
	switch st.s.ctas[cta].status {
	case ctaPending:
		st.violate(&Violation{Property: "lifetime", Rule: "shared-before-start", Ends: true,
			Message: fmt.Sprintf("shared memory of %s is used before that CTA has started", st.m.ctaName(cta)),
			Fix:     "synchronise the cluster first"})
		return false
	case ctaExited:
		st.violate(&Violation{Property: "lifetime", Rule: "shared-after-exit", Ends: true,
			Message: fmt.Sprintf("shared memory of %s is used after that CTA has exited", st.m.ctaName(cta)),
			Fix:     "synchronise the cluster before a CTA exits"})
		return false
	default:
		return true
	}
}

// access describes one event of the executing thread through the generic proxy.
func (st *stepper) access(o *object, off, n int) causal.Access {
	first, count := o.cellRange(off, n)
	return causal.Access{
		Place: st.info.place, Agent: st.ti, Proxy: st.in.Proxy, CTA: st.m.proxyPlace(st.in.Proxy, st.info.cta), Virt: st.virt,
		Strong: st.in.Sem.Strong(), Scope: st.in.Scope, First: first, N: count, Ref: st.pc,
	}
}

// elements calls f for each scalar access of a vector access (PTX ISA 8.2.4: an event per element).
func (st *stepper) elements(o *object, off int, f func(i, off, n int) bool) {
	n := st.in.Type.Bytes()
	verb := "writes "
	if st.in.Op == model.Ld {
		verb = "reads "
	}
	k := st.rec.notes()
	defer func() { st.rec.fold(k, verb) }()
	if st.m.Opts.Break == RuleVector && st.in.Vec > 1 {
		f(-1, off, n*st.in.Vec)
		return
	}
	for i := range st.in.Vec {
		if !f(i, off+i*n, n) {
			return
		}
	}
}

func (st *stepper) load() {
	n := st.in.Type.Bytes()
	o, off, ok := st.locate(0, st.in.Space, n*st.in.Vec, n*st.in.Vec)
	if !ok {
		return
	}
	st.elements(o, off, func(i, off, n int) bool {
		a := st.access(o, off, n)
		if i >= 0 && st.m.facts[st.ti].late.has(st.pc) {
			return st.issueLate(&a, i)
		}
		bytes, ok := st.read(&a, n)
		if !ok {
			return false
		}
		if i < 0 {
			for d := range st.in.Dst {
				w := n / st.in.Vec
				st.set(st.in, d, extend(getValue(bytes[d*w:(d+1)*w]), st.in.Type))
			}
			return true
		}
		st.set(st.in, i, extend(getValue(bytes), st.in.Type))
		return true
	})
	st.t.view = causal.Join(st.t.view, st.acquired)
}

// read performs one read event: observation, race check, heads, properties. It returns the bytes.
func (st *stepper) read(a *causal.Access, n int) ([]byte, bool) {
	m, s := st.m, st.s
	m.covered(st.ti, st.pc, a.First, a.N, false)
	if !st.plainMemory(a) || !st.checkFlights(a, false) || !st.checkRaces(a, false) {
		return nil, false
	}
	obs := m.observe(s, a, st.t.view, n)
	if len(obs) == 0 {
		st.undefined("no-value", "the read of %s has no value to take", m.cellName(a.First, a.N))
		return nil, false
	}
	bytes, ok := st.take(a, st.t.view, len(st.t.late), obs[st.ch.Choose(len(obs))])
	if ok {
		st.recordRead(a)
	}
	return bytes, ok
}

// take performs an observation: what it delivers and what it makes known. The read stands behind the first
// k late loads of its thread in program order.
func (st *stepper) take(a *causal.Access, view causal.View, k int, pick causal.Observation) ([]byte, bool) {
	m, s := st.m, st.s
	st.noteMissed(a, pick)
	s.Mem.Constrain(a, view, pick)
	st.noteRead(a, k, pick)
	bytes, known := m.bytes(s, a, pick)
	if !known {
		st.undefined("uninitialized-read", "%s is read, but nothing has written it", m.cellName(a.First, a.N))
		return nil, false
	}
	if st.rec != nil {
		st.rec.note("reads %s = %s%s", m.cellName(a.First, a.N), hex(bytes), m.origin(s, a, pick))
	}
	if !st.checkUse(a, pick) {
		return nil, false
	}
	st.observeHeads(a, k, pick)
	return bytes, true
}

// observe lists the observations, with the rule under test switched off.
func (m *Machine) observe(s *State, a *causal.Access, view causal.View, n int) []causal.Observation {
	switch m.Opts.Break {
	case RuleReadHides:
		view = nil
	case RuleReady:
		view = view.Map(func(causal.Level) causal.Level { return causal.All })
	case RuleAcrossProxy:
		if a.Proxy != memmodel.Generic {
			n = 0
		}
	}
	return s.Mem.Observe(a, view, n)
}

// observeHeads adds what a morally strong observation makes known, and joins or keeps the heads of
// the observed writes (semantics: synchronisation as heads). Late loads from the k-th on follow the read.
func (st *stepper) observeHeads(a *causal.Access, k int, pick causal.Observation) {
	if !a.Strong {
		return
	}
	s, t := st.s, st.t
	seen := causal.NoEvent
	for i, p := range pick {
		w := s.Mem.Cell(a.First + i).Writes[p]
		if w.Event == causal.NoEvent || w.Event == seen {
			continue
		}
		seen = w.Event
		e := s.Mem.Events[w.Event]
		if !causal.MorallyStrong(a, &e.Access) {
			continue
		}
		st.learn(a, k, a.First+i, p)
		for _, h := range s.Mem.Heads[w.Event] {
			if !h.Scope.Includes(h.Place, a.Place) {
				continue
			}
			need := a.Place.Common(h.Place)
			if st.in.Sem.Acquires() && st.in.Scope >= need {
				st.acquire(h.View)
			} else if st.in.Op != model.Red {
				t.observed = append(t.observed, observed{a.First, wayOf(a), need, h.View})
			}
		}
	}
	if st.in.Sem.Acquires() {
		// an acquire of the location joins what earlier strong reads of it observed (A8b)
		keep := t.observed[:0]
		for _, o := range t.observed {
			if o.cell == a.First && o.via == wayOf(a) && o.scope <= st.in.Scope {
				st.acquire(o.view)
				continue
			}
			keep = append(keep, o)
		}
		t.observed = keep
	}
}

// learn adds an observed write to what the thread knows, and with it what a chain of morally strong
// read-modify-writes leads back to (PTX ISA 8.9.2, observation order).
func (st *stepper) learn(a *causal.Access, k, cell, p int) {
	t := st.t
	writes := st.s.Mem.Cell(cell).Writes
	for p >= 0 {
		w := writes[p]
		if w.Event == causal.NoEvent {
			return
		}
		if !w.Settled {
			t.view = t.view.With(w.Event, a.Own())
			for i, l := range t.late[k:] {
				if l.pc != st.pc {
					n := *l
					n.view = l.view.With(w.Event, a.Own())
					t.late[k+i] = &n
				}
			}
		}
		r := int(w.RMWOf)
		if r < 0 || writes[r].Event == causal.NoEvent || !causal.MorallyStrong(&st.s.Mem.Events[w.Event].Access, &st.s.Mem.Events[writes[r].Event].Access) {
			return
		}
		p = r
	}
}

// acquire notes what the instruction acquires; it takes effect when all its elements are done.
func (st *stepper) acquire(v causal.View) {
	if st.m.Opts.Break != RuleAcquire {
		st.acquired = causal.Join(st.acquired, v)
	}
}

// recordRead keeps the read for race detection if somebody may still write the cells.
func (st *stepper) recordRead(a *causal.Access) {
	if st.m.Opts.Racy || !st.m.othersWrite(st.s, st.ti, a.First, a.N) {
		return
	}
	st.s.Mem.Supersede(a, st.t.view)
	id := st.s.Mem.Read(&causal.Event{Access: *a})
	st.t.view = st.t.view.With(id, a.Own())
}

func (st *stepper) store() {
	n := st.in.Type.Bytes()
	o, off, ok := st.locate(0, st.in.Space, n*st.in.Vec, n*st.in.Vec)
	if !ok {
		return
	}
	st.elements(o, off, func(i, off, n int) bool {
		a := st.access(o, off, n)
		bytes := make([]byte, n)
		if i < 0 {
			w := n / st.in.Vec
			for k := range st.in.Src {
				putValue(bytes[k*w:(k+1)*w], st.operand(&st.in.Src[k]))
			}
		} else {
			putValue(bytes, st.operand(&st.in.Src[i]))
		}
		return st.write(&a, bytes, nil, nil)
	})
}

// write performs one write event. readOf and carried belong to a read-modify-write.
func (st *stepper) write(a *causal.Access, bytes []byte, readOf causal.Observation, carried []causal.Head) bool {
	m, s, t := st.m, st.s, st.t
	m.covered(st.ti, st.pc, a.First, a.N, true)
	if !st.plainMemory(a) || !st.checkFlights(a, true) || !st.checkRaces(a, true) {
		return false
	}
	st.checkWriteOnce(a, bytes)
	heads := carried
	if a.Strong {
		heads = append(heads, st.releaseHeads(a.First, wayOf(a))...)
	}
	id := s.Mem.Write(&causal.Event{Access: *a, Write: true, Bytes: bytes}, t.view, readOf, st.ch)
	if id == causal.NoEvent {
		st.out.Impossible, st.out.Ended = true, true
		return false
	}
	s.Mem.Heads[id] = heads
	t.view = t.view.With(id, a.Own())
	for c := a.First; c < a.First+a.N; c++ {
		st.out.Changed = append(st.out.Changed, c)
		st.noteLater(a, len(t.late), c, id, true)
	}
	if st.rec != nil {
		st.rec.note("writes %s = %s", m.cellName(a.First, a.N), hex(bytes))
	}
	return true
}

// releaseHeads lists the heads that a strong write of the executing thread to a cell carries: its
// own if it is a release, an earlier release to the same location, the last fence of each scope.
func (st *stepper) releaseHeads(cell int, via way) []causal.Head {
	t := st.t
	var heads []causal.Head
	if st.in.Sem.Releases() {
		heads = append(heads, causal.Head{Scope: st.in.Scope, Place: st.info.place, View: st.before})
		st.rememberRelease(cell, via)
	} else {
		for _, r := range t.released {
			if r.cell == cell && r.via == via {
				heads = append(heads, causal.Head{Scope: r.scope, Place: st.info.place, View: r.view})
			}
		}
	}
	if st.m.Opts.Break == RuleFenceRelease {
		return heads
	}
	for sc := memmodel.CTA; sc <= memmodel.Sys; sc++ {
		if t.fenced[sc] {
			heads = append(heads, causal.Head{Scope: sc, Place: st.info.place, View: t.fences[sc]})
		}
	}
	if t.sharedFenced && st.m.layout.cells[cell].obj.cta >= 0 {
		heads = append(heads, causal.Head{Scope: memmodel.Cluster, Place: st.info.place, View: t.sharedFence})
	}
	return heads
}

func (st *stepper) rememberRelease(cell int, via way) {
	t := st.t
	own := released{cell, via, st.in.Scope, st.before}
	for i, r := range t.released {
		if r.cell == cell && r.via == via && r.scope <= st.in.Scope {
			t.released[i] = own
			return
		}
	}
	t.released = append(t.released, own)
}

// atomic performs atom and red (PTX ISA 9.7.13).
func (st *stepper) atomic() {
	m := st.m
	n := st.in.Type.Bytes()
	o, off, ok := st.locate(0, st.in.Space, n, n)
	if !ok {
		return
	}
	a := st.access(o, off, n)
	a.RMW = true
	m.covered(st.ti, st.pc, a.First, a.N, true)
	var ops [2]model.Value
	for i := range st.in.Src {
		ops[i] = st.operand(&st.in.Src[i])
	}
	old, ok := st.modify(&a, n, func(old model.Value) (model.Value, bool, error) {
		v, err := atomicOn(o)(st.in.AtomOp, st.in.Type, old, ops[0], ops[1])
		return v, st.in.AtomOp != model.AtomCAS || old == truncate(ops[0], st.in.Type), err
	})
	if ok && len(st.in.Dst) > 0 {
		st.set(st.in, 0, old)
	}
}

// modify performs one read-modify-write of n bytes and returns what it read; eval says what it writes,
// and whether it does.
func (st *stepper) modify(a *causal.Access, n int, eval func(old model.Value) (model.Value, bool, error)) (model.Value, bool) {
	m, s := st.m, st.s
	if !st.plainMemory(a) || !st.checkFlights(a, true) || !st.checkRaces(a, true) {
		return model.Value{}, false
	}
	type choice struct {
		pick   causal.Observation
		old    model.Value
		update model.Value
		writes bool
	}
	var choices []choice
	for _, pick := range m.observe(s, a, st.t.view, n) {
		bytes, known := m.bytes(s, a, pick)
		if !known {
			st.undefined("uninitialized-read", "%s is read, but nothing has written it", m.cellName(a.First, a.N))
			return model.Value{}, false
		}
		c := choice{pick: pick, old: getValue(bytes)}
		var err error
		if c.update, c.writes, err = eval(c.old); err != nil {
			st.undefined("arithmetic", "%v", err)
			return model.Value{}, false
		}
		ok := true
		for i, p := range pick {
			ok = ok && (!c.writes || m.Opts.Break == RuleAtomic || s.Mem.MayUpdate(a.First+i, p, a, st.t.view))
		}
		if ok {
			choices = append(choices, c)
		}
	}
	if len(choices) == 0 {
		st.undefined("no-value", "no value is left for the read-modify-write of %s", m.cellName(a.First, a.N))
		return model.Value{}, false
	}
	c := choices[st.ch.Choose(len(choices))]
	st.noteMissed(a, c.pick)
	var carried []causal.Head
	for i, p := range c.pick {
		w := s.Mem.Cell(a.First + i).Writes[p]
		if i == 0 && w.Event != causal.NoEvent && causal.MorallyStrong(a, &s.Mem.Events[w.Event].Access) {
			carried = append(carried, s.Mem.Heads[w.Event]...)
		}
	}
	if st.rec != nil {
		st.rec.note("reads %s = %#x%s", m.cellName(a.First, a.N), c.old.Lo, m.origin(s, a, c.pick))
	}
	if !st.checkUse(a, c.pick) {
		return model.Value{}, false
	}
	s.Mem.Constrain(a, st.t.view, c.pick)
	st.noteRead(a, len(st.t.late), c.pick)
	st.observeHeads(a, len(st.t.late), c.pick)
	st.t.view = causal.Join(st.t.view, st.acquired)
	st.before = st.t.view
	if !c.writes {
		st.recordRead(a)
		return c.old, true
	}
	bytes := make([]byte, n)
	putValue(bytes, c.update)
	readOf := c.pick
	if m.Opts.Break == RuleAtomic {
		readOf = nil
	}
	return c.old, st.write(a, bytes, readOf, carried)
}

// atomicOn picks the arithmetic of an atomic: an f32 add on global memory flushes subnormals, on
// shared memory it keeps them (PTX ISA 9.7.15, atom).
func atomicOn(o *object) func(model.AtomOp, model.Type, model.Value, model.Value, model.Value) (model.Value, error) {
	if o.cta < 0 {
		return alu.AtomicFTZ
	}
	return alu.Atomic
}

// plainMemory refuses accesses to a live mbarrier object (PTX ISA 9.7.15.16.3).
func (st *stepper) plainMemory(a *causal.Access) bool {
	for c := a.First; c < a.First+a.N; c++ {
		for _, b := range st.s.bars {
			if b.cell == c {
				st.undefined("mbarrier-plain-access", "%s holds a live mbarrier object; only mbarrier operations may touch it until mbarrier.inval", st.m.cellName(c, 1))
				return false
			}
		}
	}
	return true
}

// bytes collects what an observation delivers; known is false if nothing has written some byte.
func (m *Machine) bytes(s *State, a *causal.Access, pick causal.Observation) (out []byte, known bool) {
	known = true
	for i, p := range pick {
		c := a.First + i
		b, ok := m.content(s, c, s.Mem.Cell(c).Writes[p].Event)
		out = append(out, b...)
		known = known && ok
	}
	return out, known
}

// content returns the bytes that a write gave a cell.
func (m *Machine) content(s *State, c int, ev causal.EventID) ([]byte, bool) {
	cell := &m.layout.cells[c]
	if base := s.Mem.Cell(c).Base; ev == causal.NoEvent && base != nil {
		off := cell.off - m.layout.cells[base.First].off
		return base.Bytes[off : off+cell.size], true
	}
	if ev == causal.NoEvent {
		init := m.inputs[s.input][cell.obj.index]
		for i := cell.off; i < cell.off+cell.size; i++ {
			if cell.obj.unknown[i] {
				return make([]byte, cell.size), false
			}
		}
		return init[cell.off : cell.off+cell.size], true
	}
	e := s.Mem.Events[ev]
	off := cell.off - m.layout.cells[e.First].off
	return e.Bytes[off : off+cell.size], e.Taint != indeterminate
}

// othersWrite reports whether any agent may still write one of the cells; the thread itself counts
// only for asynchronous writes, since its own accesses are ordered.
func (m *Machine) othersWrite(s *State, ti, first, n int) bool {
	for i, t := range s.threads {
		if t.status == threadEnded {
			continue
		}
		f := &m.facts[i].future[t.pc]
		for c := first; c < first+n; c++ {
			if f.W.has(c) && (i != ti || f.A.has(c)) {
				return true
			}
		}
	}
	for _, f := range s.flights {
		if f.into.meetsRange(first, n) {
			return true
		}
	}
	return false
}

func hex(b []byte) string {
	switch len(b) {
	case 1, 2, 4, 8:
		return fmt.Sprintf("0x%0*x", 2*len(b), getValue(b).Lo)
	case 16:
		var s string
		for i := 0; i < 16; i += 4 {
			s += fmt.Sprintf(" %08x", uint32(getValue(b[i:i+4]).Lo))
		}
		return "{" + s[1:] + "}"
	default:
		return fmt.Sprintf("%x", b)
	}
}

// origin says which writes an observation took the value from.
func (m *Machine) origin(s *State, a *causal.Access, pick causal.Observation) string {
	var parts []string
	for i, p := range pick {
		cell := s.Mem.Cell(a.First + i)
		e := cell.Base
		if ev := cell.Writes[p].Event; ev != causal.NoEvent {
			e = s.Mem.Events[ev]
		}
		text := "the initial content"
		if e != nil {
			site := m.eventSite(e, "")
			who := "the store"
			if e.Async {
				who = "the copy"
			}
			text = fmt.Sprintf("%s at line %d by %s", who, site.Pos.Line, site.Agent)
		}
		if !slices.Contains(parts, text) {
			parts = append(parts, text)
		}
	}
	return ", from " + strings.Join(parts, " and ")
}
