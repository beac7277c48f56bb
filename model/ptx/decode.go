package ptx

import (
	"ptxmc/internal/spell"
	"sort"
	"strings"

	"ptxmc/model"
)

// mods are the qualifiers of an instruction by slot.
type mods map[string]part

func (m mods) has(slot string) bool { _, ok := m[slot]; return ok }

// context is what the hooks of a form see.
type context struct {
	*entryParser
	f      *form
	in     *model.Instr
	m      mods
	opcode token
	name   string // as written, for messages
	ops    []operand
	shape  []operandSpec
}

// fail makes an error at the instruction.
func (c *context) fail(format string, args ...any) error { return c.errorf(c.opcode, format, args...) }

// forms finds the forms with the longest name that begins the opcode; n is the number of parts
// that the name has.
func (e *entryParser) forms(parts []part) (forms []*form, n int, err error) {
	t := table()
	for n = len(parts); n > 0; n-- {
		if forms = t[join(parts[:n])]; forms != nil {
			break
		}
	}
	if n == 0 {
		return nil, 0, e.unknownInstruction(parts)
	}
	if len(forms) == 1 && forms[0].why != "" && forms[0].slots == "" {
		return nil, 0, e.unmodelled(parts, n, forms[0])
	}
	return forms, n, nil
}

func join(parts []part) string {
	var words []string
	for _, p := range parts {
		words = append(words, p.text)
	}
	return strings.Join(words, ".")
}

func (e *entryParser) unmodelled(parts []part, n int, f *form) error {
	if f.why == "-" {
		return e.errorf(parts[0].tok, "%s is known to PTX but not modelled by this version of ptxmc; expected an instruction listed in the documentation; check the part of the protocol without it", f.name)
	}
	return e.errorf(parts[0].tok, "%s is known to PTX but not modelled by this version of ptxmc; %s", join(parts), f.why)
}

// unknownInstruction suggests a spelling: of the first word, or, if that is known, of the rest.
func (e *entryParser) unknownInstruction(parts []part) error {
	roots, names := map[string]bool{}, map[string]bool{}
	for name := range table() {
		root, _, _ := strings.Cut(name, ".")
		roots[root] = true
		names[name] = true
	}
	word := parts[0].text
	if !roots[word] {
		return e.errorf(parts[0].tok, "unknown instruction %s; expected an instruction of PTX ISA 9.4%s", word, spell.DidYouMean(word, keys(roots)))
	}
	if len(parts) == 1 {
		return e.errorf(parts[0].tok, "instruction %s is incomplete; expected %s", word, list(withRoot(names, word)))
	}
	best := ""
	for n := len(parts); n > 1 && best == ""; n-- {
		best = spell.Nearest(join(parts[:n]), keys(names))
	}
	if best != "" {
		best = "; did you mean " + best + "?"
	} else {
		best = "; expected " + list(withRoot(names, word))
	}
	return e.errorf(parts[1].tok, "unknown instruction %s.%s%s", word, parts[1].text, best)
}

func keys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

// withRoot lists the modelled names under a root.
func withRoot(names map[string]bool, root string) []string {
	var out []string
	for _, n := range keys(names) {
		if strings.HasPrefix(n, root+".") && table()[n][0].why == "" {
			out = append(out, n)
		}
	}
	if len(out) == 0 {
		return []string{"a longer name"}
	}
	return out
}

// mismatch is how far a form got.
type mismatch struct {
	form *form
	at   int // index into parts; len(parts) if a required slot is empty
	dup  bool
	slot *slot // the empty one
	open []slot
}

// match puts the qualifiers into the slots of a form.
func (f *form) match(parts []part, n int) (mods, *mismatch) {
	m := mods{}
	for i := n; i < len(parts); i++ {
		placed, seen := false, false
		for _, s := range f.compiled.slots {
			if !s.takes(parts[i].text) {
				continue
			}
			seen = true
			if !m.has(s.name) {
				m[s.name] = parts[i]
				placed = true
				break
			}
		}
		if !placed {
			return nil, &mismatch{form: f, at: i, dup: seen, open: f.open(m)}
		}
	}
	for i, s := range f.compiled.slots {
		if !s.optional && !m.has(s.name) {
			return nil, &mismatch{form: f, at: len(parts), slot: &f.compiled.slots[i]}
		}
	}
	return m, nil
}

func (s slot) takes(text string) bool {
	for _, o := range s.options {
		if o.text == text {
			return true
		}
	}
	return false
}

func (f *form) open(m mods) []slot {
	var out []slot
	for _, s := range f.compiled.slots {
		if !m.has(s.name) {
			out = append(out, s)
		}
	}
	return out
}

// decode picks the form, checks it against the header, and builds the instruction.
func (e *entryParser) decode(in model.Instr, forms []*form, parts []part, n int, ops []operand) error {
	var f *form
	var m mods
	var worst *mismatch
	for _, g := range forms {
		got, bad := g.match(parts, n)
		if bad == nil {
			f, m = g, got
			break
		}
		// A form that is not modelled only explains the failure if there is no other.
		better := worst == nil || bad.at > worst.at
		if worst != nil && (worst.form.why == "") != (g.why == "") {
			better = g.why == ""
		}
		if better {
			worst = bad
		}
	}
	if f == nil {
		return e.mismatch(worst, forms, parts, n)
	}
	if f.why != "" {
		return e.unmodelled(parts, n, f)
	}
	if err := e.checkNeed(parts[0].tok, f.name, f.compiled.need); err != nil {
		return err
	}
	for _, s := range f.compiled.slots {
		for _, o := range s.options {
			if w, ok := m[s.name]; ok && w.text == o.text {
				if err := e.checkNeed(w.tok, f.name+"."+o.text, o.need); err != nil {
					return err
				}
			}
		}
	}
	in.Op = f.op
	c := &context{entryParser: e, f: f, in: &in, m: m, opcode: parts[0].tok, name: join(parts), ops: ops, shape: f.compiled.shape}
	c.setFields()
	if f.pre != nil {
		if err := f.pre(c); err != nil {
			return err
		}
	}
	if err := c.decodeOperands(); err != nil {
		return err
	}
	if f.fin != nil {
		if err := f.fin(c); err != nil {
			return err
		}
	}
	e.e.Code = append(e.e.Code, in)
	return nil
}
