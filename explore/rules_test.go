package explore_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ptxmc/explore"
	"ptxmc/machine"
	"ptxmc/model/launch"
)

const rulesDir = "../testdata/rules"

// verified stands for that verdict in the table; any other word is the property that is refuted.
const verified = "verified"

// ruleCase shows what a rule is for: switched off, it changes the verdict of a small program.
type ruleCase struct {
	rule          machine.Rule
	file, variant string
	// target is the property whose refutation is looked for; with only set, no other one counts.
	target        string
	only          bool
	noCollect     bool // the collector rests on the rule itself
	with, without string
}

var ruleCases = []ruleCase{
	{rule: machine.RuleReadHides, file: "mp.ptx", noCollect: true, with: verified, without: "asserts"},
	{rule: machine.RuleReadHides, file: "coherence.ptx", variant: "one-reader", noCollect: true, with: verified, without: "asserts"},
	{rule: machine.RuleReady, file: "proxy.ptx", variant: "no-fence", target: "asserts", with: "asserts", without: verified},
	{rule: machine.RuleGridStart, file: "grid-proxy.ptx", with: verified, without: "asserts"},
	{rule: machine.RuleAtomic, file: "atomic.ptx", with: verified, without: "asserts"},
	{rule: machine.RuleAcrossProxy, file: "report.ptx", variant: "one-chunk-filled", with: verified, without: "no-torn-chunk"},
	{rule: machine.RuleReport, file: "report.ptx", with: verified, without: "no-stale-data"},
	{rule: machine.RuleConditional, file: "report.ptx", with: verified, without: "no-stale-data"},
	{rule: machine.RuleAcquire, file: "mp.ptx", with: verified, without: "race-free"},
	{rule: machine.RuleAcquire, file: "mp.ptx", variant: "fences", with: verified, without: "race-free"},
	{rule: machine.RuleAcquire, file: "mp.ptx", variant: "release-to-later-acquire", with: verified, without: "race-free"},
	{rule: machine.RuleAcquire, file: "mbarrier.ptx", target: "race-free", with: verified, without: "race-free"},
	{rule: machine.RuleRelaxedWait, file: "mbarrier.ptx", variant: "relaxed-wait", target: "race-free", with: "race-free", without: verified},
	{rule: machine.RuleComplete, file: "copy.ptx", with: verified, without: "race-free"},
	{rule: machine.RuleCompleteOnly, file: "copy.ptx", variant: "side-data", target: "race-free", with: "race-free", without: verified},
	{rule: machine.RuleTrigger, file: "grid.ptx", variant: "trigger-without-fence", target: "race-free", with: "race-free", without: verified},
	{rule: machine.RuleSample, file: "report.ptx", variant: "leaked-sentinel", target: "terminates", with: "terminates", without: "no-torn-chunk"},
	{rule: machine.RuleStrongPoll, file: "poll.ptx", with: verified, without: "terminates"},
	{rule: machine.RuleWeakPoll, file: "poll.ptx", variant: "weak", target: "terminates", only: true, with: "terminates", without: verified},
	{rule: machine.RuleInFlight, file: "copy.ptx", variant: "twice", target: "no-overwrite", with: "no-overwrite", without: verified},
	{rule: machine.RuleRace, file: "mixed-size.ptx", variant: "weak", target: "race-free", with: "race-free", without: verified},
	{rule: machine.RuleBarrier, file: "barrier.ptx", target: "race-free", with: verified, without: "race-free"},
	{rule: machine.RuleSlots, file: "residency.ptx", with: verified, without: "asserts"},
	{rule: machine.RuleSlots, file: "starvation.ptx", target: "terminates", with: "terminates", without: verified},
	{rule: machine.RuleVector, file: "vector.ptx", target: "asserts", with: "asserts", without: verified},
	{rule: machine.RuleSCFence, file: "sb.ptx", with: verified, without: "asserts"},
	{rule: machine.RuleProxyFence, file: "proxy.ptx", with: verified, without: "asserts"},
	{rule: machine.RuleFenceRelease, file: "mp.ptx", variant: "fences", with: verified, without: "race-free"},
	{rule: machine.RuleGroupWait, file: "copy-group.ptx", target: "race-free", with: verified, without: "race-free"},
	{rule: machine.RuleCopyProxy, file: "copy-group.ptx", with: verified, without: "no-overwrite"},
	{rule: machine.RuleReadWait, file: "copy-read.ptx", target: "no-overwrite", with: "no-overwrite", without: verified},
	{rule: machine.RuleCopyArrive, file: "copy-arrive.ptx", target: "race-free", with: verified, without: "race-free"},
	{rule: machine.RuleElementwise, file: "reduce.ptx", target: "asserts", with: "asserts", without: verified},
	{rule: machine.RuleGridWait, file: "grid.ptx", with: verified, without: "race-free"},
	{rule: machine.RuleLateLoad, file: "late-load.ptx", with: "asserts", without: verified},
	{rule: machine.RuleCancel, file: "cancel.ptx", target: "race-free", with: verified, without: "race-free"},
	{rule: machine.RuleMMAFence, file: "wgmma.ptx", variant: "fence-before-the-wait", target: "race-free", with: "race-free", without: verified},
	{rule: machine.RuleMMAWait, file: "wgmma.ptx", target: "no-overwrite", with: verified, without: "no-overwrite"},
	{rule: machine.RuleMMACommit, file: "tcgen05.ptx", target: "no-overwrite", with: verified, without: "no-overwrite"},
	{rule: machine.RuleEvent, file: "event.ptx", target: "race-free", with: verified, without: "race-free"},
	{rule: machine.RuleWarpOrder, file: "warp.ptx", variant: "shfl-orders-nothing", target: "race-free", with: "race-free", without: verified},
	{rule: machine.RuleWarpWait, file: "warp.ptx", target: "race-free", with: verified, without: "race-free"},
	{rule: machine.RuleClusterBarrier, file: "cluster-barrier.ptx", with: verified, without: "race-free"},
	{rule: machine.RuleClusterRelaxed, file: "cluster-barrier.ptx", variant: "relaxed", target: "race-free", with: "race-free", without: verified},
	{rule: machine.RuleAsyncGeneric, file: "async-store.ptx", target: "no-overwrite", with: verified, without: "no-overwrite"},
	{rule: machine.RuleCompleteRemote, file: "cluster-copy.ptx", variant: "wait-cta", target: "race-free", with: "race-free", without: verified},
}

