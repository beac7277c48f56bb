// Package mbarrier is the mbarrier object of PTX (ISA 9.7.15.16) as a pure value: an operation
// takes an object and returns the next one, or names the rule that the program broke.
//
// The package exists so that counting, phases and reports can be read and tested apart from memory
// ordering: which accesses a wait makes visible is the caller's business, which keeps the views of
// the current and of the last completed phase beside the object. The invariant is that a Barrier
// never rests in a complete phase (Pending 0 and Tx 0): the operation that makes both zero advances
// the phase in the same step. Barrier is comparable with ==, so states that differ in nothing that
// a program can observe are one state.
package mbarrier

import (
	"fmt"
	"strings"
)

// Barrier is a live mbarrier object of layout v0 or v1 (PTX ISA 9.7.15.16.2). The zero Barrier is
// not an object: use [Init].
//
// Phase numbers are kept modulo 4. That is enough to tell the current phase, the preceding one and
// two that a program may only name by mistake, and it keeps the parity; it makes the object finite.
// A token that is four phases old is taken for a current one.
type Barrier struct {
	Layout       uint8  // 0 or 1
	Phase        uint8  // current primary phase, modulo 4
	Conditional  uint8  // current conditional phase, modulo 4; equal to Phase in layout v0
	DoneValue    uint8  // report value of the last completed primary phase
	ReportValue  uint8  // report value of the current primary phase so far
	Report       bool   // report predicate of the current primary phase so far
	DoneReport   bool   // report predicate of the last completed primary phase
	Observed     bool   // some wait answered true for the preceding primary phase; true on a fresh object
	ReportUnread bool   // the last completed phase reported and no primary wait has returned its predicate yet
	Expected     uint32 // arrivals that the next phases expect
	Pending      uint32 // arrivals that the current phase still waits for
	Tx           int32  // bytes that the current phase still waits for; negative if more completed than expected so far
}

// Effect is what an operation did besides counting.
type Effect struct {
	Completed           bool // the current primary phase completed
	Reported            bool // … with its report predicate set
	ConditionalAdvanced bool // … and the conditional phase completed with it
	LostReport          bool // … while the preceding phase's report was unread: no wait can read it any more
}

const (
	maxCountV0 = 1<<20 - 1
	maxCountV1 = 511
	maxTx      = 1<<20 - 1
	phaseMask  = 3
)

// maxCount returns the largest arrival count of the layout (PTX ISA 9.7.15.16.3).
func maxCount(layout uint8) uint32 {
	if layout == 1 {
		return maxCountV1
	}
	return maxCountV0
}

// Init returns a fresh object (mbarrier.init, PTX ISA 9.7.15.16.12): both phases 0, count arrivals
// pending and expected, nothing reported.
func Init(layout uint8, count uint32) (Barrier, error) {
	if layout > 1 {
		return Barrier{}, misuse(ruleLayout, "mbarrier.init asks for layout v%d, but an mbarrier object has layout v0 or v1", layout)
	}
	b := Barrier{Layout: layout, Expected: count, Pending: count, Observed: true}
	if err := b.checkCount(count); err != nil {
		return Barrier{}, err
	}
	return b, nil
}

// ExpectTx adds bytes to the tx-count (expect-tx, PTX ISA 9.7.15.16.6). It orders nothing and
// cannot complete a phase.
func (b Barrier) ExpectTx(bytes uint32) (Barrier, error) {
	tx := int64(b.Tx) + int64(bytes)
	if tx > maxTx {
		return b, misuse(ruleTxRange, "expect-tx of %d bytes takes the tx-count from %d to %d, above its limit %d", bytes, b.Tx, tx, maxTx)
	}
	if b.Pending == 0 && tx == 0 {
		return b, misuse(ruleExpectCompletes, "expect-tx of %d bytes makes the tx-count 0 while no arrival is pending, and expect-tx does not complete a phase", bytes)
	}
	b.Tx = int32(tx)
	return b, nil
}

