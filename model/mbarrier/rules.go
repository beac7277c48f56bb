package mbarrier

import "fmt"

// Misuse says that an operation broke a rule of the mbarrier object. The operations return it as
// *Misuse; the object is then unchanged.
type Misuse struct {
	Rule string // the Name of one of Rules: stable
	Msg  string // one sentence with the numbers
}

// Error returns "rule: message".
func (m *Misuse) Error() string { return m.Rule + ": " + m.Msg }

func misuse(rule, format string, args ...any) error {
	return &Misuse{Rule: rule, Msg: fmt.Sprintf(format, args...)}
}

// Rule explains a rule.
type Rule struct {
	Name   string // kebab-case, stable
	Text   string // one paragraph
	Source string // where the rule comes from
}

const (
	ruleLayout           = "mbarrier-layout"
	ruleCountRange       = "mbarrier-count-range"
	rulePendingUnderflow = "mbarrier-pending-underflow"
	ruleUnobserved       = "mbarrier-phase-unobserved"
	ruleTxRange          = "mbarrier-tx-range"
	ruleExpectCompletes  = "mbarrier-expect-completes"
	ruleDropToZero       = "mbarrier-drop-to-zero"
	ruleNoComplete       = "mbarrier-nocomplete-completes"
	ruleReportOnV0       = "mbarrier-report-on-v0"
	ruleTokenPhase       = "mbarrier-token-phase"
	rulePendingCount     = "mbarrier-pending-count-token"
)

// Rules lists the rules that this package checks, in the order of an object's life.
var Rules = []Rule{
	{
		Name: ruleLayout,
		Text: "An mbarrier object has layout v0 (the default) or v1. Layout v1 holds a payload report and a " +
			"conditional phase, and counts fewer arrivals.",
		Source: "PTX ISA 9.7.15.16.2, layouts of the mbarrier object",
	},
	{
		Name: ruleCountRange,
		Text: "The count of init and of every arrival lies between 1 and the layout's limit: 2^20-1 in layout v0, " +
			"511 in layout v1. An object that many threads share and that outgrows 511 arrivals has to stay v0, or " +
			"one thread of each warp has to arrive for its warp.",
		Source: "PTX ISA 9.7.15.16.3, contents of the mbarrier object",
	},
	{
		Name: ruleUnobserved,
		Text: "Before a thread arrives on a phase, some test_wait or try_wait must have returned true for the phase " +
			"before it. Without that wait nothing keeps a fast thread from arriving twice in one phase, so a " +
			"phase could complete without a slow one. Any thread's wait counts, also one without a report predicate; a " +
			"conditional wait counts only if the preceding phase completed without a report.",
		Source: "PTX ISA 9.7.15.16.5, phases of the mbarrier object; any true wait earlier in the interleaving is accepted",
	},
	{
		Name: rulePendingUnderflow,
		Text: "A phase takes no more arrivals than are pending. A surplus arrival usually means that init counts too " +
			"few participants, or that a thread arrives on a phase whose arrivals are all in while bytes are outstanding.",
		Source: "PTX ISA 9.7.15.16.3, contents, and 9.7.15.16.9, arrive-on; the ISA gives only the range, taken here as undefined behaviour",
	},
	{
		Name: ruleTxRange,
		Text: "The tx-count stays between -(2^20-1) and 2^20-1 bytes. The result of expect-tx or complete-tx is what is checked, not " +
			"its operand; larger transfers must be split over several phases or objects.",
		Source: "PTX ISA 9.7.15.16.3, contents, and 9.7.15.16.6, tracking asynchronous operations",
	},
	{
		Name: ruleExpectCompletes,
		Text: "expect-tx is not among the operations that complete a phase, so an expect-tx that brings the tx-count " +
			"from below zero to zero after the last arrival leaves a phase of which the ISA does not say whether it is complete. " +
			"It means that the bytes arrived before they were announced and that no arrival was held back for the " +
			"announcement: announce the bytes before the last arrival, with arrive.expect_tx.",
		Source: "PTX ISA 9.7.15.16.8, phase completion; the text is silent, taken here as undefined behaviour",
	},
	{
		Name: ruleDropToZero,
		Text: "arrive_drop takes its count off what all later phases expect, and that must not reach zero: the last participant " +
			"cannot drop out, it stops using the object.",
		Source: "PTX ISA 9.7.15.16.17, mbarrier.arrive_drop",
	},
	{
		Name: ruleNoComplete,
		Text: "An arrival with .noComplete promises that it does not complete the current phase. It does if its count is all " +
			"that is pending and the tx-count is zero.",
		Source: "PTX ISA 9.7.15.16.16, mbarrier.arrive, and 9.7.15.16.17, mbarrier.arrive_drop",
	},
	{
		Name: ruleReportOnV0,
		Text: "An asynchronous operation with a report mechanism needs an mbarrier object of layout v1; layout v0 has no room for " +
			"the report. Initialise the object with mbarrier.init.layout::v1.",
		Source: "PTX ISA 9.7.15.16.10, report-on, and 9.7.10.28.1.3, report mechanisms",
	},
	{
		Name: ruleTokenPhase,
		Text: "A wait by state takes a token that an arrive of the current or of the immediately preceding phase " +
			"returned. An older token, or a value that is no token, has no defined answer.",
		Source: "PTX ISA 9.7.15.16.19, mbarrier.test_wait and try_wait",
	},
	{
		Name: rulePendingCount,
		Text: "pending_count reads only a token that arrive.noComplete or arrive_drop.noComplete returned, of an object of " +
			"layout v0; it yields the pending arrivals before that arrival.",
		Source: "PTX ISA 9.7.15.16.20, mbarrier.pending_count",
	},
}
