package memmodel

import (
	"fmt"
	"sort"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// pairs is a relation written down naively, to hold Rel to.
type pairs map[[2]int]bool

func (p pairs) where(n int, f func(i, j int) bool) pairs {
	out := pairs{}
	for i := range n {
		for j := range n {
			if f(i, j) {
				out[[2]int{i, j}] = true
			}
		}
	}
	return out
}

func (p pairs) compose(n int, o pairs) pairs {
	return p.where(n, func(i, j int) bool {
		for k := range n {
			if p[[2]int{i, k}] && o[[2]int{k, j}] {
				return true
			}
		}
		return false
	})
}

func (p pairs) plus(n int) pairs {
	out := p
	for {
		more := out.where(n, func(i, j int) bool {
			return out[[2]int{i, j}] || out.compose(n, p)[[2]int{i, j}]
		})
		if len(more) == len(out) {
			return more
		}
		out = more
	}
}

func pairsOf(r *Rel) pairs {
	out := pairs{}
	r.Each(func(i, j int) { out[[2]int{i, j}] = true })
	return out
}

// sizes of executions: within a word, at its border, beyond it.
var sizes = rapid.SampledFrom([]int{0, 1, 2, 3, 5, 8, 63, 64, 65, 130})

func drawSet(t *rapid.T, n int, label string) (*Set, map[int]bool) {
	s, naive := NewSet(n), map[int]bool{}
	if n == 0 {
		return s, naive
	}
	for _, i := range rapid.SliceOfN(rapid.IntRange(0, n-1), 0, 12).Draw(t, label) {
		s.Add(i)
		naive[i] = true
	}
	return s, naive
}

// drawRel draws up to 14 pairs. In large executions they lie around a few events, else nothing
// would compose.
func drawRel(t *rapid.T, n int, label string) (*Rel, pairs) {
	r, naive := NewRel(n), pairs{}
	if n == 0 {
		return r, naive
	}
	event := rapid.Map(rapid.IntRange(0, 7), func(k int) int { return k * (n - 1) / 7 })
	if n <= 8 {
		event = rapid.IntRange(0, n-1)
	}
	for range rapid.IntRange(0, 14).Draw(t, label+" pairs") {
		i, j := event.Draw(t, label+" from"), event.Draw(t, label+" to")
		r.Add(i, j)
		naive[[2]int{i, j}] = true
	}
	return r, naive
}

func sameRel(t *rapid.T, what string, got *Rel, want pairs) {
	t.Helper()
	if diff := cmp.Diff(want, pairsOf(got)); diff != "" {
		t.Fatalf("%s differs (-naive +Rel):\n%s", what, diff)
	}
	if got.Len() != len(want) || got.Empty() != (len(want) == 0) {
		t.Fatalf("%s: Len %d, Empty %v for %d pairs", what, got.Len(), got.Empty(), len(want))
	}
}

// TestRelAgainstNaive holds every operation to its definition over pairs.
func TestRelAgainstNaive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{0, 1, 2, 3, 5, 8, 65}).Draw(t, "n")
		r, p := drawRel(t, n, "r")
		o, q := drawRel(t, n, "o")
		s, in := drawSet(t, n, "s")
		u, in2 := drawSet(t, n, "u")
		at := func(m pairs, i, j int) bool { return m[[2]int{i, j}] }
		before := r.Clone()

		sameRel(t, "Union", r.Union(o), p.where(n, func(i, j int) bool { return at(p, i, j) || at(q, i, j) }))
		sameRel(t, "Inter", r.Inter(o), p.where(n, func(i, j int) bool { return at(p, i, j) && at(q, i, j) }))
		sameRel(t, "Minus", r.Minus(o), p.where(n, func(i, j int) bool { return at(p, i, j) && !at(q, i, j) }))
		sameRel(t, "Complement", r.Complement(), p.where(n, func(i, j int) bool { return !at(p, i, j) }))
		sameRel(t, "Inverse", r.Inverse(), p.where(n, func(i, j int) bool { return at(p, j, i) }))
		sameRel(t, "Optional", r.Optional(), p.where(n, func(i, j int) bool { return i == j || at(p, i, j) }))
		sameRel(t, "Identity", Identity(s), p.where(n, func(i, j int) bool { return i == j && in[i] }))
		sameRel(t, "Product", Product(s, u), p.where(n, func(i, j int) bool { return in[i] && in2[j] }))
		sameRel(t, "RestrictDomain", r.RestrictDomain(s), p.where(n, func(i, j int) bool { return in[i] && at(p, i, j) }))
		sameRel(t, "RestrictRange", r.RestrictRange(s), p.where(n, func(i, j int) bool { return in[j] && at(p, i, j) }))
		if n <= 8 { // the naive closures are slow
			plus := p.plus(n)
			sameRel(t, "Compose", r.Compose(o), p.compose(n, q))
			sameRel(t, "Plus", r.Plus(), plus)
			sameRel(t, "Star", r.Star(), p.where(n, func(i, j int) bool { return i == j || at(plus, i, j) }))
		}
		if !r.Equal(before) {
			t.Fatalf("an operation changed its operand %v to %v", before, r)
		}
		if r.Equal(o) != (len(p) == len(q) && r.Contains(o)) {
			t.Fatalf("Equal(%v, %v) = %v", r, o, r.Equal(o))
		}
	})
}

