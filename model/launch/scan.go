package launch

import (
	"fmt"
	"strings"

	"ptxmc/model"
)

// place is a byte of a line of the file, for diagnostics.
type place struct {
	file string
	line model.SourceLine
	col  int // from 1
}

func (p place) pos() model.Pos { return model.Pos{File: p.file, Line: p.line.Line, Col: p.col} }

// bailout carries a Diagnostic from anywhere below Load, Case and Check up to them.
type bailout struct{ diag *model.Diagnostic }

// fail reports the first error and ends the work. The text says what is wrong; what was expected;
// how to mend it.
func (p place) fail(format string, args ...any) {
	panic(bailout{&model.Diagnostic{Pos: p.pos(), Line: p.line.Text, Msg: fmt.Sprintf(format, args...)}})
}

// catch turns a bailout into an error.
func catch(err *error) {
	switch r := recover().(type) {
	case nil:
	case bailout:
		*err = r.diag
	default:
		panic(r)
	}
}

// note is an annotation found in a line.
type note struct {
	start    int  // index of the text after "//@"
	trailing bool // PTX text stands before it
}

// finder finds annotations; it knows PTX comments and strings.
type finder struct {
	file  string
	block bool // inside /* */
}

// find returns the annotation of a line, if there is one.
func (f *finder) find(l model.SourceLine) (note, bool) {
	code := false
	for i := 0; i < len(l.Text); i++ {
		rest := l.Text[i:]
		switch {
		case f.block && strings.HasPrefix(rest, "*/"):
			f.block = false
			i++
		case f.block && strings.HasPrefix(rest, "//@"):
			place{f.file, l, i + 1}.fail("an annotation stands inside a /* */ comment and would have no effect; expected //@ outside; end the comment before it, or take the @ away")
		case f.block:
		case strings.HasPrefix(rest, "/*"):
			f.block = true
			i++
		case strings.HasPrefix(rest, "//"):
			return f.comment(l, i, code)
		case l.Text[i] == '"':
			code = true
			if end := strings.IndexByte(rest[1:], '"'); end >= 0 {
				i += end + 1
			}
		case l.Text[i] != ' ' && l.Text[i] != '\t':
			code = true
		}
	}
	return note{}, false
}

// comment looks at a // comment from index i on. Behind PTX text a mark may follow other words.
func (f *finder) comment(l model.SourceLine, i int, code bool) (note, bool) {
	at := -1
	if code {
		if n := strings.Index(l.Text[i:], "//@"); n >= 0 {
			at = i + n
		}
	} else if strings.HasPrefix(l.Text[i:], "//@") {
		at = i
	}
	if at >= 0 {
		return note{start: at + 3, trailing: code}, true
	}
	// "// @ launch x" was meant as an annotation. A compiler's "// @name" has no more words.
	if words := strings.Fields(l.Text[i+2:]); len(words) > 1 && strings.HasPrefix(words[0], "@") {
		if words[0] == "@" {
			words = words[1:]
		}
		w := strings.TrimPrefix(words[0], "@")
		if len(words) > 1 && (w == "mark" && code || !code && (isOneOf(w, baseWords) || isOneOf(w, variantWords))) {
			place{f.file, l, i + 1}.fail("this comment looks like an annotation but has a space before the @; expected //@ %s ...; take the space away", w)
		}
	}
	return note{}, false
}

func isOneOf(w string, words []string) bool {
	for _, x := range words {
		if w == x {
			return true
		}
	}
	return false
}

// cursor reads the words of an annotation.
type cursor struct {
	file  string
	line  model.SourceLine
	i     int // next byte
	end   int // text ends here
	depth int // of the expression being read
}

