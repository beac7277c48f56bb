package causal

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"ptxmc/memmodel"
)

// op is one access in the order of execution, all of one cell (or both cells of a pair).
type op struct {
	agent int
	rmw   bool
}

func ops(s string) []op {
	var out []op
	for _, f := range strings.Fields(s) { // "a" a write by agent 0; "B" a read-modify-write by agent 1
		r := rune(f[0])
		if r >= 'A' && r <= 'Z' {
			out = append(out, op{int(r - 'A'), true})
		} else {
			out = append(out, op{int(r - 'a'), false})
		}
	}
	return out
}

// executions runs the operations with every choice of coherence and of what a read-modify-write
// reads, and returns the total orders of the writes, each as "- 0 2 1".
func executions(t *testing.T, list []op, cells int) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	everyWay(func(ch Chooser) {
		w := newWorld(4, cells)
		for _, o := range list {
			a := strong(o.agent, 0, cells)
			if !o.rmw {
				w.write(a, ch)
				continue
			}
			a.RMW = true
			var picks []Observation
			for _, p := range w.Observe(&a, w.views[a.Agent], 4*cells) {
				if w.MayUpdate(0, p[0], &a, w.views[a.Agent]) {
					picks = append(picks, p)
				}
			}
			if len(picks) == 0 {
				t.Fatalf("nothing left to read in %v", w.Cell(0))
			}
			if w.rmw(a, picks[ch.Choose(len(picks))], ch) == NoEvent {
				return
			}
		}
		for c := range cells {
			if bad := checkOrder(w.Cell(c)); bad != "" {
				t.Fatalf("cell %d: %s", c, bad)
			}
			if bad := checkAtomic(&w.Memory, c); bad != "" {
				t.Fatalf("cell %d: %s", c, bad)
			}
			if c > 0 && !slices.Equal(w.Cell(c).Writes, w.Cell(0).Writes) {
				t.Fatalf("the cells of one access differ: %v and %v", w.Cell(0).Writes, w.Cell(c).Writes)
			}
		}
		order := make([]string, len(w.Cell(0).Writes))
		for _, x := range w.Cell(0).Writes {
			n := 0
			for b := x.Preds; b != 0; b &= b - 1 {
				n++
			}
			if order[n] != "" {
				t.Fatalf("not total: %v", w.Cell(0).Writes)
			}
			order[n] = label(x.Event)
		}
		found[strings.Join(order, " ")] = true
	})
	return found
}

// bruteForce lists the total orders that keep each agent's order and in which what directly
// precedes a read-modify-write was written before it ran.
func bruteForce(list []op) map[string]bool {
	found := map[string]bool{}
	var rec func(order []int)
	rec = func(order []int) {
		if len(order) == len(list) {
			out := "-"
			for _, i := range order {
				out += fmt.Sprint(" ", i)
			}
			found[out] = true
			return
		}
		for i, o := range list {
			ok := !slices.Contains(order, i)
			for j := range i { // earlier ones of the same agent come first
				ok = ok && (list[j].agent != o.agent || slices.Contains(order, j))
			}
			if o.rmw && len(order) > 0 {
				ok = ok && order[len(order)-1] < i
			}
			if ok {
				rec(append(slices.Clone(order), i))
			}
		}
	}
	rec(nil)
	return found
}

