package ptx

import "ptxmc/model"

// addrSpace is the state space of the next address operand.
func (c *context) addrSpace() model.Space {
	if c.f.op != model.BulkCopy && c.f.op != model.CopyAsync {
		return c.in.Space
	}
	switch len(c.in.Addrs) {
	case 0:
		return c.in.Bulk.DstSpace
	case 1:
		return c.in.Bulk.SrcSpace
	default:
		return c.in.Bulk.DstSpace // the mbarrier lies with the destination
	}
}

// addr decodes [base+off] of a space (PTX ISA 6.4.1). A variable named by an instruction without
// a space gives the instruction its own space.
func (c *context) addr(o operand, space model.Space) (model.Address, error) {
	var a model.Address
	if o.kind != opAddr {
		return a, c.errorf(o.tok, "operand of %s is %s; expected an address in brackets; write [%s]", c.f.name, o.describe(), o.tok.text)
	}
	if len(o.elems) > 1 {
		return a, c.errorf(o.elems[1].tok, "address of %s has coordinates; expected them in the address of a tensor map only; remove them", c.f.name)
	}
	base := o.elems[0]
	a.Off = o.off
	if base.kind == opConst {
		v, bad := immediate(base.c, model.U64)
		if bad != "" {
			return a, c.errorf(base.tok, "%s", bad)
		}
		if space == model.ParamSpace {
			return a, c.errorf(base.tok, "parameter address is a constant; expected the name of a parameter")
		}
		a.Base = model.Operand{Kind: model.ImmOperand, Imm: v}
		return a, nil
	}
	d, y := c.sc.lookup(base.name)
	if y != nil {
		if err := c.symbolSpace(base, y, space); err != nil {
			return a, err
		}
		a.Base = c.symbolOperand(y)
		return a, nil
	}
	if d == nil {
		if _, ok := specials[base.name]; ok {
			return a, c.errorf(base.tok, "special register %s is no address; expected a register or a variable; move it into a register", base.name)
		}
		return a, c.unknown(base.tok, base.name, c.sc)
	}
	if space == model.ParamSpace {
		return a, c.errorf(base.tok, "parameter address is register %s; expected the name of a parameter; name it", base.name)
	}
	r, err := c.use(base.tok, d)
	if err != nil {
		return a, err
	}
	typ := c.e.RegTypes[r]
	short := space.Shared() && typ.Bits() == 32
	if typ.Float() || typ == model.Pred || typ.Bits() != 64 && !short {
		want := "a 64-bit register"
		if space.Shared() {
			want = "a 32-bit or 64-bit register"
		}
		return a, c.errorf(base.tok, "address register %s is .%s; expected %s for .%s addresses; convert it with cvt.u64.u32", base.name, typ, want, space)
	}
	a.Base = model.Operand{Kind: model.RegOperand, Reg: r}
	return a, nil
}

// symbolSpace checks that the variable lies in the space of the instruction.
func (c *context) symbolSpace(base operand, y *symbol, space model.Space) error {
	have := y.op.Space
	switch {
	case have == space, have == model.SharedCTA && space == model.SharedCluster:
		return nil // shared::cta is a part of the shared::cluster window
	case c.f.op == model.MBarrier && !have.Shared():
		return c.errorf(base.tok, "%s lies in .%s; expected an mbarrier object in shared memory; declare it .shared .align 8 .b64 %s", base.name, have, base.name)
	case space == model.GenericSpace && have == model.ConstSpace && c.f.op != model.Ld && c.f.op != model.Nop:
		return c.errorf(base.tok, "%s lies in .const, which cannot be written; expected .global or .shared; move the variable", base.name)
	case space == model.GenericSpace && have != model.ParamSpace && c.f.op != model.BulkCopy && c.f.op != model.CopyAsync:
		if c.in.Space == model.GenericSpace {
			c.in.Space = have
		}
		return nil
	}
	name := "." + space.String()
	if space == model.GenericSpace {
		name = "no state space"
	}
	return c.errorf(base.tok, "%s lies in .%s but %s says %s; expected the space of the variable; write .%s", base.name, have, c.f.name, name, have)
}
