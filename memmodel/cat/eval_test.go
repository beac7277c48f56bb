package cat

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ptxmc/memmodel"
)

// smallEnv is an execution of four events: two threads 0→1 and 2→3 in po.
func smallEnv() *Env {
	return &Env{N: 4,
		Sets: map[string]*memmodel.Set{"A": set(4, 0, 1), "B": set(4, 1, 2), "W": set(4, 0, 3), "R": set(4, 1, 2)},
		Rels: map[string]*memmodel.Rel{
			"po": rel(4, "0-1 2-3"), "r": rel(4, "0-1 1-2"), "s": rel(4, "1-2 2-3 3-3"),
			"loc": rel(4, "0-2 2-0 0-0 2-2"), "rf": rel(4, "0-2"), "co": rel(4, "0-3"),
		}}
}

func set(n int, members ...int) *memmodel.Set {
	s := memmodel.NewSet(n)
	for _, i := range members {
		s.Add(i)
	}
	return s
}

// rel reads pairs such as "0-1 2-3".
func rel(n int, pairs string) *memmodel.Rel {
	r := memmodel.NewRel(n)
	for _, pair := range strings.Fields(pairs) {
		var i, j int
		if _, err := fmt.Sscanf(pair, "%d-%d", &i, &j); err != nil {
			panic(err)
		}
		r.Add(i, j)
	}
	return r
}

func (v Value) String() string {
	switch {
	case v.Set != nil:
		return v.Set.String()
	case v.Rel != nil:
		return v.Rel.String()
	default:
		return "nothing"
	}
}

// TestEvaluate checks every construct on the small execution.
func TestEvaluate(t *testing.T) {
	tests := []struct{ text, want string }{
		// sets
		{"let x = A | B", "{0 1 2}"},
		{"let x = A & B", "{1}"},
		{`let x = A \ B`, "{0}"},
		{"let x = ~A", "{2 3}"},
		{"let x = !A", "{2 3}"},
		{"let x = _", "{0 1 2 3}"},
		{"let x = domain(r)", "{0 1}"},
		{"let x = range(r)", "{1 2}"},
		{"let x = A | {}", "{0 1}"},
		{"let x = A & emptyset", "{}"},
		{`let x = {} \ A`, "{}"},
		{"let x = M", "{0 1 2 3}"},
		// relations
		{"let x = r | s", "{0→1 1→2 2→3 3→3}"},
		{"let x = r & s", "{1→2}"},
		{`let x = r \ s`, "{0→1}"},
		{"let x = ~(r | _*A | B*_)", "{0→2 0→3 3→2 3→3}"},
		{"let x = r ; s", "{0→2 1→3}"},
		{"let x = r^-1", "{1→0 2→1}"},
		{"let x = r+", "{0→1 0→2 1→2}"},
		{"let x = r*", "{0→0 0→1 0→2 1→1 1→2 2→2 3→3}"},
		{"let x = r?", "{0→0 0→1 1→1 1→2 2→2 3→3}"},
		{"let x = A * B", "{0→1 0→2 1→1 1→2}"},
		{"let x = [A]", "{0→0 1→1}"},
		{"let x = toid(A)", "{0→0 1→1}"},
		{"let x = id", "{0→0 1→1 2→2 3→3}"},
		{"let x = [A] ; s", "{1→2}"},
		{"let x = r ; [A]", "{0→1}"},
		{"let x = [A] ; [B]", "{1→1}"},
		{"let x = 0 ; r", "{}"},
		{"let x = r | 0", "{0→1 1→2}"},
		{"let x = [{}]", "{}"},
		{"let x = 0+", "{}"},
		{"let x = 0 | {}", "nothing"},
		// prelude
		{"let x = fr", "{2→3}"},
		{"let x = rfe", "{0→2}"},
		{"let x = rfi", "{}"},
		{"let x = po-loc", "{}"},
		{"let x = fencerel(B)", "{}"},
		{"let po = po+ | r let x = fencerel(B)", "{}"}, // the prelude's po is the environment's
		// definitions
		{"let a = r let a = a;s let x = a", "{0→2 1→3}"},
		{"let r = s and s = r let x = r & s", "{1→2}"}, // let … and: neither sees the other
		{"let f(a) = a;a let x = f(r)", "{0→2}"},
		{"let f a = a;a let x = f r | f(s)", "{0→2 1→3 2→3 3→3}"},
		{"let f(a, b) = a \\ b let x = f(r, s)", "{0→1}"},
		{"let f() = r let x = f()", "{0→1 1→2}"},
		{"let q = r let f(a) = a;q let q = s let x = f(r)", "{0→2}"}, // the scope it was written in
		{"let f(po) = po | s let x = f(r)", "{0→1 1→2 2→3 3→3}"},
		{"let domain(a) = a;a let x = domain(r)", "{0→2}"},
		{"let x = let a = r in let b = a in a;b", "{0→2}"},
		{"let a = r in let x = a", "{0→1 1→2}"},
		// fixpoints
		{"let rec x = r | (x;x)", "{0→1 0→2 1→2}"},
		{"let rec x = (r | s) | (x; (r | s))", "{0→1 0→2 0→3 1→2 1→3 2→3 3→3}"},
		{"let rec x = A | domain(s & (_ * x))", "{0 1}"},
		{"let rec x = B | range([x]; s)", "{1 2 3}"},
		{"let rec y = r | z and z = y;y let x = z", "{0→2}"},
		{"let rec x = x", "nothing"},
		{"let rec y = x;x and x = r", "{0→1 1→2}"},
		{"let rec x = r | (let rec y = x | y;y in y;s)", "{0→1 0→2 0→3 1→2 1→3}"}, // one in another
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			m, err := Parse("m.cat", tt.text, nil)
			if err != nil {
				t.Fatal(err)
			}
			_, values, err := m.Run(smallEnv())
			if err != nil {
				t.Fatal(err)
			}
			if got := values["x"].String(); got != tt.want {
				t.Errorf("x = %s, want %s", got, tt.want)
			}
		})
	}
}