// TestRules shows for every rule that a verdict depends on it.
func TestRules(t *testing.T) {
	for _, c := range ruleCases {
		t.Run(string(c.rule), func(t *testing.T) {
			t.Parallel()
			o := explore.Options{Target: c.target, Timeout: 30 * time.Second}
			if c.only {
				o.Target, o.Only = "", c.target
			}
			path := filepath.Join(rulesDir, c.file)
			if got := answer(t, path, c.variant, machine.Options{NoCollect: c.noCollect}, o); got != c.with {
				t.Errorf("%s %s with the rule: %s, want %s", c.file, c.variant, got, c.with)
			}
			if got := answer(t, path, c.variant, machine.Options{Break: c.rule, NoCollect: c.noCollect}, o); got != c.without {
				t.Errorf("%s %s without the rule: %s, want %s", c.file, c.variant, got, c.without)
			}
		})
	}
}

// TestEveryRuleIsTested: no rule lacks a case.
func TestEveryRuleIsTested(t *testing.T) {
	tested := map[machine.Rule]bool{}
	for _, c := range ruleCases {
		tested[c.rule] = true
	}
	for _, r := range machine.Rules {
		if !tested[r.Name] {
			t.Errorf("rule %s: no verdict is known to depend on it", r.Name)
		}
	}
}

// TestOwnWritesNeedTheFence: under async-flag-payload what the issuer wrote itself needs the fence all the same.
func TestOwnWritesNeedTheFence(t *testing.T) {
	if got := answer(t, filepath.Join(rulesDir, "async-flag-payload.ptx"), "own-write", machine.Options{AsyncFlagPayload: true}, explore.Options{}); got != "race-free" {
		t.Errorf("async-flag-payload.ptx own-write: %s", got)
	}
}

