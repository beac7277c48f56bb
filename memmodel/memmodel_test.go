package memmodel

import (
	"fmt"
	"testing"
)

// places around the origin, from near to far.
var (
	origin       = Place{}
	otherThread  = Place{Thread: 1}
	otherCTA     = Place{CTA: 1}
	otherCluster = Place{Cluster: 1, CTA: 2}
	otherGPU     = Place{GPU: 1, Cluster: 2, CTA: 4}
)

// TestCommon checks the narrowest common scope, both ways round.
func TestCommon(t *testing.T) {
	tests := []struct {
		name string
		p, q Place
		want Scope
	}{
		{"itself", origin, origin, CTA},
		{"a thread of the CTA", origin, otherThread, CTA},
		{"a CTA of the cluster", origin, otherCTA, Cluster},
		{"a CTA of the cluster, another thread", origin, Place{CTA: 1, Thread: 7}, Cluster},
		{"another cluster", origin, otherCluster, GPU},
		{"another cluster with the same CTA number", origin, Place{Cluster: 1}, GPU},
		{"another GPU", origin, otherGPU, Sys},
		{"another GPU with the same other numbers", origin, Place{GPU: 1}, Sys},
		{"two far CTAs of one cluster", Place{1, 2, 4, 0}, Place{1, 2, 5, 3}, Cluster},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.p.Common(tt.q); got != tt.want {
				t.Errorf("Common(%v, %v) = %v, want %v", tt.p, tt.q, got, tt.want)
			}
			if got := tt.q.Common(tt.p); got != tt.want {
				t.Errorf("the other way round: %v, want %v", got, tt.want)
			}
		})
	}
}

// TestIncludes checks every scope against every distance.
func TestIncludes(t *testing.T) {
	tests := []struct {
		scope                           Scope
		self, thread, cta, cluster, gpu bool
	}{
		{ScopeNone, false, false, false, false, false},
		{CTA, true, true, false, false, false},
		{Cluster, true, true, true, false, false},
		{GPU, true, true, true, true, false},
		{Sys, true, true, true, true, true},
	}
	for _, tt := range tests {
		for _, at := range []struct {
			name string
			q    Place
			want bool
		}{
			{"itself", origin, tt.self},
			{"another thread", otherThread, tt.thread},
			{"another CTA", otherCTA, tt.cta},
			{"another cluster", otherCluster, tt.cluster},
			{"another GPU", otherGPU, tt.gpu},
		} {
			t.Run(fmt.Sprintf("%v/%s", tt.scope, at.name), func(t *testing.T) {
				if got := tt.scope.Includes(origin, at.q); got != at.want {
					t.Errorf("Includes = %t, want %t", got, at.want)
				}
				if got := tt.scope.Includes(at.q, origin); got != at.want {
					t.Errorf("the other way round: %t, want %t", got, at.want)
				}
			})
		}
	}
}

// TestScopeOrder holds the order that Includes and the heads rest on.
func TestScopeOrder(t *testing.T) {
	order := []Scope{ScopeNone, CTA, Cluster, GPU, Sys}
	for i := 1; i < len(order); i++ {
		if order[i-1] >= order[i] {
			t.Errorf("%v is not narrower than %v", order[i-1], order[i])
		}
	}
}

// TestSem checks the predicates of each semantics (PTX ISA 8.4).
func TestSem(t *testing.T) {
	tests := []struct {
		sem                        Sem
		acquires, releases, strong bool
	}{
		{Weak, false, false, false},
		{Relaxed, false, false, true},
		{Acquire, true, false, true},
		{Release, false, true, true},
		{AcqRel, true, true, true},
		{SC, true, true, true},
	}
	for _, tt := range tests {
		t.Run(tt.sem.String(), func(t *testing.T) {
			if got := tt.sem.Acquires(); got != tt.acquires {
				t.Errorf("Acquires = %t", got)
			}
			if got := tt.sem.Releases(); got != tt.releases {
				t.Errorf("Releases = %t", got)
			}
			if got := tt.sem.Strong(); got != tt.strong {
				t.Errorf("Strong = %t", got)
			}
		})
	}
}

// TestZero holds what an unqualified operation gets by default.
func TestZero(t *testing.T) {
	var (
		s Scope
		m Sem
		p Proxy
	)
	if s != ScopeNone || m != Weak || p != Generic {
		t.Errorf("the zero values are %v, %v, %v", s, m, p)
	}
}

// TestString checks every name, and a value without one.
func TestString(t *testing.T) {
	tests := []struct {
		v    fmt.Stringer
		want string
	}{
		{ScopeNone, "none"}, {CTA, "cta"}, {Cluster, "cluster"}, {GPU, "gpu"}, {Sys, "sys"}, {Sys + 1, "Scope(5)"}, {Scope(255), "Scope(255)"},
		{Weak, "weak"}, {Relaxed, "relaxed"}, {Acquire, "acquire"}, {Release, "release"}, {AcqRel, "acq_rel"}, {SC, "sc"}, {SC + 1, "Sem(6)"},
		{Generic, "generic"}, {Async, "async"}, {Surface, "surface"}, {Texture, "texture"}, {Constant, "constant"}, {Constant + 1, "Proxy(5)"},
	}
	for _, tt := range tests {
		if got := tt.v.String(); got != tt.want {
			t.Errorf("%T: %q, want %q", tt.v, got, tt.want)
		}
	}
}
