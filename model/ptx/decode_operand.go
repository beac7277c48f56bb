package ptx

import (
	"fmt"

	"ptxmc/model"
)

// decodeOperands walks the shape of the form over the written operands.
func (c *context) decodeOperands() error {
	if len(c.shape) == 1 && c.shape[0].kind == "label" {
		return c.branchTarget()
	}
	if len(c.shape) == 1 && c.shape[0].kind == "mov" {
		return c.movOperands()
	}
	if len(c.shape) == 1 && c.shape[0].kind == "mma" {
		return c.mmaOperands()
	}
	if len(c.shape) == 1 && c.shape[0].kind == "tensor" {
		return c.tensorOperands()
	}
	if err := c.countOperands(); err != nil {
		return err
	}
	i := 0
	for n, spec := range c.shape {
		if i >= len(c.ops) || spec.optional && c.skips(spec, n, i) {
			if spec.optional {
				continue
			}
			return c.wrongCount()
		}
		used, err := c.decodeOperand(spec, i)
		if err != nil {
			return err
		}
		i += used
	}
	if i < len(c.ops) {
		return c.wrongCount()
	}
	return nil
}

// skips says whether an optional operand was left out although others follow it.
func (c *context) skips(spec operandSpec, n, i int) bool {
	required := 0
	for _, s := range c.shape[n+1:] {
		if !s.optional {
			required++
		}
	}
	isAddr := c.ops[i].kind == opAddr
	return len(c.ops)-i <= required || spec.kind == "x" && !c.m.has("hint") || isAddr != (spec.kind == "m" || spec.kind == "t")
}

// countOperands checks the number of operands before their kinds, so that the message is about
// what the user forgot.
func (c *context) countOperands() error {
	least := 0
	for _, s := range c.shape {
		if !s.optional {
			least++
		}
	}
	most := len(c.shape)
	if c.f.op == model.MBarrier {
		most++ // the report value
	}
	if len(c.ops) < least || len(c.ops) > most {
		return c.wrongCount()
	}
	return nil
}

func (c *context) wrongCount() error {
	least, most := 0, 0
	for _, s := range c.shape {
		if s.kind == "x" && !c.m.has("hint") {
			continue
		}
		most++
		if !s.optional {
			least++
		}
	}
	want := plural(least, "operand")
	if most > least {
		want = fmt.Sprintf("%d to %d operands", least, most)
	}
	hint := ""
	if len(c.ops) < least {
		hint = "; add the missing operand"
	} else if len(c.ops) > least {
		hint = "; remove one"
	}
	return c.fail("%s has %s; expected %s (%s)%s", c.name, plural(len(c.ops), "operand"), want, c.signature(), hint)
}

// signature renders the shape for messages: "d, [a], b".
func (c *context) signature() string {
	names := "abcdefgh"
	next := 0
	out := ""
	for _, s := range c.shape {
		if s.kind == "x" && !c.m.has("hint") {
			continue
		}
		text := ""
		switch s.kind {
		case "d", "d_", "dv":
			text = "d"
		case "dp":
			text = "p|q"
		case "wait":
			text = "waitComplete"
		case "elect":
			text = "d|p"
		case "dq":
			text = "d{|p}"
		case "x":
			text = "cache-policy"
		case "t":
			text = "[tensorMap, {coordinates}]"
		case "m":
			text = "[" + names[next:next+1] + "]"
			next++
		default:
			text = names[next : next+1]
			next++
		}
		if out != "" {
			text = ", " + text
		}
		if s.optional {
			text = "{" + text + "}"
		}
		out += text
	}
	if out == "" {
		return "none"
	}
	return out
}

// typeOf resolves the type of an operand specification.
func (c *context) typeOf(s operandSpec) model.Type {
	switch s.typ {
	case "":
		return c.in.Type
	case "stype":
		return c.in.SrcType
	case "wide":
		return widened(c.in.Type)
	}
	return model.TypeByName(s.typ)
}

func widened(t model.Type) model.Type {
	switch t {
	case model.U16:
		return model.U32
	case model.S16:
		return model.S32
	case model.U32:
		return model.U64
	case model.S32:
		return model.S64
	}
	return t
}

