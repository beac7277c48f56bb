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

// This file draws small programs with asynchronous copies and compares what the search finds with
// reduction and collection on and off: whether some property breaks, and if none does, the final states.

// copyInstructions are what a thread may do with a half of a tile.
var copyInstructions = []string{
	"cp.async.ca.shared.global [%r1+HALF], [%rd1], 8;",
	"cp.async.ca.shared.global [%r1+HALF], [%rd1], 8;\n\tcp.async.commit_group;\n\tcp.async.wait_group 0;",
	"cp.async.ca.shared.global [%r1+HALF], [%rd1+8], 8, 4;\n\tcp.async.commit_group;",
	"cp.async.commit_group;",
	"cp.async.wait_group 0;",
	"cp.async.wait_group 1;",
	"cp.async.wait_all;",
	"cp.async.mbarrier.arrive.noinc.shared::cta.b64 [bar];",
	"mbarrier.test_wait.parity.shared::cta.b64 %p2, [bar], 0;",
	"mbarrier.test_wait.parity.shared::cta.b64 %p2, [bar], 0;\n\t@!%p2 ret;",
	"ld.shared.b32 %r3, [%r1+HALF];\n\tst.global.b32 [%rd4+HALF], %r3;",
	"st.shared.b32 [%r1+HALF], 5;",
	"fence.proxy.async;",
	"bar.sync 0;",
	"cp.async.bulk.global.shared::cta.bulk_group [%rd2+HALF], [%r1+HALF], 16;\n\tcp.async.bulk.commit_group;",
	"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u64 [%rd2], [%r1+HALF], 16;\n\tcp.async.bulk.commit_group;",
	"cp.reduce.async.bulk.global.shared::cta.bulk_group.max.u64 [%rd2], [%r1+HALF], 16;\n\tcp.async.bulk.commit_group;",
	"cp.async.bulk.wait_group 0;",
	"cp.async.bulk.wait_group.read 0;",
	"atom.relaxed.gpu.global.add.u64 %rd3, [%rd2], 16;\n\tst.global.b64 [%rd4+HALF], %rd3;",
	"ld.relaxed.gpu.global.b64 %rd3, [%rd2];\n\tst.global.b64 [%rd4+HALF], %rd3;",
}

// copyProgram draws one for two threads that write their halves of the tile first.
func copyProgram(t *rapid.T) string {
	var b strings.Builder
	b.WriteString("//@ buffer in : b32[4] = 1 2 3 4\n//@ buffer out : b64[4] = 0\n//@ buffer got : b64[4] = 0\n//@ launch k grid 1 block 2 args in, out, got\n//@ expect verified\n" +
		".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out, .param .u64 got) {\n" +
		"\t.shared .align 16 .b8 tile[32];\n\t.shared .align 8 .b64 bar;\n\t.reg .b64 %rd<5>; .reg .b32 %r<4>; .reg .pred %p<3>;\n" +
		"\tld.param.u64 %rd1, [in];\n\tld.param.u64 %rd2, [out];\n\tld.param.u64 %rd4, [got];\n\tmov.u32 %r1, tile;\n\tmov.u32 %r2, %tid.x;\n\tsetp.ne.u32 %p1, %r2, 0;\n" +
		"\t@%p1 bra READY;\n\tmbarrier.init.shared::cta.b64 [bar], 1;\n\tst.shared.v4.b32 [%r1], {1, 2, 3, 4};\n\tst.shared.v4.b32 [%r1+16], {1, 2, 3, 4};\n" +
		"\tfence.proxy.async;\nREADY:\n\tbar.sync 0;\n\t@%p1 bra OTHER;\n")
	for own := range 2 {
		for range rapid.IntRange(1, 6).Draw(t, "instructions") {
			half := own
			if rapid.IntRange(0, 9).Draw(t, "other") == 0 {
				half = 1 - own
			}
			text := rapid.SampledFrom(copyInstructions).Draw(t, "instruction")
			b.WriteString("\t" + strings.ReplaceAll(text, "HALF", fmt.Sprint(16*half)) + "\n")
		}
		b.WriteString("\tcp.async.wait_all;\n\tcp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group 0;\n\tret;\nOTHER:\n")
	}
	return strings.TrimSuffix(b.String(), "OTHER:\n") + "}\n"
}

// verdict searches and returns whether all holds, with the final states.
func verdict(t *rapid.T, text string, mo machine.Options, o Options) (verified bool, ends map[string]bool) {
	spec, err := launch.Load("random.ptx", text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	c, err := spec.Case("", nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	mo.KeepFinal = true
	m, err := machine.New(c, mo)
	if err != nil {
		t.Fatal(err)
	}
	ends = map[string]bool{}
	o.MaxStates = 60000
	o.Ended = func(s *machine.State) { ends[m.Outcome(s)] = true }
	r := Run(context.Background(), m, o)
	if r.Verdict == Undecided {
		t.Skip(r.Limit)
	}
	if r.Verdict == Refuted {
		return false, nil
	}
	return true, ends
}

// TestRandomCopies compares the search as it runs with one that moves every agent in every state, and
// with one that keeps all events.
func TestRandomCopies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := copyProgram(t)
		want, ends := verdict(t, text, machine.Options{NoCollect: true}, Options{NoReduction: true})
		for name, o := range map[string]Options{"as it runs": {}, "without reduction": {NoReduction: true}} {
			got, reached := verdict(t, text, machine.Options{}, o)
			if got != want || !maps.Equal(reached, ends) {
				t.Fatalf("%s: verified %v, want %v\nmissing:\n%s\nsurplus:\n%s\n%s", name, got, want, difference(ends, reached), difference(reached, ends), text)
			}
		}
	})
}
