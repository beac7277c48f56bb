package mbarrier

import "ptxmc/model"

// A token is the opaque state that arrive returns (PTX ISA 9.7.15.16.16). Bit 63 marks a token, so
// that a register which never held one is refused; bit 62 marks one of .noComplete, bits 2…21 of
// which hold the pending count; bit 61 is the layout; bits 0 and 1 are the phase. An ordinary token
// has no use for the count and leaves it out: arrivals of one phase then return the same state.
const (
	tokenMark       = 1 << 63
	tokenNoComplete = 1 << 62
	tokenV1         = 1 << 61
	tokenPending    = 2 // shift
)

// Token returns the state of the current phase, as arrive and arrive_drop return it. Take it from
// the object before the arrival.
func (b Barrier) Token() uint64 {
	return tokenMark | uint64(b.Layout)*tokenV1 | uint64(b.Phase)
}

// NoCompleteToken returns the state of the current phase as arrive.noComplete and
// arrive_drop.noComplete return it: the only kind that [PendingCount] reads. Take it from the
// object before the arrival.
func (b Barrier) NoCompleteToken() uint64 {
	return b.Token() | tokenNoComplete | uint64(b.Pending)<<tokenPending
}

// PendingCount returns the pending arrivals before the arrival that returned token
// (mbarrier.pending_count, PTX ISA 9.7.15.16.20; layout v0 only).
func PendingCount(token uint64) (uint32, error) {
	switch {
	case token&tokenMark == 0:
		return 0, misuse(rulePendingCount, "mbarrier.pending_count reads %#x, which no arrive returned", token)
	case token&tokenNoComplete == 0:
		return 0, misuse(rulePendingCount, "mbarrier.pending_count reads a state that an arrive without .noComplete returned in phase %d", token&phaseMask)
	case token&tokenV1 != 0:
		return 0, misuse(rulePendingCount, "mbarrier.pending_count reads a state of an mbarrier object of layout v1")
	}
	return uint32(token>>tokenPending) & maxCountV0, nil
}

// TestState answers a wait by token for the primary phase (test_wait and try_wait, PTX ISA
// 9.7.15.16.19): false for the current phase, true for the immediately preceding one. Any other
// token is misuse.
func (b Barrier) TestState(token uint64) (complete bool, err error) {
	if token&tokenMark == 0 {
		return false, misuse(ruleTokenPhase, "a wait reads %#x as a state, which no arrive returned", token)
	}
	switch phase := uint8(token & phaseMask); (b.Phase - phase) & phaseMask {
	case 0:
		return false, nil
	case 1:
		return true, nil
	default:
		return false, misuse(ruleTokenPhase, "a wait reads a state of phase %d while phase %d is current; only the current and the immediately preceding phase can be waited for", phase, b.Phase)
	}
}

// TestParity answers a wait by parity: true if the phase immediately preceding the current one of
// type p has the parity in the low bit of parity, false if the current one has it. It cannot tell
// whether the program meant an older or a later phase; there a parity wait aliases.
func (b Barrier) TestParity(p model.PhaseType, parity uint32) bool {
	phase := b.Phase
	if p == model.PhaseConditional {
		phase = b.Conditional
	}
	return uint32(phase&1) != parity&1
}

// Wait returns the object after a wait on phase type p answered true. tookPredicate says that the
// instruction had a report predicate as destination.
//
// A true primary wait observes the preceding primary phase. A true conditional wait observes it only
// if that phase advanced the conditional one, that is, if it completed without a report: otherwise the
// answer is about an older phase. Only a primary wait that takes the predicate reads the report.
func (b Barrier) Wait(p model.PhaseType, tookPredicate bool) Barrier {
	if p == model.PhaseConditional {
		b.Observed = b.Observed || !b.DoneReport
		return b
	}
	b.Observed = true
	if tookPredicate {
		b.ReportUnread = false
	}
	return b
}
