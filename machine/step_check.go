package machine

import (
	"fmt"

	"ptxmc/memmodel"
	"ptxmc/memmodel/causal"
	"ptxmc/model"
)

// checkFlights reports an access of the executing thread to the footprint of a copy in flight (PTX
// ISA 8.9.1.1). A strong copy's source may be written by strong stores of fitting scope meanwhile:
// fine-grained synchronization rests on it (CUDA guide 4.6).
func (st *stepper) checkFlights(a *causal.Access, write bool) bool {
	if st.m.Opts.Break == RuleInFlight || st.m.Opts.Racy {
		return true
	}
	if !st.checkMMAs(a, write) {
		return false
	}
	for _, f := range st.s.flights {
		into, from := f.into.meetsRange(a.First, a.N), f.from.meetsRange(a.First, a.N)
		c := st.m.flightAccess(f, into)
		switch {
		case into && f.exclusive:
			return st.overwritten(a, f, write, "destination")
		case into:
			if !causal.Covers(a, &c) && st.m.Opts.Break != RuleRace {
				st.race(a, write, st.m.site(f.thread, f.pc, "the copy in flight"), false, "a copy in flight writes")
			}
		case !write || !from:
		case st.m.guards(f):
			return st.overwritten(a, f, write, "source")
		case !causal.Covers(a, &c) && st.m.Opts.Break != RuleRace:
			st.race(a, write, st.m.site(f.thread, f.pc, "the copy in flight"), false, "a copy in flight reads")
		}
	}
	return true
}

// guards reports whether nobody may write the source of the copy: all but strong copies from global
// memory.
func (m *Machine) guards(f *flight) bool {
	return !m.flightAccess(f, false).Strong || f.src.cta >= 0
}

func (st *stepper) overwritten(a *causal.Access, f *flight, write bool, part string) bool {
	verb := "reads"
	if write {
		verb = "writes"
	}
	st.violate(&Violation{
		Property: "no-overwrite", Rule: "in-flight-" + part, Ends: true,
		Message: fmt.Sprintf("%s %s %s while a copy issued by %s is in flight and uses it as its %s",
			st.m.threadName(st.ti), verb, st.m.cellName(a.First, a.N), st.m.threadName(f.thread), part),
		Sites: []Site{st.m.site(f.thread, f.pc, "the copy in flight")},
		Fix:   "wait for the completion of the copy first",
	})
	return false
}

func overlap(a, n, b, k int) bool { return a < b+k && b < a+n }

// checkRaces reports conflicting accesses that nothing orders before this one. Accesses that are
// both strong with scopes that include each other do not race; if they are of different size they
// void the model (PTX ISA 8.7.2, mixed-size races), except across proxies.
func (st *stepper) checkRaces(a *causal.Access, write bool) bool {
	if st.m.Opts.Break == RuleRace || st.m.Opts.Racy {
		return true
	}
	for _, id := range st.s.Mem.Unordered(a, write, st.t.view) {
		e := st.s.Mem.Events[id]
		if !causal.Covers(a, &e.Access) {
			role := "the conflicting read"
			if e.Write {
				role = "the conflicting write"
			}
			if e.Async {
				role += " of the copy"
			}
			st.race(a, write, st.m.eventSite(e, role), false, "")
			continue
		}
		if a.Proxy == e.Proxy && (a.First != e.First || a.N != e.N) && !(a.RMW && e.RMW) {
			st.undefined("mixed-size-race", "%s is accessed with different sizes by unordered strong operations (the other at line %d): all axioms of the memory model stop applying",
				st.m.cellName(a.First, a.N), st.m.eventSite(e, "").Pos.Line)
			return false
		}
	}
	return true
}

func (st *stepper) race(a *causal.Access, write bool, other Site, ends bool, what string) {
	verb := "reads"
	if write {
		verb = "writes"
	}
	kind := "weak"
	if a.Strong {
		kind = "strong ." + a.Scope.String()
	}
	if what == "" {
		what = other.Role
		what = what[len("the conflicting "):]
		what = fmt.Sprintf("the %s at line %d by %s", what, other.Pos.Line, other.Agent)
	} else {
		what = fmt.Sprintf("%s (line %d, %s)", what, other.Pos.Line, other.Agent)
	}
	st.violate(&Violation{
		Property: "race-free", Rule: "unordered-conflict", Ends: ends,
		Message: fmt.Sprintf("%s %s %s (%s), and nothing orders %s before it", st.m.threadName(st.ti), verb, st.m.cellName(a.First, a.N), kind, what),
		Sites:   []Site{other},
		Fix:     "order the two: a release before and an acquire after with scopes that include each other, a barrier, or a grid dependency",
	})
}

