package explore

import "slices"

// This file looks for fair infinite executions in the finished graph (semantics section 8):
//
//   - an agent that can move, moves. An agent that never has its turn in a cycle (it is in no
//     persistent set there) cannot disturb the cycle, and moves beside it;
//   - a strong read does not miss a newer strong write for ever, nor a wait a completed phase:
//     moves that miss something that no move of the component changes are taken finitely often.
//
// What remains after taking out what fairness forbids is a fair cycle if it still has an edge.

// components returns the strongly connected components of the states in set (nil: all), by the
// edges that keep allows.
func (s *search) components(set []uint32, keep func(from uint32, e edge) bool) [][]uint32 {
	index := map[uint32]uint32{}
	low := map[uint32]uint32{}
	onStack := map[uint32]bool{}
	var inSet map[uint32]bool
	if set != nil {
		inSet = make(map[uint32]bool, len(set))
		for _, x := range set {
			inSet[x] = true
		}
	} else {
		set = make([]uint32, len(s.nodes))
		for i := range set {
			set[i] = uint32(i)
		}
	}
	var stack []uint32
	var out [][]uint32
	type frame struct {
		v uint32
		i int
	}
	next := uint32(0)
	for _, root := range set {
		if _, seen := index[root]; seen {
			continue
		}
		frames := []frame{{root, 0}}
		index[root], low[root] = next, next
		next++
		stack = append(stack, root)
		onStack[root] = true
		for len(frames) > 0 {
			f := &frames[len(frames)-1]
			if f.i < len(s.nodes[f.v].edges) {
				e := s.nodes[f.v].edges[f.i]
				f.i++
				if inSet != nil && !inSet[e.to] || !keep(f.v, e) {
					continue
				}
				if _, seen := index[e.to]; !seen {
					index[e.to], low[e.to] = next, next
					next++
					stack = append(stack, e.to)
					onStack[e.to] = true
					frames = append(frames, frame{e.to, 0})
				} else if onStack[e.to] {
					low[f.v] = min(low[f.v], index[e.to])
				}
				continue
			}
			v := f.v
			frames = frames[:len(frames)-1]
			if len(frames) > 0 {
				p := frames[len(frames)-1].v
				low[p] = min(low[p], low[v])
			}
			if low[v] == index[v] {
				var comp []uint32
				for {
					w := stack[len(stack)-1]
					stack = stack[:len(stack)-1]
					onStack[w] = false
					comp = append(comp, w)
					if w == v {
						break
					}
				}
				out = append(out, comp)
			}
		}
	}
	return out
}

// liveness judges the cycles of the finished graph. It returns false if the search is over; true
// with new states queued if agents were ignored in a component that nothing leaves.
func (s *search) liveness() bool {
	all := func(uint32, edge) bool { return true }
	comps := s.components(nil, all)
	for _, comp := range comps {
		if !s.cyclic(comp, all) {
			continue
		}
		s.result.Cyclic = true
		if s.opts.FinalStates {
			continue
		}
		if c, keep := s.fairCycle(comp, all); c != nil {
			s.reportLasso(c, keep)
			if s.found != nil {
				return false
			}
			break
		}
	}
	more := false
	for _, comp := range comps {
		if s.cyclic(comp, all) && s.bottom(comp) && s.ignored(comp) {
			id := slices.Min(comp)
			if s.full[id] {
				continue
			}
			s.full[id] = true
			s.nodes[id].edges = nil
			s.expand(id, s.replay(id))
			more = true
			if s.found != nil {
				return false
			}
		}
	}
	return more
}

// cyclic reports whether a component has an edge inside.
func (s *search) cyclic(comp []uint32, keep func(uint32, edge) bool) bool {
	if len(comp) > 1 {
		return true
	}
	for _, e := range s.nodes[comp[0]].edges {
		if e.to == comp[0] && keep(comp[0], e) {
			return true
		}
	}
	return false
}

// bottom reports whether no edge leaves the component.
func (s *search) bottom(comp []uint32) bool {
	in := map[uint32]bool{}
	for _, v := range comp {
		in[v] = true
	}
	for _, v := range comp {
		for _, e := range s.nodes[v].edges {
			if !in[e.to] {
				return false
			}
		}
	}
	return true
}

// ignored reports whether some agent is enabled in the component but never has its turn.
func (s *search) ignored(comp []uint32) bool {
	turn := map[int]bool{}
	for _, v := range comp {
		for _, a := range s.sets.lists[s.nodes[v].turn] {
			turn[a] = true
		}
		for _, e := range s.nodes[v].edges {
			for _, a := range s.infos.infos[e.info].moved {
				turn[a] = true
			}
		}
	}
	for _, v := range comp {
		for _, a := range s.sets.lists[s.nodes[v].ready] {
			if !turn[a] {
				return true
			}
		}
	}
	return false
}