// TestRelLaws holds the closures of large relations to the laws that define them.
func TestRelLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := sizes.Draw(t, "n")
		r, _ := drawRel(t, n, "r")
		o, _ := drawRel(t, n, "o")
		plus := r.Plus()
		if !plus.Contains(r) || !plus.Contains(plus.Compose(plus)) {
			t.Fatalf("Plus of %v is %v, which is not transitive or lacks pairs", r, plus)
		}
		if again := r.Union(r.Compose(plus)); !again.Equal(plus) {
			t.Fatalf("r | r;r+ = %v, but r+ = %v", again, plus)
		}
		if got, want := r.Compose(o).Inverse(), o.Inverse().Compose(r.Inverse()); !got.Equal(want) {
			t.Fatalf("(r;o)^-1 = %v, but o^-1;r^-1 = %v", got, want)
		}
		if got := Identity(r.Domain()).Compose(r); !got.Equal(r) {
			t.Fatalf("[domain(r)];r = %v, but r = %v", got, r)
		}
		if got := r.Compose(Identity(r.Range())); !got.Equal(r) {
			t.Fatalf("r;[range(r)] = %v, but r = %v", got, r)
		}
	})
}

// TestCycle checks that a cycle is found exactly if there is one, that it is one, and that none is
// shorter.
func TestCycle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := sizes.Draw(t, "n")
		r, _ := drawRel(t, n, "r")
		cycle := r.Cycle()
		if (cycle == nil) != r.Acyclic() {
			t.Fatalf("Cycle of %v = %v, Acyclic = %v", r, cycle, r.Acyclic())
		}
		for k, i := range cycle {
			if j := cycle[(k+1)%len(cycle)]; !r.Has(i, j) {
				t.Fatalf("Cycle of %v = %v, but %d→%d is not in it", r, cycle, i, j)
			}
		}
		power := r
		for range len(cycle) - 1 { // r, r;r, … up to one step short of the cycle's length
			if !power.Irreflexive() {
				t.Fatalf("Cycle of %v = %v, but there is a shorter one", r, cycle)
			}
			power = power.Compose(r)
		}
	})
}

// TestSetAgainstNaive holds every operation on sets to its definition over members.
func TestSetAgainstNaive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := sizes.Draw(t, "n")
		s, in := drawSet(t, n, "s")
		u, in2 := drawSet(t, n, "u")
		same := func(what string, got *Set, want func(i int) bool) {
			t.Helper()
			members := []int{}
			for i := range n {
				if want(i) {
					members = append(members, i)
				}
				if got.Has(i) != want(i) {
					t.Fatalf("%s: Has(%d) = %v", what, i, got.Has(i))
				}
			}
			if diff := cmp.Diff(members, got.Members()); diff != "" {
				t.Fatalf("%s differs (-naive +Set):\n%s", what, diff)
			}
			if got.Len() != len(members) || got.Empty() != (len(members) == 0) {
				t.Fatalf("%s: Len %d, Empty %v for %d members", what, got.Len(), got.Empty(), len(members))
			}
		}
		same("Union", s.Union(u), func(i int) bool { return in[i] || in2[i] })
		same("Inter", s.Inter(u), func(i int) bool { return in[i] && in2[i] })
		same("Minus", s.Minus(u), func(i int) bool { return in[i] && !in2[i] })
		same("Complement", s.Complement(), func(i int) bool { return !in[i] })
		same("FullSet", FullSet(n), func(int) bool { return true })
		same("Clone", s.Clone(), func(i int) bool { return in[i] })
		same("Domain", Product(s, FullSet(n)).Domain(), func(i int) bool { return in[i] })
		same("Range", Product(FullSet(n), s).Range(), func(i int) bool { return in[i] })
		if s.Equal(u) != (len(s.Minus(u).Members())+len(u.Minus(s).Members()) == 0) {
			t.Fatalf("Equal(%v, %v) = %v", s, u, s.Equal(u))
		}
	})
}

// TestClone checks that copies share nothing with their original.
func TestClone(t *testing.T) {
	s, r := NewSet(3), NewRel(3)
	s.Clone().Add(1)
	r.Clone().Add(1, 2)
	if !s.Empty() || !r.Empty() {
		t.Errorf("changing the copies changed the originals: %v, %v", s, r)
	}
}

// TestMisuse checks that mistakes of the calling code say what they are.
func TestMisuse(t *testing.T) {
	tests := []struct {
		name, want string
		f          func()
	}{
		{"event beyond a set", "memmodel: event 3 is outside the execution's 3 events", func() { NewSet(3).Add(3) }},
		{"negative event", "memmodel: event -1 is outside the execution's 3 events", func() { NewRel(3).Has(0, -1) }},
		{"sets of two executions", "memmodel: operands over 3 and 4 events mixed", func() { NewSet(3).Union(NewSet(4)) }},
		{"relations of two executions", "memmodel: operands over 3 and 4 events mixed", func() { NewRel(3).Compose(NewRel(4)) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			defer func() {
				got := fmt.Sprint(recover())
				if len(got) < len(tt.want) || got[:len(tt.want)] != tt.want {
					t.Errorf("panic %q, want one that starts with %q", got, tt.want)
				}
			}()
			tt.f()
		})
	}
}

// ExampleRel_Cycle finds the cycle of the store-buffering test in program order and from-reads.
func ExampleRel_Cycle() {
	r := NewRel(4)
	for _, pair := range [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 0}} {
		r.Add(pair[0], pair[1])
	}
	cycle := r.Cycle()
	sort.Ints(cycle)
	fmt.Println(r, cycle)
	// Output: {0→1 1→2 2→3 3→0} [0 1 2 3]
}