// CompleteTx subtracts bytes from the tx-count (complete-tx, PTX ISA 9.7.15.16.6) and completes
// the phase if nothing is outstanding.
func (b Barrier) CompleteTx(bytes uint32) (Barrier, Effect, error) {
	tx := int64(b.Tx) - int64(bytes)
	if tx < -maxTx {
		return b, Effect{}, misuse(ruleTxRange, "complete-tx of %d bytes takes the tx-count from %d to %d, below its limit %d", bytes, b.Tx, tx, -maxTx)
	}
	b.Tx = int32(tx)
	b, eff := b.advance()
	return b, eff, nil
}

// Arrive makes count arrivals (arrive-on, PTX ISA 9.7.15.16.9) and completes the phase if nothing
// is outstanding.
func (b Barrier) Arrive(count uint32) (Barrier, Effect, error) {
	next, err := b.arriveOn(count)
	if err != nil {
		return b, Effect{}, err
	}
	next, eff := next.advance()
	return next, eff, nil
}

// ArriveExpectTx is mbarrier.arrive.expect_tx: expect-tx, then one arrival, so the arrival cannot
// complete the phase over the bytes that it announces.
func (b Barrier) ArriveExpectTx(bytes uint32) (Barrier, Effect, error) {
	next, err := b.ExpectTx(bytes)
	if err != nil {
		return b, Effect{}, err
	}
	next, eff, err := next.Arrive(1)
	if err != nil {
		return b, Effect{}, err
	}
	return next, eff, nil
}

// ExpectArrival adds an arrival that the current phase alone waits for (cp.async.mbarrier.arrive, PTX
// ISA 9.7.15.16.18).
func (b Barrier) ExpectArrival() (Barrier, error) {
	if err := b.checkCount(b.Pending + 1); err != nil {
		return b, err
	}
	b.Pending++
	return b, nil
}

// ArriveDrop makes count arrivals and takes as many off what all later phases expect
// (mbarrier.arrive_drop, PTX ISA 9.7.15.16.17).
func (b Barrier) ArriveDrop(count uint32) (Barrier, Effect, error) {
	next, err := b.drop(count)
	if err != nil {
		return b, Effect{}, err
	}
	next, eff, err := next.Arrive(count)
	if err != nil {
		return b, Effect{}, err
	}
	return next, eff, nil
}

// ArriveDropExpectTx is mbarrier.arrive_drop.expect_tx: expect-tx, then a dropping arrival.
func (b Barrier) ArriveDropExpectTx(bytes uint32) (Barrier, Effect, error) {
	next, err := b.ExpectTx(bytes)
	if err != nil {
		return b, Effect{}, err
	}
	next, eff, err := next.ArriveDrop(1)
	if err != nil {
		return b, Effect{}, err
	}
	return next, eff, nil
}

// ArriveNoComplete is mbarrier.arrive.noComplete: arrivals that must leave the phase incomplete.
func (b Barrier) ArriveNoComplete(count uint32) (Barrier, error) {
	next, err := b.arriveOn(count)
	if err != nil {
		return b, err
	}
	if next.complete() {
		return b, misuse(ruleNoComplete, "an arrival with .noComplete and count %d completes the phase: %s pending and the tx-count is 0", count, arrivals(b.Pending))
	}
	return next, nil
}

// ArriveDropNoComplete is mbarrier.arrive_drop.noComplete.
func (b Barrier) ArriveDropNoComplete(count uint32) (Barrier, error) {
	next, err := b.drop(count)
	if err != nil {
		return b, err
	}
	next, err = next.ArriveNoComplete(count)
	if err != nil {
		return b, err
	}
	return next, nil
}

// ReportOn records the outcome of an asynchronous operation in the current primary phase's report
// (report-on, PTX ISA 9.7.15.16.10): it sets the predicate and ORs value into the report value. It
// neither completes nor delays the phase. A validity mechanism reports value 0.
func (b Barrier) ReportOn(value uint8) (Barrier, error) {
	if b.Layout == 0 {
		return b, misuse(ruleReportOnV0, "an asynchronous operation reports %#02x on an mbarrier object of layout v0, which holds no report", value)
	}
	b.Report = true
	b.ReportValue |= value
	return b, nil
}

