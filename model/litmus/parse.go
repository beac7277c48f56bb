package litmus

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"ptxmc/internal/spell"
)

// maxFile and maxTokens bound a file and the text that a table makes of it.
const (
	maxFile   = 1 << 18
	maxTokens = 1 << 20
)

// Parse reads a litmus test: a .litmus file holds one program, a .test file one for each row of its
// table, or one if it has no table. Errors are *model.Diagnostic.
func Parse(file, text string) ([]*Program, error) {
	s := newSource(file, text)
	if len(text) > maxFile {
		return nil, s.errAt(0, "the file has %d bytes; expected at most %d", len(text), maxFile)
	}
	switch ext := filepath.Ext(file); ext {
	case ".litmus":
		prog, err := s.parseLitmus()
		if err != nil {
			return nil, err
		}
		return []*Program{prog}, nil
	case ".test":
		return s.parseTest()
	default:
		return nil, s.errAt(0, "files of kind %q hold no litmus test; expected the name to end in .litmus or .test", ext)
	}
}

// use is a register or a label that an instruction names, or a register that a condition names.
type use struct {
	kind   useKind
	thread int
	tok    token
}

type useKind int

const (
	register useKind = iota
	label
)

// registers returns the names of a thread's registers: those that it initialises or writes.
func (t *Thread) registers() map[string]bool {
	out := map[string]bool{}
	for r := range t.Regs {
		out[r] = true
	}
	for _, in := range t.Code {
		if in.Dst != "" {
			out[in.Dst] = true
		}
	}
	return out
}

// checkUses reports a register that nothing writes, a label that does not exist and a location that is
// probably misspelled.
func (p *parser) checkUses() error {
	known := map[useKind][]map[string]bool{}
	for i := range p.prog.Threads {
		labels := map[string]bool{}
		for _, in := range p.prog.Threads[i].Code {
			if in.Op == Label {
				labels[in.Label] = true
			}
		}
		known[label] = append(known[label], labels)
		known[register] = append(known[register], p.prog.Threads[i].registers())
	}
	for _, u := range p.uses {
		names := known[u.kind][u.thread]
		if names[u.tok.text] {
			continue
		}
		kind := "label"
		if u.kind == register {
			kind = "register"
		}
		return p.unknown(u.tok, u.tok.text, kind+" of thread "+p.prog.Threads[u.thread].Name+":", sortedKeys(names))
	}
	for _, t := range p.implicit {
		if n := p.findLoc(t.text); p.accesses[n] == 1 {
			names := p.locNames()
			return p.errAt(t.off, "location %s is not in the initial state, and only this instruction uses it; expected %s=0; there, or another name%s",
				t.text, t.text, spell.DidYouMean(t.text, names))
		}
	}
	return nil
}

func (p *parser) locNames() []string {
	var names []string
	for _, l := range p.prog.Locs {
		names = append(names, l.Name)
	}
	return names
}

// numbering gives numbers to keys in the order in which they first appear.
type numbering map[[3]int]int

func (n numbering) of(key ...int) int {
	var k [3]int
	copy(k[:], key)
	if _, ok := n[k]; !ok {
		n[k] = len(n)
	}
	return n[k]
}

// alias appends a location that is another name of the memory of base.
func (p *parser) alias(name string, proxy Proxy, base int) {
	b := p.prog.Locs[base]
	l := Loc{Name: name, Init: b.Init, Phys: b.Phys, Virt: b.Virt, Proxy: proxy}
	if proxy == Generic {
		l.Virt = len(p.prog.Locs)
	}
	p.prog.Locs = append(p.prog.Locs, l)
}

// declare appends a location with memory of its own.
func (p *parser) declare(name string) {
	n := len(p.prog.Locs)
	p.prog.Locs = append(p.prog.Locs, Loc{Name: name, Phys: n, Virt: n})
}

// newLoc parses the name of a location that does not exist yet.
func (p *parser) newLoc() (token, error) {
	t := p.peek()
	switch {
	case t.kind != wordToken || strings.Contains(t.text, "."):
		return t, p.unexpected("the name of a location")
	case isRegister(t.text):
		return t, p.errAt(t.off, "%s is the name of a register; expected another name for a location", t.text)
	case p.findLoc(t.text) >= 0:
		return t, p.errAt(t.off, "location %s is declared twice; expected one declaration", t.text)
	}
	p.pos++
	return t, nil
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
