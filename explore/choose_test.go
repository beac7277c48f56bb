package explore

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// tree is a random tree of decisions: how many alternatives there are depends on those taken.
type tree struct{ next []*tree }

func drawTree(t *rapid.T, depth int) *tree {
	n := &tree{}
	if depth > 0 {
		for range rapid.IntRange(0, 3).Draw(t, "alternatives") {
			n.next = append(n.next, drawTree(t, depth-1))
		}
	}
	return n
}

// leaves lists all paths in order.
func (n *tree) leaves(path []int) []string {
	if len(n.next) == 0 {
		return []string{fmt.Sprint(path)}
	}
	var out []string
	for i, x := range n.next {
		out = append(out, x.leaves(append(slices.Clone(path), i))...)
	}
	return out
}

// descend follows the chooser to a leaf.
func (n *tree) descend(ch *chooser) string {
	var path []int
	for len(n.next) > 0 {
		k := ch.Choose(len(n.next))
		path = append(path, k)
		n = n.next[k]
	}
	return fmt.Sprint(path)
}

// TestChooserTree: every leaf is reached exactly once, in order, then the chooser starts again.
func TestChooserTree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		root := drawTree(t, 4)
		want := root.leaves(nil)
		var ch chooser
		for range 2 {
			var got []string
			for more := true; more; more = ch.next() {
				if len(got) > len(want) {
					t.Fatalf("more than %d leaves", len(want))
				}
				got = append(got, root.descend(&ch))
			}
			if !slices.Equal(got, want) {
				t.Fatalf("got  %v\nwant %v", got, want)
			}
			if len(ch.taken) != 0 || len(ch.arity) != 0 || ch.pos != 0 {
				t.Fatalf("the chooser ends with %+v", ch)
			}
		}
	})
}

// TestChooserProduct counts the full product; single alternatives are no decisions.
func TestChooserProduct(t *testing.T) {
	tests := []struct {
		arities []int
		want    int
		taken   int // decisions that are recorded
	}{
		{nil, 1, 0},
		{[]int{1}, 1, 0},
		{[]int{0}, 1, 0},
		{[]int{2}, 2, 1},
		{[]int{1, 2, 1, 3, 1}, 6, 2},
		{[]int{2, 3, 4}, 24, 3},
		{[]int{5, 1, 5}, 25, 2},
		{[]int{300, 2}, 600, 2}, // more than a byte
		{[]int{65535}, 65535, 1},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprint(tt.arities), func(t *testing.T) {
			var ch chooser
			seen := map[string]bool{}
			var key []byte
			for more := true; more; more = ch.next() {
				key = key[:0]
				for _, n := range tt.arities {
					k := ch.Choose(n)
					if k < 0 || k >= max(n, 1) {
						t.Fatalf("Choose(%d) = %d", n, k)
					}
					key = append(key, byte(k), byte(k>>8))
				}
				if len(ch.taken) != tt.taken {
					t.Fatalf("%d decisions recorded, want %d", len(ch.taken), tt.taken)
				}
				if seen[string(key)] {
					t.Fatalf("%v twice", key)
				}
				seen[string(key)] = true
			}
			if len(seen) != tt.want {
				t.Errorf("%d combinations, want %d", len(seen), tt.want)
			}
		})
	}
}

// TestChooserReplay: a chooser with given decisions takes them, then the first alternatives.
func TestChooserReplay(t *testing.T) {
	ch := chooser{taken: []uint32{2, 1}, arity: []uint32{3, 2}}
	got := []int{ch.Choose(3), ch.Choose(1), ch.Choose(2), ch.Choose(4), ch.Choose(2)}
	if want := []int{2, 0, 1, 0, 0}; !slices.Equal(got, want) {
		t.Errorf("took %v, want %v", got, want)
	}
	if want := []uint32{2, 1, 0, 0}; !slices.Equal(ch.taken, want) {
		t.Errorf("recorded %v, want %v", ch.taken, want)
	}
}
