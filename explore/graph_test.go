package explore

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ptxmc/machine"
)

// moves draws moves with small and large numbers.
func moves() *rapid.Generator[move] {
	return rapid.Custom(func(t *rapid.T) move {
		kinds := []machine.AgentKind{machine.ThreadAgent, machine.CTAAgent, machine.FlightAgent}
		return move{
			machine.Agent{
				Kind:  rapid.SampledFrom(kinds).Draw(t, "kind"),
				Index: rapid.OneOf(rapid.IntRange(0, 3), rapid.IntRange(100, 1<<20)).Draw(t, "index"),
			},
			rapid.SliceOfN(rapid.OneOf(rapid.Uint32Max(2), rapid.Uint32()), 0, 6).Draw(t, "choice"),
		}
	})
}

func equalMoves(a, b move) bool { return a.agent == b.agent && slices.Equal(a.choice, b.choice) }

// TestMoveBook finds every move again, in any order, however many came after it.
func TestMoveBook(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(moves(), 1, 30).Draw(t, "moves")
		var b moveBook
		var at []uint32
		for _, mv := range list {
			at = append(at, b.add(move{mv.agent, slices.Clone(mv.choice)}))
		}
		for _, i := range rapid.Permutation(indices(len(list))).Draw(t, "order") {
			if got := b.get(at[i]); !equalMoves(got, list[i]) {
				t.Fatalf("move %d is %v, want %v", i, got, list[i])
			}
		}
	})
}

func indices(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// TestMoveBookCopies: neither the given choice nor the returned one is the book's.
func TestMoveBookCopies(t *testing.T) {
	var b moveBook
	choice := []uint32{1, 300}
	at := b.add(move{machine.Agent{Kind: machine.FlightAgent, Index: 200}, choice})
	choice[0] = 9
	b.get(at).choice[1] = 9
	if got := b.get(at); !equalMoves(got, move{machine.Agent{Kind: machine.FlightAgent, Index: 200}, []uint32{1, 300}}) {
		t.Errorf("%v", got)
	}
}

func TestInterner(t *testing.T) {
	in := newInterner()
	tests := []struct {
		list []int
		id   uint32
		want []int
	}{
		{[]int{3, 1}, 0, []int{1, 3}},
		{[]int{1, 3}, 0, []int{1, 3}},
		{[]int{1, 3, 3, 1}, 0, []int{1, 3}},
		{nil, 1, nil},
		{[]int{}, 1, nil},
		{[]int{1}, 2, []int{1}},
		{[]int{1, 3, 4}, 3, []int{1, 3, 4}},
		{[]int{13}, 4, []int{13}},            // not the digits of 1 and 3
		{[]int{0}, 5, []int{0}},              // not the empty list
		{[]int{128}, 6, []int{128}},          // two bytes: 0x80 0x01
		{[]int{0, 1}, 7, []int{0, 1}},        // two bytes: 0x00 0x01
		{[]int{1, 128}, 8, []int{1, 128}},    // three bytes
		{[]int{257, 1}, 9, []int{1, 257}},    // three bytes
		{[]int{1 << 40}, 10, []int{1 << 40}}, // long
		{[]int{3, 1}, 0, []int{1, 3}},
	}
	for _, tt := range tests {
		given := fmt.Sprint(tt.list)
		if got := in.id(tt.list); got != tt.id {
			t.Errorf("id(%s) = %d, want %d", given, got, tt.id)
		}
		if got := in.lists[tt.id]; !slices.Equal(got, tt.want) {
			t.Errorf("list %d is %v, want %v", tt.id, got, tt.want)
		}
	}
}

// TestInternerCopies: the list may be used again by the caller.
func TestInternerCopies(t *testing.T) {
	in := newInterner()
	list := []int{1, 2}
	id := in.id(list)
	list[0] = 7
	if got := in.lists[id]; !slices.Equal(got, []int{1, 2}) {
		t.Errorf("%v", got)
	}
}

// TestInternerSets: two lists get one number exactly if they are equal as sets.
func TestInternerSets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := newInterner()
		ids := map[string]uint32{}
		lists := rapid.SliceOfN(rapid.SliceOfN(rapid.OneOf(rapid.IntRange(0, 3), rapid.IntRange(126, 130)), 0, 4), 1, 20).Draw(t, "lists")
		for _, l := range lists {
			set := slices.Compact(slices.Sorted(slices.Values(l)))
			id := in.id(slices.Clone(l))
			if !slices.Equal(in.lists[id], set) {
				t.Fatalf("%v is kept as %v", l, in.lists[id])
			}
			if old, ok := ids[fmt.Sprint(set)]; ok && old != id {
				t.Fatalf("%v has numbers %d and %d", l, old, id)
			}
			ids[fmt.Sprint(set)] = id
		}
		if len(in.lists) != len(ids) {
			t.Fatalf("%d lists for %d sets", len(in.lists), len(ids))
		}
	})
}

// TestInfoTable: three lists together make the number; which list an element is in matters.
func TestInfoTable(t *testing.T) {
	tab := newInfoTable()
	tests := []struct {
		moved, missed, changed []int
		id                     uint32
	}{
		{[]int{1}, nil, nil, 0},
		{nil, []int{1}, nil, 1},
		{nil, nil, []int{1}, 2},
		{[]int{2, 1}, []int{3}, []int{4}, 3},
		{[]int{1, 2, 2}, []int{3}, []int{4}, 3},
		{[]int{1, 2}, []int{4}, []int{3}, 4},
		{nil, nil, nil, 5},
		{[]int{1}, nil, nil, 0},
	}
	for _, tt := range tests {
		moved := slices.Compact(slices.Sorted(slices.Values(tt.moved)))
		if got := tab.id(tt.moved, tt.missed, tt.changed); got != tt.id {
			t.Errorf("id(%v, %v, %v) = %d, want %d", tt.moved, tt.missed, tt.changed, got, tt.id)
		}
		x := tab.infos[tt.id]
		if !slices.Equal(x.moved, moved) || !slices.Equal(x.missed, tt.missed) || !slices.Equal(x.changed, tt.changed) {
			t.Errorf("info %d is %v", tt.id, x)
		}
	}
	if len(tab.infos) != 6 {
		t.Errorf("%d infos", len(tab.infos))
	}
}
