// Package explore searches every execution of a machine: breadth first over canonical states,
// reduced to persistent sets of agents, with all properties watched on the way and fair infinite
// executions looked for in the finished graph.
//
// The one invariant: a search that did not look at everything says so. Verified means that the
// frontier ran empty.
package explore

import (
	"time"

	"ptxmc/machine"
)

// Options steer a search.
type Options struct {
	// Target is the property whose refutation is looked for: the search goes on past violations of
	// others as long as the execution keeps a meaning. Empty: the first violation ends the search.
	Target string
	// Only, if not empty, is the one property that is asked for; violations of others that do not
	// end the execution are passed over.
	Only string

	MaxStates int           // 0: no limit
	MaxMemory uint64        // bytes of heap; 0: no limit
	Timeout   time.Duration // 0: no limit

	// NoReduction expands every enabled agent in every state, for tests.
	NoReduction bool

	// FinalStates asks for nothing but the states in which everything has ended: violations are passed over,
	// and executions that one ends are left out.
	FinalStates bool

	// Ended, if not nil, is called for every state in which everything has ended.
	Ended func(*machine.State)

	// Progress, if not nil, is called a few times a second.
	Progress func(Progress)
}

// Progress is how far a search has come.
type Progress struct {
	States, Transitions int
	Depth               int // moves from the beginning
	Frontier            int // states seen but not yet expanded
	Memory              uint64
	Elapsed             time.Duration
}

// Verdict is the answer of a search.
type Verdict int

// The verdicts. Undecided: a limit was reached or the search was interrupted.
const (
	Verified Verdict = iota
	Refuted
	Undecided
)

// String returns the verdict as it is printed.
func (v Verdict) String() string { return [...]string{"VERIFIED", "REFUTED", "UNDECIDED"}[v] }

// Result is what a search found.
type Result struct {
	Verdict   Verdict
	Violation *machine.Violation  // Refuted
	Steps     []machine.TraceStep // Refuted: the schedule
	LoopStart int                 // index of the first step that repeats for ever; -1 if none
	Also      []string            // other properties that broke on the way
	Limit     string              // Undecided: why the search stopped
	LeftOut   string              // FinalStates: a violation that ended an execution
	Cyclic    bool                // the explored graph has cycles: retries are unbounded
	Progress
	StateBytes int // mean size of a stored state
	Unreached  []machine.Unreached
}