// noteMissed records a strong read that did not take the newest strong write of fitting scope: the
// progress rule of PTX ISA 8.6.1 forbids that it does so for ever.
func (st *stepper) noteMissed(a *causal.Access, pick causal.Observation) {
	if !a.Strong && st.m.Opts.Break != RuleWeakPoll {
		return
	}
	if st.m.Opts.Break == RuleStrongPoll {
		return
	}
	for i, p := range pick {
		for k, w := range st.s.Mem.Cell(a.First + i).Writes {
			if k == p || w.Preds&(1<<p) == 0 {
				continue
			}
			if e := st.s.Mem.Events[w.Event]; promised(a, &e.Access) || st.m.Opts.Break == RuleWeakPoll {
				st.out.Missed = append(st.out.Missed, a.First+i)
			}
		}
	}
}

// promised reports whether a repeated read eventually observes the write (PTX ISA 8.6.1, Strong
// Proxy Accesses): both strong, scopes including each other; across proxies at gpu scope at least.
func promised(r, w *causal.Access) bool {
	if !causal.Covers(r, w) {
		return false
	}
	return r.Proxy == w.Proxy || r.Scope >= memmodel.GPU && w.Scope >= memmodel.GPU
}

// checkUse reports the use of data that a copy delivered but reported as not ready.
func (st *stepper) checkUse(a *causal.Access, pick causal.Observation) bool {
	for i, p := range pick {
		w := st.s.Mem.Cell(a.First + i).Writes[p]
		if w.Event == causal.NoEvent || st.s.Mem.Events[w.Event].Taint != tainted {
			continue
		}
		st.violate(&Violation{
			Property: "no-stale-data", Rule: "reported-data-used", Ends: true,
			Message: fmt.Sprintf("%s uses %s although the copy that delivered it reported that its data was not ready",
				st.m.threadName(st.ti), st.m.cellName(a.First+i, 1)),
			Sites: []Site{st.m.eventSite(st.s.Mem.Events[w.Event], "the copy")},
			Fix:   "read the tile only after a wait on .phase_type::conditional with acquire semantics",
		})
		return false
	}
	return true
}

// checkWriteOnce reports a second value for a location that a validity-reporting copy reads
// (CUDA guide 4.6.4.3, write once).
func (st *stepper) checkWriteOnce(a *causal.Access, bytes []byte) {
	off := 0
	for c := a.First; c < a.First+a.N; c++ {
		info := &st.m.layout.cells[c]
		mine := bytes[off : off+info.size]
		off += info.size
		if info.report == model.ReportDisabled || st.m.sentinelCell(c, mine) {
			continue
		}
		cell := st.s.Mem.Cell(c)
		for k, w := range cell.Writes {
			first := cell.Base
			if w.Event != causal.NoEvent {
				first = st.s.Mem.Events[w.Event]
			}
			if first == nil {
				continue
			}
			old, _ := st.m.content(st.s, c, w.Event)
			if st.m.sentinelCell(c, old) {
				continue
			}
			renewed := false // an initialisation stands after it
			for _, x := range cell.Writes {
				if x.Event == causal.NoEvent || x.Preds&(1<<k) == 0 {
					continue
				}
				b, _ := st.m.content(st.s, c, x.Event)
				renewed = renewed || st.m.sentinelCell(c, b)
			}
			if renewed {
				continue
			}
			site := st.m.eventSite(first, "the first value")
			st.violate(&Violation{
				Property: "write-once", Rule: "second-value",
				Message: fmt.Sprintf("%s gets a second value (%s after %s from line %d) between two initialisations: a consumer may accept the first",
					st.m.cellName(c, 1), hex(mine), hex(old), site.Pos.Line),
				Sites: []Site{site},
				Fix:   "write each location once, with its final value",
			})
			return
		}
	}
}