// newCursor reads an annotation from index start on. A // comment in it, outside quotes, ends it.
func newCursor(file string, l model.SourceLine, start int) *cursor {
	c := &cursor{file: file, line: l, i: start, end: len(l.Text)}
	quoted := false
	for i := start; i < len(l.Text); i++ {
		if l.Text[i] == '"' {
			quoted = !quoted
		}
		if !quoted && strings.HasPrefix(l.Text[i:], "//") {
			c.end = i
			break
		}
	}
	c.end = start + len(strings.TrimRight(l.Text[start:c.end], " \t"))
	c.space()
	return c
}

func (c *cursor) here() place { return c.at(c.i) }

func (c *cursor) at(i int) place { return place{c.file, c.line, i + 1} }

func (c *cursor) space() {
	for c.i < c.end && (c.line.Text[c.i] == ' ' || c.line.Text[c.i] == '\t') {
		c.i++
	}
}

func (c *cursor) rest() string { return c.line.Text[c.i:max(c.i, c.end)] }

func (c *cursor) done() bool { return c.i >= c.end }

// is reports whether s comes next.
func (c *cursor) is(s string) bool { return strings.HasPrefix(c.rest(), s) }

// accept consumes s and the space behind it if s comes next.
func (c *cursor) accept(s string) bool {
	if !c.is(s) {
		return false
	}
	c.i += len(s)
	c.space()
	return true
}

// expect consumes s; the text says what for and how to mend its absence.
func (c *cursor) expect(s, why string) {
	if !c.accept(s) {
		c.here().fail("found %s; expected %q %s", c.next(), s, why)
	}
}

// next describes what comes next, for diagnostics.
func (c *cursor) next() string {
	if c.done() {
		return "the end of the line"
	}
	w, _, _ := strings.Cut(c.rest(), " ")
	if n := span(w, plainByte); n > 0 {
		w = w[:n]
	}
	if len(w) > 40 {
		w = w[:40] + "..."
	}
	return fmt.Sprintf("%q", w)
}

// finish requires the end of the line.
func (c *cursor) finish(what string) {
	if !c.done() {
		c.here().fail("found %s behind %s; expected the end of the line; take it away, or put // before a remark", c.next(), what)
	}
}

func identByte(b byte) bool {
	return b == '_' || b == '$' || b == '%' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}

func plainByte(b byte) bool { return identByte(b) || b == '-' || b == '.' }

func span(s string, ok func(byte) bool) int {
	n := 0
	for n < len(s) && ok(s[n]) {
		n++
	}
	return n
}

// peekIdent returns the identifier that comes next (PTX ISA 4.4), or "".
func (c *cursor) peekIdent() string {
	s := c.rest()
	w := s[:span(s, identByte)]
	if w == "" || w[0] >= '0' && w[0] <= '9' {
		return ""
	}
	return w
}

// keyword consumes the word w if it comes next as a whole word.
func (c *cursor) keyword(w string) bool { return c.peekIdent() == w && c.accept(w) }

// ident reads an identifier; what says of what.
func (c *cursor) ident(what string) (string, place) {
	at := c.here()
	w := c.peekIdent()
	if w == "" {
		at.fail("found %s; expected the name of %s: a letter, then letters, digits or _", c.next(), what)
	}
	c.accept(w)
	return w, at
}

// label reads the name of a mark, variant or property, which may hold dashes and dots.
func (c *cursor) label(what string) (string, place) {
	at := c.here()
	s := c.rest()
	w := s[:span(s, plainByte)]
	if w == "" || w[0] == '-' || w[0] == '.' {
		at.fail("found %s; expected the name of %s: letters, digits, _ - and ., as in store-chunk", c.next(), what)
	}
	c.accept(w)
	return w, at
}

// quoted reads a "text".
func (c *cursor) quoted(what string) string {
	if !c.is(`"`) {
		c.here().fail("found %s; expected %s in double quotes", c.next(), what)
	}
	end := strings.IndexByte(c.rest()[1:], '"')
	if end < 0 {
		c.here().fail("the quoted text does not end; expected a closing double quote on this line; add it")
	}
	s := c.rest()[1 : 1+end]
	c.i += end + 2
	c.space()
	return s
}
