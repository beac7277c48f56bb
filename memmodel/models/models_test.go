package models

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// litmus is an outcome, as an execution with its sources of reads, and whether it is allowed.
type litmus struct {
	name    string
	threads []thread
	allowed bool
}

func mp(cta0 int, first []string, cta1 int, second []string) []thread {
	return []thread{{cta0, first}, {cta1, second}}
}

// shared holds outcomes on which both models agree (the checks at the end of section A of the
// reference; PTX ISA 8.10).
var shared = []litmus{
	{"MP weak", mp(0, []string{"W x", "f: W y"}, 1, []string{"R y <- f", "R x <- init"}), true},
	{"MP relaxed", mp(0, []string{"W x", "f: W y RLX GPU"}, 1, []string{"R y RLX GPU <- f", "R x <- init"}), true},
	{"MP release acquire", mp(0, []string{"W x", "f: W y REL GPU"}, 1, []string{"R y ACQ GPU <- f", "R x <- init"}), false},
	{"MP release acquire, scope too narrow", mp(0, []string{"W x", "f: W y REL CTA"}, 1, []string{"R y ACQ GPU <- f", "R x <- init"}), true},
	{"MP release acquire in the CTA", mp(0, []string{"W x", "f: W y REL CTA"}, 0, []string{"R y ACQ CTA <- f", "R x <- init"}), false},
	{"MP fences", mp(0, []string{"W x", "F ACQ_REL GPU", "f: W y RLX GPU"}, 1, []string{"R y RLX GPU <- f", "F ACQ_REL GPU", "R x <- init"}), false},
	{"MP one-sided fences", mp(0, []string{"W x", "F REL GPU", "f: W y RLX GPU"}, 1, []string{"R y RLX GPU <- f", "F ACQ GPU", "R x <- init"}), false},
	{"MP fences of the wrong side", mp(0, []string{"W x", "F ACQ GPU", "f: W y RLX GPU"}, 1, []string{"R y RLX GPU <- f", "F REL GPU", "R x <- init"}), true},
	{"MP fences over a weak flag", mp(0, []string{"W x", "F ACQ_REL GPU", "f: W y"}, 1, []string{"R y <- f", "F ACQ_REL GPU", "R x <- init"}), true},
	{"MP through an atomic", []thread{{0, []string{"W x", "f: W y REL GPU"}}, {1, []string{"g: U y RLX GPU <- f"}}, {2, []string{"R y ACQ GPU <- g", "R x <- init"}}}, false},
	{"MP through a narrow atomic", []thread{{0, []string{"W x", "f: W y REL GPU"}}, {1, []string{"g: U y RLX CTA <- f"}}, {2, []string{"R y ACQ GPU <- g", "R x <- init"}}}, true},
	{"MP release then strong write", mp(0, []string{"W x", "W y REL GPU", "f: W y RLX GPU"}, 1, []string{"R y ACQ GPU <- f", "R x <- init"}), false},
	{"MP fences, scope of one too narrow", mp(0, []string{"W x", "F ACQ_REL CTA", "f: W y RLX GPU"}, 1, []string{"R y RLX GPU <- f", "F ACQ_REL GPU", "R x <- init"}), true},
	{"MP strong read then acquire", []thread{{0, []string{"W x", "f: W y REL GPU"}}, {1, []string{"R y RLX GPU <- f", "R y ACQ GPU <- g", "R x <- init"}},
		{2, []string{"g: W y RLX GPU"}}}, false},
	{"MP acquire of another write", []thread{{0, []string{"W x", "f: W y REL GPU"}}, {1, []string{"R y ACQ GPU <- g", "R x <- init"}},
		{2, []string{"g: W y RLX GPU"}}}, true},
	{"read of a later write", mp(0, []string{"R x <- a", "f: W y REL GPU"}, 1, []string{"R y ACQ GPU <- f", "a: W x"}), false},
	{"MP barrier", mp(0, []string{"W x", "B 0"}, 0, []string{"B 0", "R x <- init"}), false},
	{"MP barriers with different numbers", mp(0, []string{"W x", "B 0"}, 0, []string{"B 1", "R x <- init"}), true},
	{"SB fence.sc", mp(0, []string{"W x RLX GPU", "F SC GPU", "R y RLX GPU <- init"}, 1, []string{"W y RLX GPU", "F SC GPU", "R x RLX GPU <- init"}), false},
	{"SB fence.sc, scope too narrow", mp(0, []string{"W x RLX GPU", "F SC CTA", "R y RLX GPU <- init"}, 1, []string{"W y RLX GPU", "F SC GPU", "R x RLX GPU <- init"}), true},
	{"SB fence.acq_rel", mp(0, []string{"W x RLX GPU", "F ACQ_REL GPU", "R y RLX GPU <- init"}, 1, []string{"W y RLX GPU", "F ACQ_REL GPU", "R x RLX GPU <- init"}), true},
	{"LB", mp(0, []string{"R x RLX GPU <- a", "b: W y RLX GPU"}, 1, []string{"R y RLX GPU <- b", "a: W x RLX GPU"}), true},
	{"LB data", mp(0, []string{"R x RLX GPU <- a", "b: W y RLX GPU data"}, 1, []string{"R y RLX GPU <- b", "a: W x RLX GPU data"}), false},
	{"LB acquire release", mp(0, []string{"R x ACQ GPU <- a", "b: W y REL GPU"}, 1, []string{"R y ACQ GPU <- b", "a: W x REL GPU"}), false},
	{"CoRR strong", mp(0, []string{"a: W x RLX GPU"}, 1, []string{"R x RLX GPU <- a", "R x RLX GPU <- init"}), false},
	{"CoRR with a weak second read", mp(0, []string{"a: W x RLX GPU"}, 1, []string{"R x RLX GPU <- a", "R x <- init"}), false},
	{"CoRR weak", mp(0, []string{"a: W x"}, 1, []string{"R x <- a", "R x <- init"}), true},
	{"CoWR", []thread{{0, []string{"W x", "R x <- init"}}}, false},
	{"CoRW", []thread{{0, []string{"R x <- a", "a: W x"}}}, false},
	{"CoWW", mp(0, []string{"a: W x RLX GPU", "b: W x RLX GPU"}, 1, []string{"R x RLX GPU <- b", "R x RLX GPU <- a"}), false},
	{"CoWW by causality", []thread{{0, []string{"a: W x", "f: W y REL GPU"}}, {1, []string{"R y ACQ GPU <- f", "b: W x RLX GPU"}},
		{2, []string{"R x RLX GPU <- b", "R x RLX GPU <- a"}}}, false},
	{"atomics", mp(0, []string{"U x RLX GPU <- init"}, 1, []string{"U x RLX GPU <- init"}), false},
	{"atomics of different scopes", mp(0, []string{"U x RLX CTA <- init"}, 1, []string{"U x RLX GPU <- init"}), true},
	{"write into an atomic", mp(0, []string{"U x RLX GPU <- init", "R x RLX GPU <- a"}, 1, []string{"a: W x RLX GPU"}), true},
	{"IRIW acquire", []thread{{0, []string{"a: W x RLX GPU"}}, {1, []string{"b: W y RLX GPU"}},
		{2, []string{"R x ACQ GPU <- a", "R y ACQ GPU <- init"}}, {3, []string{"R y ACQ GPU <- b", "R x ACQ GPU <- init"}}}, true},
	{"IRIW fence.sc", []thread{{0, []string{"a: W x RLX GPU"}}, {1, []string{"b: W y RLX GPU"}},
		{2, []string{"R x RLX GPU <- a", "F SC GPU", "R y RLX GPU <- init"}}, {3, []string{"R y RLX GPU <- b", "F SC GPU", "R x RLX GPU <- init"}}}, false},
}

