package launch

import (
	"math"
	"strconv"
	"strings"

	"ptxmc/model"
)

// node is an expression: of integers, of an argument, or of a final condition. They share one
// grammar; what is allowed where is decided when it is evaluated.
type node struct {
	op   string // literalOp, nameOp, elemOp, negOp, forallOp, minOp, maxOp or the operator
	at   place
	text string // as written, for explanations
	name string // nameOp, elemOp, forallOp: the variable
	lit  operand
	kids []*node // forallOp: low, high, body
}

// Operations of nodes that are not operators.
const (
	literalOp = "literal"
	nameOp    = "name"
	elemOp    = "element"
	negOp     = "negate"
	forallOp  = "forall"
	minOp     = "min"
	maxOp     = "max"
)

// reserved words cannot name a param or a buffer: they have a meaning where such a name may stand.
var reserved = []string{"align", "sentinel", "stale", "unknown", "nan", "inf", "forall", "min", "max"}

const maxDepth = 100

// levels are the binary operators, loosest first. In each level longer operators come first.
var levels = [][]string{{"||"}, {"&&"}, {"==", "!=", "<=", ">=", "<", ">"}, {"+", "-"}, {"*", "/", "%"}}

const (
	boolLevel   = 0
	compareAt   = 2
	numberLevel = 3
)

// deeper guards the stack against absurd nesting.
func (c *cursor) deeper() {
	if c.depth++; c.depth > maxDepth {
		c.here().fail("the expression is nested more than %d levels deep; expected a simpler one; split it", maxDepth)
	}
}

// number reads an integer expression (which may turn out to be a float or a buffer in an argument).
func (c *cursor) number() *node { return c.level(numberLevel) }

// condition reads a Boolean expression.
func (c *cursor) condition() *node {
	c.deeper()
	defer func() { c.depth-- }()
	if c.peekIdent() == "forall" {
		start := c.i
		c.accept("forall")
		return c.binders(start)
	}
	return c.level(boolLevel)
}

// binders reads "i in a..b, j in c..d: body".
func (c *cursor) binders(start int) *node {
	c.deeper()
	defer func() { c.depth-- }()
	n := &node{op: forallOp}
	n.name, n.at = c.ident("a variable")
	if isOneOf(n.name, reserved) {
		n.at.fail("%s is a word of the grammar; expected another name for the variable; rename it", n.name)
	}
	if !c.keyword("in") {
		c.here().fail("found %s; expected `in` and a range, as in forall i in 0..8: ...", c.next())
	}
	low := c.number()
	c.expect("..", "between the ends of a range, as in 0..8 (the last is 7)")
	high := c.number()
	var body *node
	if c.accept(",") {
		body = c.binders(start)
	} else {
		c.expect(":", "before the condition, as in forall i in 0..8: out[i] == 1.0")
		body = c.condition()
	}
	n.kids = []*node{low, high, body}
	c.textOf(n, start)
	return n
}

func (c *cursor) textOf(n *node, start int) {
	n.text = strings.TrimRight(c.line.Text[start:c.i], " \t")
}

func (c *cursor) level(level int) *node {
	if level == len(levels) {
		return c.unary()
	}
	start := c.i
	left := c.level(level + 1)
	for chain := 0; ; chain++ {
		at, op := c.here(), ""
		for _, o := range levels[level] {
			if c.is(o) {
				op = o
				break
			}
		}
		if op == "" {
			return left
		}
		if level == compareAt && chain > 0 {
			at.fail("comparisons do not chain; expected && between two comparisons, as in a < b && b < c")
		}
		if chain > 1000 {
			at.fail("the expression has more than 1000 operators in a row; expected a shorter one; split it")
		}
		c.accept(op)
		var right *node
		if level < compareAt && c.peekIdent() == "forall" {
			right = c.condition()
		} else {
			right = c.level(level + 1)
		}
		left = &node{op: op, at: c.at(start), kids: []*node{left, right}}
		c.textOf(left, start)
	}
}

func (c *cursor) unary() *node {
	c.deeper()
	defer func() { c.depth-- }()
	start, at := c.i, c.here()
	for _, op := range []string{"-", "!"} {
		if c.is(op) && !c.is("!=") {
			c.accept(op)
			n := &node{op: op, at: at, kids: []*node{c.unary()}}
			if op == "-" {
				n.op = negOp
			}
			c.textOf(n, start)
			return n
		}
	}
	return c.primary()
}

