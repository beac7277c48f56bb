package ptx

import (
	"strings"

	"ptxmc/internal/spell"
)

// slotNames are the words of messages for slots whose names are abbreviations.
var slotNames = map[string]string{
	"stype": "source type", "cmp": "comparison", "rnd": "rounding modifier", "op": "operation",
	"done": "completion mechanism", "dst": "destination space", "src": "source space", "mode": "product mode",
}

// mismatch explains why no form takes the qualifiers.
func (e *entryParser) mismatch(w *mismatch, forms []*form, parts []part, n int) error {
	name := join(parts[:n])
	if w.slot != nil {
		var opts []string
		for _, o := range w.slot.options {
			opts = append(opts, "."+o.text)
		}
		// Forms that got equally far may ask for other qualifiers in the same place.
		for _, f := range forms {
			if _, bad := f.match(parts, n); bad != nil && bad.slot != nil && f != w.form && f.why == "" && bad.slot.name == w.slot.name {
				for _, o := range bad.slot.options {
					if !contains(opts, "."+o.text) {
						opts = append(opts, "."+o.text)
					}
				}
			}
		}
		what := w.slot.name
		if n, ok := slotNames[what]; ok {
			what = n
		}
		return e.errorf(parts[0].tok, "%s has no %s; expected %s; add it", join(parts), what, list(opts))
	}
	p := parts[w.at]
	if w.at == n && prefixes(join(parts[:n+1])) {
		return e.unknownInstruction(parts)
	}
	if w.dup {
		return e.errorf(p.tok, "%s cannot take .%s: this place is taken already; expected each qualifier once; remove one", name, p.text)
	}
	for _, f := range forms {
		if why, ok := f.notes[p.text]; ok {
			return e.errorf(p.tok, "%s cannot take .%s; %s", name, p.text, why)
		}
	}
	var opts, all []string
	for _, s := range w.open {
		for _, o := range s.options {
			opts = append(opts, "."+o.text)
		}
	}
	for _, f := range forms {
		for _, s := range f.compiled.slots {
			for _, o := range s.options {
				all = append(all, "."+o.text)
			}
		}
	}
	if len(opts) > 12 {
		opts = append(opts[:12:12], "…")
	}
	if contains(all, "."+p.text) && len(opts) > 0 {
		return e.errorf(p.tok, "%s cannot take .%s together with the qualifiers before it; expected %s; change one of them", name, p.text, list(opts))
	}
	if near := spell.Nearest("."+p.text, all); near != "" {
		return e.errorf(p.tok, "%s cannot take .%s; expected another qualifier; did you mean %s?", name, p.text, near)
	}
	if len(opts) == 0 {
		return e.errorf(p.tok, "%s cannot take .%s; expected no further qualifier; remove it", name, p.text)
	}
	return e.errorf(p.tok, "%s cannot take .%s here; expected %s", name, p.text, list(opts))
}

// prefixes reports whether longer names begin with name, as fence.proxy.alias does with fence.proxy.
func prefixes(name string) bool {
	for n := range table() {
		if strings.HasPrefix(n, name+".") {
			return true
		}
	}
	return false
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}
