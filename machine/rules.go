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
	RuleGroupWait    Rule = "GROUP-WAIT"       // a wait for groups hands over their copies' accesses
	RuleReadWait     Rule = "READ-WAIT"        // with .read it waits for the reads of the sources alone
	RuleCopyArrive   Rule = "COPY-ARRIVE"      // an asynchronous arrival hands over the copies before it
	RuleCopyProxy    Rule = "COPY-PROXY"       // cp.async works in the generic proxy
	RuleElementwise  Rule = "ELEMENTWISE"      // each element of a reduction is performed on its own
	RuleGridWait     Rule = "GRID-WAIT"        // griddepcontrol.wait hands over the prerequisite grid's writes
	RuleLateLoad     Rule = "LATE-LOAD"        // a load may take its value after later accesses of its thread
	RuleCancel       Rule = "CANCEL"           // a cancelled cluster does not run
	RuleMMAFence     Rule = "MMA-FENCE"        // a matrix multiplication comes after the last wgmma.fence only
	RuleMMAWait      Rule = "MMA-WAIT"         // wgmma.wait_group hands over that the tiles have been read
	RuleMMACommit    Rule = "MMA-COMMIT"       // the arrival of tcgen05.commit hands over that the tiles have been read
	RuleEvent        Rule = "EVENT"            // a grid waits for the events that its stream waits for
	RuleWarpOrder    Rule = "WARP-ORDER"       // of the warp instructions only bar.warp.sync orders memory
	RuleWarpWait     Rule = "WARP-WAIT"        // a warp instruction waits for all lanes of its mask

	RuleClusterBarrier Rule = "CLUSTER-BARRIER" // a cluster barrier joins what its threads bring
	RuleClusterRelaxed Rule = "CLUSTER-RELAXED" // a relaxed arrival brings only what its fences cover
	RuleAsyncGeneric   Rule = "ASYNC-GENERIC"   // st.async and red.async use the generic proxy
	RuleCompleteRemote Rule = "COMPLETE-REMOTE" // the reads of a remote copy reach waits of cluster scope only
)

// RuleInfo explains a rule.
type RuleInfo struct {
	Name         Rule
	Text, Source string
}

// Rules explains every rule that can be switched off.
var Rules = []RuleInfo{
	{RuleReadHides, "a newer ready write hides older ones", "PTX ISA 8.10.6 (Causality)"},
	{RuleReady, "readiness is a matter of the proxy", "PTX ISA 8.6, 8.9.5; reference B6"},
	{RuleGridStart, "a grid start crosses all proxies", "PTX ISA 8.9.4; assumption A3"},
	{RuleAtomic, "a read-modify-write follows what it read", "PTX ISA 8.10.3"},
	{RuleAcrossProxy, "128-bit strong accesses do not tear across proxies", "CUDA guide 4.6.6; assumption A5"},
	{RuleReport, "the report is the OR over the copy's chunks", "CUDA guide 4.6.3, Table 15"},
	{RuleConditional, "a reported phase does not advance the conditional phase", "CUDA guide 4.6.3.1"},
	{RuleAcquire, "an acquire joins the heads it observes", "PTX ISA 8.8, 8.9.4"},
	{RuleRelaxedWait, "a relaxed wait orders nothing by itself", "PTX ISA 8.8"},
	{RuleComplete, "completion hands over the operation's own writes", "PTX ISA 9.7.10.28.1"},
	{RuleCompleteOnly, "and nothing of its issuer's", "PTX ISA 8.9.1.1; assumption A4"},
	{RuleTrigger, "a trigger hands over only what a release fence covers", "PTX ISA 9.7.15.14; CUDA guide 4.6.4.2"},
	{RuleSample, "any element of a chunk may be the one inspected", "CUDA guide 4.6.3, Table 15"},
	{RuleStrongPoll, "a repeated strong read does not miss a write for ever", "PTX ISA 8.6.1; assumption A6"},
	{RuleWeakPoll, "a weak one may", "PTX ISA 8.6.1"},
	{RuleInFlight, "the footprint of a copy may not be touched meanwhile", "PTX ISA 8.9.1.1"},
	{RuleRace, "unordered conflicting weak accesses are reported", "PTX ISA 8.7.1"},
	{RuleBarrier, "a thread barrier joins what its threads bring", "PTX ISA 9.7.15.1, 8.9.4"},
	{RuleSlots, "a CTA needs a free slot", "CUDA guide 4.6.5, 5.9.3.1"},
	{RuleVector, "a vector access is one event per element", "PTX ISA 8.2.4"},
	{RuleSCFence, "fence.sc joins earlier morally strong fence.sc", "PTX ISA 8.10.2"},
	{RuleProxyFence, "a proxy fence carries entries between proxies", "PTX ISA 9.7.15.4; reference B6"},
	{RuleFenceRelease, "a strong write after a release fence carries its head", "PTX ISA 8.8"},
	{RuleGroupWait, "a wait for groups hands over their copies' accesses", "PTX ISA 9.7.10.28.3.3, 9.7.10.28.6.2"},
	{RuleReadWait, "with .read it waits for the reads of the sources alone", "PTX ISA 9.7.10.28.6.2"},
	{RuleCopyArrive, "an asynchronous arrival hands over the copies before it", "PTX ISA 9.7.15.16.18, 9.7.15.16.19"},
	{RuleCopyProxy, "cp.async works in the generic proxy", "PTX ISA 9.7.10.28.3.1"},
	{RuleElementwise, "each element of a reduction is performed on its own", "PTX ISA 9.7.10.28.4.2"},
	{RuleGridWait, "griddepcontrol.wait hands over the prerequisite grid's writes", "PTX ISA 9.7.15.14"},
	{RuleLateLoad, "a load may take its value after later accesses of its thread", "PTX ISA 8.10.4, 8.10.5; assumption A1"},
	{RuleCancel, "a cancelled cluster does not run", "PTX ISA, clusterlaunchcontrol.try_cancel"},
	{RuleMMAFence, "a matrix multiplication comes after what its thread's last wgmma.fence came after, and no more", "PTX ISA 8.9.1.1, 9.7.16"},
	{RuleMMAWait, "wgmma.wait_group hands over that the tiles have been read", "PTX ISA 9.7.16, wgmma.wait_group"},
	{RuleMMACommit, "the arrival of tcgen05.commit hands over that the tiles have been read", "PTX ISA 9.7.17, tcgen05.commit"},
	{RuleEvent, "a grid waits for the events that its stream waits for", "PTX ISA 8.9.4; CUDA runtime, programmatic events"},
	{RuleWarpOrder, "of the warp instructions only bar.warp.sync orders memory", "PTX ISA 9.7.15.3; reference A9f"},
	{RuleWarpWait, "a warp instruction waits for all lanes of its mask that have not exited", "PTX ISA 9.7.9, 9.7.15"},
	{RuleClusterBarrier, "a cluster barrier joins what its threads bring", "PTX ISA 9.7.15.3, 8.9.4"},
	{RuleClusterRelaxed, "a relaxed arrival at it brings only what its fences cover", "PTX ISA 9.7.15.3"},
	{RuleAsyncGeneric, "st.async and red.async work in the generic proxy", "PTX ISA 9.7.10.12, 9.7.15.7"},
	{RuleCompleteRemote, "the source reads of a copy into another CTA reach waits of cluster scope only", "PTX ISA 9.7.10.28.4.1; reference H10"},
}

