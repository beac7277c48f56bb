package ptx

import "ptxmc/model"

// movOperands decodes mov: a scalar, the address of a variable, packing or unpacking (PTX ISA
// 9.7.10, mov).
func (c *context) movOperands() error {
	if len(c.ops) != 2 {
		return c.fail("%s has %s; expected 2 operands (d, a)", c.name, plural(len(c.ops), "operand"))
	}
	d, a, in := c.ops[0], c.ops[1], c.in
	in.DstVec, in.SrcVec = d.kind == opVector, a.kind == opVector
	if in.DstVec && in.SrcVec {
		return c.errorf(d.tok, "both operands of mov are vectors; expected one; move the elements one by one")
	}
	if in.DstVec || in.SrcVec {
		return c.packOperands(d, a)
	}
	dst, err := c.dest(d, in.Type, false)
	if err != nil {
		return err
	}
	src, err := c.source(a, in.Type)
	in.Dst, in.Src = []model.Operand{dst}, []model.Operand{src}
	return err
}

func (c *context) packOperands(d, a operand) error {
	in, vec := c.in, d
	if in.SrcVec {
		vec = a
	}
	n := len(vec.elems)
	if !isBits(in.Type) {
		return c.errorf(vec.tok, "%s has a vector operand; expected a .b type; write mov.b%d", c.name, in.Type.Bits())
	}
	if n != 2 && n != 4 || in.Type.Bits()/n < 8 {
		return c.errorf(vec.tok, "vector has %s; expected 2 or 4 that together have %d bits", plural(n, "element"), in.Type.Bits())
	}
	part := map[int]model.Type{8: model.B8, 16: model.B16, 32: model.B32, 64: model.B64}[in.Type.Bits()/n]
	if in.SrcVec {
		dst, err := c.dest(d, in.Type, false)
		if err != nil {
			return err
		}
		in.Dst = []model.Operand{dst}
		for _, el := range a.elems {
			s, err := c.source(el, part)
			if err != nil {
				return err
			}
			in.Src = append(in.Src, s)
		}
		return nil
	}
	for _, el := range d.elems {
		dst, err := c.dest(el, part, true)
		if err != nil {
			return err
		}
		in.Dst = append(in.Dst, dst)
	}
	src, err := c.source(a, in.Type)
	in.Src = []model.Operand{src}
	return err
}

// finCompare checks the comparison against the type (PTX ISA 9.3, Tables 22 to 24) and the
// boolean operand.
func finCompare(c *context) error {
	t, cmp := c.in.Type, c.m["cmp"]
	if c.f.op == model.Set {
		t = c.in.SrcType
	}
	k := c.in.Compare
	ok := true
	want := ""
	switch {
	case isBits(t):
		ok, want = k == model.EQ || k == model.NE, ".eq or .ne for bit types"
	case t.Float():
		ok, want = k < model.LO || k > model.HS, "an ordered or unordered comparison for floating-point types"
	case t.Signed():
		ok, want = k <= model.GE, ".eq .ne .lt .le .gt or .ge for signed types"
	default:
		ok, want = k <= model.HS, ".eq .ne .lt .le .gt .ge .lo .ls .hi or .hs for unsigned types"
	}
	if !ok {
		return c.errorf(cmp.tok, "comparison .%s does not exist for .%s; expected %s; change the comparison or the type", cmp.text, t, want)
	}
	if c.in.FTZ && t != model.F32 && t != model.F16 {
		return c.errorf(c.m["ftz"].tok, ".ftz does not exist for .%s; expected .f32 or .f16; remove .ftz", t)
	}
	if c.m.has("bool") != (len(c.in.Src) == 3) {
		if c.m.has("bool") {
			return c.fail("%s has no predicate to combine with; expected a third source operand; add it or remove .%s", c.name, c.m["bool"].text)
		}
		return c.fail("%s has a predicate operand but no operation for it; expected .and, .or or .xor after the comparison; add it", c.name)
	}
	return nil
}