// decodeOperand decodes one word of the shape and returns the number of operands it used.
func (c *context) decodeOperand(s operandSpec, i int) (int, error) {
	o, t, in := c.ops[i], c.typeOf(s), c.in
	switch s.kind {
	case "d", "d_":
		d, err := c.dest(o, t, s.kind == "d_")
		in.Dst = append(in.Dst, d)
		return 1, err
	case "dp":
		return 1, c.predicates(o)
	case "s":
		v, err := c.source(o, t)
		in.Src = append(in.Src, v)
		return 1, err
	case "i":
		if o.kind != opConst {
			return 1, c.errorf(o.tok, "operand %s of %s is not constant; expected an immediate; write the value", o.describe(), c.f.name)
		}
		v, err := c.source(o, t)
		in.Src = append(in.Src, v)
		return 1, err
	case "x":
		_, err := c.source(o, t)
		return 1, err
	case "m":
		a, err := c.addr(o, c.addrSpace())
		in.Addrs = append(in.Addrs, a)
		return 1, err
	case "t":
		return 1, c.tensorOperand(o)
	case "dv", "sv":
		return 1, c.vectorOperand(o, t, s.kind == "dv")
	case "elect":
		return 1, c.electOperand(o)
	case "dq":
		return 1, c.valueAndPredicate(o, t)
	case "wait":
		return c.waitOperands(i)
	}
	return 1, c.fail("internal error: shape word %q of %s; this is a bug in ptxmc", s.kind, c.f.name)
}

// dest decodes a destination register.
func (c *context) dest(o operand, t model.Type, sink bool) (model.Operand, error) {
	if o.kind == opSink {
		if !sink {
			return model.Operand{}, c.errorf(o.tok, `%s cannot discard its result; expected a register instead of "_"; name one`, c.f.name)
		}
		return model.Operand{Reg: model.NoReg}, nil
	}
	if o.kind != opName || o.neg || o.off != 0 {
		return model.Operand{}, c.errorf(o.tok, "destination of %s is %s; expected a register", c.f.name, o.describe())
	}
	if _, ok := specials[o.name]; ok {
		return model.Operand{}, c.errorf(o.tok, "special register %s cannot be written; expected a register; name another", o.name)
	}
	r, err := c.register(o.tok, o.name)
	if err != nil {
		return model.Operand{}, err
	}
	if err := c.checkWidth(o, r, t); err != nil {
		return model.Operand{}, err
	}
	return model.Operand{Kind: model.RegOperand, Reg: r}, nil
}

// checkWidth applies the operand type rules of PTX ISA 9.4 (Tables 27 to 29).
func (c *context) checkWidth(o operand, r model.Reg, t model.Type) error {
	have := c.e.RegTypes[r]
	if compatible(have, t, c.f.wide) {
		return nil
	}
	want := fmt.Sprintf("a .b%d register", t.Bits())
	switch {
	case t == model.Pred:
		want = "a .pred register"
	case c.f.wide && !t.Float() && t.Bits() < 64:
		want = fmt.Sprintf("a register of %d bits or more", t.Bits())
	case t.Float():
		want = fmt.Sprintf("a .%s or .b%d register", t, t.Bits())
	}
	return c.errorf(o.tok, "register %s is .%s but the operand of %s is .%s; expected %s; declare it so or convert with cvt or mov",
		o.name, have, c.name, t, want)
}

func isBits(t model.Type) bool { return t >= model.B8 && t <= model.B128 }

// compatible reports whether a register of type have may be an operand of type t.
func compatible(have, t model.Type, wide bool) bool {
	switch {
	case have == model.Pred || t == model.Pred:
		return have == t
	case wide && have.Bits() > t.Bits():
		return !have.Float() && !t.Float() && have != model.B128
	case have.Bits() != t.Bits():
		return false
	case isBits(have) || isBits(t):
		return true
	}
	return have.Float() == t.Float() && (!have.Float() || have == t)
}

