package axiomatic

import (
	"maps"
	"math/bits"
	"slices"

	"ptxmc/memmodel"
	"ptxmc/model/litmus"
)

// domains are the values that each memory (by its owner's number) can hold.
type domains struct {
	prog   *litmus.Program
	flow   *memmodel.Rel   // from memory to memory: values written come from values read
	plus   *memmodel.Rel   // its closure
	depth  []map[int64]int // computing writes behind a value, counted within the circle of flow
	values [][]int64       // sorted
}

func newDomains(p *litmus.Program) *domains {
	d := &domains{prog: p, flow: memmodel.NewRel(len(p.Locs))}
	d.reset()
	return d
}

// reset goes back to the initial values.
func (d *domains) reset() {
	d.plus = d.flow.Plus()
	d.depth = make([]map[int64]int, len(d.prog.Locs))
	for i := range d.depth {
		d.depth[i] = map[int64]int{d.prog.Locs[i].Init: 0}
	}
	d.sort()
}

func (d *domains) sort() {
	d.values = nil
	for _, m := range d.depth {
		d.values = append(d.values, slices.Sorted(maps.Keys(m)))
	}
}

// same reports whether values of a and b come from each other.
func (d *domains) same(a, b int) bool { return a == b || d.plus.Has(a, b) && d.plus.Has(b, a) }

// solve finds the domains and the paths of all threads. A value takes at most as many computing writes as
// the threads can do together (rf and dependencies have no cycle: No-Thin-Air, PTX ISA 8.10.4).
func (d *domains) solve(walkers []*walker) ([][]*path, error) {
	limit := make([]int, len(d.prog.Locs))
	for {
		flow := d.flow.Clone()
		count := make([]int, len(limit))
		for _, w := range walkers {
			if err := w.walk(d); err != nil {
				return nil, err
			}
			d.measure(w, flow, count)
		}
		if !flow.Equal(d.flow) {
			d.flow = flow
			d.reset()
			continue
		}
		changed := !slices.Equal(limit, count)
		limit = count
		if !d.grow(walkers, limit) && !changed {
			return possible(d.prog, walkers, limit), nil
		}
	}
}

// measure adds to flow, and to count the computing writes that a thread can do in the circle of each memory.
func (d *domains) measure(w *walker, flow *memmodel.Rel, count []int) {
	most := make([]int, len(count))
	for _, p := range slices.Concat(w.paths, w.partial) {
		here := make([]int, len(count))
		for i := range p.events {
			e := &p.events[i]
			if e.kind != Write {
				continue
			}
			to := w.phys(e.loc)
			from := e.addr | e.data
			if from != 0 {
				here[to]++
			}
			for ; from != 0; from &= from - 1 {
				flow.Add(w.phys(p.events[bits.TrailingZeros64(from)].loc), to)
			}
		}
		for a := range most {
			sum := 0
			for b, n := range here {
				if n > 0 && d.same(a, b) {
					sum += n
				}
			}
			most[a] = max(most[a], sum)
		}
	}
	for a, n := range most {
		count[a] += n
	}
}

// grow adds what the paths write.
func (d *domains) grow(walkers []*walker, limit []int) bool {
	grown := false
	for _, w := range walkers {
		for _, p := range slices.Concat(w.paths, w.partial) {
			for i := range p.events {
				e := &p.events[i]
				if e.kind != Write {
					continue
				}
				at := w.phys(e.loc)
				if was, ok := d.depth[at][e.val]; e.depth <= limit[at] && (!ok || e.depth < was) {
					d.depth[at][e.val], grown = e.depth, true
				}
			}
		}
	}
	d.sort()
	return grown
}

// possible keeps the paths without a value that takes too many writes.
func possible(p *litmus.Program, walkers []*walker, limit []int) [][]*path {
	endless := func(q *path) bool {
		return slices.ContainsFunc(q.events, func(e event) bool {
			return e.kind == Write && e.depth > limit[p.Locs[e.loc].Phys]
		})
	}
	var out [][]*path
	for _, w := range walkers {
		w.paths, w.partial = slices.DeleteFunc(w.paths, endless), slices.DeleteFunc(w.partial, endless)
		out = append(out, w.paths)
	}
	return out
}
