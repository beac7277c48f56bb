package ptx

import (
	"strconv"
	"strings"

	"ptxmc/model"
)

// mmaImmediates are the constants behind scale-d, by the type of A: imm-scale-a, imm-scale-b, and for 16-bit
// types imm-trans-a, imm-trans-b (PTX ISA 9.7.16, wgmma.mma_async).
func mmaImmediates(atype string) (scales, transposes bool) {
	switch atype {
	case "f16", "bf16":
		return true, true
	case "tf32", "e4m3", "e5m2":
		return true, false
	}
	return false, false
}

// mmaOperands decodes d, a-desc or a, b-desc, scale-d and the constants.
func (c *context) mmaOperands() error {
	in, m := c.in, c.m
	if len(c.ops) < 4 || c.ops[0].kind != opVector {
		return c.fail("%s has %s; expected {d}, a-desc or {a}, b-desc, scale-d and constants", c.name, plural(len(c.ops), "operand"))
	}
	n, _, _ := strings.Cut(strings.TrimPrefix(m["shape"].text, "m64n"), "k")
	in.MMA.N, _ = strconv.Atoi(n)
	in.MMA.ADesc = c.ops[1].kind != opVector

	dtype, regs := model.B32, in.MMA.N/4 // pairs of f16
	switch m["dtype"].text {
	case "f32":
		dtype, regs = model.F32, in.MMA.N/2
	case "s32":
		regs = in.MMA.N / 2
	}
	if got := len(c.ops[0].elems); got != regs {
		return c.errorf(c.ops[0].tok, "%s has %s; expected %d for this shape and type", c.name, plural(got, "accumulator"), regs)
	}
	for _, el := range c.ops[0].elems {
		d, err := c.dest(el, dtype, false)
		if err != nil {
			return err
		}
		in.Dst = append(in.Dst, d)
	}
	in.Src = make([]model.Operand, 2)
	var err error
	if in.Src[0], err = c.source(c.ops[3], model.Pred); err != nil {
		return err
	}
	if in.Src[1], err = c.source(c.ops[2], model.B64); err != nil {
		return err
	}
	a, atype := []operand{c.ops[1]}, model.B64
	if !in.MMA.ADesc {
		a, atype = c.ops[1].elems, model.B32
		if len(a) != 4 {
			return c.errorf(c.ops[1].tok, "matrix A has %s; expected 4", plural(len(a), "register"))
		}
	}
	for _, el := range a {
		s, err := c.source(el, atype)
		if err != nil {
			return err
		}
		in.Src = append(in.Src, s)
	}
	return c.mmaConstants(c.ops[4:])
}

// mmaConstants checks the constants; only the transpositions matter here.
func (c *context) mmaConstants(ops []operand) error {
	scales, transposes := mmaImmediates(c.m["atype"].text)
	want := 0
	if scales {
		want = 2
	}
	if transposes {
		want = 3
		if c.in.MMA.ADesc {
			want = 4
		}
	}
	if len(ops) != want {
		return c.fail("%s has %s behind scale-d; expected %d", c.name, plural(len(ops), "constant"), want)
	}
	for i, o := range ops {
		if o.kind != opConst {
			return c.errorf(o.tok, "operand %s of %s is not constant; expected an immediate", o.describe(), c.f.name)
		}
		v := int32(uint32(o.c.bits))
		switch {
		case i < 2 && v != 1 && v != -1:
			return c.errorf(o.tok, "%s is no scale; expected 1 or -1", o.tok.text)
		case i >= 2 && v != 0 && v != 1:
			return c.errorf(o.tok, "%s says nothing of a transposition; expected 0 or 1", o.tok.text)
		case i >= 2 && v == 1 && i == want-1:
			c.in.MMA.TransB = true
		case i >= 2 && v == 1:
			c.in.MMA.TransA = true
		}
	}
	return nil
}
