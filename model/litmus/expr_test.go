package litmus

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// expressions generates what the parser can return over the names of TestExpressionsRoundTrip.
func expressions() *rapid.Generator[Expr] {
	leaf := rapid.OneOf(
		rapid.Map(rapid.Int64(), func(n int64) Expr { return Const(n) }),
		rapid.SampledFrom([]Expr{
			Term{Thread: -1, Loc: 1, Name: "y"}, Term{Thread: 0, Reg: "r0", Name: "P0:r0"}, Term{Thread: 1, Reg: "r7", Name: "P1:r7"},
			AddrOf{0, "x"},
		}),
	)
	var node func(depth int) *rapid.Generator[Expr]
	node = func(depth int) *rapid.Generator[Expr] {
		if depth == 0 {
			return leaf
		}
		sub := rapid.Deferred(func() *rapid.Generator[Expr] { return node(depth - 1) })
		return rapid.OneOf(leaf,
			rapid.Map(sub, func(x Expr) Expr { return &Unary{"!", x} }),
			rapid.Custom(func(t *rapid.T) Expr {
				op := rapid.SampledFrom([]string{"||", "&&", "==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/"}).Draw(t, "op")
				return &Binary{op, sub.Draw(t, "x"), sub.Draw(t, "y")}
			}),
		)
	}
	return node(5)
}

// TestExpressionsRoundTrip checks that an expression, written out, is read as itself.
func TestExpressionsRoundTrip(t *testing.T) {
	gen := expressions()
	rapid.Check(t, func(t *rapid.T) {
		e := gen.Draw(t, "e")
		progs, err := Parse("t.litmus", "PTX t\n{x=0; y=0; P0:r0=0; P1:r7=0;}\nP0@cta 0,gpu 0 | P1@cta 0,gpu 0;\nexists "+e.String())
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(e, progs[0].Conditions[0].Expr); d != "" {
			t.Fatalf("%s was read differently:\n%s", e, d)
		}
	})
}
