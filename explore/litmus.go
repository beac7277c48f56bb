package explore

import (
	"context"
	"fmt"
	"slices"

	"ptxmc/machine"
	"ptxmc/model/litmus"
)

// LitmusResult is what the machine's executions of a litmus test end in.
type LitmusResult struct {
	Terms    []litmus.Term // what the test speaks of
	Outcomes [][]int64     // the final states, each the values of Terms, sorted
	// Terminates: every fair execution ends. Only asked for with LitmusOptions.Termination.
	Terminates bool
	Search     *Result
}

// LitmusOptions steer Litmus.
type LitmusOptions struct {
	Options
	Machine machine.Options
	// Termination asks whether every fair execution ends, instead of for all final states.
	Termination bool
}

// Litmus explores all executions of a litmus test. The error says what the machine does not run.
func Litmus(ctx context.Context, p *litmus.Program, o LitmusOptions) (*LitmusResult, error) {
	m, err := machine.NewLitmus(p, o.Machine)
	if err != nil {
		return nil, err
	}
	r := &LitmusResult{Terms: p.Terms()}
	if o.Termination {
		r.Search = Run(ctx, m, o.Options)
		r.Terminates = r.Search.Verdict == Verified
		return r, nil
	}
	seen := map[string]bool{}
	o.Ended = func(s *machine.State) {
		m.LitmusOutcomes(s, func(values []int64) {
			if key := fmt.Sprint(values); !seen[key] {
				seen[key] = true
				r.Outcomes = append(r.Outcomes, values)
			}
		})
	}
	o.FinalStates = true
	r.Search = Run(ctx, m, o.Options)
	slices.SortFunc(r.Outcomes, slices.Compare[[]int64])
	return r, nil
}

// Holds answers a condition from the final states.
func (r *LitmusResult) Holds(c *litmus.Condition) bool {
	some, someNot := false, false
	for _, o := range r.Outcomes {
		if r.satisfies(c, o) {
			some = true
		} else {
			someNot = true
		}
	}
	return c.Kind.Holds(some, someNot)
}

func (r *LitmusResult) satisfies(c *litmus.Condition, values []int64) bool {
	return litmus.Eval(c.Expr, func(t litmus.Term) int64 { return values[slices.Index(r.Terms, t)] }) != 0
}
