package launch

import (
	"math/bits"

	"ptxmc/model"
)

// env is what names mean while an expression is evaluated.
type env struct {
	params  map[string]int64
	buffers map[string]*Buffer // elements may be read if read is set
	used    map[string]bool    // names that were looked up, if not nil

	vars  []variable // innermost last
	read  func(buffer string, elem int) (model.Value, bool)
	steps int // of forall, if limit is set
	limit int
}

type variable struct {
	name  string
	value int64
}

// names lists what an unknown name may be a misspelling of.
func (e *env) names() []string {
	var names []string
	for _, v := range e.vars {
		names = append(names, v.name)
	}
	return append(names, sortedKeys(e.params)...)
}

// integer evaluates an integer expression.
func (e *env) integer(n *node) int64 {
	o := e.eval(n)
	return e.toInt(o, n)
}

func (e *env) toInt(o operand, n *node) int64 {
	switch o.kind {
	case intKind:
		return o.i
	case bitsKind:
		if o.v.Hi != 0 || o.v.Lo>>63 != 0 {
			n.at.fail("%s exceeds 63 bits; expected a smaller integer; large constants may stand alone only", n.text)
		}
		return int64(o.v.Lo)
	case floatKind:
		n.at.fail("%s is a float; expected an integer; floats may be arguments, contents of buffers and values in conditions", n.text)
	case elemKind:
		n.at.fail("%s reads memory; expected an integer known before the launch: a number, a param or a forall variable", n.text)
	}
	n.at.fail("%s is a condition; expected an integer", n.text)
	return 0
}

// eval evaluates any expression. Type errors end in a Diagnostic.
func (e *env) eval(n *node) operand {
	switch n.op {
	case literalOp:
		return n.lit
	case nameOp:
		return e.lookup(n)
	case elemOp:
		return e.element(n)
	case negOp:
		return e.negate(n)
	case forallOp, "&&", "||", "!", "==", "!=", "<", "<=", ">", ">=":
		return operand{kind: boolKind, b: e.truth(n), known: true}
	}
	return e.arithmetic(n, e.eval(n.kids[0]), e.eval(n.kids[1]))
}

func (e *env) lookup(n *node) operand {
	for i := len(e.vars) - 1; i >= 0; i-- {
		if e.vars[i].name == n.name {
			return operand{kind: intKind, i: e.vars[i].value, known: true}
		}
	}
	if v, ok := e.params[n.name]; ok {
		e.use(n.name)
		return operand{kind: intKind, i: v, known: true}
	}
	if _, ok := e.buffers[n.name]; ok {
		if e.read != nil {
			n.at.fail("%s is a buffer; expected one of its elements, as in %s[0]", n.name, n.name)
		}
		n.at.fail("%s is a buffer; expected an integer; buffers stand as args BUFFER or BUFFER+BYTES and as BUFFER[i] in final", n.name)
	}
	n.at.fail("%s is not a known name; expected a number or a param declared above, as in //@ param %s = 2%s", n.name, n.name, didYouMean(n.name, e.names()))
	return operand{}
}

func (e *env) use(name string) {
	if e.used != nil {
		e.used[name] = true
	}
}

func (e *env) element(n *node) operand {
	b, ok := e.buffers[n.name]
	if e.read == nil {
		n.at.fail("%s reads memory; expected an integer; elements of buffers can be read in final only", n.text)
	}
	if !ok {
		names := sortedKeys(e.buffers)
		n.at.fail("%s is not a buffer; expected %s%s", n.name, oneOf(names, "a buffer, but the plan has none"), didYouMean(n.name, names))
	}
	i := e.integer(n.kids[0])
	if i < 0 || i >= int64(b.Count) {
		n.at.fail("%s[%d] is outside the buffer%s; expected an index from 0 to %d; correct the index or the range", n.name, i, e.where(), b.Count-1)
	}
	e.use(n.name)
	v, known := e.read(n.name, int(i))
	if b.Elem.Bits() < 64 {
		v.Lo &= mask(b.Elem.Bits())
	}
	return operand{kind: elemKind, v: v, typ: b.Elem, known: known}
}

func (e *env) negate(n *node) operand {
	o := e.eval(n.kids[0])
	switch o.kind {
	case floatKind:
		o.f = -o.f
		if o.text != "" {
			if o.text[0] == '-' {
				o.text = o.text[1:]
			} else {
				o.text = "-" + o.text
			}
		}
		return o
	case elemKind:
		e.arithmetical(n, o.typ)
		if o.typ.Float() {
			o.v = evaluate(model.Instr{Op: model.Neg, Type: o.typ}, o.v)
		} else {
			o.v.Lo = -o.v.Lo & mask(o.typ.Bits())
		}
		return o
	}
	i := e.toInt(o, n.kids[0])
	if i == -i && i != 0 {
		n.overflow()
	}
	return operand{kind: intKind, i: -i, known: true}
}

func (n *node) overflow() {
	n.at.fail("%s exceeds 64 bits; expected a smaller value; correct the expression", n.text)
}

// arithmetical refuses types that have no arithmetic here.
func (e *env) arithmetical(n *node, t model.Type) {
	if packed(t) || t == model.B128 {
		n.at.fail("elements of type %s cannot be computed with; expected == or != only; declare the buffer with a simpler type", t)
	}
}

