package machine

// Rule names a rule of the semantics (docs/rules.md). Options.Break switches one off so that tests
// can show what it is for.
type Rule string

// The rules that can be switched off.
const (
	RuleReadHides    Rule = "READ"             // a newer ready write hides older ones
	RuleReady        Rule = "READY"            // readiness is a matter of the proxy
	RuleGridStart    Rule = "GRID-START"       // a grid start crosses all proxies
	RuleAtomic       Rule = "ATOMIC"           // a read-modify-write follows what it read
	RuleAcrossProxy  Rule = "ACROSS-PROXY-128" // 128-bit strong accesses do not tear across proxies
	RuleReport       Rule = "REPORT"           // the report is the OR over the copy's chunks
	RuleConditional  Rule = "CONDITIONAL"      // a reported phase does not advance the conditional phase
	RuleAcquire      Rule = "ACQUIRE"          // an acquire joins the heads it observes
	RuleRelaxedWait  Rule = "RELAXED-WAIT"     // a relaxed wait orders nothing by itself
	RuleComplete     Rule = "COMPLETE"         // completion hands over the operation's own writes
	RuleCompleteOnly Rule = "COMPLETE-OWN"     // and nothing of its issuer's
	RuleTrigger      Rule = "TRIGGER"          // a trigger hands over only what a release fence covers
	RuleSample       Rule = "SAMPLE"           // any element of a chunk may be the one inspected
	RuleStrongPoll   Rule = "STRONG-POLL"      // a repeated strong read does not miss a write for ever
	RuleWeakPoll     Rule = "WEAK-POLL"        // a weak one may
	RuleInFlight     Rule = "IN-FLIGHT"        // the footprint of a copy may not be touched meanwhile
	RuleRace         Rule = "RACE"             // unordered conflicting weak accesses are reported
	RuleBarrier      Rule = "BARRIER"          // a thread barrier joins what its threads bring
	RuleSlots        Rule = "RESIDENCY"        // a CTA needs a free slot
	RuleVector       Rule = "VECTOR"           // a vector access is one event per element
	RuleSCFence      Rule = "FENCE-SC"         // fence.sc joins earlier morally strong fence.sc
	RuleProxyFence   Rule = "PROXY-FENCE"      // a proxy fence carries entries between proxies
	RuleFenceRelease Rule = "FENCE-RELEASE"    // a strong write after a release fence carries its head
	RuleGridWait     Rule = "GRID-WAIT"        // griddepcontrol.wait hands over the prerequisite grid's writes
)
