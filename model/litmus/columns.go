package litmus

import (
	"slices"
	"strings"
)

// parseLitmus parses the columnar dialect.
func (s *source) parseLitmus() (*Program, error) {
	p := newParser(s, "litmus", "", nil)
	body, err := p.header()
	if err != nil {
		return nil, err
	}
	if p.tokens, err = s.lex(body, len(s.text)); err != nil {
		return nil, err
	}
	for _, step := range []func() error{p.initAndThreads, p.rows, p.questions, p.checkUses, p.checkBarriers} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return p.prog, nil
}

// header reads "PTX name" and passes over what stands before the brace: remarks in double quotes.
func (p *parser) header() (body int, err error) {
	off, err := p.skip(0, len(p.text))
	if err != nil {
		return 0, err
	}
	first, _, _ := strings.Cut(p.text[off:], "\n")
	arch, name, _ := strings.Cut(strings.TrimSpace(first), " ")
	if n := strings.IndexAny(name, "{\""); n >= 0 {
		name = name[:n]
	}
	p.prog.Name = strings.TrimSpace(name)
	if !strings.EqualFold(arch, "PTX") || p.prog.Name == "" {
		return 0, p.errAt(off, "found %q; expected PTX and the name of the test", strings.TrimSpace(first))
	}
	for at, quoted := off, -1; at < len(p.text); at++ {
		switch c := p.text[at]; {
		case c == '"' && quoted < 0:
			quoted = at
		case c == '"':
			quoted = -1
		case c == '{' && quoted < 0:
			return at, nil
		}
	}
	return 0, p.errAt(len(p.text), "found no { outside of double quotes; expected the initial state in braces after the name of the test")
}

// initAndThreads parses the initial state and the header of the columns. The header comes first,
// since the initial state names the threads.
func (p *parser) initAndThreads() error {
	p.pos++
	start := p.pos
	for !p.at("}") {
		if p.next().kind == endToken {
			return p.errAt(p.tokens[start-1].off, "this brace is not closed; expected } after the initial state")
		}
	}
	end := p.pos
	p.pos++
	p.accept(";")
	if err := p.threads(); err != nil {
		return err
	}
	after := p.pos
	for _, registers := range []bool{false, true} {
		p.pos = start
		for p.pos < end {
			if p.accept(";") {
				continue
			}
			if err := p.entry(registers, end); err != nil {
				return err
			}
			if p.pos < end && !p.at(";") {
				return p.unexpected("a semicolon")
			}
		}
	}
	for i := range p.prog.Locs {
		p.prog.Locs[i].Init = p.prog.Locs[p.prog.Locs[i].Phys].Init
	}
	p.pos = after
	return nil
}

// entry parses an entry of the initial state. There are two passes: the first declares the locations, the
// second gives initial values, which may be addresses.
func (p *parser) entry(values bool, end int) error {
	switch second := p.tokens[p.pos+1]; {
	case p.at("mbarrier") && second.kind == wordToken:
		if !values {
			return p.barrierEntry()
		}
	case second.text == ":":
		if values {
			return p.initRegister()
		}
	case second.text == "@":
		if !values {
			return p.aliasEntry()
		}
	case second.text == "=":
		if values {
			n, err := p.location()
			if err != nil {
				return err
			}
			p.pos++
			p.prog.Locs[n].Init, err = p.initial()
			return err
		}
		t, err := p.newLoc()
		if err != nil {
			return err
		}
		p.declare(t.text)
	default:
		return p.unexpected("an entry such as x=0, P0:r1=0, y @ generic aliases x or mbarrier b=1")
	}
	for p.pos < end && !p.at(";") {
		p.pos++
	}
	return nil
}

// aliasEntry parses "y @ generic aliases x".
func (p *parser) aliasEntry() error {
	t, err := p.newLoc()
	if err != nil {
		return err
	}
	p.pos++
	kind := p.next()
	proxy, ok := handles[kind.text]
	if !ok {
		return p.unknown(kind, kind.text, "proxy", sortedKeys(handles))
	}
	if err := p.expect("aliases", "and the location"); err != nil {
		return err
	}
	base, err := p.location()
	if err == nil {
		p.alias(t.text, proxy, base)
	}
	return err
}

// initRegister parses "P0:r1=value".
func (p *parser) initRegister() error {
	thread, err := p.thread()
	if err != nil {
		return err
	}
	p.pos++
	r, th := p.peek(), &p.prog.Threads[thread]
	if err := p.register(); err != nil {
		return err
	}
	if _, twice := th.Regs[r.text]; twice {
		return p.errAt(r.off, "register %s of %s is given twice; expected one initial value", r.text, th.Name)
	}
	if err := p.expect("=", "and the initial value"); err != nil {
		return err
	}
	th.Regs[r.text], err = p.initial()
	return err
}

// initial parses a number, or a location for its address.
func (p *parser) initial() (int64, error) {
	if p.accept("&") || p.peek().kind == wordToken {
		n, err := p.location()
		return Address(n), err
	}
	return p.number()
}

