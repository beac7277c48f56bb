package mbarrier

import (
	"strings"
	"testing"
)

// TestRules breaks each rule and, beside it, does what the rule still allows.
func TestRules(t *testing.T) {
	const next = "wait; " // observe the preceding phase
	tests := []struct {
		rule string // "" if the script is allowed
		ops  string
		want string // the last line, or a part of the message
	}{
		{ruleLayout, "init 2 1", "layout v2"},
		{"", "init 1 1", "v1 phase 0 (parity 0) conditional 0 pending 1/1 tx 0"},
		{"", "init 0 1", "v0 phase 0 (parity 0) pending 1/1 tx 0"},

		{ruleCountRange, "init 0 0", "the count is 0"},
		{ruleCountRange, "init 0 1048576", "from 1 to 1048575"},
		{"", "init 0 1048575", "v0 phase 0 (parity 0) pending 1048575/1048575 tx 0"},
		{ruleCountRange, "init 1 512", "from 1 to 511"},
		{"", "init 1 511", "v1 phase 0 (parity 0) conditional 0 pending 511/511 tx 0"},
		{ruleCountRange, "init 0 1; arrive 0", "the count is 0"},
		{ruleCountRange, "init 1 511; arrive 512", "the count is 512"},
		{ruleCountRange, "init 0 2; drop 0", "the count is 0"},
		{"", "init 0 2; expect-arrival", "v0 phase 0 (parity 0) pending 3/2 tx 0"},
		{"", "init 0 1; expect-arrival; arrive 1; arrive 1", "v0 phase 1 (parity 1) pending 1/1 tx 0 unobserved: completed, conditional advanced"},
		{ruleCountRange, "init 1 511; expect-arrival", "from 1 to 511"},
		{ruleCountRange, "init 0 2; nocomplete 0", "the count is 0"},
		{ruleCountRange, "init 0 2; drop-nocomplete 0", "the count is 0"},

		{ruleUnobserved, "init 0 1; arrive 1; arrive 1", "an arrival on phase 1 comes before any test_wait or try_wait returned true for phase 0"},
		{ruleUnobserved, "init 0 1; arrive 1; arrive-expect 16", "phase 0"},
		{ruleUnobserved, "init 0 3; arrive 3; drop 1", "phase 0"},
		{ruleUnobserved, "init 0 3; arrive 3; drop-expect 16", "phase 0"},
		{ruleUnobserved, "init 0 3; arrive 3; nocomplete 1", "phase 0"},
		{ruleUnobserved, "init 0 3; arrive 3; drop-nocomplete 1", "phase 0"},
		{ruleUnobserved, "init 1 1; report 0; arrive 1; wait-conditional; arrive 1", "phase 0"},
		{"", "init 1 1; arrive 1; wait-conditional; arrive 1", "v1 phase 2 (parity 0) conditional 2 pending 1/1 tx 0 unobserved: completed, conditional advanced"},
		{"", "init 0 1; arrive 1; " + next + "arrive 1", "v0 phase 2 (parity 0) pending 1/1 tx 0 unobserved: completed, conditional advanced"},
		{"", "init 0 1; arrive 1; expect 16; complete 16", "v0 phase 1 (parity 1) pending 1/1 tx 0 unobserved"},

		{rulePendingUnderflow, "init 0 2; arrive 3", "an arrival counts 3, but 2 arrivals are pending in phase 0"},
		{rulePendingUnderflow, "init 0 2; arrive 1; nocomplete 2", "1 arrival is pending"},
		{rulePendingUnderflow, "init 0 1; arrive-expect 16; arrive 1", "0 arrivals are pending in phase 0 (tx-count 16)"},
		{rulePendingUnderflow, "init 0 3; arrive 2; drop 2", "counts 2, but 1 arrival is pending"},
		{"", "init 0 2; arrive 1; arrive 1", "v0 phase 1 (parity 1) pending 2/2 tx 0 unobserved: completed, conditional advanced"},

		{ruleTxRange, "init 0 1; expect 1048576", "from 0 to 1048576, above its limit 1048575"},
		{ruleTxRange, "init 0 1; expect 1048575; expect 1", "from 1048575 to 1048576"},
		{ruleTxRange, "init 0 2; arrive-expect 1048576", "above its limit"},
		{ruleTxRange, "init 0 2; drop-expect 1048576", "above its limit"},
		{ruleTxRange, "init 0 1; expect 4294967295", "from 0 to 4294967295"},
		{ruleTxRange, "init 0 1; complete 1048576", "from 0 to -1048576, below its limit -1048575"},
		{ruleTxRange, "init 0 1; complete 4294967295", "below its limit"},
		{"", "init 0 1; expect 1048575", "v0 phase 0 (parity 0) pending 1/1 tx 1048575"},
		{"", "init 0 1; complete 1048575", "v0 phase 0 (parity 0) pending 1/1 tx -1048575"},
		{"", "init 0 1; complete 1048575; expect 2097150", "v0 phase 0 (parity 0) pending 1/1 tx 1048575"},

		{ruleExpectCompletes, "init 0 1; complete 16; arrive 1; expect 16", "expect-tx of 16 bytes makes the tx-count 0"},
		{ruleExpectCompletes, "init 0 1; complete 16; arrive 1; arrive-expect 16", "no arrival is pending"},
		{"", "init 0 1; complete 16; arrive 1; expect 15", "v0 phase 0 (parity 0) pending 0/1 tx -1"},
		{"", "init 0 1; complete 16; arrive-expect 16", "v0 phase 1 (parity 1) pending 1/1 tx 0 unobserved: completed, conditional advanced"},

		{ruleDropToZero, "init 0 1; drop 1", "count 1 leaves no expected arrival: the next phases expect 1"},
		{ruleDropToZero, "init 0 2; drop 1; drop 1", "the next phases expect 1"},
		{ruleExpectCompletes, "init 0 2; complete 16; arrive 2; drop-expect 16", "no arrival is pending"},
		{ruleDropToZero, "init 0 1; drop-expect 16", "leaves no expected arrival"},
		{ruleDropToZero, "init 0 1; drop-nocomplete 1", "leaves no expected arrival"},
		{"", "init 0 2; drop 1; arrive 1", "v0 phase 1 (parity 1) pending 1/1 tx 0 unobserved: completed, conditional advanced"},

		{ruleNoComplete, "init 0 2; nocomplete 2", "count 2 completes the phase: 2 arrivals are pending"},
		{ruleNoComplete, "init 0 2; arrive 1; drop-nocomplete 1", "1 arrival is pending"},
		{"", "init 0 2; nocomplete 1", "v0 phase 0 (parity 0) pending 1/2 tx 0"},
		{"", "init 0 2; expect 16; nocomplete 2", "v0 phase 0 (parity 0) pending 0/2 tx 16"},

		{ruleReportOnV0, "init 0 1; report 0", "layout v0, which holds no report"},
		{"", "init 1 1; report 0", "v1 phase 0 (parity 0) conditional 0 pending 1/1 tx 0 report seen"},

		{ruleTokenPhase, "init 0 1; token a; arrive 1; wait; arrive 1; test a", "a state of phase 0 while phase 2 is current"},
		{ruleTokenPhase, "init 0 1; test none", "0x0 as a state"},
		{"", "init 0 1; token a; test a", "false"},
		{"", "init 0 1; token a; arrive 1; test a", "true"},
		{"", "init 0 2; nocomplete-token a; nocomplete 1; arrive 1; test a", "true"},

		{rulePendingCount, "init 0 2; token a; arrive 1; count a", "an arrive without .noComplete"},
		{rulePendingCount, "init 1 2; nocomplete-token a; nocomplete 1; count a", "layout v1"},
		{rulePendingCount, "init 0 2; count none", "0x0, which no arrive returned"},
		{"", "init 0 1048575; nocomplete-token a; nocomplete 1; count a", "1048575"},
	}
	covered := map[string]bool{}
	for _, tt := range tests {
		got := ops(t, tt.ops)
		switch {
		case tt.rule == "" && got != tt.want:
			t.Errorf("%s:\n got %s\nwant %s", tt.ops, got, tt.want)
		case tt.rule != "" && (!strings.HasPrefix(got, tt.rule+": ") || !strings.Contains(got, tt.want)):
			t.Errorf("%s:\n got %s\nwant %s with %q", tt.ops, got, tt.rule, tt.want)
		}
		covered[tt.rule] = true
	}
	names := map[string]bool{"": true}
	for _, r := range Rules {
		if names[r.Name] || r.Text == "" || r.Source == "" || !strings.HasPrefix(r.Name, "mbarrier-") {
			t.Errorf("rule %q is a duplicate, incomplete or misnamed", r.Name)
		}
		names[r.Name] = true
		if !covered[r.Name] {
			t.Errorf("no test breaks %s", r.Name)
		}
	}
	for r := range covered {
		if !names[r] {
			t.Errorf("Rules lacks %q", r)
		}
	}
}