// proxied holds outcomes of ptx-7.5 alone: B6a of the reference and what red and aliases do.
var proxied = []litmus{
	{"alias CoWR", []thread{{0, []string{"W x", "R x' <- init"}}}, true},
	{"alias CoWR with its fence", []thread{{0, []string{"W x", "F ALIAS", "R x' <- init"}}}, false},
	{"alias CoWR with a plain fence", []thread{{0, []string{"W x", "F SC GPU", "R x' <- init"}}}, true},
	{"alias MP, fence at the writer", mp(0, []string{"W x", "F ALIAS", "f: W y REL GPU"}, 1, []string{"R y ACQ GPU <- f", "R x' <- init"}), false},
	{"alias MP through an aliased flag", mp(0, []string{"W x", "f: W y REL GPU"}, 1, []string{"R y' ACQ GPU <- f", "R x <- init"}), true},
	{"alias of a surface write", []thread{{0, []string{"W x SUR", "F SUR", "F ALIAS", "R x' <- init"}}}, false},
	{"alias of a surface write, fences reversed", []thread{{0, []string{"W x SUR", "F ALIAS", "F SUR", "R x' <- init"}}}, true},
	{"texture of an aliased write", []thread{{0, []string{"W x'", "F ALIAS", "F TEX", "R x TEX <- init"}}}, false},
	{"texture of an aliased write, fences reversed", []thread{{0, []string{"W x'", "F TEX", "F ALIAS", "R x TEX <- init"}}}, true},
	{"texture of an aliased surface write", []thread{{0, []string{"W x' SUR", "F SUR", "F ALIAS", "F TEX", "R x TEX <- init"}}}, false},
	{"MP through a flag of another proxy", mp(0, []string{"W x", "f: W y REL SUR GPU"}, 1, []string{"R y ACQ GPU <- f", "R x <- init"}), true},
	{"MP to red's hidden read", mp(0, []string{"W x", "f: W y REL GPU"}, 1, []string{"U y RLX RED GPU <- f", "F ACQ GPU", "R x <- init"}), true},
	{"MP to an atom's read", mp(0, []string{"W x", "f: W y REL GPU"}, 1, []string{"U y RLX GPU <- f", "F ACQ GPU", "R x <- init"}), false},
	{"texture after a write", []thread{{0, []string{"W x", "R x TEX <- init"}}}, true},
	{"texture after a write and a fence", []thread{{0, []string{"W x", "F TEX", "R x TEX <- init"}}}, false},
	{"texture after a write and another fence", []thread{{0, []string{"W x", "F SUR", "R x TEX <- init"}}}, true},
	{"surface to surface in the CTA", mp(0, []string{"W x SUR", "f: W y REL CTA"}, 0, []string{"R y ACQ CTA <- f", "R x SUR <- init"}), false},
	{"surface twice in a thread", []thread{{0, []string{"W x SUR", "R x SUR <- init"}}}, false},
	{"surface to texture, both fences", []thread{{0, []string{"W x SUR", "F SUR", "F TEX", "R x TEX <- init"}}}, false},
	{"surface to texture, fences reversed", []thread{{0, []string{"W x SUR", "F TEX", "F SUR", "R x TEX <- init"}}}, true},
	{"surface to texture, one fence", []thread{{0, []string{"W x SUR", "F SUR", "R x TEX <- init"}}}, true},
	{"generic to texture, fence at the writer", mp(0, []string{"W x", "F TEX", "f: W y REL GPU"}, 1, []string{"R y ACQ GPU <- f", "R x TEX <- init"}), true},
	{"generic to texture, fence at the reader", mp(0, []string{"W x", "f: W y REL GPU"}, 1, []string{"R y ACQ GPU <- f", "F TEX", "R x TEX <- init"}), false},
	{"surface to generic, fence at the writer", mp(0, []string{"W x SUR", "F SUR", "f: W y REL GPU"}, 1, []string{"R y ACQ GPU <- f", "R x <- init"}), false},
	{"surface to generic, fence at the reader", mp(0, []string{"W x SUR", "f: W y REL GPU"}, 1, []string{"R y ACQ GPU <- f", "F SUR", "R x <- init"}), true},
	{"surface to surface across CTAs", mp(0, []string{"W x SUR", "f: W y REL GPU"}, 1, []string{"R y ACQ GPU <- f", "R x SUR <- init"}), true},
	{"surface to surface across CTAs, two fences", mp(0, []string{"W x SUR", "F SUR", "f: W y REL GPU"}, 1, []string{"R y ACQ GPU <- f", "F SUR", "R x SUR <- init"}), false},
	{"surface to texture across CTAs", mp(0, []string{"W x SUR", "F SUR", "f: W y REL GPU"}, 1, []string{"R y ACQ GPU <- f", "F TEX", "R x TEX <- init"}), false},
	{"surface to texture across CTAs, reversed", mp(0, []string{"W x SUR", "F TEX", "f: W y REL GPU"}, 1, []string{"R y ACQ GPU <- f", "F SUR", "R x TEX <- init"}), true},
	{"constant in the CTA", mp(0, []string{"W x", "f: W y REL CTA"}, 0, []string{"R y ACQ CTA <- f", "F CON", "R x CON <- init"}), false},
}

