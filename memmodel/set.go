package memmodel

import (
	"fmt"
	"math/bits"
)

// wordBits is the number of events in one word of a Set or of a row of a Rel.
const wordBits = 64

func words(n int) int { return (n + wordBits - 1) / wordBits }

// Set is a set of the events 0 to n-1 of one execution. The operations that return a Set leave
// their operands alone; only Add changes its receiver. Sets over different n do not mix.
type Set struct {
	n    int
	bits []uint64
}

// NewSet returns the empty set over n events.
func NewSet(n int) *Set {
	if n <= wordBits { // one allocation
		small := &struct {
			set Set
			buf [1]uint64
		}{set: Set{n: n}}
		small.set.bits = small.buf[:words(n)]
		return &small.set
	}
	return &Set{n: n, bits: make([]uint64, words(n))}
}

// Size returns the number of events that the set is drawn from.
func (s *Set) Size() int { return s.n }

// Len returns the number of members.
func (s *Set) Len() int {
	count := 0
	for _, w := range s.bits {
		count += bits.OnesCount64(w)
	}
	return count
}

// Add makes event i a member.
func (s *Set) Add(i int) {
	checkEvent(i, s.n)
	s.bits[i/wordBits] |= 1 << (i % wordBits)
}

// Has reports whether event i is a member.
func (s *Set) Has(i int) bool {
	checkEvent(i, s.n)
	return s.bits[i/wordBits]>>(i%wordBits)&1 != 0
}

// Clone returns a copy that shares nothing with s.
func (s *Set) Clone() *Set {
	out := NewSet(s.n)
	copy(out.bits, s.bits)
	return out
}

// Union returns the members of s or o.
func (s *Set) Union(o *Set) *Set {
	return s.merge(o, func(a, b uint64) uint64 { return a | b })
}

// Inter returns the members of both s and o.
func (s *Set) Inter(o *Set) *Set {
	return s.merge(o, func(a, b uint64) uint64 { return a & b })
}

// Minus returns the members of s that o lacks.
func (s *Set) Minus(o *Set) *Set {
	return s.merge(o, func(a, b uint64) uint64 { return a &^ b })
}

// Complement returns the events that are not members.
func (s *Set) Complement() *Set { return FullSet(s.n).Minus(s) }

// FullSet returns the set of all n events.
func FullSet(n int) *Set {
	full := NewSet(n)
	fill(full.bits, n)
	return full
}

// Empty reports whether there is no member.
func (s *Set) Empty() bool { return allZero(s.bits) }

// Equal reports whether both sets have the same members.
func (s *Set) Equal(o *Set) bool {
	checkSize(s.n, o.n)
	return equalWords(s.bits, o.bits)
}

// Each calls f with every member, in ascending order.
func (s *Set) Each(f func(i int)) { eachBit(s.bits, f) }

// Members returns the members in ascending order.
func (s *Set) Members() []int {
	members := make([]int, 0, s.Len())
	s.Each(func(i int) { members = append(members, i) })
	return members
}

// String lists the members, as in {0 3}.
func (s *Set) String() string {
	list := fmt.Sprint(s.Members())
	return "{" + list[1:len(list)-1] + "}"
}

func (s *Set) merge(o *Set, op func(a, b uint64) uint64) *Set {
	checkSize(s.n, o.n)
	out := NewSet(s.n)
	for k := range s.bits {
		out.bits[k] = op(s.bits[k], o.bits[k])
	}
	return out
}

// fill sets the bits of the first n events of a row.
func fill(row []uint64, n int) {
	for k := range row {
		row[k] = ^uint64(0)
	}
	if rest := n % wordBits; rest != 0 {
		row[len(row)-1] = 1<<rest - 1
	}
}

func eachBit(row []uint64, f func(i int)) {
	for k, w := range row {
		for ; w != 0; w &= w - 1 {
			f(k*wordBits + bits.TrailingZeros64(w))
		}
	}
}

func allZero(row []uint64) bool {
	for _, w := range row {
		if w != 0 {
			return false
		}
	}
	return true
}

func equalWords(a, b []uint64) bool {
	for k := range a {
		if a[k] != b[k] {
			return false
		}
	}
	return true
}

// checkEvent panics on an event outside the execution: a mistake of the calling code, never of
// its input.
func checkEvent(i, n int) {
	if i < 0 || i >= n {
		panic(fmt.Sprintf("memmodel: event %d is outside the execution's %d events (was the set or "+
			"relation made before all events were counted?)", i, n))
	}
}

// checkSize panics if two operands speak of executions of different size.
func checkSize(a, b int) {
	if a != b {
		panic(fmt.Sprintf("memmodel: operands over %d and %d events mixed (were they built for "+
			"different executions?)", a, b))
	}
}