// threads parses the header of the columns: P0@cta 0,gpu 0 | P1@cta 1,cluster 0,gpu 0 ;
func (p *parser) threads() error {
	ctas, clusters, declared := numbering{}, numbering{}, map[int]int{}
	for {
		t := p.next()
		if t.kind != wordToken || t.text[0] != 'P' || strings.Trim(t.text[1:], "0123456789") != "" || len(t.text) < 2 {
			return p.errAt(t.off, "found %s; expected the threads, such as P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;", t.describe())
		}
		if slices.ContainsFunc(p.prog.Threads, func(o Thread) bool { return o.Name == t.text }) {
			return p.errAt(t.off, "thread %s stands twice; expected another name", t.text)
		}
		if err := p.expect("@", "and the place of the thread, such as @cta 0,gpu 0"); err != nil {
			return err
		}
		place, err := p.place()
		if err != nil {
			return err
		}
		gpu, cta := place["gpu"], ctas.of(place["gpu"], place["cta"])
		key := []int{1, gpu, place["cta"]} // a cluster of its own
		if c, ok := place["cluster"]; ok {
			key = []int{2, gpu, c}
		}
		cluster := clusters.of(key...)
		if other, ok := declared[cta]; ok && other != cluster {
			return p.errAt(t.off, "cta %d of gpu %d was in another cluster above; expected one cluster for a cta", place["cta"], gpu)
		}
		declared[cta] = cluster
		p.prog.Threads = append(p.prog.Threads, Thread{Name: t.text, GPU: gpu, Cluster: cluster, CTA: cta, Regs: map[string]int64{}})
		if p.accept(";") {
			return nil
		}
		if err := p.expect("|", "before the next thread, or a semicolon after the last"); err != nil {
			return err
		}
	}
}

// place parses "cta 0, cluster 0, gpu 0" in any order; cluster may be absent.
func (p *parser) place() (map[string]int, error) {
	out := map[string]int{}
	for {
		t := p.next()
		if t.text != "cta" && t.text != "cluster" && t.text != "gpu" {
			return nil, p.errAt(t.off, "found %s; expected cta, cluster or gpu and a number", t.describe())
		}
		if _, twice := out[t.text]; twice {
			return nil, p.errAt(t.off, "%s stands twice; expected it once", t.text)
		}
		n, err := p.number()
		if err != nil {
			return nil, err
		}
		if n < 0 || n >= 1<<20 {
			return nil, p.errAt(t.off, "%s %d is out of range; expected 0 to %d", t.text, n, 1<<20-1)
		}
		out[t.text] = int(n)
		if p.accept(",") {
			continue
		}
		for _, need := range []string{"cta", "gpu"} {
			if _, ok := out[need]; !ok {
				return nil, p.errAt(t.off, "the place of the thread names no %s; expected cta and gpu, as in @cta 0,gpu 0", need)
			}
		}
		return out, nil
	}
}

// keywords begin what follows the rows of instructions.
var keywords = []string{"exists", "filter", "forall", "locations"}

// rows parses the rows of instructions.
func (p *parser) rows() error {
	last := len(p.prog.Threads) - 1
	for {
		t := p.peek()
		switch after := p.tokens[min(p.pos+1, len(p.tokens)-1)]; {
		case t.kind == endToken, slices.Contains(keywords, t.text), t.text == "~", t.text == "not":
			return nil
		case t.kind == wordToken && after.text == "(":
			return p.unknown(t, t.text, "keyword", keywords)
		}
		for i := range p.prog.Threads {
			if err := p.instructions(i); err != nil {
				return err
			}
			switch {
			case i == last && p.at("|"):
				return p.errAt(p.peek().off, "the row has more cells than the %d threads; expected a semicolon", last+1)
			case i < last && p.at(";"):
				return p.errAt(p.peek().off, "the row has %d cells; expected one for each of the %d threads, empty ones too", i+1, last+1)
			case i == last:
				if err := p.expect(";", "after the last cell of the row"); err != nil {
					return err
				}
			default:
				if err := p.expect("|", "after the instruction"); err != nil {
					return err
				}
			}
		}
	}
}

// questions parses what follows the rows: locations […], filter and the condition.
func (p *parser) questions() error {
	for {
		t := p.next()
		switch {
		case t.text == "locations":
			if err := p.shown(); err != nil {
				return err
			}
			continue
		case t.text == "filter" && p.prog.Filter != nil:
			return p.errAt(t.off, "there are two filters; expected one, with /\\ between its parts")
		case t.text == "filter":
			e, err := p.condition()
			if err != nil {
				return err
			}
			p.prog.Filter = e
			p.accept(";")
			continue
		}
		c := Condition{Kind: Exists, Line: p.line(t.off)}
		switch {
		case t.text == "exists":
		case t.text == "forall":
			c.Kind = Forall
		case (t.text == "~" || t.text == "not") && p.accept("exists"):
			c.Kind = NotExists
		default:
			return p.errAt(t.off, "found %s; expected the question of the test: exists, ~exists or forall", t.describe())
		}
		start := p.pos
		e, err := p.condition()
		if err != nil {
			return err
		}
		c.Expr, c.Text = e, squeeze(p.tokens[start:p.pos])
		p.prog.Conditions = []Condition{c}
		p.accept(";")
		if p.peek().kind != endToken {
			return p.unexpected("the end of the file after the condition")
		}
		return nil
	}
}

// shown parses "[x; P0:r1;]".
func (p *parser) shown() error {
	if err := p.expect("[", "and the locations and registers to show"); err != nil {
		return err
	}
	for !p.accept("]") {
		t, err := p.term()
		if err != nil {
			return err
		}
		p.prog.Shown = append(p.prog.Shown, t)
		if !p.accept(";") && !p.at("]") {
			return p.unexpected("a semicolon or a bracket")
		}
	}
	return nil
}
