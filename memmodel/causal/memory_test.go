package causal

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"ptxmc/memmodel"
)

func ids(e ...EventID) []EventID { return append([]EventID{}, e...) }

// TestNeeds: what an access needs to be ready is how its own write is ready (READY, WRITE-LEVEL).
func TestNeeds(t *testing.T) {
	tests := []struct {
		a    Access
		want Level
	}{
		{weak(0, 0, 1), G}, {strong(2, 0, 1), G}, {async(weak(0, 0, 1)), AsyncIn(0)}, {async(strong(3, 0, 1)), AsyncIn(3)},
		{Access{Proxy: memmodel.Async, CTA: 5, Agent: 1}, AsyncIn(5)}, // the CTA of the proxy, not of the issuer
	}
	for _, tt := range tests {
		if got := tt.a.Needs(); got != tt.want {
			t.Errorf("%v of agent %d in CTA %d needs %#x, want %#x", tt.a.Proxy, tt.a.Agent, tt.a.CTA, got, tt.want)
		}
		if tt.a.Own() != tt.a.Needs() {
			t.Errorf("its own write enters with %#x", tt.a.Own())
		}
	}
}

func TestMorallyStrong(t *testing.T) {
	cta, gpu := memmodel.CTA, memmodel.GPU
	tests := []struct {
		name           string
		a, b           Access
		covers, strong bool
	}{
		{"both at gpu scope", strong(0, 0, 1), strong(2, 0, 1), true, true},
		{"one weak", strong(0, 0, 1), weak(2, 0, 1), false, false},
		{"both weak", weak(0, 0, 1), weak(0, 0, 1), false, false},
		{"cta scope, other CTAs", scoped(strong(0, 0, 1), cta), scoped(strong(1, 0, 1), cta), false, false},
		{"one scope too narrow", scoped(strong(0, 0, 1), cta), scoped(strong(1, 0, 1), gpu), false, false},
		{"cta scope, one CTA", scoped(strong(0, 0, 1), cta), scoped(strong(0, 0, 1), cta), true, true},
		{"cluster scope, one cluster", scoped(strong(0, 0, 1), memmodel.Cluster), scoped(strong(1, 0, 1), memmodel.Cluster), true, true},
		{"cluster scope, two clusters", scoped(strong(0, 0, 1), memmodel.Cluster), scoped(strong(2, 0, 1), memmodel.Cluster), false, false},
		{"other proxies", strong(0, 0, 1), async(strong(2, 0, 1)), true, false},
		{"both async", async(strong(0, 0, 1)), async(strong(2, 0, 1)), true, true},
		{"partial overlap, same start", strong(0, 0, 2), strong(2, 0, 1), true, false},
		{"partial overlap, same length", strong(0, 0, 2), strong(2, 1, 2), true, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, p := range [][2]Access{{tt.a, tt.b}, {tt.b, tt.a}} {
				if got := Covers(&p[0], &p[1]); got != tt.covers {
					t.Errorf("Covers = %t", got)
				}
				if got := MorallyStrong(&p[0], &p[1]); got != tt.strong {
					t.Errorf("MorallyStrong = %t", got)
				}
			}
		})
	}
}

// TestSerial: besides morally strong pairs, overlapping read-modify-writes of any size (A3a).
func TestSerial(t *testing.T) {
	rmw := func(a Access) Access {
		a.RMW = true
		return a
	}
	tests := []struct {
		name string
		a, b Access
		want bool
	}{
		{"morally strong", strong(0, 0, 1), strong(2, 0, 1), true},
		{"partial overlap of two atomics", rmw(strong(0, 0, 2)), rmw(strong(2, 1, 1)), true},
		{"of an atomic and a write", rmw(strong(0, 0, 2)), strong(2, 1, 1), false},
		{"of two writes", strong(0, 0, 2), strong(2, 1, 1), false},
		{"of two atomics, scope too narrow", rmw(scoped(strong(0, 0, 2), memmodel.CTA)), rmw(strong(2, 1, 1)), false},
		{"of two atomics in two proxies", rmw(strong(0, 0, 2)), async(rmw(strong(2, 1, 1))), false},
		{"weak", rmw(weak(0, 0, 1)), rmw(weak(2, 0, 1)), false},
	}
	for _, tt := range tests {
		if Serial(&tt.a, &tt.b) != tt.want || Serial(&tt.b, &tt.a) != tt.want {
			t.Errorf("%s: Serial = %t, %t, want %t", tt.name, Serial(&tt.a, &tt.b), Serial(&tt.b, &tt.a), tt.want)
		}
	}
}

