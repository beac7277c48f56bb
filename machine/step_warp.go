package machine

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"

	"ptxmc/memmodel/causal"
	"ptxmc/model"
)

// warpMeeting is a rendezvous of the lanes of one member mask in warp instructions with the same qualifiers,
// between the first arrival and its completion (PTX ISA 9.7.9, 9.7.15: "with the same qualifiers and same
// membermask value"). It is never changed.
type warpMeeting struct {
	cta, warp int
	mask      uint32
	kind      warpKey
	first     int           // thread of lane 0
	arrivals  []warpArrival // sorted by thread
	brought   causal.View   // bar.warp.sync only
}

// warpArrival is what a lane contributes.
type warpArrival struct {
	thread  int
	value   model.Value
	from    int  // shfl.sync: the lane that it reads
	inRange bool // shfl.sync: its predicate
}

// warpKey holds the qualifiers of a warp instruction.
type warpKey uint32

func keyOf(in *model.Instr) warpKey {
	return warpKey(in.Op)<<24 | warpKey(in.Warp)<<16 | warpKey(in.AtomOp)<<8 | warpKey(in.Type)
}

// warp is a warp instruction with .sync: the lane waits until every lane of its mask that has not exited has
// executed the same. Only bar.warp.sync orders memory accesses; the others exchange registers (rule
// WARP-ORDER).
func (st *stepper) warp() {
	s, in := st.s, st.in
	mask := uint32(st.operand(&in.Src[len(in.Src)-1]).Lo)
	lane := st.info.linear % 32
	if mask>>lane&1 == 0 {
		st.undefined("barrier-mask", "%s with member mask %#x by lane %d, which is not in it", in.Text, mask, lane)
		return
	}
	w := &warpMeeting{cta: st.info.cta, warp: st.info.linear / 32, mask: mask, kind: keyOf(in), first: st.ti - lane}
	i, found := slices.BinarySearchFunc(s.warps, w, compareMeetings)
	if found {
		c := *s.warps[i]
		w = &c
		s.warps = slices.Delete(s.warps, i, i+1)
	}
	a := warpArrival{thread: st.ti}
	if in.Op == model.WarpOp {
		a.value = truncate(st.operand(&in.Src[0]), in.Type)
		if in.Warp <= model.ShflIdx {
			a.from, a.inRange = shuffleSource(in.Warp, lane, uint32(st.operand(&in.Src[1]).Lo), uint32(st.operand(&in.Src[2]).Lo))
		}
	}
	w.arrivals = append(slices.Clone(w.arrivals), a)
	slices.SortFunc(w.arrivals, func(a, b warpArrival) int { return a.thread - b.thread })
	if in.Op == model.WarpSync || st.m.Opts.Break == RuleWarpOrder {
		w.brought = causal.Join(w.brought, st.t.view)
	}
	st.t.status = threadAtBarrier
	s.warps = slices.Insert(s.warps, i, w)
	st.rec.note("arrives with member mask %#x", mask)
	st.checkWarp(w)
}

func compareMeetings(a, b *warpMeeting) int {
	return cmp.Or(a.cta-b.cta, a.warp-b.warp, cmp.Compare(a.mask, b.mask), cmp.Compare(a.kind, b.kind))
}

// shuffleSource is the source lane of shfl.sync and whether it is in range (PTX ISA, shfl.sync, Semantics).
func shuffleSource(kind model.WarpKind, lane int, b, c uint32) (from int, inRange bool) {
	by, clamp, segment := int(b&31), int(c&31), int(c>>8&31)
	most := lane&segment | clamp&^segment
	switch kind {
	case model.ShflUp:
		from = lane - by
		inRange = from >= most
	case model.ShflDown:
		from = lane + by
		inRange = from <= most
	case model.ShflBfly:
		from = lane ^ by
		inRange = from <= most
	default:
		from = lane&segment | by&^segment
		inRange = from <= most
	}
	if !inRange {
		from = lane
	}
	return from, inRange
}

// checkWarp completes the rendezvous if only lanes are missing that have exited or do not exist.
func (st *stepper) checkWarp(w *warpMeeting) {
	s := st.s
	threads := st.m.ctas[w.cta].threads
	for m := w.mask; m != 0 && st.m.Opts.Break != RuleWarpWait; m &= m - 1 {
		lane := w.warp*32 + bits.TrailingZeros32(m)
		if lane >= len(threads) || s.threads[threads[lane]].status == threadEnded {
			continue
		}
		if !slices.ContainsFunc(w.arrivals, func(a warpArrival) bool { return a.thread == threads[lane] }) {
			return
		}
	}
	s.warps = slices.DeleteFunc(slices.Clone(s.warps), func(x *warpMeeting) bool { return x == w })
	ti, t, info := st.ti, st.t, st.info
	in, pc := st.in, st.pc
	for _, a := range w.arrivals {
		o := t
		if a.thread != ti {
			o = s.own(a.thread)
		}
		st.enter(a.thread, o)
		st.pc = o.pc - 1
		st.in = &st.info.code.entry.Code[st.pc]
		o.status = threadRunning
		if st.m.Opts.Break != RuleBarrier {
			o.view = causal.Join(o.view, w.brought)
		}
		if !st.exchange(w, a) {
			return
		}
		if a.thread != ti {
			st.runLocal()
		}
	}
	st.in, st.pc = in, pc
	st.ti, st.t, st.info = ti, t, info
}

