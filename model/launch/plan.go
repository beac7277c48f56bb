package launch

import (
	"strings"

	"ptxmc/model"
)

type paramDecl struct{ value *node }

type bufferDecl struct {
	elem     model.Type
	count    *node
	values   []element
	stale    bool
	repeat   bool
	repeatAt place
	align    *node
	sentinel *node
}

// element is the written content of one element.
type element struct {
	at      place
	unknown bool
	values  []*node // several: a set
}

type launchDecl struct {
	entry                string
	entryAt              place
	grid, block, cluster *shape
	shared, stream       *node
	args                 []*node
	argsAt               place
	programmatic         bool
	programmaticAt       place
	event                string
	eventAt              place
	when                 EventWhen
	after                []eventName
}

// eventName is an event that a launch waits for.
type eventName struct {
	name string
	at   place
}

// shape is one to three extents.
type shape struct {
	at   place
	dims []*node
}

type slotsDecl struct{ count *node }

type finalDecl struct {
	cond *node
	text string
}

// planWords are the keywords of plan lines.
var planWords = []string{"param", "buffer", "tensormap", "launch", "slots", "final"}

// planLine reads the plan line whose keyword has been read.
func planLine(c *cursor, kind string, at place) *Line {
	l := &Line{Kind: kind, at: at}
	switch kind {
	case "param":
		l.Name, l.at = c.ident("a param")
		freeName(l.Name, l.at)
		c.expect("=", "and an integer, as in param chunks = 2")
		l.decl = &paramDecl{c.number()}
	case "buffer":
		l.Name, l.at = c.ident("a buffer")
		freeName(l.Name, l.at)
		l.decl = bufferLine(c)
	case "tensormap":
		l.Name, l.at = c.ident("a tensor map")
		freeName(l.Name, l.at)
		l.decl = tensorLine(c)
	case "launch":
		l.decl = launchLine(c, l)
	case "slots":
		l.decl = &slotsDecl{c.number()}
	case "final":
		start := c.i
		d := &finalDecl{cond: c.condition()}
		d.text = strings.TrimRight(c.line.Text[start:c.i], " \t")
		l.decl = d
	}
	c.finish("the " + kind + " line")
	l.Pos = l.at.pos()
	return l
}

func freeName(name string, at place) {
	if isOneOf(name, reserved) {
		at.fail("%s is a word of the grammar; expected another name; rename it (words: %s)", name, strings.Join(reserved, " "))
	}
}

