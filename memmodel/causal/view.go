// Package causal is the memory of the causal machine: which writes an access may observe, where a
// new write stands in coherence order, and what an access makes visible to whom. It follows the
// causality order of the PTX memory model (PTX ISA 8.9) by sets of events, not by a growing graph.
//
// The one invariant: an event that is in nobody's way (settled: known to every agent that may
// still meet it, or dead: hidden from all of them) is in no view, so equal futures have equal
// states.
package causal

import "slices"

// EventID indexes Memory.Events.
type EventID uint16

// Level says how far a known event has come through the proxies: the bit G for the generic proxy,
// a bit for the async proxy of each CTA (rule READY).
type Level uint64

// G marks an event that is ready for generic accesses.
const G Level = 1

// All is the level of an event that is ready for every proxy everywhere.
const All = ^Level(0)

// aliasShift is where the levels for other virtual addresses of the same memory begin: an event has
// them behind an alias fence (PTX ISA 8.6). Only memory with several addresses uses them.
const aliasShift = 32

// MaxAliasedCTAs is MaxCTAs of a program with several virtual addresses for one memory.
const MaxAliasedCTAs = aliasShift - 2

// MaxCTAs is how many CTAs a program may have: a Level has one bit for each.
const MaxCTAs = 62

// AsyncIn returns the level of an event that is ready for async-proxy accesses of a CTA.
func AsyncIn(cta int) Level { return 2 << cta }

// Known is one event of a view with the level it has reached. Being in the view at all means that
// base causality (PTX ISA 8.9.5) reaches the agent.
type Known struct {
	Event EventID
	Level Level
}

// View is the set of events ordered before an agent's next access, sorted by event. Views are
// never changed in place: several states share them.
type View []Known

// find returns where e is, or would be.
func (v View) find(e EventID) (int, bool) {
	lo, hi := 0, len(v)
	for lo < hi {
		mid := (lo + hi) / 2
		if v[mid].Event < e {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo, lo < len(v) && v[lo].Event == e
}

// Level returns the level of e, 0 if e is not in the view, and whether it is.
func (v View) Level(e EventID) (Level, bool) {
	i, ok := v.find(e)
	if !ok {
		return 0, false
	}
	return v[i].Level, true
}

// With returns the view with e at least at level l.
func (v View) With(e EventID, l Level) View {
	i, ok := v.find(e)
	if ok {
		if v[i].Level|l == v[i].Level {
			return v
		}
		w := slices.Clone(v)
		w[i].Level |= l
		return w
	}
	w := make(View, 0, len(v)+1)
	w = append(w, v[:i]...)
	w = append(w, Known{e, l})
	return append(w, v[i:]...)
}

// Join returns the union of the levels, entry by entry (rule JOIN).
func Join(a, b View) View {
	if len(b) == 0 {
		return a
	}
	if len(a) == 0 {
		return b
	}
	if includes(a, b) {
		return a
	}
	out := make(View, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].Event < b[0].Event:
			out, a = append(out, a[0]), a[1:]
		case a[0].Event > b[0].Event:
			out, b = append(out, b[0]), b[1:]
		default:
			out = append(out, Known{a[0].Event, a[0].Level | b[0].Level})
			a, b = a[1:], b[1:]
		}
	}
	out = append(out, a...)
	return append(out, b...)
}

// includes reports whether joining b to a changes nothing.
func includes(a, b View) bool {
	i := 0
	for _, k := range b {
		for i < len(a) && a[i].Event < k.Event {
			i++
		}
		if i == len(a) || a[i].Event != k.Event || a[i].Level|k.Level != a[i].Level {
			return false
		}
	}
	return true
}

// Map returns the view with f applied to each level.
func (v View) Map(f func(Level) Level) View {
	changed := false
	for _, k := range v {
		if f(k.Level) != k.Level {
			changed = true
			break
		}
	}
	if !changed {
		return v
	}
	w := make(View, len(v))
	for i, k := range v {
		w[i] = Known{k.Event, f(k.Level)}
	}
	return w
}

// ProxyFence applies rule PROXY-FENCE for the async proxy of a CTA: first every entry that is
// ready in the async proxy becomes ready in the generic one, then the reverse. A one-way fence
// does one half: release (async::generic.release and .acquire order generic accesses before and
// async accesses after) only the second.
func (v View) ProxyFence(cta int, toGeneric, toAsync bool) View {
	p := AsyncIn(cta)
	return v.Map(func(l Level) Level {
		if toGeneric && l&p != 0 {
			l |= G
		}
		if toAsync && l&G != 0 {
			l |= p
		}
		return l
	})
}

// AliasFence makes what is ready for generic accesses ready for those by other virtual addresses of the
// same memory (rule ALIAS-FENCE).
func (v View) AliasFence() View {
	return v.Map(func(l Level) Level { return l | l&G<<aliasShift })
}

// ProxyFenceAliased is ProxyFence in a program with several virtual addresses for one memory: accesses by
// other addresses take the same way.
func (v View) ProxyFenceAliased(cta int, toGeneric, toProxy bool) View {
	fence := func(l Level) Level { return View{{Level: l}}.ProxyFence(cta, toGeneric, toProxy)[0].Level }
	return v.Map(func(l Level) Level {
		const low = 1<<aliasShift - 1
		return fence(l&low) | fence(l>>aliasShift)<<aliasShift
	})
}

// Renumber returns the view with events renamed by to; an event that maps to NoEvent leaves it.
func (v View) Renumber(to []EventID) View {
	same := true
	for _, k := range v {
		if to[k.Event] != k.Event {
			same = false
			break
		}
	}
	if same {
		return v
	}
	w := make(View, 0, len(v))
	for _, k := range v {
		if n := to[k.Event]; n != NoEvent {
			w = append(w, Known{n, k.Level})
		}
	}
	slices.SortFunc(w, func(a, b Known) int { return int(a.Event) - int(b.Event) })
	if len(w) == 0 {
		return nil
	}
	return w
}