// TestSettle: the cell reads as untouched, with other content, which all later changes but Drop keep.
func TestSettle(t *testing.T) {
	w := newWorld(2, 1)
	base := &Event{Access: strong(0, 0, 1), Write: true}
	w.Cells[0] = Settle(base)
	if got := w.visible(weak(1, 0, 1), 0); !slices.Equal(got, ids(NoEvent)) {
		t.Errorf("visible: %v", got)
	}
	a := weak(1, 0, 1)
	if got := w.Unordered(&a, true, nil); len(got) != 0 {
		t.Errorf("unordered: %v", got)
	}
	for _, step := range []struct {
		name string
		do   func()
	}{
		{"Read", func() { w.Read(&Event{Access: a}) }},
		{"Supersede", func() { w.Supersede(&a, View{{0, G}}) }},
		{"Write", func() { w.write(strong(0, 0, 1), none(t)) }},
	} {
		if step.do(); w.Cell(0).Base != base {
			t.Errorf("%s lost the base", step.name)
		}
	}
	if len(w.Cell(0).Writes) != 2 || len(w.Cell(0).Reads) != 0 {
		t.Errorf("%+v", w.Cell(0))
	}
	if len(untouched.Writes) != 1 || untouched.Base != nil {
		t.Errorf("the untouched cell changed: %+v", untouched)
	}
}

// TestVisible checks rule READ on a cell with the initial content, write 0, and a newer write 1.
func TestVisible(t *testing.T) {
	const x = NoEvent
	base := func(t *testing.T) *world {
		w := newWorld(2, 1)
		w.write(weak(0, 0, 1), none(t))
		w.write(weak(0, 0, 1), none(t))
		if !w.before(0, 0, 1) {
			t.Fatal("own writes are not in program order")
		}
		return w
	}
	tests := []struct {
		name string
		view View
		read Access
		want []EventID
	}{
		{"knows nothing", nil, weak(1, 0, 1), ids(x, 0, 1)},
		{"knows the older", View{{0, G}}, weak(1, 0, 1), ids(0, 1)},
		{"knows the newer", View{{1, G}}, weak(1, 0, 1), ids(1)},
		{"a strong read is no different", View{{1, G}}, strong(1, 0, 1), ids(1)},
		{"knows the newer, not ready", View{{1, 0}}, weak(1, 0, 1), ids(x, 0, 1)},
		{"newer ready only in the async proxy", View{{0, G}, {1, P1}}, weak(1, 0, 1), ids(0, 1)},
		{"async read, newer ready only in the generic proxy", View{{0, P1}, {1, G}}, async(weak(1, 0, 1)), ids(0, 1)},
		{"async read, ready in its proxy", View{{1, P1}}, async(weak(1, 0, 1)), ids(1)},
		{"async read, ready in another CTA's", View{{1, P0}}, async(weak(1, 0, 1)), ids(x, 0, 1)},
		{"ready in several", View{{1, G | P0 | P1}}, async(weak(1, 0, 1)), ids(1)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := base(t)
			w.views[1] = tt.view
			if got := w.visible(tt.read, 0); !slices.Equal(got, tt.want) {
				t.Errorf("visible: %v, want %v", got, tt.want)
			}
		})
	}
	t.Run("a settled newer write hides without being in the view", func(t *testing.T) {
		w := base(t)
		c := &Cell{Writes: slices.Clone(w.Cell(0).Writes)}
		c.Writes[2].Settled = true
		w.Cells[0] = c
		if got := w.visible(weak(1, 0, 1), 0); !slices.Equal(got, ids(1)) {
			t.Errorf("visible: %v, want 1", got)
		}
	})
	t.Run("untouched", func(t *testing.T) {
		w := newWorld(1, 1)
		if got := w.visible(weak(0, 0, 1), 0); !slices.Equal(got, ids(x)) {
			t.Errorf("visible: %v", got)
		}
	})
	t.Run("unordered writes hide nothing of each other", func(t *testing.T) {
		w := newWorld(3, 1)
		w.write(weak(0, 0, 1), none(t))
		w.write(weak(1, 0, 1), none(t))
		w.views[2] = View{{0, G}, {1, G}}
		if got := w.visible(weak(2, 0, 1), 0); !slices.Equal(got, ids(0, 1)) {
			t.Errorf("visible: %v", got)
		}
	})
	t.Run("appends to the buffer", func(t *testing.T) {
		w := base(t)
		a := weak(2, 0, 1)
		if got := w.Visible(0, View{{1, G}}, &a, []int{9}); !slices.Equal(got, []int{9, 2}) {
			t.Errorf("%v", got)
		}
	})
}

