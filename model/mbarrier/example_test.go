package mbarrier_test

import (
	"fmt"

	"ptxmc/model"
	"ptxmc/model/mbarrier"
)

// A validity copy reports: the phase completes, the conditional phase does not.
func Example() {
	b, _ := mbarrier.Init(1, 1)
	b, _, _ = b.ArriveExpectTx(64)
	b, _ = b.ReportOn(0)
	b, effect, _ := b.CompleteTx(64)
	fmt.Println(b)
	fmt.Println(effect)
	fmt.Println(b.TestParity(model.PhasePrimary, 0), b.TestParity(model.PhaseConditional, 0))
	// Output:
	// v1 phase 1 (parity 1) conditional 0 pending 1/1 tx 0 last reported unread unobserved
	// completed, reported
	// true false
}
