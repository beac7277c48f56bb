package causal

import (
	"reflect"
	"slices"
	"testing"
)

// P0 and P1 are the async proxies of the first two CTAs.
var (
	P0 = AsyncIn(0)
	P1 = AsyncIn(1)
)

// same compares views as sets: a nil view is an empty one.
func same(a, b View) bool { return slices.Equal(a, b) }

// TestLevels checks that the bits of all proxies are distinct.
func TestLevels(t *testing.T) {
	all := G
	for cta := range MaxCTAs {
		p := AsyncIn(cta)
		if p == 0 || p&(p-1) != 0 {
			t.Fatalf("AsyncIn(%d) = %#x is not one bit", cta, p)
		}
		if all&p != 0 {
			t.Fatalf("AsyncIn(%d) = %#x is taken", cta, p)
		}
		all |= p
	}
	if All&all != all {
		t.Errorf("All = %#x lacks some of %#x", All, all)
	}
}

func TestLevel(t *testing.T) {
	v := View{{1, G}, {3, P0}, {7, 0}}
	tests := []struct {
		e    EventID
		want Level
		ok   bool
	}{
		{0, 0, false}, {1, G, true}, {2, 0, false}, {3, P0, true}, {4, 0, false}, {7, 0, true}, {8, 0, false}, {NoEvent, 0, false},
	}
	for _, tt := range tests {
		if l, ok := v.Level(tt.e); l != tt.want || ok != tt.ok {
			t.Errorf("Level(%d) = %#x, %t, want %#x, %t", tt.e, l, ok, tt.want, tt.ok)
		}
	}
	if l, ok := View(nil).Level(0); l != 0 || ok {
		t.Errorf("the empty view has event 0 at %#x, %t", l, ok)
	}
}

func TestWith(t *testing.T) {
	tests := []struct {
		name string
		v    View
		e    EventID
		l    Level
		want View
	}{
		{"into an empty view", nil, 4, G, View{{4, G}}},
		{"before all", View{{2, G}}, 0, P0, View{{0, P0}, {2, G}}},
		{"between", View{{2, G}, {6, P1}}, 4, P0, View{{2, G}, {4, P0}, {6, P1}}},
		{"after all", View{{2, G}}, 9, G, View{{2, G}, {9, G}}},
		{"adds a level", View{{2, G}, {4, P0}}, 2, P0, View{{2, G | P0}, {4, P0}}},
		{"knows it already", View{{2, G | P0}}, 2, P0, View{{2, G | P0}}},
		{"level 0 still enters", View{{2, G}}, 3, 0, View{{2, G}, {3, 0}}},
		{"level 0 takes nothing", View{{2, G}}, 2, 0, View{{2, G}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before := slices.Clone(tt.v)
			if got := tt.v.With(tt.e, tt.l); !same(got, tt.want) {
				t.Errorf("%v.With(%d, %#x) = %v, want %v", tt.v, tt.e, tt.l, got, tt.want)
			}
			if !same(tt.v, before) {
				t.Errorf("the view itself became %v", tt.v)
			}
		})
	}
}

func TestJoin(t *testing.T) {
	tests := []struct {
		name       string
		a, b, want View
	}{
		{"both empty", nil, nil, nil},
		{"one empty", View{{1, G}}, nil, View{{1, G}}},
		{"disjoint", View{{1, G}, {5, P0}}, View{{3, P1}}, View{{1, G}, {3, P1}, {5, P0}}},
		{"levels unite", View{{1, G}}, View{{1, P0}}, View{{1, G | P0}}},
		{"level 0 stays known", View{{1, 0}}, View{{2, 0}}, View{{1, 0}, {2, 0}}},
		{"part of the other", View{{1, G | P0}, {2, G}}, View{{1, P0}}, View{{1, G | P0}, {2, G}}},
		{"tail of the left", View{{1, G}, {8, G}, {9, P0}}, View{{2, G}}, View{{1, G}, {2, G}, {8, G}, {9, P0}}},
		{"same events, crossed levels", View{{1, G}, {2, P0}}, View{{1, P0}, {2, G}}, View{{1, G | P0}, {2, G | P0}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, b := slices.Clone(tt.a), slices.Clone(tt.b)
			if got := Join(tt.a, tt.b); !same(got, tt.want) {
				t.Errorf("Join = %v, want %v", got, tt.want)
			}
			if got := Join(tt.b, tt.a); !same(got, tt.want) {
				t.Errorf("the other way round: %v, want %v", got, tt.want)
			}
			if !same(tt.a, a) || !same(tt.b, b) {
				t.Errorf("the inputs became %v and %v", tt.a, tt.b)
			}
		})
	}
}