// TestObserve checks single-copy atomicity (X3, ACROSS-PROXY-128): how often and what a read of four
// cells may observe after writes by other agents, of which the reader knows nothing.
func TestObserve(t *testing.T) {
	cta := memmodel.CTA
	four := func(agent int, f func(int, int, int) Access) []Access {
		var out []Access
		for c := range 4 {
			out = append(out, f(agent, c, 1))
		}
		return out
	}
	tests := []struct {
		name   string
		writes []Access
		picks  []int // choices of coherence order
		read   Access
		bytes  int
		count  int
		want   []string // all of them, if few
	}{
		{"nothing written", nil, nil, strong(3, 0, 4), 16, 1, []string{"- - - -"}},
		{"one b128 write", []Access{strong(0, 0, 4)}, nil, strong(3, 0, 4), 16, 2, []string{"- - - -", "0 0 0 0"}},
		{"two, ordered", []Access{strong(0, 0, 4), strong(1, 0, 4)}, []int{0}, strong(3, 0, 4), 16, 3, []string{"- - - -", "0 0 0 0", "1 1 1 1"}},
		{"a weak write tears", []Access{weak(0, 0, 4)}, nil, strong(3, 0, 4), 16, 16, nil},
		{"a weak read tears", []Access{strong(0, 0, 4)}, nil, weak(3, 0, 4), 16, 16, nil},
		{"a write of too narrow scope tears", []Access{scoped(strong(0, 0, 4), cta)}, nil, strong(3, 0, 4), 16, 16, nil},
		{"a read of too narrow scope tears", []Access{strong(0, 0, 4)}, nil, scoped(strong(3, 0, 4), cta), 16, 16, nil},
		{"four 4-byte writes mix", four(0, strong), nil, strong(3, 0, 4), 16, 16, nil},
		{"two 8-byte halves", []Access{strong(0, 0, 2), strong(1, 2, 2)}, nil, strong(3, 0, 4), 16, 16, nil},
		{"a read of less tears", []Access{strong(0, 0, 4)}, nil, strong(3, 1, 2), 8, 4, nil},
		{"across proxies, 16 bytes", []Access{strong(0, 0, 4)}, nil, async(strong(3, 0, 4)), 16, 2, []string{"- - - -", "0 0 0 0"}},
		{"across proxies, the other way", []Access{async(strong(0, 0, 4))}, nil, strong(3, 0, 4), 16, 2, []string{"- - - -", "0 0 0 0"}},
		{"across proxies, 8 bytes", []Access{strong(0, 0, 2)}, nil, async(strong(3, 0, 2)), 8, 4, []string{"- -", "- 0", "0 -", "0 0"}},
		{"within the async proxy, 8 bytes", []Access{async(strong(0, 0, 2))}, nil, async(strong(3, 0, 2)), 8, 2, []string{"- -", "0 0"}},
		{"across proxies, weak write", []Access{weak(0, 0, 4)}, nil, async(strong(3, 0, 4)), 16, 16, nil},
		{"across proxies, weak read", []Access{strong(0, 0, 4)}, nil, async(weak(3, 0, 4)), 16, 16, nil},
		{"across proxies, scope too narrow", []Access{scoped(strong(0, 0, 4), memmodel.Cluster)}, nil, async(strong(3, 0, 4)), 16, 16, nil},
		// either is read whole, but nothing says which is newer: only the initial content does not mix in
		{"two unordered b128 writes", []Access{strong(0, 0, 4), async(strong(1, 0, 4))}, nil, strong(3, 0, 4), 16, 17, nil},
		{"a b128 write and a weak one in one cell", []Access{strong(0, 0, 4), weak(1, 2, 1)}, nil, strong(3, 0, 4), 16, 4,
			[]string{"- - - -", "- - 1 -", "0 0 0 0", "0 0 1 0"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(4, 4)
			ch := &script{t: t, picks: tt.picks}
			for _, a := range tt.writes {
				w.write(a, ch)
			}
			ch.done()
			got := w.seen(tt.read, tt.bytes)
			if len(got) != tt.count || tt.want != nil && !slices.Equal(got, tt.want) {
				t.Errorf("%d observations, want %d:\n%q", len(got), tt.count, got)
			}
			if len(slices.Compact(slices.Clone(got))) != len(got) {
				t.Errorf("listed twice: %q", got)
			}
		})
	}
}