// arithmetic applies + - * / % min max.
func (e *env) arithmetic(n *node, a, b operand) operand {
	switch {
	case a.kind == elemKind || b.kind == elemKind:
		a, b = e.unify(n, a, b)
		e.arithmetical(n, a.typ)
		if n.op == "/" || n.op == "%" {
			n.at.fail("%s divides elements; expected + - * min or max; elements can only be multiplied", n.text)
		}
		r := operand{kind: elemKind, typ: a.typ, known: a.known && b.known}
		if a.typ.Float() {
			r.v = evaluate(model.Instr{Op: floatOps[n.op], Type: a.typ}, a.v, b.v)
		} else {
			r.v.Lo = elementOp(n.op, extend(a.v, a.typ), extend(b.v, b.typ), a.typ.Signed()) & mask(a.typ.Bits())
		}
		return r
	case a.kind == floatKind || b.kind == floatKind:
		x, y := e.number(n.kids[0], a), e.number(n.kids[1], b)
		return operand{kind: floatKind, known: true, f: floatOp(n, x, y)}
	}
	return operand{kind: intKind, known: true, i: integerOp(n, e.toInt(a, n.kids[0]), e.toInt(b, n.kids[1]))}
}

// number gives an operand as a double.
func (e *env) number(n *node, o operand) float64 {
	if o.kind == floatKind {
		return o.f
	}
	return float64(e.toInt(o, n))
}

var floatOps = map[string]model.Op{"+": model.Add, "-": model.Sub, "*": model.Mul, minOp: model.Min, maxOp: model.Max}

func floatOp(n *node, x, y float64) float64 {
	switch n.op {
	case "+":
		return x + y
	case "-":
		return x - y
	case "*":
		return x * y
	case minOp:
		return min(x, y)
	case maxOp:
		return max(x, y)
	}
	n.at.fail("%s divides floats; expected + - * min or max; write the quotient as a number", n.text)
	return 0
}

// elementOp wraps around, as the instructions do.
func elementOp(op string, x, y uint64, signed bool) uint64 {
	switch op {
	case "+":
		return x + y
	case "-":
		return x - y
	case "*":
		return x * y
	}
	less := x < y
	if signed {
		less = int64(x) < int64(y)
	}
	if less == (op == minOp) {
		return x
	}
	return y
}

// integerOp does not wrap around: a plan that overflows is wrong.
func integerOp(n *node, x, y int64) int64 {
	var r int64
	bad := false
	switch n.op {
	case "+":
		r = x + y
		bad = (x >= 0) == (y >= 0) && (r >= 0) != (x >= 0)
	case "-":
		r = x - y
		bad = (x >= 0) != (y >= 0) && (r >= 0) != (x >= 0)
	case "*":
		r = x * y
		hi, lo := bits.Mul64(magnitude(x), magnitude(y))
		bad = hi != 0 || lo>>63 != 0
	case minOp:
		return min(x, y)
	case maxOp:
		return max(x, y)
	default:
		if y == 0 {
			n.at.fail("%s divides by zero; expected a divisor that is not 0; correct the expression or the param", n.text)
		}
		if y == -1 {
			r, bad = -x, x == -x && x != 0
			if n.op == "%" {
				return 0
			}
		} else if n.op == "/" {
			r = x / y
		} else {
			r = x % y
		}
	}
	if bad {
		n.overflow()
	}
	return r
}

func magnitude(x int64) uint64 {
	if x < 0 {
		return -uint64(x)
	}
	return uint64(x)
}

// unify gives two operands, at least one of them an element, one type. A literal takes the type of
// the element; of two integer elements the narrower is extended by its sign.
func (e *env) unify(n *node, a, b operand) (operand, operand) {
	adapt := func(o operand, of *node, t model.Type) operand {
		if o.kind == boolKind {
			of.at.fail("%s is a condition; expected a value of type %s", of.text, t)
		}
		v, problem := convert(o, t)
		if problem != "" {
			of.at.fail("%s %s, the type of the other side", of.text, problem)
		}
		return operand{kind: elemKind, typ: t, v: v, known: true}
	}
	switch {
	case a.kind != elemKind:
		a = adapt(a, n.kids[0], b.typ)
	case b.kind != elemKind:
		b = adapt(b, n.kids[1], a.typ)
	case a.typ == b.typ:
	case a.typ.Float() || b.typ.Float() || a.typ == model.B128 || b.typ == model.B128:
		if (n.op == "==" || n.op == "!=") && a.typ.Bits() == b.typ.Bits() && (untyped(a.typ) || untyped(b.typ)) {
			return a, b // bits are compared
		}
		n.at.fail("%s mixes %s and %s; expected one type on both sides; declare the buffers alike", n.text, a.typ, b.typ)
	case a.typ.Bits() < b.typ.Bits():
		a.v.Lo, a.typ = extend(a.v, a.typ)&mask(b.typ.Bits()), b.typ
	case a.typ.Bits() > b.typ.Bits():
		b.v.Lo, b.typ = extend(b.v, b.typ)&mask(a.typ.Bits()), a.typ
	case a.typ.Signed() != b.typ.Signed():
		if n.op != "==" && n.op != "!=" && n.op != "+" && n.op != "-" && n.op != "*" {
			n.at.fail("%s orders %s and %s; expected one type on both sides; declare the buffers alike", n.text, a.typ, b.typ)
		}
		if a.typ.Signed() {
			a.typ = b.typ
		}
		b.typ = a.typ
	default: // b32 and u32: the bits of both are unsigned
		if untyped(a.typ) {
			a.typ = b.typ
		}
		b.typ = a.typ
	}
	return a, b
}