// TestCoherence compares all choices with all permutations.
func TestCoherence(t *testing.T) {
	tests := []struct {
		ops   string
		count int // counted by hand; 0: not counted
	}{
		{"a", 1},
		{"a b", 2},
		{"a b c", 6},
		{"a b c d", 24},
		{"a a", 1},
		{"a a a", 1},
		{"a a b", 3},
		{"a b a b", 6},
		{"a b b a", 6},
		{"a a b b c", 30},
		{"A", 1},
		{"A B", 1},   // the second reads the first
		{"a B", 2},   // B reads a, or the initial content and stands before a
		{"A b", 1},   // b cannot come between the initial content and A
		{"a A", 1},   // own write first
		{"a B A", 2}, // a B A; B a A
		{"a B c", 0},
		{"a b C", 0},
		{"A b C", 0},
		{"a B C d", 0},
		{"A B C D", 1},
		{"a b C D", 0},
		{"a b C b A", 0},
		{"a B c D a", 0},
	}
	for _, tt := range tests {
		for _, cells := range []int{1, 2} {
			t.Run(fmt.Sprintf("%s/%d", strings.ReplaceAll(tt.ops, " ", ""), cells), func(t *testing.T) {
				got, want := executions(t, ops(tt.ops), cells), bruteForce(ops(tt.ops))
				if !maps.Equal(got, want) {
					t.Errorf("got  %v\nwant %v", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
				}
				if tt.count > 0 && len(got) != tt.count {
					t.Errorf("%d orders, want %d", len(got), tt.count)
				}
			})
		}
	}
}

// TestScripted plays the two choices of two concurrent writes: one order each.
func TestScripted(t *testing.T) {
	first := map[bool]int{}
	for pick := range 2 {
		w := newWorld(2, 1)
		ch := &script{t: t, picks: []int{pick}}
		a := w.write(strong(0, 0, 1), ch)
		b := w.write(strong(1, 0, 1), ch)
		ch.done()
		if w.before(0, a, b) == w.before(0, b, a) {
			t.Errorf("choice %d: not ordered: %v", pick, w.Cell(0).Writes)
		}
		first[w.before(0, a, b)]++
	}
	if first[true] != 1 || first[false] != 1 {
		t.Errorf("the older was first in %d cases of 2", first[true])
	}
}

// TestUnchosen lists pairs of concurrent writes of cell 0 that nothing orders.
func TestUnchosen(t *testing.T) {
	tests := []struct {
		name string
		a, b Access
	}{
		{"weak", weak(0, 0, 1), weak(1, 0, 1)},
		{"one weak", weak(0, 0, 1), strong(1, 0, 1)},
		{"scopes too narrow", scoped(strong(0, 0, 1), 1), scoped(strong(1, 0, 1), 1)},
		{"one scope too narrow", strong(0, 0, 1), scoped(strong(1, 0, 1), 1)},
		{"two proxies", strong(0, 0, 1), async(strong(1, 0, 1))},
		{"partial overlap", strong(0, 0, 1), strong(1, 0, 2)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(2, 2)
			a, b := w.write(tt.a, none(t)), w.write(tt.b, none(t))
			if w.before(0, a, b) || w.before(0, b, a) {
				t.Errorf("ordered: %v", w.Cell(0).Writes)
			}
			if !w.before(0, NoEvent, a) || !w.before(0, NoEvent, b) {
				t.Errorf("not after the initial content: %v", w.Cell(0).Writes)
			}
		})
	}
}

// TestCausal: a write that is ready in the writer's view comes first without a choice; known but not
// ready is not enough.
func TestCausal(t *testing.T) {
	tests := []struct {
		name string
		b    Access
		view View
		want bool
	}{
		{"ready", weak(1, 0, 1), View{{0, G}}, true},
		{"not ready", weak(1, 0, 1), View{{0, 0}}, false},
		{"ready for async accesses", weak(1, 0, 1), View{{0, P1}}, false},
		{"async, ready", async(weak(1, 0, 1)), View{{0, P1}}, true},
		{"async, ready for generic ones", async(weak(1, 0, 1)), View{{0, G}}, false},
		{"morally strong and ready", strong(1, 0, 1), View{{0, G}}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(2, 1)
			a := w.write(strong(0, 0, 1), none(t))
			w.views[1] = tt.view
			b := w.write(tt.b, none(t))
			if w.before(0, a, b) != tt.want || w.before(0, b, a) {
				t.Errorf("%v", w.Cell(0).Writes)
			}
		})
	}
}

