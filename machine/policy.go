package machine

import "ptxmc/memmodel/causal"

// Policy is a reading on which experts differ. The strict reading is the default; Options relaxes it.
type Policy struct {
	Name, Strict, Relaxed string
	// Option is the switch of the relaxed reading.
	Option func(*Options) *bool
}

// Policies lists every policy (docs/semantics.md).
var Policies = []Policy{
	{"reads-done-at-issue", "a generic read before an async write of the same bytes needs a proxy fence", "base causality suffices",
		func(o *Options) *bool { return &o.ReadsDoneAtIssue }},
	{"async-flag-payload", "an acquire does not order a later async-proxy load of global memory after the generic writes of other threads", "it does",
		func(o *Options) *bool { return &o.AsyncFlagPayload }},
	{"order-through-completion", "completing an asynchronous operation hands over its own accesses only", "also what its issuer knew",
		func(o *Options) *bool { return &o.OrderThroughCompletion }},
	{"mbarrier-init-fence", "an mbarrier initialisation is handed over by release, or by fence.mbarrier_init", "any arrival at a cluster barrier hands it over",
		func(o *Options) *bool { return &o.InitsArrive }},
	{"trigger-visibility", "a programmatic trigger makes visible only what a release fence before it covers", "it makes visible all earlier writes of its CTA",
		func(o *Options) *bool { return &o.TriggerReleasesCTA }},
	{"residency", "as many CTAs are resident as the plan's slots say", "all CTAs fit",
		func(o *Options) *bool { return &o.AllResident }},
}

// PolicyNames returns the names of all policies, in the order of the table.
func PolicyNames() []string {
	var out []string
	for _, p := range Policies {
		out = append(out, p.Name)
	}
	return out
}

// Assume relaxes the policy of that name; false if there is none.
func (o *Options) Assume(name string) bool {
	for _, p := range Policies {
		if p.Name == name {
			*p.Option(o) = true
			return true
		}
	}
	return false
}

// Policies names the readings that were relaxed.
func (m *Machine) Policies() []string {
	var out []string
	for _, p := range Policies {
		if *p.Option(&m.Opts) {
			out = append(out, p.Name)
		}
	}
	return out
}

// slots is how many CTAs fit at once; 0 if all do.
func (m *Machine) slots() int {
	if m.Opts.AllResident {
		return 0
	}
	return m.Case.Plan.Slots
}

// writesOf is what the threads of a CTA have written so far through the generic proxy: what a trigger makes
// visible under the policy trigger-visibility.
func (m *Machine) writesOf(s *State, cta int) causal.View {
	var v causal.View
	for i, e := range s.Mem.Events {
		if e.Write && !e.Async && m.threads[e.Agent].cta == cta {
			v = v.With(causal.EventID(i), causal.All)
		}
	}
	return v
}

// triggerFootprint marks what a trigger depends on: which trigger of the CTA is the first and, under the
// policy trigger-visibility, every write of the CTA: none may be moved to the other side of it.
func (m *Machine) triggerFootprint(cta int, f *footprint) {
	f.R.set(m.resTrigger(cta))
	f.W.set(m.resTrigger(cta))
	if !m.Opts.TriggerReleasesCTA {
		return
	}
	for _, ti := range m.ctas[cta].threads {
		for _, list := range m.facts[ti].accesses {
			for _, a := range list {
				if !a.write {
					continue
				}
				for _, o := range m.targets(ti, a) {
					first, count := o.first, len(o.bounds)
					if a.off >= 0 {
						first, count = o.cellRange(a.off, a.n)
					}
					for c := first; c < first+count; c++ {
						f.W.set(c)
					}
				}
			}
		}
	}
}