// Behavior explains the rule name of a violation.
type Behavior struct{ Name, Text, Source string }

// Behaviors explains the rule names of violations, besides those of package mbarrier.
var Behaviors = []Behavior{
	{"out-of-bounds", "an access outside every buffer, variable and shared window that the thread may use", "PTX ISA 6.4"},
	{"misaligned", "an access that is not aligned to its size", "PTX ISA 6.4.1"},
	{"uninitialized-read", "a read of memory that nothing has written: its value is unknown", "PTX ISA 5.1"},
	{"no-value", "a read for which no write is left to observe", "docs/semantics.md, READ"},
	{"mixed-size-race", "unordered strong operations of different size on one location: all axioms stop applying", "PTX ISA 8.7.2"},
	{"arithmetic", "an arithmetic operation without a defined result", "PTX ISA 9.7.1"},
	{"mbarrier-space", "an mbarrier object outside shared memory", "PTX ISA 9.7.15.16"},
	{"mbarrier-remote", "an operation that may not use the object of another CTA", "PTX ISA 9.7.15.16.11"},
	{"mbarrier-init-live", "mbarrier.init on a live object", "PTX ISA 9.7.15.16.12"},
	{"mbarrier-not-initialized", "an mbarrier operation where no live object is", "PTX ISA 9.7.15.16.12"},
	{"mbarrier-init-not-visible", "an mbarrier operation that the initialisation is not ordered before", "PTX ISA 9.7.15.16.12"},
	{"mbarrier-plain-access", "an ordinary access to a live mbarrier object", "PTX ISA 9.7.15.16.12"},
	{"st-bulk-size", "a size of st.bulk that is no multiple of 8 or too large", "PTX ISA 9.7.10, st.bulk"},
	{"st-bulk-space", "st.bulk outside the shared memory of the executing CTA", "PTX ISA 9.7.10, st.bulk"},
	{"cancel-space", "clusterlaunchcontrol.try_cancel outside the shared memory of the executing CTA", "PTX ISA, clusterlaunchcontrol.try_cancel"},
	{"cancel-after-failure", "clusterlaunchcontrol.try_cancel by a CTA that has observed a failed one", "PTX ISA, clusterlaunchcontrol.try_cancel"},
	{"wgmma-fence", "wgmma.mma_async without a wgmma.fence behind earlier uses of its registers", "PTX ISA 9.7.16, wgmma.fence"},
	{"wgmma-register", "a register used while a wgmma.mma_async in flight may read or write it", "PTX ISA 9.7.16, wgmma.mma_async"},
	{"in-flight-tile", "a tile is written while a matrix multiplication reads it", "PTX ISA 9.7.16, wgmma.mma_async"},
	{"bulk-size", "a bulk copy whose size is not a positive multiple of 16 bytes", "PTX ISA 9.7.10.28.5"},
	{"bulk-mbarrier-cta", "a bulk copy whose mbarrier lies in another CTA than its destination", "PTX ISA 9.7.10.28.5"},
	{"copy-size", "a cp.async whose src-size exceeds its size", "PTX ISA 9.7.10.28.3.1"},
	{"ignored-bytes", "more than 15 bytes to ignore", "PTX ISA 9.7.10.28.4.1"},
	{"multicast-rank", "a CTA mask that names a CTA outside the cluster", "PTX ISA 9.7.10.28.4.1"},
	{"tensor-map", "an address that is no tensor map, or one of another rank", "PTX ISA 9.7.10.28.5.3"},
	{"tensor-coordinates", "a store to a tensor from negative coordinates", "PTX ISA 9.7.10.28.5.1"},
	{"tensor-type", "a reduction that does not exist for the elements of the tensor", "PTX ISA 9.7.10.28.5.4"},
	{"shared-window", "a shared::cta access with the address of another CTA", "PTX ISA 5.1.7"},
	{"shared-address", "mapa or getctarank of an address that is not what it takes, or a rank outside the cluster", "PTX ISA 9.7.10.23, 9.7.10.24"},
	{"bulk-own-cta", "a copy from shared::cta to shared::cluster into the executing CTA", "PTX ISA 9.7.10.28.4.1"},
	{"async-space", "st.async or red.async with an address in another state space than its form has", "PTX ISA 9.7.10.12, 9.7.15.7"},
	{"async-mbarrier-cta", "st.async or red.async whose mbarrier lies in another CTA than its destination", "PTX ISA 9.7.10.12, 9.7.15.7"},
	{"async-own-cta", "red.async into the executing CTA", "PTX ISA 9.7.15.7"},
	{"async-no-cluster", "st.async in a cluster of one CTA", "PTX ISA 9.7.10.12"},
	{"cluster-barrier-twice", "a second arrival at a cluster barrier without a wait between", "PTX ISA 9.7.15.3"},
	{"cluster-barrier-no-arrival", "a wait at a cluster barrier without an arrival before it", "PTX ISA 9.7.15.3"},
	{"barrier-number", "a CTA barrier number above 15", "PTX ISA 9.7.15.1"},
	{"barrier-count", "threads that name different counts for one barrier", "PTX ISA 9.7.15.1"},
	{"barrier-mixed", "bar.red on a barrier that other forms use in the same rendezvous", "PTX ISA 9.7.15.1"},
	{"barrier-mask", "a warp instruction by a thread outside its member mask", "PTX ISA 9.7.15.3"},
	{"shfl-source", "shfl.sync from a lane that is not active in it", "PTX ISA 9.7.9, shfl.sync"},
	{"in-flight-source", "the source of a weak copy is written before the copy completes", "PTX ISA 8.9.1.1"},
	{"in-flight-destination", "the destination of a copy is accessed before the copy completes", "PTX ISA 8.9.1.1"},
	{"copies-overlap", "a copy uses bytes that a copy in flight writes", "PTX ISA 8.9.1.1"},
	{"unordered-destination", "an access of a copy's destination is not ordered before its issue", "reference B6, H2"},
	{"unordered-conflict", "two conflicting accesses that nothing orders", "PTX ISA 8.7.1"},
	{"torn-chunk-accepted", "a copy reports nothing although a chunk mixes writes", "CUDA guide 4.6.4.3"},
	{"older-content-accepted", "a copy accepts content from before the initialisation", "CUDA guide 4.6.4.2"},
	{"sentinel-accepted", "a copy without a matching report mechanism delivers the sentinel", "CUDA guide 4.6.3"},
	{"reported-data-used", "the program reads data that its copy reported", "CUDA guide 4.6.3"},
	{"report-overtaken", "a primary phase completes while the report of the one before is unread", "CUDA guide 4.6.7"},
	{"report-unread", "a CTA exits with an unread report", "CUDA guide 4.6.3.1"},
	{"second-value", "a location gets a second value between two initialisations", "CUDA guide 4.6.4.3"},
	{"in-flight-at-exit", "a CTA exits while a copy of it is in flight", "reference F2a"},
	{"shared-before-start", "distributed shared memory is used before its CTA starts", "reference F2"},
	{"shared-after-exit", "distributed shared memory is used after its CTA exited", "reference F2"},
	{"trap", "a thread executes trap", "PTX ISA 9.7.19"},
	{"final-condition", "a final condition of the plan does not hold", "docs/launch-plan.md"},
	{"deadlock", "no agent can move and some thread has not ended", "docs/semantics.md, Properties"},
	{"endless-poll", "all that is left is a poll of what nobody writes any more", "docs/semantics.md, Properties"},
	{"fair-cycle", "a fair infinite execution", "docs/semantics.md, Fairness"},
	{"private-loop", "a loop that touches neither memory nor a barrier and does not end", "reference F5"},
}
