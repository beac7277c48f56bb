package alu_test

import (
	"fmt"

	"ptxmc/model"
	"ptxmc/model/alu"
)

// A producer makes sure that it never stores the sentinel -0.0 by adding +0.0.
func ExampleEval() {
	in := &model.Instr{Op: model.Add, Type: model.F32, Round: model.RN}
	minusZero, zero := model.Value{Lo: 0x80000000}, model.Value{}
	dst, err := alu.Eval(in, []model.Value{minusZero, zero})
	fmt.Printf("%#x %v\n", dst[0].Lo, err)
	// Output: 0x0 <nil>
}