// TestChecks checks every form of check with its witness.
func TestChecks(t *testing.T) {
	tests := []struct {
		text string
		want Check
	}{
		{"acyclic r as C", Check{Name: "C", Kind: "acyclic", Holds: true}},
		{"acyclic r | (B * A) as C", Check{Name: "C", Kind: "acyclic", Witness: []int{1}}},
		{"acyclic r | (rf^-1) as C", Check{Name: "C", Kind: "acyclic", Witness: []int{0, 1, 2}}},
		{"irreflexive r as C", Check{Name: "C", Kind: "irreflexive", Holds: true}},
		{"irreflexive r | s as C", Check{Name: "C", Kind: "irreflexive", Witness: []int{3}}},
		{"empty r as C", Check{Name: "C", Kind: "empty", Witness: []int{0, 1}}},
		{"empty r & rf as C", Check{Name: "C", Kind: "empty", Holds: true}},
		{"empty A & B as C", Check{Name: "C", Kind: "empty", Witness: []int{1}}},
		{"empty {} as C", Check{Name: "C", Kind: "empty", Holds: true}},
		{"acyclic {} as C", Check{Name: "C", Kind: "acyclic", Holds: true}},
		{"~empty r as C", Check{Name: "C", Kind: "empty", Negated: true, Holds: true, Witness: []int{0, 1}}},
		{"~empty 0 as C", Check{Name: "C", Kind: "empty", Negated: true}},
		{"~acyclic r as C", Check{Name: "C", Kind: "acyclic", Negated: true}},
		{"~irreflexive s as C", Check{Name: "C", Kind: "irreflexive", Negated: true, Holds: true, Witness: []int{3}}},
		{"flag ~empty B as C", Check{Name: "C", Kind: "empty", Flag: true, Negated: true, Holds: true, Witness: []int{1}}},
		{"flag empty B as C", Check{Name: "C", Kind: "empty", Flag: true, Witness: []int{1}}},
		{"\nempty 0", Check{Name: "empty at line 2", Kind: "empty", Holds: true}},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			m, err := Parse("m.cat", tt.text, nil)
			if err != nil {
				t.Fatal(err)
			}
			checks, _, err := m.Run(smallEnv())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]Check{tt.want}, checks); diff != "" {
				t.Errorf("checks (-want +got):\n%s", diff)
			}
			consistent, err := m.Consistent(smallEnv())
			if err != nil || consistent != (tt.want.Flag || tt.want.Holds) {
				t.Errorf("Consistent = %v, %v", consistent, err)
			}
		})
	}
}

