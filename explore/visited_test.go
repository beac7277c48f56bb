package explore

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand"
	"testing"
)

// small makes a set with a table so small that it grows at once and often.
func small() *visited {
	v := newVisited()
	v.table = make([]uint32, 2)
	return v
}

// TestVisitedAgainstMap enters 50 000 random strings, a third of them again, in a set that starts
// small, and compares numbers, news and contents with a map.
func TestVisitedAgainstMap(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	v, want := small(), map[string]int{}
	var order []string
	for range 50_000 {
		var s []byte
		switch {
		case len(order) > 0 && rng.Intn(3) == 0:
			s = []byte(order[rng.Intn(len(order))])
		case len(order) > 0 && rng.Intn(4) == 0: // a neighbour: one byte more, less, or changed
			s = []byte(order[rng.Intn(len(order))])
			switch rng.Intn(3) {
			case 0:
				s = append(s, byte(rng.Intn(2)))
			case 1:
				s = s[:max(0, len(s)-1)]
			default:
				if len(s) > 0 {
					s[rng.Intn(len(s))] ^= 1 << rng.Intn(8)
				}
			}
		default:
			s = make([]byte, rng.Intn(24))
			rng.Read(s)
		}
		number, known := want[string(s)]
		if !known {
			number = len(order)
			want[string(s)] = number
			order = append(order, string(s))
		}
		got, fresh := v.add(s)
		if got != number || fresh == known {
			t.Fatalf("add(%x) = %d, %t, want %d, %t", s, got, fresh, number, !known)
		}
		for i := range s { // the caller's buffer is used again
			s[i] = 0xee
		}
	}
	if v.len() != len(order) {
		t.Errorf("%d states, want %d", v.len(), len(order))
	}
	if len(v.table) < 2*v.len() {
		t.Errorf("the table of %d is more than half full with %d", len(v.table), v.len())
	}
	for n, s := range order {
		if got := v.bytes(n); string(got) != s {
			t.Fatalf("state %d is %x, want %x", n, got, s)
		}
		if got, fresh := v.add([]byte(s)); got != n || fresh {
			t.Fatalf("state %d is found again as %d, new: %t", n, got, fresh)
		}
	}
}

// TestVisitedExact: states that differ in little are all different, before and after growth. With
// two slots all of them collide.
func TestVisitedExact(t *testing.T) {
	states := [][]byte{{}, {0}, {0, 0}, {0, 0, 0}, {1}, {0, 1}, {1, 0}, bytes.Repeat([]byte{0}, 300), append(bytes.Repeat([]byte{0}, 299), 1)}
	for _, make := range []func() *visited{newVisited, small} {
		v := make()
		for round := range 2 {
			for i, s := range states {
				if n, fresh := v.add(s); n != i || fresh != (round == 0) {
					t.Errorf("round %d: state %x is %d, new: %t", round, s, n, fresh)
				}
			}
			v.grow()
		}
	}
}

// TestVisitedGrow forces growth after every state: nothing is lost or renumbered.
func TestVisitedGrow(t *testing.T) {
	v := small()
	for i := range 12 {
		if n, fresh := v.add(binary.AppendUvarint(nil, uint64(i*1000))); n != i || !fresh {
			t.Fatalf("state %d is %d, new: %t", i, n, fresh)
		}
		size := len(v.table)
		v.grow()
		if len(v.table) != 2*size {
			t.Fatalf("grew from %d to %d", size, len(v.table))
		}
		for j := range i + 1 {
			if n, fresh := v.add(binary.AppendUvarint(nil, uint64(j*1000))); n != j || fresh {
				t.Fatalf("after growth state %d is %d, new: %t", j, n, fresh)
			}
		}
	}
}

// TestVisitedSeeds: numbers follow discovery, whatever the hashes are.
func TestVisitedSeeds(t *testing.T) {
	for range 50 { // each set has a seed of its own
		v := newVisited()
		for i := range 100 {
			if n, fresh := v.add(fmt.Append(nil, "state ", i)); n != i || !fresh {
				t.Fatalf("state %d is %d, new: %t", i, n, fresh)
			}
		}
	}
}