// TestFacts runs every small program of testdata/rules against its expected verdict.
func TestFacts(t *testing.T) {
	eachCase(t, filepath.Join(rulesDir, "*.ptx"), func(t *testing.T, path, variant string, want launch.Expect) {
		o := explore.Options{Target: want.Property, Timeout: 30 * time.Second}
		if got := answer(t, path, variant, machine.Options{}, o); got != expected(want) {
			t.Errorf("%s, want %s", got, expected(want))
		}
	})
}

// TestReductionAgrees compares the search as it runs with one that moves every agent in every
// state, and with one that keeps all events. Programs that are too large without are skipped.
func TestReductionAgrees(t *testing.T) {
	const maxStates = 30000
	patterns := []string{filepath.Join(rulesDir, "*.ptx")}
	if !testing.Short() {
		patterns = append(patterns, "../specs/*/*.ptx")
	}
	for _, pattern := range patterns {
		eachCase(t, pattern, func(t *testing.T, path, variant string, want launch.Expect) {
			o := explore.Options{Target: want.Property, MaxStates: maxStates, Timeout: time.Second}
			set := small(t, path, variant)
			base := search(t, path, variant, set, machine.Options{}, o)
			if base.Verdict == explore.Undecided {
				t.Skip("too large: ", base.Limit)
			}
			compare := func(what string, mo machine.Options, o explore.Options) {
				other := search(t, path, variant, set, mo, o)
				if other.Verdict == explore.Undecided {
					t.Logf("%s: not compared, %s", what, other.Limit)
				} else if word(other) != word(base) {
					t.Errorf("%s: %s, but %s as it runs", what, word(other), word(base))
				}
			}
			// without collection a cyclic program may have no end of states, but what a bounded search
			// refutes has to be refuted
			o.Timeout = 500 * time.Millisecond
			compare("without collection", machine.Options{NoCollect: true}, o)
			o.NoReduction = true
			compare("without reduction", machine.Options{}, o)
		})
	}
}

// eachCase runs f as a parallel subtest for the base and every variant of the files.
func eachCase(t *testing.T, pattern string, f func(t *testing.T, path, variant string, want launch.Expect)) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatalf("no file matches %s", pattern)
	}
	for _, path := range files {
		spec := load(t, path)
		for _, variant := range append([]string{""}, spec.VariantNames()...) {
			c, err := spec.Case(variant, nil)
			if err != nil {
				t.Error(err)
				continue
			}
			name := strings.TrimSuffix(filepath.Base(path), ".ptx")
			if variant != "" {
				name += "/" + variant
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				f(t, path, variant, c.Plan.Expect)
			})
		}
	}
}

func expected(x launch.Expect) string {
	if x.Verified {
		return verified
	}
	return x.Property
}

func load(t *testing.T, path string) *launch.Spec {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	spec, err := launch.Load(path, string(text))
	if err != nil {
		t.Fatal(err)
	}
	return spec
}

// small returns params that make the specs of real kernels small enough to be searched unreduced;
// nil where the plan has none of them, or makes no sense with them.
func small(t *testing.T, path, variant string) map[string]int64 {
	t.Helper()
	set := map[string]int64{}
	spec := load(t, path)
	c, err := spec.Case(variant, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{"tiles", "threads"} {
		if c.Plan.Params[p] > 1 {
			set[p] = 1
		}
	}
	if _, err := spec.Case(variant, set); err != nil {
		return nil
	}
	return set
}

func search(t *testing.T, path, variant string, set map[string]int64, mo machine.Options, o explore.Options) *explore.Result {
	t.Helper()
	c, err := load(t, path).Case(variant, set)
	if err != nil {
		t.Fatal(err)
	}
	m, err := machine.New(c, mo)
	if err != nil {
		t.Fatal(err)
	}
	return explore.Run(context.Background(), m, o)
}

// answer searches and returns the verdict in one word.
func answer(t *testing.T, path, variant string, mo machine.Options, o explore.Options) string {
	t.Helper()
	return word(search(t, path, variant, nil, mo, o))
}

func word(r *explore.Result) string {
	switch r.Verdict {
	case explore.Verified:
		return verified
	case explore.Refuted:
		return r.Violation.Property
	default:
		return "undecided: " + r.Limit
	}
}
