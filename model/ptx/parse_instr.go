package ptx

import (
	"strings"

	"ptxmc/model"
)

type operandKind uint8

const (
	opName   operandKind = iota // register, variable, special register, label: name, off
	opConst                     // constant
	opSink                      // _
	opVector                    // {…}: elems
	opAddr                      // […]: elems[0] is the base, off the offset; coordinates of a tensor follow
	opPair                      // a|b: elems
)

// operand is an operand as written (PTX ISA chapter 6).
type operand struct {
	kind  operandKind
	tok   token
	name  string
	neg   bool // !p
	off   int64
	c     constant
	elems []operand
}

// describe names the kind of an operand in a message.
func (o operand) describe() string {
	switch o.kind {
	case opConst:
		return "a constant"
	case opSink:
		return `the sink "_"`
	case opVector:
		return "a {vector}"
	case opAddr:
		return "an [address]"
	case opPair:
		return "a pair p|q"
	default:
		return o.name
	}
}

// part is one dotted component of an opcode.
type part struct {
	text string
	tok  token
}

// instruction reads and decodes {@p} opcode operands;.
func (e *entryParser) instruction() error {
	start := e.i
	in := model.Instr{Pos: e.pos(e.peek()), Pred: model.NoReg}
	if e.accept("@") {
		neg := e.accept("!")
		t, err := e.identifier("predicate register")
		if err != nil {
			return err
		}
		r, err := e.register(t, t.text)
		if err != nil {
			return err
		}
		if e.e.RegTypes[r] != model.Pred {
			return e.errorf(t, "guard %s is a .%s register; expected a .pred register; compute one with setp", t.text, e.e.RegTypes[r])
		}
		in.Pred, in.PredNeg = r, neg
		if e.peek().kind != tokWord {
			return e.errorf(e.peek(), "found %s after the guard; expected an instruction", e.peek().describe())
		}
	}
	parts, err := e.opcode()
	if err != nil {
		return err
	}
	forms, n, err := e.forms(parts)
	if err != nil {
		return err
	}
	if e.beginsStatement(e.peek()) {
		return e.semicolon(parts[0].text)
	}
	ops, err := e.operands()
	if err != nil {
		return err
	}
	if err := e.semicolon("instruction"); err != nil {
		return err
	}
	in.Text = e.text(start, e.i-1)
	return e.decode(in, forms, parts, n, ops)
}

// beginsStatement reports whether a token on a new line can only begin the next statement, so that
// a forgotten ';' is named where it is missing.
func (e *entryParser) beginsStatement(t token) bool {
	if e.i > 0 && e.toks[e.i-1].line == t.line {
		return false
	}
	if t.kind == tokWord && e.at(1).is(":") {
		return true
	}
	if t.kind == tokWord && (len(table()[t.text]) > 0 || strings.Contains(t.text, ".") && t.text[0] != '%') {
		d, y := e.sc.lookup(t.text)
		return d == nil && y == nil
	}
	return t.is("@") || t.is("}") || t.kind == tokDot || t.kind == tokEOF
}

// text joins tokens with single spaces where the source had white space.
func (e *entryParser) text(from, to int) string {
	var b strings.Builder
	for i := from; i < to; i++ {
		if i > from && e.toks[i].space {
			b.WriteByte(' ')
		}
		b.WriteString(e.toks[i].text)
	}
	return b.String()
}

// opcode splits the mnemonic and its qualifiers.
func (e *entryParser) opcode() ([]part, error) {
	t := e.next()
	var parts []part
	col := t.col
	for _, s := range strings.Split(t.text, ".") {
		at := t
		at.col, at.text = col, s
		parts = append(parts, part{s, at})
		col += len(s) + 1
	}
	for e.peek().kind == tokDot { // white space before a qualifier is legal
		d := e.next()
		parts = append(parts, part{d.text[1:], d})
	}
	return parts, nil
}

// operands reads a comma-separated list up to ';'.
func (e *entryParser) operands() ([]operand, error) {
	var ops []operand
	if e.is(";") {
		return nil, nil
	}
	for {
		o, err := e.operand()
		if err != nil {
			return nil, err
		}
		ops = append(ops, o)
		if !e.accept(",") {
			return ops, nil
		}
		if e.is(";") {
			return nil, e.errorf(e.peek(), "operand is missing after ','; expected an operand; remove the comma or add it")
		}
	}
}