// TestObserveKnown: with single-copy atomicity a cell whose newer write is known drags the others along.
func TestObserveKnown(t *testing.T) {
	w := newWorld(4, 2)
	w.write(strong(0, 0, 2), none(t)) // 0
	w.write(strong(0, 0, 2), none(t)) // 1
	w.views[3] = View{{0, G}}
	if got := w.seen(strong(3, 0, 2), 8); !slices.Equal(got, []string{"0 0", "1 1"}) {
		t.Errorf("%q", got)
	}
	w.views[3] = View{{1, G}}
	if got := w.seen(strong(3, 0, 2), 8); !slices.Equal(got, []string{"1 1"}) {
		t.Errorf("%q", got)
	}
	// known, but not ready for the async proxy: 16 bytes are whole all the same, 8 are not
	if got := len(w.seen(async(strong(3, 0, 2)), 16)); got != 3 {
		t.Errorf("%d observations of 16 bytes, want 3", got)
	}
	if got := len(w.seen(async(strong(3, 0, 2)), 8)); got != 9 {
		t.Errorf("%d observations of 8 bytes, want 9", got)
	}
}

// TestMayUpdate checks rule ATOMIC where a write was already taken by a read-modify-write.
func TestMayUpdate(t *testing.T) {
	cta := memmodel.CTA
	narrow := scoped(strong(0, 0, 1), cta)
	tests := []struct {
		name          string
		first, second Access
		want          bool
	}{
		{"morally strong", strong(0, 0, 1), strong(1, 0, 1), false},
		{"same agent", strong(0, 0, 1), strong(0, 0, 1), false},
		{"the first too narrow", narrow, strong(1, 0, 1), true},
		{"the second too narrow", strong(1, 0, 1), narrow, true},
		{"other proxies", async(strong(0, 0, 1)), strong(1, 0, 1), true},
		{"partial overlap: one runs wholly before the other", strong(0, 0, 1), strong(1, 0, 2), false},
		{"partial overlap, too narrow", narrow, strong(1, 0, 2), true},
		{"partial overlap, other proxies", strong(0, 0, 1), async(strong(1, 0, 2)), true},
	}
	for _, tt := range tests {
		tt.first.RMW, tt.second.RMW = true, true
		for _, from := range []string{"the initial content", "a write"} {
			t.Run(tt.name+"/"+from, func(t *testing.T) {
				w := newWorld(4, 2)
				r := 0
				if from == "a write" {
					w.write(strong(3, 0, 1), none(t))
					r = 1
				}
				if !w.MayUpdate(0, r, &tt.first, w.views[tt.first.Agent]) {
					t.Fatal("the first may not update")
				}
				id := w.rmw(tt.first, Observation{r}, none(t))
				// an update that nothing orders after what it reads may go before the other
				want := tt.want || from == "a write" && tt.second.N == 2
				if got := w.MayUpdate(0, r, &tt.second, w.views[tt.second.Agent]); got != want {
					t.Errorf("MayUpdate = %t", got)
				}
				if !w.MayUpdate(0, w.position(0, id), &tt.second, w.views[tt.second.Agent]) {
					t.Error("the second may not even read the first")
				}
			})
		}
	}
	t.Run("a plain write takes nothing", func(t *testing.T) {
		w := newWorld(2, 1)
		w.write(strong(0, 0, 1), none(t))
		a := strong(1, 0, 1)
		if !w.MayUpdate(0, 0, &a, w.views[1]) {
			t.Error("MayUpdate = false")
		}
	})
}

