package memmodel

import (
	"fmt"
	"math/bits"
	"strings"
)

// Rel is a binary relation on the events 0 to n-1 of one execution, one row of bits an event. The
// operations that return a Rel leave their operands alone; only Add changes its receiver.
// Relations over different n do not mix.
type Rel struct {
	n, w int // events, words in a row
	bits []uint64
}

// NewRel returns the empty relation over n events.
func NewRel(n int) *Rel {
	w := words(n)
	if n <= smallRel { // one allocation: searches make millions of small relations
		small := &struct {
			rel Rel
			buf [smallRel]uint64
		}{rel: Rel{n: n, w: w}}
		small.rel.bits = small.buf[:n:n]
		return &small.rel
	}
	return &Rel{n: n, w: w, bits: make([]uint64, n*w)}
}

// smallRel is the number of events up to which a relation is one allocation.
const smallRel = 16

// FullRel returns the relation of every event to every event, itself included.
func FullRel(n int) *Rel {
	full := NewRel(n)
	for i := range n {
		fill(full.row(i), n)
	}
	return full
}

// Identity returns the relation of every member of s to itself, [S] in cat.
func Identity(s *Set) *Rel {
	out := NewRel(s.n)
	s.Each(func(i int) { out.Add(i, i) })
	return out
}

// Product returns the relation of every member of a to every member of b, A*B in cat.
func Product(a, b *Set) *Rel {
	checkSize(a.n, b.n)
	out := NewRel(a.n)
	a.Each(func(i int) { copy(out.row(i), b.bits) })
	return out
}

func (r *Rel) row(i int) []uint64 { return r.bits[i*r.w : (i+1)*r.w] }

// Size returns the number of events that the relation is over.
func (r *Rel) Size() int { return r.n }

// Len returns the number of pairs.
func (r *Rel) Len() int {
	count := 0
	for _, w := range r.bits {
		count += bits.OnesCount64(w)
	}
	return count
}

// Add relates i to j.
func (r *Rel) Add(i, j int) {
	checkEvent(i, r.n)
	checkEvent(j, r.n)
	r.bits[i*r.w+j/wordBits] |= 1 << (j % wordBits)
}

// Has reports whether i is related to j.
func (r *Rel) Has(i, j int) bool {
	checkEvent(i, r.n)
	checkEvent(j, r.n)
	return r.bits[i*r.w+j/wordBits]>>(j%wordBits)&1 != 0
}

// Clone returns a copy that shares nothing with r.
func (r *Rel) Clone() *Rel {
	out := NewRel(r.n)
	copy(out.bits, r.bits)
	return out
}

// Union returns the pairs of r or o.
func (r *Rel) Union(o *Rel) *Rel {
	out := r.sameSize(o)
	for k := range r.bits {
		out.bits[k] = r.bits[k] | o.bits[k]
	}
	return out
}

// Inter returns the pairs of both r and o.
func (r *Rel) Inter(o *Rel) *Rel {
	out := r.sameSize(o)
	for k := range r.bits {
		out.bits[k] = r.bits[k] & o.bits[k]
	}
	return out
}

// Minus returns the pairs of r that o lacks.
func (r *Rel) Minus(o *Rel) *Rel {
	out := r.sameSize(o)
	for k := range r.bits {
		out.bits[k] = r.bits[k] &^ o.bits[k]
	}
	return out
}

func (r *Rel) sameSize(o *Rel) *Rel {
	checkSize(r.n, o.n)
	return NewRel(r.n)
}

// Complement returns the pairs of events that r lacks.
func (r *Rel) Complement() *Rel { return FullRel(r.n).Minus(r) }

// Compose returns r;o: i to k if r relates i to some j and o relates j to k.
func (r *Rel) Compose(o *Rel) *Rel {
	out := r.sameSize(o)
	if r.w == 1 { // the usual case: an execution of a litmus test
		for i, row := range r.bits {
			for ; row != 0; row &= row - 1 {
				out.bits[i] |= o.bits[bits.TrailingZeros64(row)]
			}
		}
		return out
	}
	for i := range r.n {
		to := out.row(i)
		eachBit(r.row(i), func(j int) { orInto(to, o.row(j)) })
	}
	return out
}

// Inverse returns the pairs of r turned round.
func (r *Rel) Inverse() *Rel {
	out := NewRel(r.n)
	for i := range r.n {
		word, mask := i/wordBits, uint64(1)<<(i%wordBits)
		eachBit(r.row(i), func(j int) { out.bits[j*out.w+word] |= mask })
	}
	return out
}

