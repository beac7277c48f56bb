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

// tensorRegisters is how many registers of 32 bits one repetition of a shape of tcgen05.ld and .st takes (PTX
// ISA 9.7.17, data movement shapes).
var tensorRegisters = map[string]int{"16x64b": 1, "32x32b": 1, "16x128b": 2, "16x256b": 4}

// tensorOperands decodes tcgen05.ld, .st and .mma. Addresses in tensor memory are checked and left out.
func (c *context) tensorOperands() error {
	if c.f.name == "tcgen05.mma" {
		return c.tensorMMA()
	}
	data, addr := 0, 1
	if c.f.name == "tcgen05.st" {
		data, addr = 1, 0
	}
	if len(c.ops) != 2 || c.ops[addr].kind != opAddr || c.ops[data].kind != opVector {
		return c.fail("%s has other operands than {registers} and [address]; expected tcgen05.ld r, [taddr] or tcgen05.st [taddr], r", c.name)
	}
	n, _ := strconv.Atoi(c.m["num"].text[1:])
	n *= tensorRegisters[c.m["sh"].text]
	if got := len(c.ops[data].elems); got != n || n > maxVector {
		return c.errorf(c.ops[data].tok, "%s has %s; expected %d", c.name, plural(got, "register"), n)
	}
	for _, el := range c.ops[data].elems {
		if data == 1 {
			if _, err := c.source(el, model.B32); err != nil {
				return err
			}
			continue
		}
		d, err := c.dest(el, model.B32, false)
		if err != nil {
			return err
		}
		c.in.Dst = append(c.in.Dst, d)
	}
	_, err := c.source(c.ops[addr].elems[0], model.B32)
	return err
}

// tensorMMA decodes [d], a-desc or [a], b-desc, idesc, {disable-output-lane}, enable-input-d, scale-input-d.
func (c *context) tensorMMA() error {
	in := c.in
	if len(c.ops) < 5 || len(c.ops) > 7 || c.ops[0].kind != opAddr {
		return c.fail("%s has %s; expected [d], a-desc or [a], b-desc, idesc and enable-input-d", c.name, plural(len(c.ops), "operand"))
	}
	if _, err := c.source(c.ops[0].elems[0], model.B32); err != nil {
		return err
	}
	in.MMA.ADesc = c.ops[1].kind != opAddr
	in.Src = make([]model.Operand, 2)
	var err error
	if in.Src[0], err = c.source(c.ops[3], model.B32); err != nil {
		return err
	}
	if in.Src[1], err = c.source(c.ops[2], model.B64); err != nil {
		return err
	}
	if !in.MMA.ADesc {
		_, err = c.source(c.ops[1].elems[0], model.B32)
	} else {
		var a model.Operand
		a, err = c.source(c.ops[1], model.B64)
		in.Src = append(in.Src, a)
	}
	if err != nil {
		return err
	}
	rest := c.ops[4:]
	if rest[0].kind == opVector {
		for _, el := range rest[0].elems {
			if _, err := c.source(el, model.B32); err != nil {
				return err
			}
		}
		rest = rest[1:]
	}
	if len(rest) == 0 {
		return c.fail("%s has no enable-input-d; expected a predicate behind the descriptors", c.name)
	}
	_, err = c.source(rest[0], model.Pred)
	return err
}