// TestEvaluateErrors checks what is said where a model and an execution do not fit.
func TestEvaluateErrors(t *testing.T) {
	tests := []struct{ text, want string }{
		{"let x = A ; r", "m.cat:1:11: the left operand of ; is a set; expected a relation; write [S] for the identity on S"},
		{"let x = r ; A", "m.cat:1:11: the right operand of ; is a set; expected a relation"},
		{"let x = A | r", "m.cat:1:11: the left operand of | is a set and the right one a relation; expected two sets or two relations"},
		{"let x = r & A", "m.cat:1:11: the left operand of & is a relation and the right one a set"},
		{`let x = r \ A`, `m.cat:1:11: the left operand of \ is a relation and the right one a set`},
		{"let x = A * r", "m.cat:1:11: the right operand of * is a relation; expected a set; write domain(r) or range(r)"},
		{"let x = A+", "m.cat:1:10: the operand of + is a set; expected a relation"},
		{"let x = A^-1", "m.cat:1:10: the operand of ^-1 is a set; expected a relation"},
		{"let x = [r]", "m.cat:1:9: the operand of [ ] is a relation; expected a set"},
		{"let x = domain(A)", "m.cat:1:9: the operand of domain is a set; expected a relation"},
		{"let x = ~{}", "m.cat:1:9: ~{} is either all events or all pairs of them"},
		{"acyclic A", "m.cat:1:1: acyclic is asked of a set; expected a relation"},
		{"irreflexive A", "m.cat:1:1: irreflexive is asked of a set; expected a relation"},
		{"let x = p", `m.cat:1:9: nothing defines "p": neither the model nor the execution; expected a set or a relation; did you mean "po"?`},
		{"let x = unheard-of", `m.cat:1:9: nothing defines "unheard-of": neither the model nor the execution; expected a set or a relation` + "\n"},
		{`let rec x = r \ x`, `m.cat:1:9: the definition of "x" has no least fixpoint: it shrinks as the name grows`},
		{"let rec x = A | domain(x)", "m.cat:1:17: the operand of domain is a set"},
		{"let x = both", `m.cat:1:9: the environment provides "both" as a set and as a relation`},
		{"let x = short", `m.cat:1:9: the environment provides the set "short" over 3 events; expected 4`},
		{"let x = long", `m.cat:1:9: the environment provides the relation "long" over 5 events; expected 4`},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			m, err := Parse("m.cat", tt.text, nil)
			if err != nil {
				t.Fatal(err)
			}
			env := smallEnv()
			env.Sets["both"], env.Rels["both"] = set(4), rel(4, "")
			env.Sets["short"], env.Rels["long"] = set(3), rel(5, "")
			_, _, err = m.Run(env)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error:\n%v\nwant it to hold:\n%s", err, tt.want)
			}
		})
	}
}

// TestEnvironmentBeforePrelude checks that a provided relation replaces its usual definition.
func TestEnvironmentBeforePrelude(t *testing.T) {
	m, err := Parse("m.cat", "let x = fr", nil)
	if err != nil {
		t.Fatal(err)
	}
	env := smallEnv()
	env.Rels["fr"] = rel(4, "1-1")
	_, values, err := m.Run(env)
	if err != nil || values["x"].String() != "{1→1}" {
		t.Errorf("x = %v, %v, want {1→1}", values["x"], err)
	}
}