func TestMap(t *testing.T) {
	v := View{{1, G}, {2, P0}, {3, 0}}
	before := slices.Clone(v)
	got := v.Map(func(l Level) Level {
		if l == P0 {
			return All
		}
		return l
	})
	if want := (View{{1, G}, {2, All}, {3, 0}}); !same(got, want) {
		t.Errorf("Map = %v, want %v", got, want)
	}
	if got := v.Map(func(Level) Level { return 0 }); !same(got, View{{1, 0}, {2, 0}, {3, 0}}) {
		t.Errorf("mapped to nothing, the events must stay known: %v", got)
	}
	if got := v.Map(func(l Level) Level { return l }); !same(got, v) {
		t.Errorf("the identity gives %v", got)
	}
	if !same(v, before) {
		t.Errorf("the view itself became %v", v)
	}
}

// TestProxyFence has one entry of each level; want lists their levels after the fence of CTA 0.
func TestProxyFence(t *testing.T) {
	levels := []Level{0, G, P0, P1, G | P1, P0 | P1}
	tests := []struct {
		name               string
		toGeneric, toAsync bool
		want               []Level
	}{
		{"both ways", true, true, []Level{0, G | P0, G | P0, P1, G | P0 | P1, G | P0 | P1}},
		{"to the generic proxy", true, false, []Level{0, G, G | P0, P1, G | P1, G | P0 | P1}},
		{"to the async proxy", false, true, []Level{0, G | P0, P0, P1, G | P0 | P1, P0 | P1}},
		{"neither", false, false, levels},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var v View
			for i, l := range levels {
				v = append(v, Known{EventID(i), l})
			}
			before := slices.Clone(v)
			got := v.ProxyFence(0, tt.toGeneric, tt.toAsync)
			if len(got) != len(tt.want) {
				t.Fatalf("%d entries, want %d", len(got), len(tt.want))
			}
			for i, k := range got {
				if k.Event != EventID(i) || k.Level != tt.want[i] {
					t.Errorf("level %#x became %#x, want %#x", levels[i], k.Level, tt.want[i])
				}
			}
			if !same(v, before) {
				t.Errorf("the view itself became %v", v)
			}
		})
	}
}

// TestProxyFenceElsewhere: what is ready in the async proxy of one CTA reaches that of another only
// by a fence in each.
func TestProxyFenceElsewhere(t *testing.T) {
	v := View{{1, P1}}
	if got := v.ProxyFence(0, true, true); !same(got, View{{1, P1}}) {
		t.Errorf("the fence of CTA 0 moved an entry of CTA 1: %v", got)
	}
	if got := v.ProxyFence(1, true, true).ProxyFence(0, true, true); !same(got, View{{1, G | P0 | P1}}) {
		t.Errorf("two fences gave %v", got)
	}
	last := AsyncIn(MaxCTAs - 1)
	if got := (View{{1, G}}).ProxyFence(MaxCTAs-1, false, true); !same(got, View{{1, G | last}}) {
		t.Errorf("the fence of the last CTA gave %v", got)
	}
}

func TestRenumber(t *testing.T) {
	const x = NoEvent
	tests := []struct {
		name string
		v    View
		to   []EventID
		want View
	}{
		{"nothing moves", View{{0, G}, {2, P0}}, []EventID{0, x, 2}, View{{0, G}, {2, P0}}},
		{"moved down", View{{1, G}, {3, P0}}, []EventID{x, 0, x, 1}, View{{0, G}, {1, P0}}},
		{"crossed", View{{0, G}, {1, P0}, {2, P1}}, []EventID{2, 0, 1}, View{{0, P0}, {1, P1}, {2, G}}},
		{"one leaves", View{{0, G}, {1, P0}}, []EventID{0, x}, View{{0, G}}},
		{"one leaves, the other moves", View{{0, G}, {1, P0}}, []EventID{x, 0}, View{{0, P0}}},
		{"all leave", View{{0, G}, {1, P0}}, []EventID{x, x}, nil},
		{"empty", nil, nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before := slices.Clone(tt.v)
			got := tt.v.Renumber(tt.to)
			if !same(got, tt.want) || len(tt.want) == 0 && got != nil {
				t.Errorf("Renumber(%v) = %#v, want %#v", tt.to, got, tt.want)
			}
			if !same(tt.v, before) {
				t.Errorf("the view itself became %v", tt.v)
			}
		})
	}
}

// TestAppendToShared appends to a result: the input, which shares its array, must not notice.
func TestAppendToShared(t *testing.T) {
	v := make(View, 2, 8)
	v[0], v[1] = Known{1, G}, Known{2, G}
	full := v[:8]
	tail := slices.Clone(full[2:])
	v.With(5, G).With(9, P0)
	Join(v, View{{3, P0}, {7, G}})
	v.ProxyFence(0, true, true)
	v.Renumber([]EventID{0, 0, 1})
	if !reflect.DeepEqual(full[2:], tail) {
		t.Errorf("the array behind the view was written: %v", full)
	}
}
