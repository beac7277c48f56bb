package explore_test

import (
	"path/filepath"
	"testing"
	"time"

	"ptxmc/explore"
	"ptxmc/machine"
)

// policyCase shows what a policy is for: relaxed, it changes the verdict of a small program.
type policyCase struct {
	policy, file, variant string
	strict, relaxed       string
}

var policyCases = []policyCase{
	{"reads-done-at-issue", "war.ptx", "no-fence", "no-overwrite", verified},
	{"trigger-visibility", "grid.ptx", "trigger-without-fence", "race-free", verified},
	{"trigger-visibility", "trigger-visibility.ptx", "", "race-free", verified},
	{"trigger-visibility", "trigger-visibility.ptx", "late-store", "race-free", "race-free"},
	{"trigger-visibility", "trigger-visibility.ptx", "no-barrier", "race-free", "race-free"},
	{"residency", "starvation.ptx", "", "terminates", verified},
	{"reads-done-at-issue", "tensor-reuse.ptx", "no-fence", "no-overwrite", verified},
	{"mbarrier-init-fence", "cluster-init.ptx", "no-fence", "defined-behavior", verified},
	{"async-flag-payload", "async-flag-payload.ptx", "", "race-free", verified},
	{"order-through-completion", "order-through-completion.ptx", "", "race-free", verified},
	{"order-through-completion", "copy-arrive.ptx", "side-data", "race-free", verified},
}

// TestPolicies compares the strict and the relaxed reading, and the latter with a search without reduction.
func TestPolicies(t *testing.T) {
	tested := map[string]bool{}
	for _, c := range policyCases {
		tested[c.policy] = true
		t.Run(c.policy+"/"+c.file+"/"+c.variant, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(rulesDir, c.file)
			o := explore.Options{Target: c.strict, Timeout: 30 * time.Second}
			if got := answer(t, path, c.variant, machine.Options{}, o); got != c.strict {
				t.Errorf("strict: %s, want %s", got, c.strict)
			}
			var relaxed machine.Options
			if !relaxed.Assume(c.policy) {
				t.Fatalf("no policy %s", c.policy)
			}
			if got := answer(t, path, c.variant, relaxed, o); got != c.relaxed {
				t.Errorf("relaxed: %s, want %s", got, c.relaxed)
			}
			o.NoReduction = true
			if got := answer(t, path, c.variant, relaxed, o); got != c.relaxed {
				t.Errorf("relaxed, without reduction: %s, want %s", got, c.relaxed)
			}
		})
	}
	for _, name := range machine.PolicyNames() {
		if !tested[name] {
			t.Errorf("policy %s: no verdict is known to depend on it", name)
		}
	}
}