// checkCount says whether count is an arrival count of the layout.
func (b Barrier) checkCount(count uint32) error {
	if limit := maxCount(b.Layout); count < 1 || count > limit {
		return misuse(ruleCountRange, "the count is %d, but layout v%d takes counts from 1 to %d", count, b.Layout, limit)
	}
	return nil
}

// arriveOn makes the arrivals without completing the phase.
func (b Barrier) arriveOn(count uint32) (Barrier, error) {
	if err := b.checkCount(count); err != nil {
		return b, err
	}
	if !b.Observed {
		return b, misuse(ruleUnobserved, "an arrival on phase %d comes before any test_wait or try_wait returned true for phase %d", b.Phase, (b.Phase-1)&phaseMask)
	}
	if count > b.Pending {
		return b, misuse(rulePendingUnderflow, "an arrival counts %d, but %s pending in phase %d (tx-count %d)", count, arrivals(b.Pending), b.Phase, b.Tx)
	}
	b.Pending -= count
	return b, nil
}

// drop lowers what later phases expect.
func (b Barrier) drop(count uint32) (Barrier, error) {
	if err := b.checkCount(count); err != nil {
		return b, err
	}
	if count >= b.Expected {
		return b, misuse(ruleDropToZero, "arrive_drop with count %d leaves no expected arrival: the next phases expect %d", count, b.Expected)
	}
	b.Expected -= count
	return b, nil
}

// complete says whether the current phase has nothing outstanding.
func (b Barrier) complete() bool { return b.Pending == 0 && b.Tx == 0 }

// advance completes the current phase if nothing is outstanding (PTX ISA 9.7.15.16.8).
func (b Barrier) advance() (Barrier, Effect) {
	if !b.complete() {
		return b, Effect{}
	}
	eff := Effect{Completed: true, Reported: b.Report, ConditionalAdvanced: !b.Report, LostReport: b.ReportUnread}
	if eff.ConditionalAdvanced {
		b.Conditional = (b.Conditional + 1) & phaseMask
	}
	b.Phase = (b.Phase + 1) & phaseMask
	b.DoneReport, b.DoneValue = b.Report, b.ReportValue
	b.Report, b.ReportValue = false, 0
	b.ReportUnread = b.DoneReport
	b.Observed = false
	b.Pending = b.Expected
	return b, eff
}

// String returns the object in one line, for traces:
//
//	v1 phase 1 (parity 1) conditional 0 pending 1/1 tx 0 report seen
//
// Pending is followed by what later phases expect. "report seen" is the current phase's report;
// "last reported" that of the completed phase, "unread" while no wait has returned it; "unobserved"
// says that no wait has answered true for the completed phase. Layout v0 has one phase to print.
func (b Barrier) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, "v%d phase %d (parity %d)", b.Layout, b.Phase, b.Phase&1)
	if b.Layout != 0 {
		fmt.Fprintf(&s, " conditional %d", b.Conditional)
	}
	fmt.Fprintf(&s, " pending %d/%d tx %d", b.Pending, b.Expected, b.Tx)
	if b.Report {
		s.WriteString(" report seen")
		writeValue(&s, b.ReportValue)
	}
	if b.DoneReport {
		s.WriteString(" last reported")
		writeValue(&s, b.DoneValue)
	}
	if b.ReportUnread {
		s.WriteString(" unread")
	}
	if !b.Observed {
		s.WriteString(" unobserved")
	}
	return s.String()
}

// String returns the effect in words, or "" if there is none.
func (e Effect) String() string {
	var parts []string
	for _, p := range []struct {
		on   bool
		text string
	}{
		{e.Completed, "completed"},
		{e.Reported, "reported"},
		{e.ConditionalAdvanced, "conditional advanced"},
		{e.LostReport, "report lost"},
	} {
		if p.on {
			parts = append(parts, p.text)
		}
	}
	return strings.Join(parts, ", ")
}

func writeValue(s *strings.Builder, v uint8) {
	if v != 0 {
		fmt.Fprintf(s, " %#02x", v)
	}
}

// arrivals returns "1 arrival is", "3 arrivals are".
func arrivals(n uint32) string {
	if n == 1 {
		return "1 arrival is"
	}
	return fmt.Sprintf("%d arrivals are", n)
}