// elemTypes are the types that a buffer may have.
var elemTypes = []string{"b8", "b16", "b32", "b64", "b128", "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "f16", "f16x2", "bf16", "bf16x2", "f32", "f64"}

// bufferLine reads ": type[count] = values align n sentinel bits".
func bufferLine(c *cursor) *bufferDecl {
	d := &bufferDecl{}
	c.expect(":", "and a type, as in buffer in : f32[8] = 1.0")
	name, at := c.ident("a type")
	if !isOneOf(name, elemTypes) {
		at.fail("%s is not the type of an element; expected one of %s%s", name, strings.Join(elemTypes, " "), didYouMean(name, elemTypes))
	}
	d.elem = model.TypeByName(name)
	c.expect("[", "and the number of elements, as in "+name+"[8]")
	d.count = c.number()
	c.expect("]", "to close the number of elements")
	c.expect("=", "and the initial content: values, or the word unknown")
	d.stale = c.keyword("stale")
	for !c.done() {
		switch w := c.peekIdent(); {
		case w == "align" && d.align == nil && len(d.values) > 0:
			c.accept(w)
			d.align = c.number()
			continue
		case w == "sentinel" && d.sentinel == nil && len(d.values) > 0:
			c.accept(w)
			d.sentinel = c.value()
			continue
		case w == "align" || w == "sentinel" || w == "stale":
			c.here().fail("%s stands in the wrong place; expected = values, then align and sentinel, at most once each; stale stands once, before the values", w)
		}
		if d.repeat || d.align != nil || d.sentinel != nil {
			c.here().fail("found %s behind the values; expected align N, sentinel BITS or the end of the line; move it", c.next())
		}
		if at := c.here(); c.accept("...") {
			if len(d.values) == 0 {
				at.fail("nothing stands before ...; expected the values to repeat; write them before it")
			}
			d.repeat, d.repeatAt = true, at
			continue
		}
		d.values = append(d.values, bufferValue(c, d.stale))
	}
	if len(d.values) == 0 {
		c.here().fail("the buffer has no content; expected values such as 1.0 or 0x80000000, or the word unknown; write them behind =")
	}
	return d
}

// bufferValue reads the content of one element.
func bufferValue(c *cursor, stale bool) element {
	v := element{at: c.here()}
	switch {
	case c.is(","):
		v.at.fail("values are separated by spaces; expected no comma; take it away, or put a set of alternatives in braces, as in {0, 1}")
	case c.keyword("unknown"):
		if stale {
			v.at.fail("stale contents are unknown; expected the values that the earlier round left; write them, or take stale away")
		}
		v.unknown = true
	case c.accept("{"):
		for {
			v.values = append(v.values, c.value())
			if !c.accept(",") {
				break
			}
		}
		c.expect("}", "or a comma between the alternatives, as in {0, 1}")
	default:
		v.values = []*node{c.value()}
	}
	return v
}

// value reads a value that needs no operator around it: a literal, a param or (an expression).
func (c *cursor) value() *node {
	if !c.is("-") && !c.is("(") && c.peekIdent() == "" && (c.done() || c.rest()[0] < '0' || c.rest()[0] > '9') {
		c.here().fail("found %s; expected a value: a number, nan, inf, bits as in 0x80000000, a param, or an expression in parentheses", c.next())
	}
	start, at := c.i, c.here()
	if c.accept("-") {
		n := &node{op: negOp, at: at, kids: []*node{c.primary()}}
		c.textOf(n, start)
		return n
	}
	return c.primary()
}

// launchWords are the clauses of a launch line.
var launchWords = []string{"as", "grid", "block", "cluster", "shared", "args", "stream", "programmatic", "event", "after"}

// launchLine reads "entry as name grid g block b ...": the clauses in any order.
func launchLine(c *cursor, l *Line) *launchDecl {
	d := &launchDecl{}
	d.entry, d.entryAt = c.ident("an entry")
	l.Name, l.at = d.entry, d.entryAt
	seen := map[string]bool{}
	for !c.done() {
		at, w := c.here(), c.peekIdent()
		if !isOneOf(w, launchWords) {
			at.fail("found %s; expected %s%s", c.next(), oneOf(launchWords, ""), didYouMean(w, launchWords))
		}
		if seen[w] {
			at.fail("%s is given twice; expected it once; take one away", w)
		}
		seen[w] = true
		c.accept(w)
		switch w {
		case "as":
			l.Name, l.at = c.ident("the launch")
		case "grid":
			d.grid = c.shape()
		case "block":
			d.block = c.shape()
		case "cluster":
			d.cluster = c.shape()
		case "shared":
			d.shared = c.number()
		case "stream":
			d.stream = c.number()
		case "programmatic":
			d.programmatic, d.programmaticAt = true, at
		case "event":
			d.event, d.eventAt = c.label("an event")
			d.when = c.eventWhen()
		case "after":
			for {
				name, at := c.label("an event")
				d.after = append(d.after, eventName{name, at})
				if !c.accept(",") {
					break
				}
			}
		case "args":
			d.argsAt = at
			for {
				d.args = append(d.args, c.number())
				if !c.accept(",") {
					break
				}
			}
		}
	}
	for _, w := range []string{"grid", "block"} {
		if !seen[w] {
			c.here().fail("the launch of %s has no %s; expected `%s` and one extent, or up to three in parentheses; add it, as in %s 1", d.entry, w, w, w)
		}
	}
	return d
}

// shape reads an extent or "(x, y, z)".
func (c *cursor) shape() *shape {
	s := &shape{at: c.here()}
	if !c.tuple() {
		s.dims = []*node{c.number()}
		return s
	}
	c.accept("(")
	for {
		s.dims = append(s.dims, c.number())
		if !c.accept(",") {
			break
		}
	}
	c.expect(")", "or a comma between extents, as in (2, 2)")
	if len(s.dims) > 3 {
		s.at.fail("%d extents are given; expected one to three, as in (2, 2, 1); take some away", len(s.dims))
	}
	return s
}

// tuple reports whether a parenthesis with commas of its own comes next: "(2, 2)" but not "(n+1)*2".
func (c *cursor) tuple() bool {
	depth := 0
	for _, b := range []byte(c.rest()) {
		switch b {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 1 {
				return true
			}
		}
		if depth == 0 {
			return false
		}
	}
	return false
}

// expectLine reads a verdict.
func expectLine(c *cursor, at place) Expect {
	x := Expect{Given: true, Pos: at.pos()}
	words := []string{"verified", "refuted"}
	w := c.peekIdent()
	switch {
	case c.keyword("verified"):
		x.Verified = true
		if c.done() {
			return x
		}
		at := c.here()
		n := c.literal()
		if n == nil || n.lit.kind != intKind || n.lit.i < 1 {
			at.fail("found %q; expected a number of states above 0, as in expect verified 1234 states", c.line.Text[at.col-1:c.end])
		}
		x.States = n.lit.i
		if !c.keyword("states") && !c.keyword("state") {
			c.here().fail("found %s; expected `states` behind the number, as in expect verified 1234 states", c.next())
		}
	case c.keyword("refuted"):
		name, at := c.label("the property that is refuted")
		if !isOneOf(name, propertyNames()) {
			at.fail("%s is not a property; expected one of %s%s", name, strings.Join(propertyNames(), " "), didYouMean(name, propertyNames()))
		}
		x.Property = name
	default:
		c.here().fail("found %s; expected verified, verified N states or refuted PROPERTY%s", c.next(), didYouMean(w, words))
	}
	c.finish("the verdict")
	return x
}