// TestUnordered checks the candidates for a race.
func TestUnordered(t *testing.T) {
	// event 0: a write of cells 0 and 1; 1: a read of cell 1; 2: a write of cell 2
	base := func(t *testing.T) *world {
		w := newWorld(2, 4)
		w.write(weak(0, 0, 2), none(t))
		w.Read(&Event{Access: weak(0, 1, 1)})
		w.write(weak(0, 2, 1), none(t))
		return w
	}
	tests := []struct {
		name  string
		a     Access
		write bool
		view  View
		want  []EventID
	}{
		{"a read conflicts with a write", weak(1, 0, 1), false, nil, ids(0)},
		{"not with a read", weak(1, 1, 1), false, nil, ids(0)},
		{"a write conflicts with both", weak(1, 1, 1), true, nil, ids(0, 1)},
		{"each is listed once", weak(1, 0, 3), true, nil, ids(0, 1, 2)},
		{"an untouched cell", weak(1, 3, 1), true, nil, ids()},
		{"the write is known", weak(1, 0, 2), true, View{{0, G}}, ids(1)},
		{"the read is known", weak(1, 0, 2), true, View{{1, G}}, ids(0)},
		{"known, not ready", weak(1, 0, 2), true, View{{0, 0}, {1, P0}}, ids(0, 1)},
		{"ready in the generic proxy only", async(weak(1, 0, 2)), true, View{{0, G}, {1, G}}, ids(0, 1)},
		{"ready in another CTA's proxy", async(weak(1, 0, 2)), true, View{{0, P0}, {1, P0}}, ids(0, 1)},
		{"ready in its proxy", async(weak(1, 0, 2)), true, View{{0, P1}, {1, G | P1}}, ids()},
		{"one's own", weak(0, 0, 2), true, View{{0, G}, {1, G}}, ids()},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := base(t)
			if got := append(ids(), w.Unordered(&tt.a, tt.write, tt.view)...); !slices.Equal(got, tt.want) {
				t.Errorf("%v, want %v", got, tt.want)
			}
		})
	}
	t.Run("a settled write is ordered before everything", func(t *testing.T) {
		w := base(t)
		for c := range 2 {
			n := &Cell{Writes: slices.Clone(w.Cell(c).Writes), Reads: w.Cell(c).Reads}
			n.Writes[1].Settled = true
			w.Cells[c] = n
		}
		a := weak(1, 0, 2)
		if got := w.Unordered(&a, true, nil); !slices.Equal(got, ids(1)) {
			t.Errorf("%v, want 1", got)
		}
	})
}

