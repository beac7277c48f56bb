// Package memmodel holds the vocabulary of the PTX memory consistency model: scopes, proxies,
// memory-ordering semantics, the place of a thread, and moral strength (PTX ISA chapter 8).
package memmodel

import "fmt"

// Scope is a set of threads around the executing one (PTX ISA 8.5). Scopes are ordered by
// inclusion: CTA ⊂ Cluster ⊂ GPU ⊂ Sys.
type Scope uint8

// The scopes of PTX ISA 8.5. ScopeNone is the scope of a weak operation.
const (
	ScopeNone Scope = iota
	CTA
	Cluster
	GPU
	Sys
)

var scopeNames = [...]string{"none", "cta", "cluster", "gpu", "sys"}

// String returns the qualifier without its dot.
func (s Scope) String() string { return name(scopeNames[:], int(s), "Scope") }

// Sem is the memory-ordering semantics of an operation (PTX ISA 8.4).
type Sem uint8

// The semantics qualifiers. Weak is also that of an unqualified ld or st. SC exists for fences only.
const (
	Weak Sem = iota
	Relaxed
	Acquire
	Release
	AcqRel
	SC
)

var semNames = [...]string{"weak", "relaxed", "acquire", "release", "acq_rel", "sc"}

// String returns the qualifier without its dot.
func (s Sem) String() string { return name(semNames[:], int(s), "Sem") }

// Acquires reports whether the operation is an acquire operation (PTX ISA 8.4).
func (s Sem) Acquires() bool { return s == Acquire || s == AcqRel || s == SC }

// Releases reports whether the operation is a release operation (PTX ISA 8.4).
func (s Sem) Releases() bool { return s == Release || s == AcqRel || s == SC }

// Strong reports whether the operation is a strong operation (PTX ISA 8.4).
func (s Sem) Strong() bool { return s != Weak }

// Proxy is an abstraction of a method of memory access (PTX ISA 8.6).
type Proxy uint8

// The proxies of PTX ISA 8.6 but for tensormap; alias is one of addresses, not of accesses. PTX programs
// use the first two, litmus tests also name the others.
const (
	Generic Proxy = iota
	Async
	Surface
	Texture
	Constant
)

var proxyNames = [...]string{"generic", "async", "surface", "texture", "constant"}

// String returns the name used by fence.proxy.
func (p Proxy) String() string { return name(proxyNames[:], int(p), "Proxy") }

// Place says where an agent runs; two places are compared to find the narrowest common scope.
// Cluster and CTA are numbered over all grids of the program.
type Place struct {
	GPU, Cluster, CTA, Thread int
}

// Common returns the narrowest scope around p that includes q.
func (p Place) Common(q Place) Scope {
	switch {
	case p.GPU != q.GPU:
		return Sys
	case p.Cluster != q.Cluster:
		return GPU
	case p.CTA != q.CTA:
		return Cluster
	default:
		return CTA
	}
}

// Includes reports whether scope s around p includes q.
func (s Scope) Includes(p, q Place) bool {
	return s != ScopeNone && s >= p.Common(q)
}

func name(names []string, i int, kind string) string {
	if i < len(names) {
		return names[i]
	}
	return fmt.Sprintf("%s(%d)", kind, i)
}
