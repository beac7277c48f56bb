package litmus

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// maxDepth bounds the nesting of an expression.
const maxDepth = 100

// levels are the binary operators by rising precedence, as both dialects write them.
var levels = [][]string{
	{"\\/", "||", "or"},
	{"/\\", "&&", "and"},
	{"==", "=", "!=", "<=", ">=", "<", ">"},
	{"+", "-"},
	{"*", "/"},
}

// canonical are the operators that Binary.Op names otherwise.
var canonical = map[string]string{"\\/": "||", "or": "||", "/\\": "&&", "and": "&&", "=": "=="}

// condition parses an expression over registers of threads and locations.
func (p *parser) condition() (Expr, error) { return p.level(0) }

func (p *parser) level(n int) (Expr, error) {
	if n == len(levels) {
		return p.unary()
	}
	x, err := p.level(n + 1)
	if err != nil {
		return nil, err
	}
	for {
		op := p.operator(levels[n])
		if op == "" {
			return x, nil
		}
		y, err := p.level(n + 1)
		if err != nil {
			return nil, err
		}
		x = &Binary{op, x, y}
		if n == 2 && p.operator(levels[2]) != "" {
			return nil, p.errAt(p.tokens[p.pos-1].off, "a comparison of a comparison; expected parentheses or a connective such as /\\")
		}
	}
}

// operator passes one of the operators ops and returns its name in Binary.Op, or "".
func (p *parser) operator(ops []string) string {
	t := p.peek()
	if t.text == "|" && p.pos+1 < len(p.tokens) && p.tokens[p.pos+1].text == "|" && p.tokens[p.pos+1].off == t.end && slices.Contains(ops, "||") {
		p.pos += 2
		return "||"
	}
	if t.kind == endToken || !slices.Contains(ops, t.text) {
		return ""
	}
	p.pos++
	if c := canonical[t.text]; c != "" {
		return c
	}
	return t.text
}

func (p *parser) unary() (Expr, error) {
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > maxDepth {
		return nil, p.errAt(p.peek().off, "the expression is nested more than %d deep; expected a flatter one", maxDepth)
	}
	for _, not := range []string{"~", "!", "not"} {
		if p.accept(not) {
			// "not a == b" denies the comparison: a negation binds weaker than one.
			x, err := p.level(2)
			if err != nil {
				return nil, err
			}
			return &Unary{"!", x}, nil
		}
	}
	switch {
	case p.at("-"):
		n, err := p.number()
		return Const(n), err
	case p.accept("("):
		x, err := p.level(0)
		if err != nil {
			return nil, err
		}
		return x, p.expect(")", "to close the parenthesis")
	}
	return p.primary()
}

func (p *parser) primary() (Expr, error) {
	switch t := p.peek(); {
	case p.accept("&"):
		n, err := p.location()
		if err != nil {
			return nil, err
		}
		return AddrOf{n, p.prog.Locs[n].Name}, nil
	case t.text == "true" || t.text == "false":
		p.pos++
		return Const(truth(t.text == "true")), nil
	case t.kind == numberToken && p.tokens[p.pos+1].text != ":":
		n, err := p.number()
		return Const(n), err
	}
	return p.term()
}

// term parses a location, a location in brackets, or a register with its thread. In the .test dialect the
// thread may be left out where only one has the register.
func (p *parser) term() (Term, error) {
	t := p.peek()
	switch {
	case p.accept("["):
		n, err := p.location()
		if err != nil {
			return Term{}, err
		}
		return p.locTerm(n), p.expect("]", "after the location")
	case t.kind != wordToken && t.kind != numberToken:
		return Term{}, p.unexpected("a register such as P0:r1, a location or a number")
	case p.tokens[p.pos+1].text == ":":
		n, err := p.thread()
		if err != nil {
			return Term{}, err
		}
		p.pos++
		r := p.peek()
		if err := p.register(); err != nil {
			return Term{}, err
		}
		p.uses = append(p.uses, use{register, n, r})
		return p.regTerm(n, r.text), nil
	case isRegister(t.text):
		n, err := p.owner(t)
		if err != nil {
			return Term{}, err
		}
		p.pos++
		return p.regTerm(n, t.text), nil
	}
	n, err := p.location()
	if err != nil {
		return Term{}, err
	}
	return p.locTerm(n), nil
}

func (p *parser) locTerm(n int) Term { return Term{Thread: -1, Loc: n, Name: p.prog.Locs[n].Name} }

func (p *parser) regTerm(thread int, reg string) Term {
	return Term{Thread: thread, Reg: reg, Name: p.prog.Threads[thread].Name + ":" + reg}
}

// owner returns the only thread that has a register.
func (p *parser) owner(t token) (int, error) {
	found := -1
	known := map[string]bool{}
	for i := range p.prog.Threads {
		regs := p.prog.Threads[i].registers()
		maps.Copy(known, regs)
		switch {
		case !regs[t.text]:
		case p.prog.Dialect == "litmus":
			return 0, p.errAt(t.off, "register %s stands without its thread; expected %s:%s", t.text, p.prog.Threads[i].Name, t.text)
		case found >= 0:
			return 0, p.errAt(t.off, "register %s belongs to %s and to %s; expected different names, or the thread before it: %s:%s",
				t.text, p.prog.Threads[found].Name, p.prog.Threads[i].Name, p.prog.Threads[found].Name, t.text)
		default:
			found = i
		}
	}
	if found < 0 {
		return 0, p.unknown(t, t.text, "register", slices.Sorted(maps.Keys(known)))
	}
	return found, nil
}

// thread parses the name of a thread: P0, its number, or d0.b0.t0.
func (p *parser) thread() (int, error) {
	t := p.next()
	var names []string
	for i, th := range p.prog.Threads {
		if th.Name == t.text || th.Name == "P"+t.text {
			return i, nil
		}
		names = append(names, th.Name)
	}
	return 0, p.unknown(t, t.text, "thread", names)
}

// location parses the name of a location.
func (p *parser) location() (int, error) {
	t := p.peek()
	if t.kind != wordToken {
		return 0, p.unexpected("the name of a location")
	}
	n := p.findLoc(t.text)
	if n < 0 {
		return 0, p.unknown(t, t.text, "location", p.locNames())
	}
	p.pos++
	return n, nil
}

func (p *parser) findLoc(name string) int {
	return slices.IndexFunc(p.prog.Locs, func(l Loc) bool { return l.Name == name })
}

// number parses an integer with an optional minus.
func (p *parser) number() (int64, error) {
	off, sign := p.peek().off, ""
	if p.accept("-") {
		sign = "-"
	}
	t := p.peek()
	if t.kind != numberToken {
		return 0, p.unexpected("a number")
	}
	digits, base := t.text, 10
	if h, ok := strings.CutPrefix(strings.ToLower(digits), "0x"); ok {
		digits, base = h, 16
	}
	n, err := strconv.ParseInt(sign+digits, base, 64)
	if err != nil {
		return 0, p.errAt(off, "%s%s is not a number of 64 bits; expected decimal digits, or 0x and hexadecimal ones", sign, t.text)
	}
	p.pos++
	return n, nil
}

// register passes the name of a register.
func (p *parser) register() error {
	t := p.peek()
	if t.kind != wordToken || !isRegister(t.text) {
		return p.unexpected("a register (r and a number)")
	}
	p.pos++
	return nil
}

// isRegister reports whether a name is that of a register: r and digits.
func isRegister(s string) bool {
	if len(s) < 2 || s[0] != 'r' {
		return false
	}
	return strings.Trim(s[1:], "0123456789") == ""
}
