package machine

import (
	"cmp"
	"encoding/binary"
	"slices"

	"ptxmc/memmodel/causal"
	"ptxmc/model"
)

// This file is the barrier of the litmus dialects. It opens for good once enough threads have arrived: a
// thread waits until as many arrivals as its own quorum are there, and later arrivals pass.

// meetingKey names what barrier instructions meet at.
type meetingKey struct {
	cta      int
	inst, id int64
	named    bool // has an id
	turn     int  // how often the thread has been there before
}

func (k meetingKey) compare(l meetingKey) int {
	return cmp.Or(cmp.Compare(k.cta, l.cta), cmp.Compare(k.inst, l.inst), cmp.Compare(k.id, l.id), b2i(k.named)-b2i(l.named), cmp.Compare(k.turn, l.turn))
}

// turn counts a thread's visits of a barrier.
type turn struct {
	key   meetingKey // turn 0
	times int
}

// meeting is a barrier that some thread has arrived at. It is never changed in place.
type meeting struct {
	key     meetingKey
	arrived int
	brought causal.View
	waiting []waiter
}

type waiter struct {
	thread int
	quorum int // 0: all that may come
}

// meet is an arrival.
func (st *stepper) meet() {
	s := st.s
	key := meetingKey{cta: st.info.cta, inst: int64(st.operand(&st.in.Src[0]).Lo)}
	if st.in.Src[1].Kind != model.NoOperand {
		key.id, key.named = int64(st.operand(&st.in.Src[1]).Lo), true
	}
	key.turn = st.t.turnOf(key)
	n := &meeting{key: key}
	i, found := slices.BinarySearchFunc(s.meets, key, func(m *meeting, k meetingKey) int { return m.key.compare(k) })
	if found {
		*n = *s.meets[i]
		n.waiting = slices.Clone(n.waiting)
		s.meets[i] = n
	} else {
		s.meets = slices.Insert(s.meets, i, n)
	}
	n.arrived++
	n.brought = causal.Join(n.brought, st.t.view)
	st.rec.note("arrives at barrier %d (arrival %d)", key.inst, n.arrived)
	if !st.in.Arrive {
		quorum := 0
		if st.in.Src[2].Kind != model.NoOperand {
			quorum = int(st.operand(&st.in.Src[2]).Lo)
		}
		st.t.status = threadAtBarrier
		n.waiting = append(n.waiting, waiter{st.ti, quorum})
		slices.SortFunc(n.waiting, func(a, b waiter) int { return a.thread - b.thread })
	}
}

// turnOf counts the visit and returns how many there were before.
func (t *thread) turnOf(key meetingKey) int {
	i := slices.IndexFunc(t.turns, func(n turn) bool { return n.key == key })
	if i < 0 {
		t.turns = append(t.turns, turn{key, 0})
		slices.SortFunc(t.turns, func(a, b turn) int { return a.key.compare(b.key) })
		i = slices.IndexFunc(t.turns, func(n turn) bool { return n.key == key })
	}
	t.turns[i].times++
	return t.turns[i].times - 1
}

// openMeetings lets those go on for whom enough threads have arrived.
func (st *stepper) openMeetings() {
	m, s := st.m, st.s
	for i, n := range s.meets {
		var keep, free []waiter
		for _, w := range n.waiting {
			if w.quorum > 0 && n.arrived >= w.quorum || w.quorum == 0 && !m.mayCome(s, n) {
				free = append(free, w)
			} else {
				keep = append(keep, w)
			}
		}
		if free == nil {
			continue
		}
		c := *n
		c.waiting = keep
		s.meets[i] = &c
		for _, w := range free {
			t := s.own(w.thread)
			t.status = threadRunning
			if m.Opts.Break != RuleBarrier {
				t.view = causal.Join(t.view, n.brought)
			}
			st.enter(w.thread, t)
			st.runLocal()
		}
	}
}

// mayCome reports whether a thread of the CTA that has not arrived may still do so.
func (m *Machine) mayCome(s *State, n *meeting) bool {
	base := n.key
	base.turn = 0
	for _, ti := range m.ctas[n.key.cta].threads {
		t := s.threads[ti]
		if t.status == threadEnded || slices.ContainsFunc(n.waiting, func(w waiter) bool { return w.thread == ti }) {
			continue
		}
		times := 0
		for _, x := range t.turns {
			if x.key == base {
				times = x.times
			}
		}
		if times <= n.key.turn && m.reachesBarrier(ti, t.pc, base) {
			return true
		}
	}
	return false
}

// reachesBarrier reports whether thread ti, about to execute pc, may come to the barrier.
func (m *Machine) reachesBarrier(ti, pc int, key meetingKey) bool {
	f := &m.facts[ti]
	code := m.threads[ti].code.entry.Code
	seen := newBitset(len(code) + 1)
	work := []int{pc}
	for len(work) > 0 {
		pc := work[len(work)-1]
		work = work[:len(work)-1]
		if seen.has(pc) || pc == len(code) {
			continue
		}
		seen.set(pc)
		in := &code[pc]
		is := func(o *model.Operand, v int64) bool { return o.Kind != model.ImmOperand || int64(o.Imm.Lo) == v }
		if in.Op == model.BarQuorum && is(&in.Src[0], key.inst) && (in.Src[1].Kind != model.NoOperand) == key.named && (!key.named || is(&in.Src[1], key.id)) {
			return true
		}
		work = append(work, f.next[pc]...)
	}
	return false
}

func (m *Machine) encodeBarrier(k meetingKey, buf *[]byte) {
	*buf = binary.AppendUvarint(*buf, uint64(k.cta))
	*buf = binary.AppendVarint(*buf, k.inst)
	*buf = binary.AppendVarint(*buf, k.id)
	*buf = append(*buf, byte(b2i(k.named)))
	*buf = binary.AppendUvarint(*buf, uint64(k.turn))
}