// TestClosed: weak c causally follows strong b. Wherever strong a and d are placed, all that follows
// what d precedes follows d too.
func TestClosed(t *testing.T) {
	seen := map[string]bool{}
	everyWay(func(ch Chooser) {
		w := newWorld(4, 1)
		a := w.write(strong(0, 0, 1), ch)
		b := w.write(strong(1, 0, 1), ch)
		w.views[2] = View{{b, G}}
		c := w.write(weak(2, 0, 1), none(t))
		d := w.write(strong(3, 0, 1), ch)
		if bad := checkOrder(w.Cell(0)); bad != "" {
			t.Errorf("%s: %v", bad, w.Cell(0).Writes)
		}
		for _, x := range ids(a, b) {
			if w.before(0, d, x) && w.before(0, x, c) && !w.before(0, d, c) {
				t.Errorf("%d does not precede %d: %v", d, c, w.Cell(0).Writes)
			}
		}
		seen[fmt.Sprint(w.before(0, a, b), w.before(0, d, a), w.before(0, d, b), w.before(0, a, c), w.before(0, d, c))] = true
	})
	// d stands in one of three places in a < b, and in b < a
	if len(seen) != 6 {
		t.Errorf("%d orders, want 6: %v", len(seen), slices.Sorted(maps.Keys(seen)))
	}
	for _, must := range []string{"true true true true true", "false true true false true", "true false false true false"} {
		if !seen[must] {
			t.Errorf("%s is missing in %v", must, slices.Sorted(maps.Keys(seen)))
		}
	}
}

// TestPinned: before a pinned write no morally strong write may be placed; an unordered one may come.
func TestPinned(t *testing.T) {
	w := newWorld(2, 1)
	a := w.write(strong(0, 0, 1), none(t))
	c := &Cell{Writes: slices.Clone(w.Cell(0).Writes)}
	c.Writes[1].Pinned = true
	w.Cells[0] = c
	b := w.write(strong(1, 0, 1), none(t))
	if !w.before(0, a, b) {
		t.Errorf("%v", w.Cell(0).Writes)
	}
}

// TestMixedSizeAtomics: two overlapping read-modify-writes of different sizes run one wholly before
// the other (A3a): the second reads the first where they overlap.
func TestMixedSizeAtomics(t *testing.T) {
	w := newWorld(2, 2)
	x := w.rmw(strong(0, 0, 2), Observation{0, 0}, none(t))
	b := strong(1, 1, 1)
	b.RMW = true
	if w.MayUpdate(1, 0, &b, w.views[1]) {
		t.Error("the second may read the initial content too")
	}
	y := w.rmw(b, Observation{w.position(1, x)}, none(t))
	if !w.before(1, x, y) {
		t.Errorf("%v", w.Cell(1).Writes)
	}
}

// TestNoWriteBetween: a morally strong write that comes later does not slip between a
// read-modify-write and the write it read, whichever side of both it takes.
func TestNoWriteBetween(t *testing.T) {
	orders := map[string]bool{}
	everyWay(func(ch Chooser) {
		w := newWorld(3, 1)
		a := w.write(strong(0, 0, 1), ch)
		x := w.rmw(strong(1, 0, 1), Observation{1}, ch)
		p := w.write(strong(2, 0, 1), ch)
		if bad := checkAtomic(&w.Memory, 0); bad != "" {
			t.Error(bad)
		}
		orders[fmt.Sprint(w.before(0, p, a), w.before(0, p, x))] = true
	})
	if len(orders) != 2 || !orders["true true"] || !orders["false false"] {
		t.Errorf("the write is before (source, update): %v", orders)
	}
}

// TestEventFields: the new write's cell entries name the event, its source, and share nothing.
func TestEventFields(t *testing.T) {
	w := newWorld(2, 3)
	w.write(strong(0, 1, 1), none(t))
	old := w.Memory.Clone()
	was := dump(&old)
	x := w.rmw(strong(0, 1, 2), Observation{1, 0}, none(t))
	if w.Cell(1).Writes[2].RMWOf != 1 || w.Cell(2).Writes[1].RMWOf != 0 || w.Cell(1).Writes[1].RMWOf != -1 {
		t.Errorf("sources: %v, %v", w.Cell(1).Writes, w.Cell(2).Writes)
	}
	if w.Cell(1).Writes[2].Event != x || w.Cell(1).Writes[2].Settled || w.Cells[0] != nil {
		t.Errorf("%v", w.Cells)
	}
	if fmt.Sprint(dump(&old)) != fmt.Sprint(was) {
		t.Error("a clone changed")
	}
}

