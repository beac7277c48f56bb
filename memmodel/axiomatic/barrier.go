package axiomatic

import (
	"fmt"
	"slices"

	"ptxmc/memmodel"
)

// arrivals lets the threads run through their barriers (PTX ISA 9.7.15.1, with the quorum of the litmus
// dialect) and collects the orders that result.
type arrivals struct {
	s     *skeleton
	seq   [][]int // barrier events of each thread
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
		if e := &s.events[i]; e.kind == Barrier {
			a.seq[e.thread] = append(a.seq[e.thread], i)
			a.all[e.bar]++
			some = true
		}
	}
	if !some {
		return []*memmodel.Rel{s.env.Rels["sync_barrier"]}
	}
	a.run(make([]int, len(a.seq)), map[barrierKey][]int{}, memmodel.NewRel(len(s.events)))
	return a.out
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
			last := a.seq[t][n-1]
			e := &a.s.events[last]
			if !e.instr.BarArrive && len(came[e.bar]) < a.quorum(e) {
				done = false
				continue // waits
			}
		}
		if n == len(a.seq[t]) {
			continue
		}
		done = false
		i := a.seq[t][n]
		at := a.s.events[i].bar
		was := came[at]
		came[at] = append(slices.Clone(was), i)
		next[t]++
		a.run(next, came, a.arrive(order, came[at]))
		next[t]--
		came[at] = was
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