// source decodes a register, constant, special register or the address of a variable.
func (c *context) source(o operand, t model.Type) (model.Operand, error) {
	switch o.kind {
	case opConst:
		v, bad := immediate(o.c, t)
		if bad != "" {
			return model.Operand{}, c.errorf(o.tok, "%s", bad)
		}
		return model.Operand{Kind: model.ImmOperand, Imm: v}, nil
	case opName:
	default:
		return model.Operand{}, c.errorf(o.tok, "source of %s is %s; expected a register or a constant", c.f.name, o.describe())
	}
	if o.neg && (t != model.Pred || !negates(c.f.op)) {
		return model.Operand{}, c.errorf(o.tok, "%s cannot negate operand %s; expected ! before guards and the predicate operand of setp, set, vote.sync and bar.red only; use not.pred", c.f.name, o.name)
	}
	if s, ok := specials[o.name]; ok {
		if t.Bits() != 32 || t.Float() || o.off != 0 {
			return model.Operand{}, c.errorf(o.tok, "special register %s is .u32 but the operand of %s is .%s; expected a 32-bit operand; read it with mov.u32 and convert", o.name, c.name, t)
		}
		return model.Operand{Kind: model.SpecialOperand, Special: s}, nil
	}
	d, y := c.sc.lookup(o.name)
	switch {
	case y != nil:
		return c.symbolValue(o, y, t)
	case d == nil:
		return model.Operand{}, c.unknown(o.tok, o.name, c.sc)
	case o.off != 0:
		return model.Operand{}, c.errorf(o.tok, "%s has an offset outside an address; expected a register; add the offset with add", o.name)
	}
	r, err := c.use(o.tok, d)
	if err != nil {
		return model.Operand{}, err
	}
	return model.Operand{Kind: model.RegOperand, Reg: r, Neg: o.neg}, c.checkWidth(o, r, t)
}

// negates reports whether the predicate operand of an operation may be negated.
func negates(op model.Op) bool {
	switch op {
	case model.SetP, model.Set, model.WarpOp, model.BarRed:
		return true
	}
	return false
}

// symbolValue is the address of a variable as a value (PTX ISA 6.4.3).
func (c *context) symbolValue(o operand, y *symbol, t model.Type) (model.Operand, error) {
	small := y.op.Space == model.SharedCTA || y.op.Space == model.ParamSpace
	if t.Float() || !(t.Bits() == 64 || t.Bits() == 32 && small) {
		return model.Operand{}, c.errorf(o.tok, "address of %s does not fit an operand of type .%s; expected a 64-bit type; use .u64", o.name, t)
	}
	op := c.symbolOperand(y)
	op.Off = o.off
	return op, nil
}

// symbolOperand makes the operand; the offset of an unsized extern array is patched by layout,
// which finds it by the marker in Imm.Hi.
func (c *context) symbolOperand(y *symbol) model.Operand {
	op := y.op
	if y.extern != nil {
		c.fixes = append(c.fixes, y.extern)
		op.Imm.Hi = uint64(len(c.fixes))
	}
	return op
}

// predicates decodes p or p|q of setp.
func (c *context) predicates(o operand) error {
	list := []operand{o}
	if o.kind == opPair {
		list = o.elems
	}
	for _, p := range list {
		d, err := c.dest(p, model.Pred, len(list) == 2)
		if err != nil {
			return err
		}
		c.in.Dst = append(c.in.Dst, d)
	}
	return nil
}

// vectorOperand decodes the data operand of ld and st.
func (c *context) vectorOperand(o operand, t model.Type, dest bool) error {
	list := []operand{o}
	switch {
	case c.in.Vec > 1 && o.kind != opVector:
		return c.errorf(o.tok, "data operand of %s is %s; expected a vector of %d elements in braces", c.name, o.describe(), c.in.Vec)
	case o.kind == opVector:
		if len(o.elems) != c.in.Vec {
			return c.errorf(o.tok, "vector has %s; expected %d; change .v%d or the braces", plural(len(o.elems), "element"), c.in.Vec, len(o.elems))
		}
		list = o.elems
	}
	for _, el := range list {
		var v model.Operand
		var err error
		if dest {
			v, err = c.dest(el, t, c.in.Vec > 1)
			c.in.Dst = append(c.in.Dst, v)
		} else {
			v, err = c.source(el, t)
			c.in.Src = append(c.in.Src, v)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