// TestSupersede: an earlier read goes exactly if it is known at the level of the access and alike in
// all that decides races.
func TestSupersede(t *testing.T) {
	base := strong(0, 0, 2)
	change := func(f func(*Access)) Access {
		a := base
		f(&a)
		return a
	}
	tests := []struct {
		name string
		a    Access
		view View
		gone bool
	}{
		{"the same again", base, View{{0, G}}, true},
		{"another place in the program", change(func(a *Access) { a.Ref = 9 }), View{{0, G}}, true},
		{"not known", base, nil, false},
		{"known, not ready", base, View{{0, P0}}, false},
		{"another agent", change(func(a *Access) { a.Agent = 1 }), View{{0, G}}, false},
		{"weak", change(func(a *Access) { a.Strong = false }), View{{0, G}}, false},
		{"another scope", change(func(a *Access) { a.Scope = memmodel.CTA }), View{{0, G}}, false},
		{"another proxy", async(base), View{{0, G | P0}}, false},
		{"another CTA's proxy", change(func(a *Access) { a.CTA = 1 }), View{{0, G}}, false},
		{"by an asynchronous agent", change(func(a *Access) { a.Async = true }), View{{0, G}}, false},
		{"fewer cells", change(func(a *Access) { a.N = 1 }), View{{0, G}}, false},
		{"more cells", change(func(a *Access) { a.N = 3 }), View{{0, G}}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(2, 3)
			w.Read(&Event{Access: base})
			w.Read(&Event{Access: weak(1, 0, 1)}) // always stays
			old := w.Memory.Clone()
			keep := [][]EventID{slices.Clone(old.Cell(0).Reads), slices.Clone(old.Cell(1).Reads)}
			w.Supersede(&tt.a, tt.view)
			want := [][]EventID{ids(0, 1), ids(0)}
			if tt.gone {
				want = [][]EventID{ids(1), ids()}
			}
			for c := range 2 {
				if got := append(ids(), w.Cell(c).Reads...); !slices.Equal(got, want[c]) {
					t.Errorf("cell %d has reads %v, want %v", c, got, want[c])
				}
				if !slices.Equal(old.Cell(c).Reads, keep[c]) {
					t.Errorf("a clone's cell %d has reads %v", c, old.Cell(c).Reads)
				}
			}
		})
	}
	t.Run("an async read", func(t *testing.T) {
		w := newWorld(1, 2)
		a := async(base)
		w.Read(&Event{Access: a})
		w.Supersede(&a, View{{0, G}})
		if len(w.Cell(0).Reads) != 1 {
			t.Error("superseded, though not ready in the async proxy")
		}
		w.Supersede(&a, View{{0, P0}})
		if len(w.Cell(0).Reads)+len(w.Cell(1).Reads) != 0 {
			t.Error("not superseded")
		}
	})
}

// TestRead records in every cell of the access and in no other, and leaves writes alone.
func TestRead(t *testing.T) {
	w := newWorld(2, 4)
	w.write(weak(0, 1, 2), none(t))
	old := w.Memory.Clone()
	if id := w.Read(&Event{Access: weak(1, 1, 2)}); id != 1 {
		t.Errorf("the read is event %d", id)
	}
	for c, want := range [][]EventID{ids(), ids(1), ids(1), ids()} {
		if got := append(ids(), w.Cell(c).Reads...); !slices.Equal(got, want) {
			t.Errorf("cell %d: reads %v, want %v", c, got, want)
		}
		if !reflect.DeepEqual(w.Cell(c).Writes, old.Cell(c).Writes) {
			t.Errorf("cell %d: writes %v", c, w.Cell(c).Writes)
		}
		if len(old.Cell(c).Reads) != 0 {
			t.Errorf("the clone's cell %d has reads %v", c, old.Cell(c).Reads)
		}
	}
}

// TestReadShared: two clones read on from the same list, whatever room is behind it.
func TestReadShared(t *testing.T) {
	for n := range 9 {
		w := newWorld(3, 1)
		for range n {
			w.Read(&Event{Access: weak(0, 0, 1)})
		}
		a, b := w.clone(), w.clone()
		a.Read(&Event{Access: weak(1, 0, 1)})
		b.Add(&Event{}) // so that the numbers differ
		b.Read(&Event{Access: weak(2, 0, 1)})
		if got := a.Cell(0).Reads; len(got) != n+1 || got[n] != EventID(n) {
			t.Errorf("after %d reads the first clone has %v", n, got)
		}
		if got := b.Cell(0).Reads; len(got) != n+1 || got[n] != EventID(n+1) {
			t.Errorf("after %d reads the second clone has %v", n, got)
		}
	}
}

