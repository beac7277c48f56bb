package axiomatic

import (
	"fmt"
	"slices"

	"ptxmc/memmodel"
)

// arrivals lets the threads run through their barriers (PTX ISA 9.7.15.1, with the quorum of the litmus
// dialect; 9.7.15.16) and collects the orders of the CTA barriers that result.
type arrivals struct {
	s     *skeleton
	seq   [][]int // barrier events of each thread; of mbarrier objects arrivals, waits and issues of copies
	all   map[barrierKey]int
	known map[string]bool
	out   []*memmodel.Rel
	seen  map[string]bool
}

// barrierOrders returns each order of the barriers in which all threads end: from every arrival to each wait
// that it comes before. There is none if the threads hang.
func (s *skeleton) barrierOrders() []*memmodel.Rel {
	a := &arrivals{s: s, seq: make([][]int, len(s.paths)), all: map[barrierKey]int{}, known: map[string]bool{}, seen: map[string]bool{}}
	some := false
	for i := range s.events {
		e := &s.events[i]
		switch e.kind {
		case Barrier, Arrive, Issue:
			a.all[e.bar]++
		case Wait:
		default:
			continue
		}
		a.seq[e.thread] = append(a.seq[e.thread], i)
		some = some || e.kind == Barrier || e.kind == Wait
	}
	if !some {
		return []*memmodel.Rel{s.env.Rels["sync_barrier"]}
	}
	a.run(make([]int, len(a.seq)), map[barrierKey][]int{}, memmodel.NewRel(len(s.events)))
	return a.out
}

// blocks reports whether a thread whose last event is e has to wait: at a CTA barrier for the quorum, at an mbarrier
// object for all arrivals and copies (a copy that was issued completes).
func (a *arrivals) blocks(e *event, came map[barrierKey][]int) bool {
	switch e.kind {
	case Barrier:
		return !e.instr.BarArrive && len(came[e.bar]) < a.quorum(e)
	case Wait:
		return len(came[e.bar]) < a.all[e.bar]
	}
	return false
}

// quorum returns how many arrivals open the barrier for a wait.
func (a *arrivals) quorum(e *event) int {
	if e.quorum > 0 {
		return int(min(e.quorum, 1<<30))
	}
	return a.all[e.bar]
}

// run continues with each thread in turn: next[t] events of thread t have arrived, in the order came.
func (a *arrivals) run(next []int, came map[barrierKey][]int, order *memmodel.Rel) {
	key := order.String() + fmt.Sprint(next)
	if a.seen[key] {
		return
	}
	a.seen[key] = true
	done := true
	for t, n := range next {
		if n > 0 {
			if a.blocks(&a.s.events[a.seq[t][n-1]], came) {
				done = false
				continue
			}
		}
		if n == len(a.seq[t]) {
			continue
		}
		done = false
		i := a.seq[t][n]
		e := &a.s.events[i]
		was, after := came[e.bar], order
		if e.kind != Wait {
			came[e.bar] = append(slices.Clone(was), i)
		}
		if e.kind == Barrier {
			after = a.arrive(order, came[e.bar])
		}
		next[t]++
		a.run(next, came, after)
		next[t]--
		came[e.bar] = was
		if e.kind != Barrier {
			return // whoever else moves first, this event changes nothing for it
		}
	}
	if id := order.String(); done && !a.known[id] {
		a.known[id] = true
		a.out = append(a.out, order)
	}
}

// arrive adds what the last of the arrivals at a barrier brings: it is before all waits that were not open
// yet and its own, and if it waits, everyone here is before it.
func (a *arrivals) arrive(order *memmodel.Rel, list []int) *memmodel.Rel {
	out := order.Clone()
	last := list[len(list)-1]
	for _, i := range list {
		e := &a.s.events[i]
		if i != last && !e.instr.BarArrive && len(list) <= a.quorum(e) {
			out.Add(last, i)
		}
		if i != last && !a.s.events[last].instr.BarArrive {
			out.Add(i, last)
		}
	}
	return out
}