func (c *cursor) primary() *node {
	start, at := c.i, c.here()
	if c.accept("(") {
		n := c.condition()
		c.expect(")", "to close the parenthesis")
		return n
	}
	if n := c.literal(); n != nil {
		return n
	}
	name := c.peekIdent()
	if name == "" {
		at.fail("found %s; expected a number, a name or a parenthesis", c.next())
	}
	c.accept(name)
	n := &node{op: nameOp, at: at, name: name}
	switch {
	case (name == minOp || name == maxOp) && c.accept("("):
		n.op = name
		a := c.number()
		c.expect(",", "between the two values of "+name)
		n.kids = []*node{a, c.number()}
		c.expect(")", "to close "+name+"(")
	case c.accept("["):
		n.op = elemOp
		n.kids = []*node{c.number()}
		c.expect("]", "to close the index")
	}
	c.textOf(n, start)
	return n
}

// literal reads a number, nan or inf; nil if something else comes next.
func (c *cursor) literal() *node {
	at, s := c.here(), c.rest()
	n := &node{op: literalOp, at: at}
	if w := c.peekIdent(); w == "nan" || w == "inf" {
		c.accept(w)
		n.text, n.lit = w, operand{kind: floatKind, f: math.NaN(), known: true}
		if w == "inf" {
			n.lit.f = math.Inf(1)
		}
		return n
	}
	if s == "" || s[0] < '0' || s[0] > '9' {
		return nil
	}
	end := numberEnd(s)
	text := s[:end]
	lit, problem := parseLiteral(text)
	if end < len(s) && identByte(s[end]) {
		text = s[:end+span(s[end:], identByte)]
		problem = "is malformed"
	}
	if problem != "" {
		at.fail("number %s %s; expected decimal as in 16, a float as in 1.5 or 2e-3, or bits as in 0x3f800000", text, problem)
	}
	c.accept(text)
	n.text, n.lit = text, lit
	return n
}

// numberEnd returns the length of the number that s starts with. A dot belongs to it only before
// a digit, so that 0..8 is a range.
func numberEnd(s string) int {
	digit := func(b byte) bool { return b >= '0' && b <= '9' }
	if len(s) > 1 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X') {
		return 2 + span(s[2:], func(b byte) bool { return digit(b) || b >= 'a' && b <= 'f' || b >= 'A' && b <= 'F' })
	}
	n := span(s, digit)
	if n+1 < len(s) && s[n] == '.' && digit(s[n+1]) {
		n += 1 + span(s[n+1:], digit)
	}
	if n < len(s) && (s[n] == 'e' || s[n] == 'E') {
		m := n + 1
		if m < len(s) && (s[m] == '+' || s[m] == '-') {
			m++
		}
		if m < len(s) && digit(s[m]) {
			n = m + span(s[m:], digit)
		}
	}
	return n
}

func parseLiteral(s string) (operand, string) {
	low := strings.ToLower(s)
	if hex, ok := strings.CutPrefix(low, "0x"); ok {
		hex = strings.TrimLeft(hex, "0")
		if len(low) == 2 {
			return operand{}, "has no digits"
		}
		if len(hex) > 32 {
			return operand{}, "exceeds 128 bits"
		}
		cut := max(0, len(hex)-16)
		v := model.Value{}
		v.Hi, _ = strconv.ParseUint("0"+hex[:cut], 16, 64)
		v.Lo, _ = strconv.ParseUint("0"+hex[cut:], 16, 64)
		return operand{kind: bitsKind, v: v, known: true}, ""
	}
	if strings.ContainsAny(low, ".e") {
		f, err := strconv.ParseFloat(low, 64)
		if err != nil {
			return operand{}, "exceeds the range of a double"
		}
		return operand{kind: floatKind, f: f, text: low, known: true}, ""
	}
	i, err := strconv.ParseInt(low, 10, 64)
	if err != nil {
		return operand{}, "exceeds 63 bits"
	}
	return operand{kind: intKind, i: i, known: true}, ""
}
