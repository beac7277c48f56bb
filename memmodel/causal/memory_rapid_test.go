package causal

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
	"ptxmc/memmodel"
)

// drawn lets rapid make the choices, so that they shrink.
type drawn struct{ t *rapid.T }

func (d drawn) Choose(n int) int { return rapid.IntRange(0, n-1).Draw(d.t, "choice") }

// manner draws what accesses of a run look like.
type manner struct {
	weak, narrow, proxies, updates bool
	cells                          int // of each access; the memory has 2
}

// total reports that all writes of a cell are ordered; then no observed write is a dead end.
func (m manner) total() bool { return !m.weak && !m.narrow && !m.proxies }

func (m manner) access(t *rapid.T) Access {
	a := strong(rapid.IntRange(0, 2).Draw(t, "agent"), 0, m.cells)
	if m.cells == 1 {
		a.First = rapid.IntRange(0, 1).Draw(t, "cell")
	}
	if m.weak && rapid.Bool().Draw(t, "weak") {
		a.Strong, a.Scope = false, memmodel.ScopeNone
	} else if m.narrow {
		a.Scope = rapid.SampledFrom([]memmodel.Scope{memmodel.CTA, memmodel.Cluster, memmodel.GPU}).Draw(t, "scope")
	}
	if m.proxies && rapid.Bool().Draw(t, "async") {
		a = async(a)
	}
	return a
}

// walk makes random steps of three agents on two cells and checks the invariants after each.
func walk(t *rapid.T, m manner) {
	w := newWorld(3, 2)
	ch := drawn{t}
	room := func(a Access) { // as the machine: collected before a cell is full
		for c := a.First; c < a.First+a.N; c++ {
			if len(w.Cell(c).Writes) >= 10 {
				t.Skip("the cell is full")
			}
		}
	}
	var old Memory
	var was string
	actions := map[string]func(*rapid.T){
		"write": func(t *rapid.T) {
			a := m.access(t)
			room(a)
			view := w.views[a.Agent]
			id := w.write(a, ch)
			if id == NoEvent {
				t.Fatalf("no place for a plain write: %v", dump(&w.Memory))
			}
			for c := a.First; c < a.First+a.N; c++ {
				for _, x := range w.Cell(c).Writes {
					if l, ok := view.Level(x.Event); (x.Settled || ok && l&a.Needs() != 0) && !w.before(c, x.Event, id) {
						t.Fatalf("cell %d: %s is ready, but the new write does not follow it", c, label(x.Event))
					}
					if x.Event != id && x.Event != NoEvent && MorallyStrong(&a, &w.Events[x.Event].Access) &&
						!w.before(c, x.Event, id) && !w.before(c, id, x.Event) {
						t.Fatalf("cell %d: %s and %d are morally strong, but not ordered", c, label(x.Event), id)
					}
				}
				if got := w.visible(a, c); !slices.Contains(got, id) {
					t.Fatalf("cell %d: the own write %d is hidden: %v", c, id, got)
				}
			}
		},
		"read": func(t *rapid.T) {
			a := m.access(t)
			got := w.Observe(&a, w.views[a.Agent], 8*a.N)
			if len(got) == 0 {
				t.Fatalf("nothing to observe: %v", dump(&w.Memory))
			}
			pick := got[rapid.IntRange(0, len(got)-1).Draw(t, "pick")]
			for i, p := range pick {
				if !slices.Contains(w.visible(a, a.First+i), w.Cell(a.First + i).Writes[p].Event) {
					t.Fatalf("observed a hidden write: %v", pick)
				}
			}
			w.know(a, pick)
		},
		"acquire": func(t *rapid.T) { // everything that another agent knows, as from a release
			i, j := rapid.IntRange(0, 2).Draw(t, "agent"), rapid.IntRange(0, 2).Draw(t, "from")
			w.views[i] = Join(w.views[i], w.views[j])
		},
	}
	if m.proxies {
		actions["fence"] = func(t *rapid.T) {
			i := rapid.IntRange(0, 2).Draw(t, "agent")
			w.views[i] = w.views[i].ProxyFence(i, rapid.Bool().Draw(t, "toGeneric"), rapid.Bool().Draw(t, "toAsync"))
		}
	}
	if m.updates {
		actions["update"] = func(t *rapid.T) {
			a := m.access(t)
			room(a)
			a.RMW = true
			var picks []Observation
			for _, p := range w.Observe(&a, w.views[a.Agent], 8*a.N) {
				ok := true
				for i := range p {
					ok = ok && w.MayUpdate(a.First+i, p[i], &a, w.views[a.Agent])
				}
				if ok {
					picks = append(picks, p)
				}
			}
			if len(picks) == 0 {
				t.Fatalf("nothing to update: %v", dump(&w.Memory))
			}
			before := fmt.Sprint(dump(&w.Memory), len(w.Events))
			if id := w.rmw(a, picks[rapid.IntRange(0, len(picks)-1).Draw(t, "pick")], ch); id == NoEvent {
				if m.total() {
					t.Fatalf("no place for the update: %v", before)
				}
				if after := fmt.Sprint(dump(&w.Memory), len(w.Events)); after != before {
					t.Fatalf("an update without a place changed %s to %s", before, after)
				}
			}
		}
	}
	actions[""] = func(t *rapid.T) {
		for c := range 2 {
			if bad := checkOrder(w.Cell(c)); bad != "" {
				t.Fatalf("cell %d: %s: %+v", c, bad, w.Cell(c).Writes)
			}
			if bad := checkAtomic(&w.Memory, c); bad != "" {
				t.Fatalf("cell %d: %s: %+v", c, bad, w.Cell(c).Writes)
			}
			for i := range 3 {
				for _, a := range []Access{weak(i, c, 1), async(weak(i, c, 1))} {
					got := w.visible(a, c)
					if len(got) == 0 {
						t.Fatalf("cell %d: nothing visible to %d, %v: %+v", c, i, a.Proxy, w.Cell(c).Writes)
					}
					for _, x := range w.Cell(c).Writes { // what is ready hides its predecessors
						if l, _ := w.views[i].Level(x.Event); l&a.Needs() == 0 {
							continue
						}
						for _, e := range got {
							if w.before(c, e, x.Event) {
								t.Fatalf("cell %d: %d has %d ready, but sees %s", c, i, x.Event, label(e))
							}
						}
					}
				}
			}
		}
		if old.Cells != nil && fmt.Sprint(dump(&old)) != was {
			t.Fatalf("an earlier clone changed from %s to %v", was, dump(&old))
		}
		old = w.Memory.Clone()
		was = fmt.Sprint(dump(&old))
	}
	t.Repeat(actions)
}

// TestWalk mixes what may be mixed; coherence_bug_test.go holds what may not yet.
func TestWalk(t *testing.T) {
	tests := []struct {
		name string
		m    manner
	}{
		{"strong", manner{cells: 1, updates: true}},
		{"strong pairs of cells", manner{cells: 2, updates: true}},
		{"plain", manner{cells: 1, weak: true, narrow: true, proxies: true}},
		{"plain pairs of cells", manner{cells: 2, weak: true, narrow: true, proxies: true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { walk(t, tt.m) })
		})
	}
}