// finCvt checks the rounding rules of cvt (PTX ISA 9.7.10, cvt).
func finCvt(c *context) error {
	in := c.in
	d, s := in.Type, in.SrcType
	integral := in.Round >= model.RNI
	rounding := ""
	switch {
	case s.Float() && !d.Float():
		if !integral {
			rounding = ".rni, .rzi, .rmi or .rpi"
		}
	case !s.Float() && d.Float(), s.Float() && d.Float() && d.Bits() < s.Bits():
		if integral || in.Round == model.NoRound {
			rounding = ".rn, .rz, .rm or .rp"
		}
	case s == d && s.Float():
		if !integral && in.Round != model.NoRound {
			rounding = ".rni, .rzi, .rmi or .rpi, or none"
		}
	case s.Float() && d.Float() && d.Bits() == s.Bits(): // f16 and bf16
		if integral || in.Round == model.NoRound {
			rounding = ".rn, .rz, .rm or .rp"
		}
	case in.Round != model.NoRound:
		return c.errorf(c.m["rnd"].tok, "%s has a rounding modifier but loses nothing; expected none; remove .%s", c.name, c.m["rnd"].text)
	}
	if rounding != "" {
		return c.fail("%s has the wrong rounding; expected %s; write it after cvt", c.name, rounding)
	}
	if in.FTZ && s != model.F32 && d != model.F32 {
		return c.errorf(c.m["ftz"].tok, ".ftz needs an .f32 operand; expected .f32 on one side; remove .ftz")
	}
	if c.m.has("pzo") {
		if !s.Float() || !d.Float() || d.Bits() >= s.Bits() {
			return c.errorf(c.m["pzo"].tok, ".pzo belongs to narrowing floating-point conversions; expected for example cvt.rn.pzo.f16.f32; remove it")
		}
		in.PZO = true
	}
	return nil
}

// finCvta stores the space; the operand must be able to hold an address.
func finCvta(c *context) error {
	if o := c.in.Src[0]; c.in.ToSpace && o.Kind == model.SymbolOperand {
		return c.fail("cvta.to converts a generic address, but %s is a variable, whose address is in its space already; expected a register; use mov", c.ops[1].name)
	}
	if o := c.in.Src[0]; o.Kind == model.SymbolOperand && o.Space != c.in.Space && !(o.Space.Shared() && c.in.Space.Shared()) {
		return c.errorf(c.ops[1].tok, "%s lies in .%s but cvta says .%s; expected the space of the variable; write cvta.%s", c.ops[1].name, o.Space, c.in.Space, o.Space)
	}
	return nil
}

func finLop3(c *context) error {
	if o := c.ops[4]; o.c.bits > 255 {
		return c.errorf(o.tok, "look-up table of lop3 is %s; expected 0 to 255; write one byte", o.tok.text)
	}
	return nil
}

// finNop drops the operands of an instruction without effect; they were checked.
func finNop(c *context) error {
	c.in.Type = model.NoType
	c.in.Dst, c.in.Src, c.in.Addrs = nil, nil, nil
	c.in.Space, c.in.Bulk = model.GenericSpace, model.BulkForm{}
	return nil
}

// finPolicy gives an opaque cache policy the value 0; hints have no effect, so none is observed
// but by a program that inspects it, which PTX does not define.
func finPolicy(c *context) error {
	c.in.Src = []model.Operand{{Kind: model.ImmOperand}}
	return nil
}

// branchTarget notes the label; it is resolved when its block closes.
func (c *context) branchTarget() error {
	if len(c.ops) != 1 {
		return c.fail("%s has %s; expected 1 operand, a label", c.name, plural(len(c.ops), "operand"))
	}
	o := c.ops[0]
	if o.kind != opName || o.neg || o.off != 0 {
		return c.errorf(o.tok, "target of bra is %s; expected a label", o.describe())
	}
	c.sc.pending = append(c.sc.pending, branch{pc: len(c.e.Code), label: o.tok})
	return nil
}