// exchange sets the results of one lane.
func (st *stepper) exchange(w *warpMeeting, a warpArrival) bool {
	in := st.in
	switch {
	case in.Op == model.Elect:
		out, _ := st.m.pure(st.info, in, []model.Value{{Lo: uint64(w.mask)}})
		for i := range out {
			st.set(in, i, out[i])
		}
	case in.Op != model.WarpOp:
	case in.Warp <= model.ShflIdx:
		i := slices.IndexFunc(w.arrivals, func(x warpArrival) bool { return x.thread == w.first+a.from })
		if i < 0 {
			st.undefined("shfl-source", "lane %d reads the register of lane %d, which is not active with member mask %#x: the result is undefined",
				st.info.linear%32, a.from, w.mask)
			return false
		}
		st.set(in, 0, w.arrivals[i].value)
		st.set(in, 1, model.Value{Lo: b2u(a.inRange)})
	default:
		v, p := w.combine(in, a)
		st.set(in, 0, v)
		st.set(in, 1, p)
	}
	return true
}

// combine is the result of vote.sync, match.sync and redux.sync for one lane.
func (w *warpMeeting) combine(in *model.Instr, own warpArrival) (v, p model.Value) {
	var ballot, equal, all uint32
	acc := w.arrivals[0].value.Lo
	for i, a := range w.arrivals {
		bit := uint32(1) << (a.thread - w.first)
		all |= bit
		if a.value.Lo&1 == 1 {
			ballot |= bit
		}
		if a.value == own.value {
			equal |= bit
		}
		if i > 0 {
			acc = reduce(in, acc, a.value.Lo)
		}
	}
	switch in.Warp {
	case model.VoteAll:
		v.Lo = b2u(ballot == all)
	case model.VoteAny:
		v.Lo = b2u(ballot != 0)
	case model.VoteUni:
		v.Lo = b2u(ballot == all || ballot == 0)
	case model.VoteBallot:
		v.Lo = uint64(ballot)
	case model.MatchAny:
		v.Lo = uint64(equal)
	case model.MatchAll:
		if equal == all {
			v.Lo, p.Lo = uint64(all), 1
		}
	default:
		v.Lo = acc
	}
	return v, p
}

func reduce(in *model.Instr, a, b uint64) uint64 {
	less := uint32(a) < uint32(b)
	if in.Type.Signed() {
		less = int32(uint32(a)) < int32(uint32(b))
	}
	switch in.AtomOp {
	case model.AtomAdd:
		return uint64(uint32(a + b))
	case model.AtomAnd:
		return a & b
	case model.AtomOr:
		return a | b
	case model.AtomXor:
		return a ^ b
	case model.AtomMin:
		if less {
			return a
		}
		return b
	default:
		if less {
			return b
		}
		return a
	}
}

// maxActive bounds a warp in which activemask is executed: each set of its lanes is a possible answer.
const maxActive = 8

// checkActive refuses activemask in warps that are too large.
func (m *Machine) checkActive() error {
	for i := range m.threads {
		code := m.threads[i].code.entry.Code
		for pc := range code {
			if n := min(32, len(m.ctas[m.threads[i].cta].threads)); code[pc].Op == model.ActiveMask && m.facts[i].reached[pc] && n > maxActive {
				return &model.Diagnostic{Pos: code[pc].Pos, Msg: fmt.Sprintf(
					"activemask in a warp of %d lanes has too many possible answers; expected at most %d lanes; use a smaller block, or a constant member mask", n, maxActive)}
			}
		}
	}
	return nil
}

// activeMask answers any set of the warp's lanes that contains the executing one: PTX does not say which
// threads are converged. An exited lane may be in it, which is more than PTX allows.
func (st *stepper) activeMask() {
	lane := st.info.linear % 32
	mask := uint32(1) << lane
	n := len(st.m.ctas[st.info.cta].threads) - (st.info.linear - lane)
	for l := range min(n, 32) {
		if l != lane && st.ch.Choose(2) == 1 {
			mask |= 1 << l
		}
	}
	st.set(st.in, 0, model.Value{Lo: uint64(mask)})
	st.rec.note("answers %#x", mask)
}