func runAll(t *testing.T, model string, tests []litmus) {
	m := load(t, model)
	for _, tt := range tests {
		t.Run(model+"/"+tt.name, func(t *testing.T) {
			if got := newExecution(t, tt.threads).allowed(m); got != tt.allowed {
				t.Errorf("%s, want %s", verdict(got), verdict(tt.allowed))
			}
		})
	}
}

// TestModels judges hand-made executions.
func TestModels(t *testing.T) {
	runAll(t, "ptx-6.0", shared)
	runAll(t, "ptx-7.5", shared)
	runAll(t, "ptx-7.5", proxied)
}

// TestEachAxiomForbids leaves out one axiom at a time: a test that it forbids becomes allowed. Not
// here: SCperLocation of ptx-7.5, which the others imply (table A16 of the reference), and the two
// on fences, since every wrong order of fences forbids more than a right one does (TestFenceOrder).
func TestEachAxiomForbids(t *testing.T) {
	tests := []struct{ model, axiom, litmus string }{
		{"ptx-6.0", "Coherence", "CoWW by causality"},
		{"ptx-6.0", "CoherenceTotal", "atomics"},
		{"ptx-6.0", "Causality", "MP release acquire"},
		{"ptx-6.0", "SCperLocation", "CoWR"},
		{"ptx-6.0", "NoThinAir", "LB data"},
		{"ptx-6.0", "Atomicity", "atomics"},
		{"ptx-7.5", "Coherence", "CoWW by causality"},
		{"ptx-7.5", "CoherenceTotal", "atomics"},
		{"ptx-7.5", "Causality", "MP release acquire"},
		{"ptx-7.5", "NoThinAir", "LB data"},
		{"ptx-7.5", "Atomicity", "atomics"},
		{"ptx-7.5", "Causality", "texture after a write and a fence"},
	}
	all := append(append([]litmus(nil), shared...), proxied...)
	for _, tt := range tests {
		t.Run(tt.model+"/"+tt.axiom, func(t *testing.T) {
			m := load(t, tt.model)
			for _, l := range all {
				if l.name != tt.litmus {
					continue
				}
				x := newExecution(t, l.threads)
				if x.allowed(m) || !x.allowed(m, tt.axiom) {
					t.Errorf("%s: with all axioms %s, without %s %s", l.name, verdict(x.allowed(m)),
						tt.axiom, verdict(x.allowed(m, tt.axiom)))
				}
				return
			}
			t.Fatalf("no test %q", tt.litmus)
		})
	}
}