// fairCycle returns a set of states, strongly connected by the edges that the returned filter
// allows, in which an execution can stay for ever fairly; nil if there is none in comp.
func (s *search) fairCycle(comp []uint32, keep func(uint32, edge) bool) ([]uint32, func(uint32, edge) bool) {
	in := map[uint32]bool{}
	for _, v := range comp {
		in[v] = true
	}
	changed, moved := map[int]bool{}, map[int]bool{}
	s.inside(comp, in, keep, func(_ uint32, e edge) {
		for _, c := range s.infos.infos[e.info].changed {
			changed[c] = true
		}
		for _, a := range s.infos.infos[e.info].moved {
			moved[a] = true
		}
	})
	// moves that miss for ever
	misses := func(e edge) bool {
		for _, c := range s.infos.infos[e.info].missed {
			if !changed[c] {
				return true
			}
		}
		return false
	}
	removed := false
	s.inside(comp, in, keep, func(_ uint32, e edge) { removed = removed || misses(e) })
	narrower := keep
	if removed {
		narrower = func(v uint32, e edge) bool { return keep(v, e) && !misses(e) }
		return s.fairIn(comp, narrower)
	}
	// agents that could move always, have their turn, and never move
	starved := map[int]bool{}
	for _, v := range comp {
		for _, a := range s.sets.lists[s.nodes[v].turn] {
			if !moved[a] && s.alwaysReady(comp, a) {
				starved[a] = true
			}
		}
	}
	if len(starved) == 0 {
		return comp, keep
	}
	var rest []uint32
	for _, v := range comp {
		ok := true
		for _, a := range s.sets.lists[s.nodes[v].turn] {
			ok = ok && !starved[a]
		}
		if ok {
			rest = append(rest, v)
		}
	}
	if len(rest) == 0 {
		return nil, nil
	}
	return s.fairIn(rest, keep)
}

// fairIn looks for a fair cycle in each component of a set.
func (s *search) fairIn(set []uint32, keep func(uint32, edge) bool) ([]uint32, func(uint32, edge) bool) {
	for _, comp := range s.components(set, keep) {
		if s.cyclic(comp, keep) {
			if c, k := s.fairCycle(comp, keep); c != nil {
				return c, k
			}
		}
	}
	return nil, nil
}

func (s *search) inside(comp []uint32, in map[uint32]bool, keep func(uint32, edge) bool, f func(uint32, edge)) {
	for _, v := range comp {
		for _, e := range s.nodes[v].edges {
			if in[e.to] && keep(v, e) {
				f(v, e)
			}
		}
	}
}

func (s *search) alwaysReady(comp []uint32, a int) bool {
	for _, v := range comp {
		if _, ok := slices.BinarySearch(s.sets.lists[s.nodes[v].ready], a); !ok {
			return false
		}
	}
	return true
}

// reportLasso builds one cycle through the component in which every agent moves that has to.
func (s *search) reportLasso(comp []uint32, keep func(uint32, edge) bool) {
	in := map[uint32]bool{}
	entry := comp[0]
	for _, v := range comp {
		in[v] = true
		if s.nodes[v].depth < s.nodes[entry].depth || s.nodes[v].depth == s.nodes[entry].depth && v < entry {
			entry = v
		}
	}
	due := map[int]bool{}
	s.inside(comp, in, keep, func(_ uint32, e edge) {
		for _, a := range s.infos.infos[e.info].moved {
			due[a] = true
		}
	})
	var movers []string
	for a := range due {
		movers = append(movers, s.nameOf(a))
	}
	slices.Sort(movers)
	var loop []move
	at := entry
	for {
		path := s.walk(at, in, keep, func(e edge) bool {
			for _, a := range s.infos.infos[e.info].moved {
				if due[a] {
					return true
				}
			}
			return false
		})
		if path == nil {
			break
		}
		for _, p := range path {
			for _, a := range s.infos.infos[p.e.info].moved {
				delete(due, a)
			}
			loop = append(loop, s.book.get(p.e.via))
			at = p.e.to
		}
		if len(due) == 0 {
			break
		}
	}
	if at != entry {
		for _, p := range s.walk(at, in, keep, func(e edge) bool { return e.to == entry }) {
			loop = append(loop, s.book.get(p.e.via))
		}
	}
	v := s.m.Lasso(movers)
	if s.opts.Target != "" && s.opts.Target != v.Property || s.opts.Only != "" && s.opts.Only != v.Property {
		if s.opts.Only == "" {
			s.remember(v.Property, &finding{violation: v, from: entry, loop: loop})
		}
		return
	}
	s.found = &finding{violation: v, from: entry, loop: loop}
}

type hop struct {
	from uint32
	e    edge
}

// walk returns the shortest path inside the component that ends with an edge that goal accepts.
func (s *search) walk(from uint32, in map[uint32]bool, keep func(uint32, edge) bool, goal func(edge) bool) []hop {
	prev := map[uint32]hop{}
	seen := map[uint32]bool{from: true}
	queue := []uint32{from}
	for len(queue) > 0 {
		v := queue[0]
		queue = queue[1:]
		for _, e := range s.nodes[v].edges {
			if !in[e.to] || !keep(v, e) {
				continue
			}
			h := hop{v, e}
			if goal(e) {
				path := []hop{h}
				for v != from {
					p := prev[v]
					path = append(path, p)
					v = p.from
				}
				slices.Reverse(path)
				return path
			}
			if !seen[e.to] {
				seen[e.to] = true
				prev[e.to] = h
				queue = append(queue, e.to)
			}
		}
	}
	return nil
}

func (s *search) nameOf(a int) string {
	for k, n := range s.names {
		if n == a {
			return s.m.AgentName(k)
		}
	}
	return ""
}
