package cat

import (
	"fmt"
	"strings"
)

// maxIncludes bounds the depth of include, so that a file that includes itself is an error.
const maxIncludes = 32

// parser reads one file; include makes another one for the file named.
type parser struct {
	tokens  []token
	at      int
	depth   int // of includes
	nesting int // of expressions
	include func(file string) (string, error)
	name    string // from the first line
	stmts   []stmt
}

// parseFile reads a file and, in place of each include, the file that it names.
func parseFile(name, text string, include func(string) (string, error), depth int) (*parser, error) {
	tokens, err := lex(newSource(name, text), text)
	if err != nil {
		return nil, err
	}
	p := &parser{tokens: tokens, include: include, depth: depth}
	p.header()
	for p.peek().kind != tokEOF {
		if err := p.statement(); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func (p *parser) peek() token { return p.tokens[p.at] }

// peekAt looks n tokens further than peek.
func (p *parser) peekAt(n int) token { return p.tokens[min(p.at+n, len(p.tokens)-1)] }

func (p *parser) next() token {
	t := p.tokens[p.at]
	if t.kind != tokEOF {
		p.at++
	}
	return t
}

func (p *parser) accept(text string) bool {
	if p.peek().is(text) {
		p.at++
		return true
	}
	return false
}

func (p *parser) expect(text, why string) error {
	if p.accept(text) {
		return nil
	}
	return p.unexpected(fmt.Sprintf("%q %s", text, why))
}

func (p *parser) unexpected(expected string) error {
	t := p.peek()
	return t.pos.errorf("unexpected %s; expected %s", t.describe(), expected)
}

func (p *parser) expectName(what string) (token, error) {
	if p.peek().kind != tokName {
		if t := p.peek(); t.kind == tokKeyword {
			return t, t.pos.errorf("%q is a keyword of cat; expected %s; choose another name", t.text, what)
		}
		return p.peek(), p.unexpected(what)
	}
	return p.next(), nil
}

// header reads the model's name: a word, a string, or a word and one of them.
func (p *parser) header() {
	if t := p.peek(); t.kind == tokName || t.kind == tokString {
		p.name = p.next().text
		if second := p.peek(); t.kind == tokName && (second.kind == tokName || second.kind == tokString) {
			p.name = p.next().text
		}
	}
}

func (p *parser) statement() error {
	t := p.peek()
	switch {
	case t.is("let"):
		let, err := p.let()
		if err != nil {
			return err
		}
		p.accept("in") // herd allows it after a statement, where it says nothing
		p.stmts = append(p.stmts, stmt{let: let})
		return nil
	case t.is("flag"), t.is("~"), t.is("acyclic"), t.is("irreflexive"), t.is("empty"):
		return p.check()
	case t.is("include"):
		return p.includeFile()
	case t.is("show"), t.is("unshow"):
		return p.show()
	case t.is("cut"):
		p.next()
		_, err := p.expectName("the name of a check after cut")
		return err
	case t.is("with"):
		return p.with()
	case t.kind == tokKeyword && strings.Contains(unsupportedStatements, " "+t.text+" "):
		return t.pos.errorf("ptxmc does not support %q; expected let, include, show or a check "+
			"(acyclic, irreflexive, empty); write the definitions out", t.text)
	case t.kind == tokName:
		words := []string{"let", "include", "show", "unshow", "flag", "acyclic", "irreflexive", "empty"}
		return t.pos.errorf("%q does not start a statement; expected one of %s%s", t.text,
			strings.Join(words, ", "), didYouMean(t.text, words))
	default:
		return p.unexpected("a statement: let, include, show, flag, acyclic, irreflexive or empty")
	}
}

// let reads "let [rec] binding {and binding}".
func (p *parser) let() (*letStmt, error) {
	p.next()
	let := &letStmt{rec: p.accept("rec")}
	for {
		b, err := p.binding()
		if err != nil {
			return nil, err
		}
		if let.rec && b.fun {
			return nil, b.pos.errorf("the function %q is defined by let rec; expected a set or a "+
				"relation; functions cannot be recursive here", b.name)
		}
		let.bindings = append(let.bindings, b)
		if !p.accept("and") {
			break
		}
	}
	if t := p.peek(); t.is("when") {
		return nil, t.pos.errorf("ptxmc does not support when after let rec; expected the next " +
			"statement; make the condition a check of its own")
	}
	return let, nil
}

func (p *parser) binding() (*binding, error) {
	if t := p.peek(); t.is("(") || t.is("_") {
		return nil, t.pos.errorf("let binds a pattern here; expected one name; bind each name by its own let")
	}
	t, err := p.expectName("the name that let defines")
	if err != nil {
		return nil, err
	}
	b := &binding{pos: t.pos, name: t.text}
	switch {
	case p.accept("("):
		b.fun = true
		for !p.accept(")") {
			if len(b.params) > 0 {
				if err := p.expect(",", `or ")" after a parameter`); err != nil {
					return nil, err
				}
			}
			if err := p.param(b); err != nil {
				return nil, err
			}
		}
	default:
		for p.peek().kind == tokName {
			b.fun = true
			if err := p.param(b); err != nil {
				return nil, err
			}
		}
	}
	if err := p.expect("=", "after the name that let defines"); err != nil {
		return nil, err
	}
	b.body, err = p.expression()
	return b, err
}

func (p *parser) param(b *binding) error {
	t, err := p.expectName("the name of a parameter")
	if err != nil {
		return err
	}
	for _, have := range b.params {
		if have == t.text {
			return t.pos.errorf("%s has two parameters %q; expected different names", b.name, t.text)
		}
	}
	b.params = append(b.params, t.text)
	return nil
}

// check reads "[flag] [~] kind expression [as name]".
func (p *parser) check() error {
	c := &checkStmt{pos: p.peek().pos}
	c.flag = p.accept("flag")
	c.negated = p.accept("~")
	kind := p.next()
	if !isCheckKind(kind) {
		return kind.pos.errorf("unexpected %s; expected acyclic, irreflexive or empty", kind.describe())
	}
	c.kind = kind.text
	var err error
	if c.body, err = p.expression(); err != nil {
		return err
	}
	c.name = fmt.Sprintf("%s at line %d", c.kind, c.pos.line)
	if p.accept("as") {
		t, err := p.expectName("the name of the check")
		if err != nil {
			return err
		}
		c.name = t.text
	}
	p.stmts = append(p.stmts, stmt{check: c})
	return nil
}

func isCheckKind(t token) bool { return t.is("acyclic") || t.is("irreflexive") || t.is("empty") }

// show reads and forgets "show expr {, expr} [as name]".
func (p *parser) show() error {
	p.next()
	for {
		if _, err := p.expression(); err != nil {
			return err
		}
		if p.accept("as") {
			if _, err := p.expectName("the name to show it by"); err != nil {
				return err
			}
		}
		if !p.accept(",") {
			return nil
		}
	}
}

// with reads "with name from expr", by which herd's models enumerate coherence orders. Here the
// environment provides the relation, so nothing is left to do.
func (p *parser) with() error {
	p.next()
	if _, err := p.expectName("the name that with enumerates"); err != nil {
		return err
	}
	if err := p.expect("from", "after the name that with enumerates"); err != nil {
		return err
	}
	_, err := p.expression()
	return err
}

func (p *parser) includeFile() error {
	p.next()
	t := p.peek()
	if t.kind != tokString {
		return p.unexpected(`the name of a file in quotes, as in include "basic.cat"`)
	}
	p.next()
	if p.include == nil {
		return t.pos.errorf("cannot include %q: this model is loaded alone; expected a model without "+
			"include; put the text of the file in its place", t.text)
	}
	if p.depth >= maxIncludes {
		return t.pos.errorf("include is nested %d deep; expected an end; does the file include itself?", maxIncludes)
	}
	text, err := p.include(t.text)
	if err != nil {
		return t.pos.errorf("cannot include %q: %v; expected a readable file", t.text, err)
	}
	inner, err := parseFile(t.text, text, p.include, p.depth+1)
	if err != nil {
		return err
	}
	p.stmts = append(p.stmts, inner.stmts...)
	return nil
}