// TestFenceOrder checks the axioms on the order of fence.sc, which decide between orders and not
// between outcomes.
func TestFenceOrder(t *testing.T) {
	threads := mp(0, []string{"F SC GPU", "f: W y REL GPU"}, 1, []string{"R y ACQ GPU <- f", "F SC GPU"})
	const first, second = 0, 3
	tests := []struct {
		name   string
		pairs  [][2]int
		failed []string
	}{
		{"with causality", [][2]int{{first, second}}, nil},
		{"against causality", [][2]int{{second, first}}, []string{"FenceSC"}},
		{"cyclic", [][2]int{{first, second}, {second, first}}, []string{"FenceSC"}},
		{"missing", nil, []string{"FenceSCTotal"}},
	}
	for _, name := range []string{"ptx-6.0", "ptx-7.5"} {
		m := load(t, name)
		for _, tt := range tests {
			t.Run(name+"/"+tt.name, func(t *testing.T) {
				x := newExecution(t, threads)
				for _, pair := range tt.pairs {
					x.env.Rels["sync_fence"].Add(pair[0], pair[1])
				}
				x.env.Rels["co"].Add(x.byLabel["init y"], x.byLabel["f"])
				checks, _, err := m.Run(x.env)
				if err != nil {
					t.Fatal(err)
				}
				var failed []string
				for _, c := range checks {
					if !c.Holds && strings.HasPrefix(c.Name, "FenceSC") {
						failed = append(failed, c.Name)
					}
				}
				if diff := cmp.Diff(tt.failed, failed); diff != "" {
					t.Errorf("failed checks (-want +got):\n%s", diff)
				}
			})
		}
	}
}

