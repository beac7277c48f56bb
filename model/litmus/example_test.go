package litmus_test

import (
	"fmt"

	"ptxmc/model/litmus"
)

// A test asks about the final values of registers and locations.
func ExampleParse() {
	progs, err := litmus.Parse("mp.litmus", `PTX mp
{ x=0; flag=0; }
 P0@cta 0,gpu 0        | P1@cta 1,gpu 0          ;
 st.weak x, 1          | ld.acquire.gpu r0, flag ;
 st.release.gpu flag, 1| ld.weak r1, x           ;
~exists (P1:r0 == 1 /\ P1:r1 == 0)`)
	if err != nil {
		fmt.Println(err)
		return
	}
	c := progs[0].Conditions[0]
	stale := litmus.Eval(c.Expr, func(t litmus.Term) int64 { return map[string]int64{"P1:r0": 1}[t.Name] })
	fmt.Println(c.Kind, c.Expr, stale)
	// Output: ~exists ((P1:r0 == 1) && (P1:r1 == 0)) 1
}

// A diagnostic says where, what was expected and how to mend it.
func ExampleParse_diagnostic() {
	_, err := litmus.Parse("mp.litmus", "PTX mp\n{ x=0; }\n P0@cta 0,gpu 0 ;\n st.release x, 1 ;\nexists (x == 1)")
	fmt.Println(err)
	// Output:
	// mp.litmus:4:2: st.release needs a scope; expected .cta, .cluster, .gpu or .sys
	//      st.release x, 1 ;
	//      ^
}