// Plus returns the transitive closure.
func (r *Rel) Plus() *Rel {
	out := r.Clone()
	for k := range r.n { // Warshall: paths through events up to k
		via := out.row(k)
		if allZero(via) {
			continue
		}
		word, mask := k/wordBits, uint64(1)<<(k%wordBits)
		if out.w == 1 {
			for i, row := range out.bits {
				if row&mask != 0 {
					out.bits[i] |= via[0]
				}
			}
			continue
		}
		for i := range r.n {
			if row := out.row(i); row[word]&mask != 0 {
				orInto(row, via)
			}
		}
	}
	return out
}

// Star returns the reflexive transitive closure.
func (r *Rel) Star() *Rel { return r.Plus().Optional() }

// Optional returns the reflexive closure, r? in cat.
func (r *Rel) Optional() *Rel {
	out := r.Clone()
	for i := range r.n {
		out.Add(i, i)
	}
	return out
}

// Domain returns the events that are related to some event.
func (r *Rel) Domain() *Set {
	out := NewSet(r.n)
	for i := range r.n {
		if !allZero(r.row(i)) {
			out.Add(i)
		}
	}
	return out
}

// Range returns the events that some event is related to.
func (r *Rel) Range() *Set {
	out := NewSet(r.n)
	for i := range r.n {
		orInto(out.bits, r.row(i))
	}
	return out
}

// RestrictDomain returns the pairs whose first event is in s, [S];r in cat.
func (r *Rel) RestrictDomain(s *Set) *Rel {
	checkSize(r.n, s.n)
	out := NewRel(r.n)
	s.Each(func(i int) { copy(out.row(i), r.row(i)) })
	return out
}

// RestrictRange returns the pairs whose second event is in s, r;[S] in cat.
func (r *Rel) RestrictRange(s *Set) *Rel {
	checkSize(r.n, s.n)
	out := r.Clone()
	for i := range r.n {
		row := out.row(i)
		for k := range row {
			row[k] &= s.bits[k]
		}
	}
	return out
}

// Empty reports whether there is no pair.
func (r *Rel) Empty() bool { return allZero(r.bits) }

// Equal reports whether both relations have the same pairs.
func (r *Rel) Equal(o *Rel) bool {
	checkSize(r.n, o.n)
	return equalWords(r.bits, o.bits)
}

// Contains reports whether every pair of o is one of r.
func (r *Rel) Contains(o *Rel) bool { return o.Minus(r).Empty() }

// Irreflexive reports whether no event is related to itself.
func (r *Rel) Irreflexive() bool {
	for i := range r.n {
		if r.Has(i, i) {
			return false
		}
	}
	return true
}

// Acyclic reports whether the transitive closure is irreflexive.
func (r *Rel) Acyclic() bool { return r.Plus().Irreflexive() }

// Cycle returns the events of a shortest cycle in order, each related to the next and the last to
// the first, or nil if there is none. Of several it takes the one with the lowest event first.
func (r *Rel) Cycle() []int {
	onCycle := r.Plus()
	var shortest []int
	for i := range r.n {
		if !onCycle.Has(i, i) {
			continue
		}
		if c := r.cycleThrough(i); shortest == nil || len(c) < len(shortest) {
			shortest = c
		}
	}
	return shortest
}

// cycleThrough returns a shortest cycle through event start, which must lie on one: a search in
// breadth that ends at the first event related to start.
func (r *Rel) cycleThrough(start int) []int {
	from := make([]int, r.n)
	for i := range from {
		from[i] = -1
	}
	from[start] = start
	for queue := []int{start}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		if r.Has(at, start) {
			var back []int
			for ; at != start; at = from[at] {
				back = append(back, at)
			}
			cycle := []int{start}
			for k := len(back) - 1; k >= 0; k-- {
				cycle = append(cycle, back[k])
			}
			return cycle
		}
		eachBit(r.row(at), func(j int) {
			if from[j] < 0 {
				from[j] = at
				queue = append(queue, j)
			}
		})
	}
	panic(fmt.Sprintf("memmodel: event %d lies on no cycle", start))
}

// Each calls f with every pair, ascending by first and then by second event.
func (r *Rel) Each(f func(i, j int)) {
	for i := range r.n {
		eachBit(r.row(i), func(j int) { f(i, j) })
	}
}

// String lists the pairs, as in {0→1 2→0}.
func (r *Rel) String() string {
	var pairs []string
	r.Each(func(i, j int) { pairs = append(pairs, fmt.Sprintf("%d→%d", i, j)) })
	return "{" + strings.Join(pairs, " ") + "}"
}

func orInto(row, more []uint64) {
	for k := range row {
		row[k] |= more[k]
	}
}