// TestAdd takes the first free number and clears the heads there.
func TestAdd(t *testing.T) {
	m := newMemory(1)
	for i := range 3 {
		if id := m.Add(&Event{}); id != EventID(i) {
			t.Fatalf("event %d is %d", i, id)
		}
	}
	m.Events[1], m.Heads[1] = nil, []Head{{Scope: memmodel.GPU}}
	old := m.Clone()
	e := &Event{Taint: 7}
	if id := m.Add(e); id != 1 || m.Events[1] != e || m.Heads[1] != nil {
		t.Errorf("reused %d: event %v, heads %v", id, m.Events[1], m.Heads[1])
	}
	if old.Events[1] != nil || len(old.Heads[1]) != 1 {
		t.Error("the clone changed")
	}
	if id := m.Add(e); id != 3 || len(m.Heads) != 4 {
		t.Errorf("then %d, %d heads", id, len(m.Heads))
	}
}

// TestDrop: nothing may be observed, nothing races, and the cell is not the untouched one.
func TestDrop(t *testing.T) {
	w := newWorld(2, 2)
	w.write(weak(0, 0, 2), none(t))
	w.Read(&Event{Access: weak(0, 0, 1)})
	old := w.Memory.Clone()
	w.Drop(0)
	if got := w.visible(weak(1, 0, 1), 0); len(got) != 0 {
		t.Errorf("visible: %v", got)
	}
	if got := w.seen(weak(1, 0, 2), 8); len(got) != 0 {
		t.Errorf("observations over a dropped cell: %q", got)
	}
	if got := w.visible(weak(1, 1, 1), 1); !slices.Equal(got, ids(NoEvent, 0)) {
		t.Errorf("the other cell shows %v", got)
	}
	a := weak(1, 0, 1)
	if got := w.Unordered(&a, true, nil); len(got) != 0 {
		t.Errorf("unordered: %v", got)
	}
	if w.Cells[0] == nil {
		t.Error("the cell is untouched again")
	}
	if len(old.Cell(0).Writes) != 2 || len(old.Cell(0).Reads) != 1 {
		t.Error("the clone changed")
	}
	id := w.write(weak(1, 0, 1), none(t))
	if got := w.visible(weak(0, 0, 1), 0); !slices.Equal(got, ids(id)) {
		t.Errorf("after a write: %v", got)
	}
}

// TestCrowded finds the limits exactly.
func TestCrowded(t *testing.T) {
	w := newWorld(1, 3)
	for n := 1; n < MaxWrites; n++ { // the initial content is one
		if got, want := w.Crowded(), n >= MaxWrites/2; got != want {
			t.Fatalf("with %d writes Crowded = %t", n, got)
		}
		w.write(weak(0, 1, 1), none(t))
	}
	if bad := checkOrder(w.Cell(1)); bad != "" {
		t.Error(bad)
	}
	if got := w.visible(weak(0, 1, 1), 1); !slices.Equal(got, ids(MaxWrites-2)) {
		t.Errorf("visible in a full cell: %v", got)
	}
	defer func() {
		p, ok := recover().(TooManyWrites)
		if !ok || p.Cell != 1 || p.Error() == "" {
			t.Errorf("panic %#v", p)
		}
	}()
	w.write(weak(0, 0, 2), none(t))
	t.Error("a write too many was taken")
}

// TestClone changes a clone in every way.
func TestClone(t *testing.T) {
	w := newWorld(2, 2)
	w.write(strong(0, 0, 2), none(t))
	w.Read(&Event{Access: weak(0, 0, 1)})
	before := fmt.Sprint(dump(&w.Memory))
	c := &world{w.Memory.Clone(), slices.Clone(w.views)}
	c.write(strong(1, 0, 2), &script{t: t, picks: []int{1}})
	c.rmw(strong(1, 1, 1), Observation{2}, none(t))
	c.Read(&Event{Access: weak(1, 0, 2)})
	a := weak(0, 0, 1)
	c.Supersede(&a, View{{1, G}})
	c.Drop(1)
	if after := fmt.Sprint(dump(&w.Memory)); after != before {
		t.Errorf("was %s, is %s", before, after)
	}
	if fmt.Sprint(dump(&c.Memory)) == before {
		t.Error("the clone did not change")
	}
}

// dump copies what a memory holds.
func dump(m *Memory) []Cell {
	var out []Cell
	for c := range m.Cells {
		x := m.Cell(c)
		out = append(out, Cell{Writes: slices.Clone(x.Writes), Reads: slices.Clone(x.Reads), Base: x.Base})
	}
	return out
}
