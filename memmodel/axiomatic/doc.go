// Package axiomatic is the oracle: it lists every candidate execution of a litmus program whose
// loops are unrolled to a bound and asks a cat model which of them are consistent. It follows the
// published axioms to the letter and knows no rule of its own, so it can judge the machine.
//
// # Candidates
//
// A candidate is a path of each thread (the values that its loads return are chosen from a domain),
// a source for each read that wrote its value (rf), an order of the barrier arrivals, an order of
// the fence.sc (Fence-SC, PTX ISA 8.10.2) and a coherence order (8.10.1):
//
//   - The domain of a location is the least one that holds its initial value and what the threads
//     write when they read from the domains. A value computed from other values counts how many
//     computing writes it takes; a chain longer than there are such writes cannot be, so a counter
//     has no endless domain. Hence no value comes out of thin air (8.10.4), whatever the model says;
//     cycles of rf and dependencies with values that exist anyway are left to the model.
//   - Coherence is partial. A search starts from "initial value first" and adds a pair, in either
//     direction, only if an axiom of the form "empty r \ co" asks for one (Coherence, and the rule
//     that morally strong writes are ordered). What no axiom orders stays unordered.
//   - Reads get their sources one after the other, and a search ends at the first axiom that is broken. So an
//     axiom must not come to hold as rf or co grow (but for "empty r \ co"): a model may use them neither
//     under ~ nor elsewhere to the right of \. Those of PTX do not.
//   - A final value of a location is that of any write with no write after it in coherence.
//   - Barriers run: threads arrive in every order; those of one CTA, name, id and turn meet. A wait
//     ends once the quorum has arrived, and then every arrival up to now is before it; without a
//     quorum all arrivals of the execution count (threads that never arrive have exited). An
//     execution that hangs has no final state and does not count.
//
// # Loops
//
// A path may pass a label Options.Unroll times in one entry of the loop. A path that needs more is
// cut and Result.Truncated says so. A turn that changes nothing (it writes nothing, meets no barrier
// and comes back with the same live registers from the same reads) is left out: without its reads
// every axiom holds that held with them, so the path without this turn has the same final state.
// Spinning is therefore no truncation.
package axiomatic