func (e *entryParser) operand() (operand, error) {
	t := e.peek()
	switch {
	case t.is("{"):
		return e.vector()
	case t.is("["):
		return e.address()
	}
	o, err := e.simple()
	if err == nil && e.is("|") {
		e.next()
		second, err := e.simple()
		return operand{kind: opPair, tok: t, elems: []operand{o, second}}, err
	}
	return o, err
}

// maxVector is the length of the longest vector operand: the accumulators of wgmma.mma_async.
const maxVector = 128

// vector reads {a, b, …}.
func (e *entryParser) vector() (operand, error) {
	o := operand{kind: opVector, tok: e.next()}
	for {
		el, err := e.simple()
		if err != nil {
			return o, err
		}
		o.elems = append(o.elems, el)
		if len(o.elems) > maxVector {
			return o, e.errorf(o.tok, "vector has more than %d elements; expected at most %d", maxVector, maxVector)
		}
		if !e.accept(",") {
			return o, e.expect("}", "to end the vector")
		}
	}
}

// address reads [reg], [reg+imm], [var], [var+imm], [imm] (PTX ISA 6.4.1) and [map, {…}] of a tensor.
func (e *entryParser) address() (operand, error) {
	o := operand{kind: opAddr, tok: e.next()}
	base, err := e.simple()
	if err != nil {
		return o, err
	}
	if base.neg || base.kind == opSink {
		return o, e.errorf(base.tok, "%s is no address; expected a register, a variable or a constant, with an optional offset", base.tok.describe())
	}
	o.off, base.off = base.off, 0
	o.elems = []operand{base}
	if e.is(",") {
		e.next()
		if !e.is("{") {
			return o, e.errorf(e.peek(), "found %s behind the tensor map; expected its coordinates, as in [map, {%%r1, %%r2}]", e.peek().describe())
		}
		v, err := e.vector()
		if err != nil {
			return o, err
		}
		o.elems = append(o.elems, v.elems...)
	}
	return o, e.expect("]", "to end the address")
}

// simple reads a name with optional offset, a negated predicate, a constant or the sink.
func (e *entryParser) simple() (operand, error) {
	t := e.peek()
	if t.is("!") && e.at(1).kind == tokWord {
		e.next()
		o, err := e.simple()
		o.neg = true
		return o, err
	}
	switch {
	case t.kind == tokWord && t.text == "_":
		e.next()
		return operand{kind: opSink, tok: t}, nil
	case t.kind == tokWord && t.text != "WARP_SZ":
		e.next()
		o := operand{kind: opName, tok: t, name: t.text}
		for e.is("+") || e.is("-") {
			s := e.next()
			at := e.peek()
			c, err := e.constUnary(0)
			if err != nil {
				return o, err
			}
			if c.kind != intConst {
				return o, e.errorf(at, "offset is a floating-point constant; expected an integer number of bytes")
			}
			if s.is("-") {
				c.bits = -c.bits
			}
			o.off += int64(c.bits)
		}
		return o, nil
	case t.is(";"), t.is(","), t.is("]"), t.is("}"), t.kind == tokEOF:
		return operand{}, e.errorf(t, "operand is missing before %s; expected a register, a constant or a variable; add it", t.describe())
	}
	c, err := e.constExpr()
	return operand{kind: opConst, tok: t, c: c}, err
}

// register resolves a name to a register and gives it its index at its first use.
func (e *entryParser) register(t token, name string) (model.Reg, error) {
	d, y := e.sc.lookup(name)
	if y != nil {
		return 0, e.errorf(t, "%s is a variable; expected a register; load it or its address first", name)
	}
	if d == nil {
		return 0, e.unknown(t, name, e.sc)
	}
	return e.use(t, d)
}

func (e *entryParser) use(t token, d *regDecl) (model.Reg, error) {
	if !d.used {
		if len(e.e.RegNames) >= int(model.NoReg) {
			return 0, e.errorf(t, "kernel uses more than %d registers; expected fewer; split the kernel", int(model.NoReg))
		}
		d.used, d.reg = true, model.Reg(len(e.e.RegNames))
		e.e.RegNames = append(e.e.RegNames, d.name)
		e.e.RegTypes = append(e.e.RegTypes, d.typ)
	}
	return d.reg, nil
}
