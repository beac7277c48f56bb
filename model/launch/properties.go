package launch

// Property is a built-in property that a program is checked for.
type Property struct {
	Name      string
	RefutedBy string // what an execution must do to refute it
}

// Properties is every property that `expect refuted` may name.
var Properties = []Property{
	{"no-torn-chunk", "a chunk is accepted while its cells come from different writes"},
	{"no-stale-data", "an accepted tile holds a value from before its round's initialisation"},
	{"no-lost-report", "a primary phase completed with a report and no wait of a thread responsible for it ever returned the predicate of that phase"},
	{"race-free", "two conflicting accesses, at least one weak, neither ordered before the other"},
	{"no-overwrite", "an in-flight operation and an access to its footprint are not ordered: the stage is overwritten while in use"},
	{"defined-behavior", "an operation that PTX leaves undefined"},
	{"lifetime", "shared memory is used after its CTA exited, or an agent is in flight when it exits"},
	{"deadlock-free", "some thread has not ended and nothing is enabled"},
	{"terminates", "a fair infinite execution, shown as a lasso"},
	{"asserts", "an assertion or final condition of the user fails"},
	{"write-once", "a location that takes its final value by one write is written again"},
}

func propertyNames() []string {
	names := make([]string, len(Properties))
	for i, p := range Properties {
		names[i] = p.Name
	}
	return names
}
