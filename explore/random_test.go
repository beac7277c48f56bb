package explore

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ptxmc/machine"
	"ptxmc/model/launch"
)

// This file draws small programs and compares what the search finds with reduction and collection
// on and off: the sets of final states have to be equal.

var scopes = []string{"gpu", "sys", "cta"}

// instruction draws one instruction of a thread; loads number their results.
func instruction(t *rapid.T, barrier bool, loads *int) string {
	x := rapid.SampledFrom([]string{"%rd1", "%rd2"}).Draw(t, "location")
	scope := rapid.SampledFrom(scopes).Draw(t, "scope")
	value := rapid.IntRange(1, 2).Draw(t, "value")
	kinds := 8
	if barrier {
		kinds = 9
	}
	load := func(format string, args ...any) string {
		*loads++
		return fmt.Sprintf(format, args...) + fmt.Sprintf("\n\tst.global.b32 [%%rd3+%d], %%r1;", 4*(*loads-1))
	}
	switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
	case 0:
		return load("ld.global.b32 %%r1, [%s];", x)
	case 1:
		if rapid.Bool().Draw(t, "weak") {
			return fmt.Sprintf("st.global.b32 [%s], %d;", x, value)
		}
		return fmt.Sprintf("st.relaxed.%s.global.b32 [%s], %d;", scope, x, value)
	case 2:
		return fmt.Sprintf("st.release.%s.global.b32 [%s], %d;", scope, x, value)
	case 3:
		return load("ld.relaxed.%s.global.b32 %%r1, [%s];", scope, x)
	case 4:
		return load("ld.acquire.%s.global.b32 %%r1, [%s];", scope, x)
	case 5:
		return load("atom.%s.%s.global.add.u32 %%r1, [%s], %d;", rapid.SampledFrom([]string{"relaxed", "acq_rel"}).Draw(t, "sem"), scope, x, value)
	case 6:
		return fmt.Sprintf("red.relaxed.%s.global.add.u32 [%s], %d;", scope, x, value)
	case 7:
		return fmt.Sprintf("fence.%s.%s;", rapid.SampledFrom([]string{"sc", "acq_rel"}).Draw(t, "sem"), scope)
	default:
		return "bar.sync 0;"
	}
}

// program draws two or three grids; the first may have two threads that run different code.
func program(t *rapid.T) string {
	var plan, code strings.Builder
	plan.WriteString("//@ buffer x : b32[1] = 0\n//@ buffer y : b32[1] = 0\n")
	n := rapid.IntRange(2, 3).Draw(t, "grids")
	for g := range n {
		threads := 1
		if g == 0 {
			threads = rapid.IntRange(1, 2).Draw(t, "threads")
		}
		relation := []string{" stream " + fmt.Sprint(g), " stream 0 programmatic", " stream 0"}[min(g, 1)*rapid.IntRange(0, 2).Draw(t, "relation")]
		fmt.Fprintf(&plan, "//@ buffer o%d : b32[8] = 0\n//@ launch k%d grid 1 block %d args x, y, o%d%s\n", g, g, threads, g, relation)
		fmt.Fprintf(&code, ".visible .entry k%d(.param .u64 x, .param .u64 y, .param .u64 o) {\n\t.reg .b64 %%rd<4>; .reg .b32 %%r<3>; .reg .pred %%p<2>;\n", g)
		code.WriteString("\tld.param.u64 %rd1, [x];\n\tld.param.u64 %rd2, [y];\n\tld.param.u64 %rd3, [o];\n\tmov.u32 %r2, %tid.x;\n\tsetp.ne.u32 %p1, %r2, 0;\n\t@%p1 bra OTHER;\n")
		body := func() {
			loads := 0
			for range rapid.IntRange(1, 3).Draw(t, "instructions") {
				code.WriteString("\t" + instruction(t, threads == 2, &loads) + "\n")
			}
			if rapid.IntRange(0, 3).Draw(t, "trigger") == 0 {
				code.WriteString("\tgriddepcontrol.launch_dependents;\n\tst.relaxed.gpu.global.b32 [%rd1], 3;\n")
			}
			code.WriteString("\tret;\n")
		}
		body()
		code.WriteString("OTHER:\n\tadd.u64 %rd3, %rd3, 16;\n")
		if threads == 2 {
			body()
		} else {
			code.WriteString("\tret;\n")
		}
		code.WriteString("}\n")
	}
	plan.WriteString("//@ expect verified\n")
	return plan.String() + ".version 8.0\n.target sm_90\n.address_size 64\n" + code.String()
}

// outcomes explores a program and returns its final states.
func outcomes(t *rapid.T, text string, mo machine.Options, o Options) map[string]bool {
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
	got := map[string]bool{}
	o.FinalStates = true
	o.MaxStates = 60000
	o.Ended = func(s *machine.State) { got[m.Outcome(s)] = true }
	if r := Run(context.Background(), m, o); r.Verdict == Undecided {
		t.Skip(r.Limit)
	}
	return got
}

func difference(a, b map[string]bool) string {
	var out []string
	for k := range a {
		if !b[k] {
			out = append(out, k)
		}
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}

// TestRandomPrograms compares the search as it runs with one that moves every agent in every state,
// and with one that keeps all events.
func TestRandomPrograms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := program(t)
		want := outcomes(t, text, machine.Options{NoCollect: true}, Options{NoReduction: true})
		for name, run := range map[string]func() map[string]bool{
			"as it runs":         func() map[string]bool { return outcomes(t, text, machine.Options{}, Options{}) },
			"without reduction":  func() map[string]bool { return outcomes(t, text, machine.Options{}, Options{NoReduction: true}) },
			"without collection": func() map[string]bool { return outcomes(t, text, machine.Options{NoCollect: true}, Options{}) },
		} {
			if got := run(); !maps.Equal(got, want) {
				t.Fatalf("%s:\nmissing:\n%s\nsurplus:\n%s\n%s", name, difference(want, got), difference(got, want), text)
			}
		}
	})
}