// TestNames checks what the models ask of an environment: the lists in docs and in the header of
// ptx-7.5.cat follow this one.
func TestNames(t *testing.T) {
	want := map[string]string{
		"ptx-6.0": "ACQ ACQ_REL F R REL RLX SC W addr co ctrl data loc po rf rmw sr sync_barrier sync_fence",
		"ptx-7.5": "ACQ ACQ_REL ALIAS CON F GEN R RED REL RLX SC SUR TEX W addr co ctrl data loc po rf rmw scta sr " +
			"sync_barrier sync_fence vloc",
	}
	axioms := "Coherence CoherenceTotal FenceSC FenceSCTotal Atomicity NoThinAir SCperLocation Causality"
	for _, name := range Names() {
		if want[name] == "" {
			continue
		}
		m := load(t, name)
		if diff := cmp.Diff(strings.Fields(want[name]), m.Names()); diff != "" {
			t.Errorf("%s: names (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(strings.Fields(axioms), m.CheckNames()); diff != "" {
			t.Errorf("%s: checks (-want +got):\n%s", name, diff)
		}
	}
}

// TestLoadUnknown checks that a mistyped name lists the models there are.
func TestLoadUnknown(t *testing.T) {
	_, err := Load("ptx-9")
	if err == nil || !strings.Contains(err.Error(), `no built-in model "ptx-9"; the built-in models are mixedproxy, ptx-6.0, ptx-7.5`) {
		t.Errorf("Load = %v", err)
	}
}

// BenchmarkConsistent measures one execution of eight events, alone and in a session.
func BenchmarkConsistent(b *testing.B) {
	for _, name := range []string{"ptx-6.0", "ptx-7.5"} {
		b.Run(name, func(b *testing.B) {
			m, err := Load(name)
			if err != nil {
				b.Fatal(err)
			}
			x := newExecution(&testing.T{}, shared[5].threads)
			for b.Loop() {
				if _, err := m.Consistent(x.env); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/session", func(b *testing.B) {
			m, err := Load(name)
			if err != nil {
				b.Fatal(err)
			}
			x := newExecution(&testing.T{}, shared[5].threads)
			s := m.Session(x.env, "rf", "co", "sync_fence")
			for b.Loop() {
				if _, err := s.Consistent(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
