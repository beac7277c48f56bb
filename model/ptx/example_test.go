package ptx_test

import (
	"fmt"

	"ptxmc/model"
	"ptxmc/model/ptx"
)

func ExampleParse() {
	mod, err := ptx.Parse(model.NewSource("flag.ptx", `.version 9.4
.target sm_107a
.visible .entry wait(.param .u64 flag)
{
	.reg .pred p;
	.reg .b32 v;
	.reg .b64 a;
	ld.param.u64 a, [flag];
again:
	ld.acquire.gpu.global.u32 v, [a];
	setp.eq.u32 p, v, 0;
	@p bra again;
}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for pc, in := range mod.Entry("wait").Code {
		fmt.Println(pc, in.Text)
	}
	_, err = ptx.Parse(model.NewSource("flag.ptx", ".version 9.4\n.target sm_107a\n.entry k() {\n\tfence.acq_rle.gpu;\n}"))
	fmt.Println(err)
	// Output:
	// 0 ld.param.u64 a, [flag]
	// 1 ld.acquire.gpu.global.u32 v, [a]
	// 2 setp.eq.u32 p, v, 0
	// 3 @p bra again
	// flag.ptx:4:8: fence cannot take .acq_rle; expected another qualifier; did you mean .acq_rel?
	//      fence.acq_rle.gpu;
	//            ^
}
