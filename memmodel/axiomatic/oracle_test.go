package axiomatic

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ptxmc/model/litmus"
)

// run parses and runs a program.
func run(t *testing.T, text string, o Options) *Result {
	t.Helper()
	progs, err := litmus.Parse("test.litmus", text)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(progs[0], load(t, "ptx-7.5"), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestExplain looks at the axiom and the cycle that a forbidden state comes with.
func TestExplain(t *testing.T) {
	for _, c := range []struct{ test, axiom, cycle string }{
		{"mp-release-acquire", "Causality", "fr po sync po"},
		{"sb-fence-sc", "Causality", "fr po sync_fence po"},
		{"rmw-store", "Atomicity", "fr co"},
		{"mp-write-after", "Coherence", "po sync po co"},
	} {
		p := parse(t, own+"ptx/"+c.test+".litmus")[0]
		f := judge(t, p, load(t, "ptx-7.5")).Forbidden
		if f == nil {
			t.Errorf("%s: not explained", c.test)
			continue
		}
		var names []string
		for i, e := range f.Cycle {
			names = append(names, e.Name)
			if next := f.Cycle[(i+1)%len(f.Cycle)]; next.From != e.To && f.Axiom != "Atomicity" {
				t.Errorf("%s: %v is no cycle", c.test, f.Cycle)
			}
		}
		if got := strings.Join(names, " "); f.Axiom != c.axiom || got != c.cycle {
			t.Errorf("%s: %s by %s, expected %s by %s:\n%s", c.test, f.Axiom, got, c.axiom, c.cycle, f)
		}
	}
}

// TestWitness looks at the execution that reaches an allowed state.
func TestWitness(t *testing.T) {
	v := judge(t, parse(t, own+"ptx/sb-fence-acq-rel.litmus")[0], load(t, "ptx-7.5"))
	var got []string
	for _, e := range v.Witness.Edges {
		if e.Name == "rf" || e.Name == "co" || e.Name == "fr" {
			got = append(got, v.Witness.Events[e.From].String()+" "+e.Name+" "+v.Witness.Events[e.To].String())
		}
	}
	want := []string{
		"init x=0 rf P1:9 ld.relaxed.gpu r0, x (read x=0)",
		"init y=0 rf P0:9 ld.relaxed.gpu r0, y (read y=0)",
		"init x=0 co P0:7 st.relaxed.gpu x, 1 (write x=1)",
		"init y=0 co P1:7 st.relaxed.gpu y, 1 (write y=1)",
		"P0:9 ld.relaxed.gpu r0, y (read y=0) fr P1:7 st.relaxed.gpu y, 1 (write y=1)",
		"P1:9 ld.relaxed.gpu r0, x (read x=0) fr P0:7 st.relaxed.gpu x, 1 (write x=1)",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestLoops looks at bounds: what is cut, and what only spins.
func TestLoops(t *testing.T) {
	for _, c := range []struct {
		name, text string
		unroll     int
		truncated  bool
		outcomes   []string
	}{
		{"handshake", `PTX handshake
{ x=0; y=0; }
 P0@cta 0,gpu 0      | P1@cta 1,gpu 0       ;
 st.release.gpu x, 1 | L1:                  ;
 L0:                 | ld.acquire.gpu r0, x ;
 ld.acquire.gpu r0, y | bne r0, 1, L1       ;
 bne r0, 1, L0       | st.release.gpu y, 1  ;
forall (P0:r0 == 1 /\ P1:r0 == 1)
`, 1, false, []string{"P0:r0=1; P1:r0=1;"}},
		{"counter", `PTX counter
{ x=0; }
 P0@cta 0,gpu 0               ;
 L0:                          ;
 atom.relaxed.gpu.add r0, x, 1 ;
 bne r0, 3, L0                ;
forall (x == 4)
`, 4, false, []string{"x=4;"}},
		{"too few turns", `PTX counter
{ x=0; }
 P0@cta 0,gpu 0               ;
 L0:                          ;
 atom.relaxed.gpu.add r0, x, 1 ;
 bne r0, 3, L0                ;
forall (x == 4)
`, 3, true, nil},
		{"endless", `PTX endless
{ x=0; }
 P0@cta 0,gpu 0 ;
 L0:            ;
 ld.weak r0, x  ;
 goto L0        ;
exists (x == 0)
`, 3, false, nil},
	} {
		r := run(t, c.text, Options{Unroll: c.unroll})
		if diff := cmp.Diff(c.outcomes, outcomes(r)); diff != "" || r.Truncated != c.truncated {
			t.Errorf("%s: truncated %v; outcomes:\n%s", c.name, r.Truncated, diff)
		}
	}
}

// TestLimit holds that a search that ends early decides nothing that it has not shown.
func TestLimit(t *testing.T) {
	text, err := os.ReadFile(own + "ptx/iriw-fence-sc.litmus")
	if err != nil {
		t.Fatal(err)
	}
	if r := run(t, string(text), Options{MaxCandidates: 5}); r.Incomplete == "" || r.Verdicts[0].Decided {
		t.Errorf("incomplete %q, decided %v", r.Incomplete, r.Verdicts[0].Decided)
	}
}
