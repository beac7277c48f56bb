package cat

import "strings"

// level is one level of binary operators; a deeper level binds tighter. The order is herd's.
type level struct {
	mark  string
	op    operator
	right bool // associates to the right
}

var levels = []level{
	{"|", opUnion, true},
	{";", opSeq, true},
	{`\`, opMinus, false},
	{"&", opInter, true},
}

// expression reads a whole expression.
func (p *parser) expression() (*expr, error) {
	if t := p.peek(); t.is("let") {
		return p.letIn()
	}
	return p.binary(0)
}

func (p *parser) letIn() (*expr, error) {
	e := &expr{op: opLet, pos: p.peek().pos}
	let, err := p.let()
	if err != nil {
		return nil, err
	}
	e.lets = append(e.lets, let)
	if err := p.expect("in", "after a let inside an expression"); err != nil {
		return nil, err
	}
	body, err := p.expression()
	e.args = []*expr{body}
	return e, err
}

// maxNesting bounds how deep expressions nest, so that no text exhausts the stack.
const maxNesting = 20000

// enter counts a level of nesting; the caller must leave it again.
func (p *parser) enter() error {
	if p.nesting++; p.nesting > maxNesting {
		return p.peek().pos.errorf("this expression is nested too deep; expected a shorter one; name " +
			"its parts by let")
	}
	return nil
}

func (p *parser) leave() { p.nesting-- }

func (p *parser) binary(depth int) (*expr, error) {
	if depth == len(levels) {
		return p.product()
	}
	defer p.leave()
	if err := p.enter(); err != nil {
		return nil, err
	}
	lv := levels[depth]
	left, err := p.binary(depth + 1)
	if err != nil {
		return nil, err
	}
	for p.peek().is(lv.mark) {
		t := p.next()
		deeper := depth + 1
		if lv.right {
			deeper = depth
		}
		right, err := p.binary(deeper)
		if err != nil {
			return nil, err
		}
		left = &expr{op: lv.op, pos: t.pos, args: []*expr{left, right}}
	}
	if t := p.peek(); t.is("++") {
		return nil, t.pos.errorf("ptxmc does not support ++, which adds an element to a set of sets; " +
			"expected an operator on sets or relations; for a union write |")
	}
	return left, nil
}

// product reads a cartesian product A*B, which does not associate.
func (p *parser) product() (*expr, error) {
	left, err := p.unary()
	if err != nil || !p.productAhead() {
		return left, err
	}
	t := p.next()
	right, err := p.unary()
	if err != nil {
		return nil, err
	}
	if p.productAhead() {
		return nil, p.peek().pos.errorf("A*B*C is no relation between events; expected at most one product")
	}
	return &expr{op: opProduct, pos: t.pos, args: []*expr{left, right}}, nil
}

// productAhead reports whether the next token is a * with an operand after it, not the closure r*.
func (p *parser) productAhead() bool {
	if !p.peek().is("*") {
		return false
	}
	after := p.peekAt(1)
	if after.is("~") { // r* and then the check ~empty …
		return !isCheckKind(p.peekAt(2))
	}
	return startsOperand(after)
}

// startsOperand reports whether t can start an operand other than a complement.
func startsOperand(t token) bool {
	return t.kind == tokName || t.kind == tokTag || t.is("(") || t.is("[") || t.is("{") ||
		t.is("_") || t.is("0") || t.is("begin")
}

// unary reads a complement or an operand with its postfix operators, which bind tighter: ~r+ is
// ~(r+).
func (p *parser) unary() (*expr, error) {
	defer p.leave()
	if err := p.enter(); err != nil {
		return nil, err
	}
	if t := p.peek(); t.is("~") {
		p.next()
		operand, err := p.unary()
		return &expr{op: opComplement, pos: t.pos, args: []*expr{operand}}, err
	}
	e, err := p.operand()
	if err != nil {
		return nil, err
	}
	for {
		t := p.peek()
		var op operator
		switch {
		case t.is("^-1"):
			op = opInverse
		case t.is("+"):
			op = opPlus
		case t.is("?"):
			op = opOptional
		case t.is("*") && !p.productAhead():
			op = opStar
		default:
			return e, nil
		}
		p.next()
		e = &expr{op: op, pos: t.pos, args: []*expr{e}}
	}
}

// operand reads a simple expression, or a name applied to simple expressions.
func (p *parser) operand() (*expr, error) {
	t := p.peek()
	switch {
	case t.kind == tokName:
		p.next()
		e := &expr{op: opName, pos: t.pos, name: t.text}
		for startsOperand(p.peek()) {
			if a := p.peek(); a.kind == tokName && a.pos.line != p.tokens[p.at-1].pos.line {
				break // more likely a mistyped statement than an argument
			}
			e.call = true
			args, err := p.arguments()
			if err != nil {
				return nil, err
			}
			e.args = append(e.args, args...)
		}
		return e, nil
	case t.kind == tokTag:
		p.next()
		return &expr{op: opName, pos: t.pos, name: t.text}, nil
	case t.is("_"):
		p.next()
		return &expr{op: opUniverse, pos: t.pos}, nil
	case t.is("0"):
		p.next()
		return &expr{op: opNothing, pos: t.pos}, nil
	case t.is("{"):
		p.next()
		if !p.accept("}") {
			return nil, p.peek().pos.errorf("ptxmc does not support sets of sets; expected {}, the " +
				"empty set; join sets by |")
		}
		return &expr{op: opNothing, pos: t.pos}, nil
	case t.is("("):
		return p.enclosed(")")
	case t.is("begin"):
		return p.enclosed("end")
	case t.is("["):
		e, err := p.enclosed("]")
		return &expr{op: opToID, pos: t.pos, args: []*expr{e}}, err
	case t.kind == tokKeyword && strings.Contains(unsupportedExpressions, " "+t.text+" "):
		return nil, t.pos.errorf("ptxmc does not support %q; expected a set or a relation; define "+
			"functions by let f(x) = …", t.text)
	default:
		return nil, p.unexpected("a set or a relation: a name, _, {}, [S] or ( … )")
	}
}

// enclosed reads an expression between the next token and close.
func (p *parser) enclosed(close string) (*expr, error) {
	p.next()
	e, err := p.expression()
	if err != nil {
		return nil, err
	}
	return e, p.expect(close, "or an operator")
}

// arguments reads one argument, or several in parentheses.
func (p *parser) arguments() ([]*expr, error) {
	if !p.peek().is("(") {
		if p.peek().kind == tokName { // f x y: x is not applied to y
			t := p.next()
			return []*expr{{op: opName, pos: t.pos, name: t.text}}, nil
		}
		e, err := p.operand()
		return []*expr{e}, err
	}
	p.next()
	var args []*expr
	for !p.accept(")") {
		if len(args) > 0 {
			if err := p.expect(",", `or ")" after an argument`); err != nil {
				return nil, err
			}
		}
		e, err := p.expression()
		if err != nil {
			return nil, err
		}
		args = append(args, e)
	}
	return args, nil
}
