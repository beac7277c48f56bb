package machine

import "ptxmc/model"

// Assumption is a reading of PTX on which a verdict rests.
type Assumption struct{ Name, Text string }

// AllAssumptions lists every assumption that a verdict may name (docs/semantics.md).
var AllAssumptions = []Assumption{
	{"A1", "acquire operations, fences and barriers are not overtaken by later loads"},
	{"A2", "a load takes its value in program order: load buffering is not explored"},
	{"A3", "a grid start and griddepcontrol.wait cross all proxies but tensormap (PTX ISA 8.9.4 for API order; inferred for programmatic launches)"},
	{"A4", "complete-tx releases only the accesses of its own operation (PTX ISA 8.9.1.1)"},
	{"A5", "aligned 128-bit strong accesses of the generic and the async proxy do not tear each other (CUDA guide 4.6.6)"},
	{"A6", "a strong write of fitting scope is eventually seen by repeated strong reads (PTX ISA 8.6.1 across proxies; CUDA forward progress within one)"},
	{"A7", "elect.sync elects the lowest lane of its member mask (PTX ISA 9.7.15.17 leaves the choice open)"},
}

// Assumptions names those that a verdict about this program rests on.
func (m *Machine) Assumptions() []string {
	var copies, strongCopies, grids, elects bool
	for e := range m.codes {
		for i := range e.Code {
			elects = elects || e.Code[i].Op == model.Elect
			if e.Code[i].Op == model.BulkCopy {
				copies = copies || e.Code[i].Bulk.Completion == model.CompleteMBarrier
				strongCopies = strongCopies || e.Code[i].Sem.Strong() && e.Code[i].Bulk.Reduce == model.NoAtom
			}
		}
	}
	grids = len(m.grids) > 1
	out := []string{"A1", "A2"}
	if grids {
		out = append(out, "A3")
	}
	if copies && !m.Opts.OrderThroughCompletion {
		out = append(out, "A4")
	}
	if strongCopies {
		out = append(out, "A5")
	}
	out = append(out, "A6")
	if elects {
		out = append(out, "A7")
	}
	return out
}

// Policy is a reading on which experts differ: strict unless it is relaxed.
type Policy struct {
	Name, Strict, Relaxed string
	on                    func(*Options) *bool
}

// AllPolicies lists every policy that can be relaxed (docs/semantics.md).
var AllPolicies = []Policy{
	{"reads-done-at-issue", "a generic read before an async write of the same bytes needs a proxy fence", "base causality suffices",
		func(o *Options) *bool { return &o.ReadsDoneAtIssue }},
	{"async-flag-payload", "an acquire does not order a later async-proxy load of global memory after the generic writes of other threads", "it does",
		func(o *Options) *bool { return &o.AsyncFlagPayload }},
	{"order-through-completion", "completing an asynchronous operation hands over its own accesses only", "also what its issuer knew",
		func(o *Options) *bool { return &o.OrderThroughCompletion }},
}

// Relax switches a policy on; false: there is none of that name.
func (o *Options) Relax(name string) bool {
	for _, p := range AllPolicies {
		if p.Name == name {
			*p.on(o) = true
			return true
		}
	}
	return false
}

// Policies names the readings that were relaxed.
func (m *Machine) Policies() []string {
	var out []string
	for _, p := range AllPolicies {
		if *p.on(&m.Opts) {
			out = append(out, p.Name)
		}
	}
	return out
}
