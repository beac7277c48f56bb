package explore

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ptxmc/machine"
	"ptxmc/model/launch"
)

// This file draws small programs around mbarriers, asynchronous stores and cluster barriers, on which
// the reduction rests in its own way (machine/prospect.go): it has to find what an unreduced search finds.

// syncProgram draws a cluster whose threads run different code.
func syncProgram(t *rapid.T) string {
	ctas := rapid.IntRange(2, 3).Draw(t, "ctas")
	threads := 1
	if ctas == 2 {
		threads = rapid.IntRange(1, 2).Draw(t, "threads")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "//@ buffer o : b32[%d] = 7\n//@ launch k grid %d block %d cluster %d args o\n//@ expect verified\n", 4*ctas*threads, ctas, threads, ctas)
	b.WriteString(`.version 9.4
.target sm_100a
.address_size 64
.visible .entry k(.param .u64 o) {
	.shared .align 8 .b64 bar0;
	.shared .align 8 .b64 bar1;
	.shared .align 4 .b32 x;
	.reg .b64 %rd<4>; .reg .b32 %r<16>; .reg .pred %p<4>;
	ld.param.u64 %rd1, [o];
	mov.u32 %r1, %cluster_ctarank;
	mov.u32 %r2, %tid.x;
	mov.u32 %r3, %ntid.x;
	mad.lo.u32 %r4, %r1, %r3, %r2;
	mul.wide.u32 %rd2, %r4, 16;
	add.u64 %rd1, %rd1, %rd2;
	setp.ne.u32 %p1, %r2, 0;
	@%p1 bra SYNC;
	st.shared.b32 [x], 0;
`)
	for i := range 2 {
		fmt.Fprintf(&b, "\tmbarrier.init.shared::cta.b64 [bar%d], %d;\n", i, rapid.IntRange(1, 2).Draw(t, "count"))
	}
	b.WriteString("SYNC:\n\tbarrier.cluster.arrive;\n\tbarrier.cluster.wait;\n")
	n := ctas * threads
	for i := range n - 1 {
		fmt.Fprintf(&b, "\tsetp.eq.u32 %%p2, %%r4, %d;\n\t@%%p2 bra T%d;\n", i+1, i+1)
	}
	last := rapid.Bool().Draw(t, "last sync")
	for i := range n {
		fmt.Fprintf(&b, "T%d:\n", i)
		outs := 0
		for k := range rapid.IntRange(1, 3).Draw(t, "instructions") {
			b.WriteString(syncInstruction(t, ctas, fmt.Sprintf("L%d_%d", i, k), &outs))
		}
		if last {
			b.WriteString("\tbarrier.cluster.arrive;\n\tbarrier.cluster.wait;\n")
		}
		b.WriteString("\tret;\n")
	}
	b.WriteString("}\n")
	return b.String()
}

func syncInstruction(t *rapid.T, ctas int, label string, outs *int) string {
	bar := fmt.Sprintf("bar%d", rapid.IntRange(0, 1).Draw(t, "bar"))
	rank := rapid.IntRange(0, ctas-1).Draw(t, "rank")
	parity := rapid.SampledFrom([]int{0, 0, 0, 1}).Draw(t, "parity")
	bytes := 4 * rapid.IntRange(1, 2).Draw(t, "bytes")
	remote := fmt.Sprintf("\tmapa.shared::cluster.u32 %%r5, %s, %d;\n", bar, rank)
	keep := func() string {
		*outs++
		return fmt.Sprintf("\tst.global.b32 [%%rd1+%d], %%r6;\n", 4*(*outs-1))
	}
	switch rapid.IntRange(0, 10).Draw(t, "kind") {
	case 0, 1:
		return remote + "\tmbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r5];\n"
	case 2:
		return fmt.Sprintf("\tmbarrier.arrive.expect_tx.release.cluster.shared::cta.b64 _, [%s], %d;\n", bar, bytes)
	case 3:
		return remote + fmt.Sprintf("\tmbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%%r5], %d;\n", bytes)
	case 4, 5:
		return remote + fmt.Sprintf("\tmapa.shared::cluster.u32 %%r7, x, %d;\n\tst.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%%r7], %d, [%%r5];\n", rank, bytes)
	case 6, 7, 8:
		return fmt.Sprintf("%s:\n\tmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %%p3, [%s], %d;\n\t@!%%p3 bra %s;\n", label, bar, parity, label)
	case 9:
		return fmt.Sprintf("\tmbarrier.test_wait.parity.acquire.cluster.shared::cta.b64 %%p3, [%s], %d;\n\tselp.b32 %%r6, 1, 0, %%p3;\n", bar, parity) + keep()
	default:
		return "\tld.relaxed.cluster.shared.b32 %r6, [x];\n" + keep()
	}
}

// TestRandomSync compares the reduced search with one that moves every agent in every state: both meet
// undefined behaviour or neither does; then deadlocks and final states are the same.
func TestRandomSync(t *testing.T) {
	kinds := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		text := syncProgram(t)
		spec, err := launch.Load("random.ptx", text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		c, err := spec.Case("", nil)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		run := func(o Options) (*Result, map[string]bool) {
			m, err := machine.New(c, machine.Options{KeepFinal: true})
			if err != nil {
				t.Fatal(err)
			}
			ends := map[string]bool{}
			o.MaxStates = 30000
			o.Ended = func(s *machine.State) { ends[m.Outcome(s)] = true }
			return Run(context.Background(), m, o), ends
		}
		for _, target := range []string{"", "deadlock-free", "terminates", "race-free"} {
			o := Options{Target: target}
			if target == "" {
				o.Only = "asserts"
			}
			reduced, ends := run(o)
			o.NoReduction = true
			full, all := run(o)
			if full.Verdict == Undecided || reduced.Verdict == Undecided {
				t.Skip("too large")
			}
			if target != "" && full.Verdict == Refuted && full.Violation.Property != target {
				full.Verdict = Verified
			}
			if target != "" && reduced.Verdict == Refuted && reduced.Violation.Property != target {
				reduced.Verdict = Verified
			}
			if full.Verdict != reduced.Verdict {
				t.Fatalf("target %q: %v reduced, %v in full\n%s", target, reduced.Verdict, full.Verdict, text)
			}
			kinds[target+" "+full.Verdict.String()]++
			if target == "" && full.Verdict == Refuted {
				return // undefined behaviour: nothing else has a meaning
			}
			if target == "" && !maps.Equal(ends, all) {
				t.Fatalf("missing:\n%s\nsurplus:\n%s\n%s", difference(all, ends), difference(ends, all), text)
			}
		}
	})
	t.Log(kinds)
}
