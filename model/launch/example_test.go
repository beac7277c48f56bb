package launch_test

import (
	"fmt"

	"ptxmc/model"
	"ptxmc/model/launch"
)

func ExampleSpec_Case() {
	spec, err := launch.Load("copy.ptx", `
//@ buffer out : u32[2] = 0
//@ launch one grid 1 block 1 args out+4
//@ final out[1] == 1
//@ expect verified
.version 8.0
.target sm_90
.address_size 64
.entry one(.param .u64 out)
{
    .reg .u64 %rd1;
    ld.param.u64 %rd1, [out];
    st.global.u32 [%rd1], 1; //@ mark store
    ret;
}
//@ variant no-store
//@   expect refuted asserts
//@   delete store
`)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, name := range append(spec.VariantNames(), "") {
		c, err := spec.Case(name, nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(len(c.Module.Entries[0].Code), "instructions, verified:", c.Plan.Expect.Verified)
		// Memory as it would be if the store had not happened.
		fmt.Println(c.Plan.Finals[0].Check(func(buffer string, elem int) (model.Value, bool) {
			return model.Value{}, true
		}))
	}
	// Output:
	// 2 instructions, verified: false
	// false out[1] is 0, expected 1
	// 3 instructions, verified: true
	// false out[1] is 0, expected 1
}