func checkAll(t *testing.T, w *world) {
	t.Helper()
	for c := range w.Cells {
		if bad := checkOrder(w.Cell(c)); bad != "" {
			t.Errorf("cell %d: %s: %+v", c, bad, w.Cell(c).Writes)
		}
		if bad := checkAtomic(&w.Memory, c); bad != "" {
			t.Errorf("cell %d: %s: %+v", c, bad, w.Cell(c).Writes)
		}
	}
}

// TestForcedInAnotherCell: 8-byte strong x by A, then 4-byte y in its second half by A. B reads y
// (strong, 4 bytes), so it knows y and not x, and writes 8 bytes. In the second cell x < y < new;
// in the first alone it might stand before x, which closes a cycle.
func TestForcedInAnotherCell(t *testing.T) {
	everyWay(func(ch Chooser) {
		w := newWorld(2, 2)
		w.write(strong(0, 0, 2), ch)
		y := w.write(strong(0, 1, 1), ch)
		w.views[1] = View{{y, G}}
		w.write(strong(1, 0, 2), ch)
		checkAll(t, w)
	})
}

// TestForcedByUpdate: r is strong at cta scope only, so y (agent 1, gpu scope) is not ordered with it. x reads r as
// a read-modify-write at gpu scope and is placed after y. A later write by r's agent must follow x,
// since x directly follows r; hence also y. Before y it would close a cycle.
func TestForcedByUpdate(t *testing.T) {
	everyWay(func(ch Chooser) {
		w := newWorld(2, 1)
		w.write(scoped(strong(0, 0, 1), memmodel.CTA), ch) // r
		w.write(strong(1, 0, 1), ch)                       // y
		x := strong(0, 0, 1)                               // another thread of r's CTA, which knows only r
		w.know(x, Observation{1})
		x.RMW = true
		w.Write(&Event{Access: x, Write: true}, w.views[0], Observation{1}, ch)
		w.write(strong(0, 0, 1), ch)
		checkAll(t, w)
	})
}

// TestFollowsSource: a read-modify-write follows what it read, a morally strong write that is not in
// its view either.
func TestFollowsSource(t *testing.T) {
	everyWay(func(ch Chooser) {
		w := newWorld(3, 1)
		a := w.write(strong(0, 0, 1), ch)
		b := w.write(strong(1, 0, 1), ch)
		u := strong(2, 0, 1)
		u.RMW = true
		id := w.Write(&Event{Access: u, Write: true}, nil, Observation{w.position(0, a)}, ch)
		if id == NoEvent || !w.before(0, a, id) || w.before(0, a, b) && !w.before(0, id, b) {
			t.Errorf("%d read %d: %v", id, a, w.Cell(0).Writes)
		}
	})
}

// TestNoOrderLeft: an update of r whose agent has a newer write ready does not exist; nothing changes.
func TestNoOrderLeft(t *testing.T) {
	w := newWorld(2, 1)
	r := w.write(strong(0, 0, 1), none(t))
	n := w.write(strong(0, 0, 1), none(t))
	before := fmt.Sprint(dump(&w.Memory), len(w.Events), len(w.Heads))
	u := strong(1, 0, 1)
	u.RMW = true
	id := w.Write(&Event{Access: u, Write: true}, View{{r, G}, {n, G}}, Observation{w.position(0, r)}, none(t))
	if id != NoEvent {
		t.Errorf("entered as %d: %v", id, w.Cell(0).Writes)
	}
	if after := fmt.Sprint(dump(&w.Memory), len(w.Events), len(w.Heads)); after != before {
		t.Errorf("was %s, is %s", before, after)
	}
}

// TestWriteKeepsReads: reads may still race with others.
func TestWriteKeepsReads(t *testing.T) {
	w := newWorld(2, 1)
	w.Read(&Event{Access: weak(0, 0, 1)})
	w.write(weak(0, 0, 1), none(t))
	if got := w.Cell(0).Reads; !slices.Equal(got, ids(0)) {
		t.Errorf("reads: %v", got)
	}
}
