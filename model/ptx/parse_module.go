package ptx

import (
	"ptxmc/internal/spell"
	"strconv"
	"strings"
)

// directives that may stand at module scope, for spelling suggestions.
var moduleDirectives = []string{
	".version", ".target", ".address_size", ".file", ".loc", ".section", ".pragma", ".visible",
	".extern", ".weak", ".common", ".entry", ".func", ".global", ".const", ".shared",
}

const inlineHint = "expected kernels (.entry) only; inline device functions (__forceinline__ in CUDA C++)"

// module reads a whole module (PTX ISA 4.2, chapter 11).
func (p *parser) module() error {
	for {
		t := p.peek()
		switch {
		case t.kind == tokEOF:
			if p.version == 0 {
				return p.errorf(t, "the module has no .version; expected .version and .target first; begin with .version 9.4 and .target sm_107a")
			}
			return nil
		case t.kind == tokBad:
			return p.errorf(t, "%s", t.text)
		case t.kind != tokDot:
			return p.errorf(t, "found %s at module scope; expected a directive such as .entry or .global%s", t.describe(), p.strayHint(t))
		}
		if err := p.moduleDirective(); err != nil {
			return err
		}
	}
}

// strayHint guesses why text stands outside an entry.
func (p *parser) strayHint(t token) string {
	switch {
	case t.is("}"):
		return "; remove the brace, or look for a missing { above"
	case t.kind == tokWord:
		return "; instructions stand inside .entry name() { }"
	}
	return ""
}

func (p *parser) moduleDirective() error {
	t := p.peek()
	header := t.text == ".version" || t.text == ".target" || p.skippable(t.text)
	if p.version == 0 && !header {
		return p.errorf(t, "%s stands before .version; expected .version and .target first; begin with .version 9.4 and .target sm_107a", t.text)
	}
	if !p.hasTarget && !header {
		return p.errorf(t, "%s stands before .target; expected .target after .version; add for example .target sm_107a", t.text)
	}
	switch t.text {
	case ".version":
		return p.versionDirective()
	case ".target":
		return p.targetDirective()
	case ".address_size":
		p.next()
		n := p.next()
		if n.text != "64" {
			return p.errorf(n, "address size %s is not modelled; expected 64; compile for 64 bits", n.describe())
		}
		return nil
	}
	if p.skippable(t.text) {
		return p.skipDebug()
	}
	linkage := ""
	switch t.text {
	case ".visible", ".extern", ".weak", ".common":
		linkage = p.next().text
		t = p.peek()
	}
	switch t.text {
	case ".entry":
		p.next()
		return p.entry()
	case ".func":
		return p.errorf(t, ".func is not modelled; %s", inlineHint)
	case ".alias":
		return p.errorf(t, ".alias is not modelled; %s", inlineHint)
	case ".global", ".const", ".shared":
		return p.variables(p.global, linkage, nil)
	case ".local", ".tex", ".texref", ".samplerref", ".surfref":
		return p.errorf(t, "%s variables are not modelled; expected .global, .const or .shared; move the data there", t.text)
	case ".reg", ".param":
		return p.errorf(t, "%s stands at module scope; expected it inside an .entry; move it", t.text)
	}
	if t.kind == tokBad {
		return p.errorf(t, "%s", t.text)
	}
	return p.errorf(t, "unknown directive %s; expected a directive of PTX ISA chapter 11%s", t.describe(), spell.DidYouMean(t.text, moduleDirectives))
}

func (p *parser) versionDirective() error {
	t := p.next()
	n := p.next()
	major, minor, ok := strings.Cut(n.text, ".")
	a, err1 := strconv.Atoi(major)
	b, err2 := strconv.Atoi(minor)
	if n.kind != tokNum || !ok || err1 != nil || err2 != nil || a > 99 || b > 9 {
		return p.errorf(n, "%s is no PTX ISA version; expected major.minor, as in .version 9.4", n.describe())
	}
	if p.version != 0 {
		return p.errorf(t, "second .version; expected one for each module; remove it")
	}
	p.version, p.mod.Version = 10*a+b, n.text
	if p.version < 60 {
		return p.errorf(n, "PTX ISA %s has no memory consistency model; expected 6.0 or later; raise .version", n.text)
	}
	return nil
}

func (p *parser) targetDirective() error {
	t := p.next()
	if p.hasTarget {
		return p.errorf(t, "second .target; expected one for each module; remove it")
	}
	for {
		n := p.next()
		tg, ok := parseTarget(n.text)
		switch {
		case ok && !p.hasTarget:
			p.target, p.hasTarget, p.mod.Target = tg, true, n.text
			if tg.sm < 70 {
				return p.errorf(n, "%s has no memory consistency model; expected sm_70 or later; raise .target", n.text)
			}
		case n.text == "texmode_independent", n.text == "texmode_unified", n.text == "debug", n.text == "map_f64_to_f32":
		default:
			return p.errorf(n, "%s is no target; expected an architecture such as sm_90, sm_90a or sm_107a", n.describe())
		}
		if !p.accept(",") {
			break
		}
	}
	if !p.hasTarget {
		return p.errorf(t, ".target names no architecture; expected one such as sm_107a; add it")
	}
	return nil
}

// skippable says which directives carry debug information or hints only.
func (p *parser) skippable(d string) bool {
	return d == ".file" || d == ".loc" || d == ".section" || d == ".pragma"
}

// skipDebug skips .file, .loc (to the end of the line), .section { } and .pragma "…";.
func (p *parser) skipDebug() error {
	t := p.next()
	switch t.text {
	case ".pragma":
		for {
			if s := p.next(); s.kind != tokStr {
				return p.errorf(s, "found %s after .pragma; expected a string in double quotes", s.describe())
			}
			if !p.accept(",") {
				return p.semicolon(".pragma")
			}
		}
	case ".section":
		for !p.is("{") {
			if n := p.next(); n.kind == tokEOF || n.line > t.line+1 {
				return p.errorf(t, ".section has no body; expected .section name { … }")
			}
		}
		p.next()
		for !p.is("}") {
			if n := p.next(); n.kind == tokEOF {
				return p.errorf(t, `.section is not ended; expected "}"; close it`)
			}
		}
		p.next()
	default:
		for n := p.peek(); n.kind != tokEOF && n.line == t.line; n = p.peek() {
			p.next()
			if n.is(";") {
				break
			}
		}
	}
	return nil
}

// integer reads a non-negative integer constant expression.
func (p *parser) integer(what string) (int, error) {
	t := p.peek()
	c, err := p.constExpr()
	if err != nil {
		return 0, err
	}
	if c.kind != intConst || c.bits > 1<<40 {
		return 0, p.errorf(t, "%s is not a usable %s; expected a non-negative integer", t.describe(), what)
	}
	return int(c.bits), nil
}

// identifier reads a name without qualifiers.
func (p *parser) identifier(what string) (token, error) {
	t := p.peek()
	if t.kind == tokBad {
		return t, p.errorf(t, "%s", t.text)
	}
	if t.kind != tokWord || strings.Contains(t.text, ".") || t.text == "_" {
		return t, p.errorf(t, "found %s; expected the name of a %s", t.describe(), what)
	}
	return p.next(), nil
}
