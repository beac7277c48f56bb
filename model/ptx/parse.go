// Package ptx reads PTX modules (PTX ISA 9.4) into model.Module.
//
// Reading has three stages, each a file or a few: tokens (lexer.go), the grammar of modules,
// declarations and statements (parse_*.go), and the decoding of an instruction by table
// (table*.go say what is legal, decode*.go build the model.Instr). The invariant: nothing in the
// text is skipped silently. What has no effect in the model is listed as such; anything else that
// the tables do not hold is an error which says where, what was expected and how to mend it.
//
// Qualifiers may stand in any order, as ptxas accepts them (the examples of the ISA itself write
// both atom.global.relaxed and atom.relaxed.global); only repeated slots, such as the two types
// of cvt, depend on their order.
package ptx

import (
	"errors"
	"fmt"

	"ptxmc/model"
)

// Parse reads a PTX module. The error, if any, is the first one found, a *model.Diagnostic.
func Parse(src *model.Source) (mod *model.Module, err error) {
	defer func() {
		// A bug here must not end a long run of the caller without a place to look at.
		if r := recover(); r != nil {
			mod, err = nil, &model.Diagnostic{
				Pos: model.Pos{File: src.File, Line: 1, Col: 1},
				Msg: fmt.Sprintf("internal error while reading this module: %v; this is a bug in ptxmc; please report it with the file", r),
			}
		}
	}()
	p := newParser(src)
	if err := p.module(); err != nil {
		var d *model.Diagnostic
		if errors.As(err, &d) {
			return nil, d
		}
		return nil, p.errorf(p.peek(), "%v", err)
	}
	return p.mod, nil
}

// parser is the state of reading one module.
type parser struct {
	src  *model.Source
	toks []token
	i    int
	mod  *model.Module

	version   int    // 10·major + minor of .version, 0 before it
	target    target // of .target
	hasTarget bool

	global    *scope // names of the module
	shared    []*sharedVar
	initBytes int // of all initialisers
}

func newParser(src *model.Source) *parser {
	return &parser{
		src:    src,
		toks:   lex(src),
		mod:    &model.Module{File: src.File},
		global: newScope(nil),
	}
}

func (p *parser) peek() token { return p.toks[p.i] }

// at returns the token n places ahead; past the end it is the end.
func (p *parser) at(n int) token {
	if p.i+n < len(p.toks) {
		return p.toks[p.i+n]
	}
	return p.toks[len(p.toks)-1]
}

func (p *parser) next() token {
	t := p.toks[p.i]
	if p.i < len(p.toks)-1 {
		p.i++
	}
	return t
}

// is reports whether the next token is the punctuation s.
func (p *parser) is(s string) bool { return p.peek().is(s) }

// accept consumes the punctuation s if it comes next.
func (p *parser) accept(s string) bool {
	if p.is(s) {
		p.next()
		return true
	}
	return false
}

// expect consumes the punctuation s; where says what the text was about.
func (p *parser) expect(s, where string) error {
	t := p.peek()
	if t.kind == tokBad {
		return p.errorf(t, "%s", t.text)
	}
	if !t.is(s) {
		return p.errorf(t, "found %s; expected %q %s", t.describe(), s, where)
	}
	p.next()
	return nil
}

// semicolon consumes the ';' that ends a statement. The place of a missing one is the end of the
// statement, not the start of the next line.
func (p *parser) semicolon(what string) error {
	if p.accept(";") {
		return nil
	}
	t := p.peek()
	if t.kind == tokBad {
		return p.errorf(t, "%s", t.text)
	}
	if p.i > 0 {
		prev := p.toks[p.i-1]
		if t.kind == tokEOF || prev.line != t.line {
			prev.col += len(prev.text)
			return p.errorf(prev, "%s is not ended; expected ';'; add ';' here", what)
		}
	}
	return p.errorf(t, "found %s after %s; expected ',' or ';'", t.describe(), what)
}
