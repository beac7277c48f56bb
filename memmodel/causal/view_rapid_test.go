package causal

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// level draws a set of few proxies, so that levels meet.
func level() *rapid.Generator[Level] {
	return rapid.Map(rapid.IntRange(0, 7), func(i int) Level {
		return Level(i&1)*G | Level(i>>1&1)*P0 | Level(i>>2&1)*P1
	})
}

func event() *rapid.Generator[EventID] {
	return rapid.Map(rapid.IntRange(0, 9), func(i int) EventID { return EventID(i) })
}

// view draws a view, without any of the functions under test.
func view() *rapid.Generator[View] {
	return rapid.Custom(func(t *rapid.T) View {
		m := rapid.MapOfN(event(), level(), 0, 8).Draw(t, "entries")
		return fromMap(m)
	})
}

func fromMap(m map[EventID]Level) View {
	var v View
	for e, l := range m {
		v = append(v, Known{e, l})
	}
	slices.SortFunc(v, func(a, b Known) int { return int(a.Event) - int(b.Event) })
	return v
}

func toMap(v View) map[EventID]Level {
	m := map[EventID]Level{}
	for _, k := range v {
		m[k.Event] = k.Level
	}
	return m
}

func unite(ms ...map[EventID]Level) map[EventID]Level {
	out := map[EventID]Level{}
	for _, m := range ms {
		for e, l := range m {
			out[e] |= l
		}
	}
	return out
}

func sorted(v View) bool {
	for i := 1; i < len(v); i++ {
		if v[i-1].Event >= v[i].Event {
			return false
		}
	}
	return true
}

// below reports whether b knows all that a knows.
func below(a, b View) bool {
	for _, k := range a {
		if l, ok := b.Level(k.Event); !ok || k.Level&^l != 0 {
			return false
		}
	}
	return true
}

// TestJoinLaws holds Join to the union of maps and to the laws of a join.
func TestJoinLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := view().Draw(t, "a"), view().Draw(t, "b"), view().Draw(t, "c")
		ka, kb, kc := slices.Clone(a), slices.Clone(b), slices.Clone(c)
		ab := Join(a, b)
		if want := fromMap(unite(toMap(a), toMap(b))); !same(ab, want) {
			t.Fatalf("Join = %v, want %v", ab, want)
		}
		if !sorted(ab) {
			t.Fatalf("not sorted: %v", ab)
		}
		if ba := Join(b, a); !same(ab, ba) {
			t.Fatalf("not commutative: %v and %v", ab, ba)
		}
		if l, r := Join(ab, c), Join(a, Join(b, c)); !same(l, r) {
			t.Fatalf("not associative: %v and %v", l, r)
		}
		if aa := Join(a, a); !same(aa, a) {
			t.Fatalf("not idempotent: %v", aa)
		}
		if !below(a, ab) || !below(b, ab) {
			t.Fatalf("Join lost something: %v", ab)
		}
		if below(a, c) && !below(ab, Join(c, b)) || !below(ab, Join(Join(a, c), b)) {
			t.Fatalf("not monotone")
		}
		if !same(a, ka) || !same(b, kb) || !same(c, kc) {
			t.Fatalf("the inputs became %v, %v, %v", a, b, c)
		}
	})
}

// TestWithIsJoin: With joins a view of one entry.
func TestWithIsJoin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v, e, l := view().Draw(t, "v"), event().Draw(t, "event"), level().Draw(t, "level")
		before := slices.Clone(v)
		got := v.With(e, l)
		if want := fromMap(unite(toMap(v), map[EventID]Level{e: l})); !same(got, want) || !same(got, Join(v, View{{e, l}})) {
			t.Fatalf("With = %v, want %v", got, want)
		}
		if !same(v, before) {
			t.Fatalf("the view became %v", v)
		}
	})
}

// TestFenceLaws: a proxy fence loses nothing, is idempotent and monotone, leaves other CTAs alone,
// and with both directions equals the two halves in the order of rule PROXY-FENCE.
func TestFenceLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v, w := view().Draw(t, "v"), view().Draw(t, "w")
		cta := rapid.IntRange(0, 1).Draw(t, "cta")
		toG, toA := rapid.Bool().Draw(t, "toGeneric"), rapid.Bool().Draw(t, "toAsync")
		before := slices.Clone(v)
		f := v.ProxyFence(cta, toG, toA)
		if !below(v, f) || len(v) != len(f) {
			t.Fatalf("%v became %v", v, f)
		}
		if again := f.ProxyFence(cta, toG, toA); !same(again, f) {
			t.Fatalf("not idempotent: %v, then %v", f, again)
		}
		if j := Join(v, w).ProxyFence(cta, toG, toA); !below(f, j) {
			t.Fatalf("not monotone: %v, %v", f, j)
		}
		if halves := v.ProxyFence(cta, toG, false).ProxyFence(cta, false, toA); !same(f, halves) {
			t.Fatalf("in halves %v, at once %v", halves, f)
		}
		for i := range v {
			if gained := f[i].Level &^ v[i].Level; gained&^(G|AsyncIn(cta)) != 0 {
				t.Fatalf("event %d gained %#x", v[i].Event, gained)
			}
			if toG && toA && f[i].Level&G == 0 != (f[i].Level&AsyncIn(cta) == 0) {
				t.Fatalf("after a full fence event %d has %#x", v[i].Event, f[i].Level)
			}
		}
		if !same(v, before) {
			t.Fatalf("the view became %v", v)
		}
	})
}

// TestRenumberLaws compares with a renamed map; a permutation and its inverse give the view back.
func TestRenumberLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := view().Draw(t, "v")
		ids := make([]EventID, 10)
		for i := range ids {
			ids[i] = EventID(i)
		}
		perm := rapid.Permutation(ids).Draw(t, "to")
		back := make([]EventID, len(perm))
		for i, p := range perm {
			back[p] = EventID(i)
		}
		before := slices.Clone(v)
		if got := v.Renumber(perm).Renumber(back); !same(got, v) {
			t.Fatalf("there and back: %v", got)
		}
		to := slices.Clone(perm)
		for i := range to {
			if rapid.Bool().Draw(t, "leaves") {
				to[i] = NoEvent
			}
		}
		want := map[EventID]Level{}
		for _, k := range v {
			if to[k.Event] != NoEvent {
				want[to[k.Event]] = k.Level
			}
		}
		if got := v.Renumber(to); !same(got, fromMap(want)) {
			t.Fatalf("Renumber = %v, want %v", got, fromMap(want))
		}
		if !same(v, before) {
			t.Fatalf("the view became %v", v)
		}
	})
}
