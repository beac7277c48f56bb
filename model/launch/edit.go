package launch

import (
	"maps"
	"slices"

	"ptxmc/model"
)

// edit changes the lines of a mark.
type edit struct {
	kind string // replace, delete, insert before, insert after
	mark string
	at   place // of the mark's name
	text []model.SourceLine
}

// readEdit reads "replace NAME", "delete NAME" or "insert before|after NAME".
func readEdit(c *cursor, kind string, at place) *edit {
	e := &edit{kind: kind}
	if kind == "insert" {
		switch {
		case c.keyword("before"):
			e.kind = "insert before"
		case c.keyword("after"):
			e.kind = "insert after"
		default:
			c.here().fail("found %s; expected before or after and the name of a mark, as in insert before publish", c.next())
		}
	}
	e.mark, e.at = c.label("a mark")
	c.finish("the mark")
	return e
}

// checkEdits refuses edits without effect or with a doubtful one.
func (s *Spec) checkEdits(v *Variant) {
	changed := map[int]*edit{}
	for _, e := range v.edits {
		lines, ok := s.marks[e.mark]
		if !ok {
			names := sortedKeys(s.marks)
			e.at.fail("no line carries mark %s; expected %s; write //@ mark %s behind the line to edit%s",
				e.mark, oneOf(names, "a mark, but the file has none"), e.mark, didYouMean(e.mark, names))
		}
		if e.kind != "delete" && len(e.text) == 0 {
			e.at.fail("the edit has no text; expected lines such as //@   | fence.acq_rel.gpu; below it; add them, or write delete %s", e.mark)
		}
		if e.kind != "replace" && e.kind != "delete" {
			continue
		}
		for _, i := range lines {
			if o := changed[i]; o != nil {
				e.at.fail("line %d is changed by two edits of the variant, %s %s and %s %s; expected one; join them", s.Source.Lines[i].Line, o.kind, o.mark, e.kind, e.mark)
			}
			changed[i] = e
		}
	}
}

// edited returns the source with the edits of a variant. Edits see the file as it is, never each
// other's text; insertions at one place keep the order in which they are written.
func (s *Spec) edited(v *Variant) *model.Source {
	before, after := map[int][]model.SourceLine{}, map[int][]model.SourceLine{}
	instead := map[int][]model.SourceLine{}
	for _, e := range v.edits {
		lines := s.marks[e.mark]
		first, last := lines[0], lines[len(lines)-1]
		switch e.kind {
		case "insert before":
			before[first] = append(before[first], e.text...)
		case "insert after":
			after[last] = append(after[last], e.text...)
		default:
			for _, i := range lines {
				instead[i] = nil
			}
			instead[first] = e.text
		}
	}
	out := &model.Source{File: s.Source.File}
	for i, l := range s.Source.Lines {
		out.Lines = append(out.Lines, before[i]...)
		if text, ok := instead[i]; ok {
			out.Lines = append(out.Lines, text...)
		} else {
			out.Lines = append(out.Lines, l)
		}
		out.Lines = append(out.Lines, after[i]...)
	}
	return out
}

// planEdit changes the plan: line replaces the one with its key, or key is deleted.
type planEdit struct {
	line *Line  // nil: delete
	key  string // to delete
	at   place  // of the key
}

// readPlanEdit reads what stands behind the word plan.
func readPlanEdit(c *cursor) *planEdit {
	deleting := c.keyword("delete")
	at, kind := c.here(), c.peekIdent()
	if !isOneOf(kind, planWords) {
		hint := didYouMean(kind, planWords)
		if kind == "expect" {
			hint = "; the verdict of a variant is written without plan"
		}
		words := planWords
		if !deleting {
			words = append([]string{"delete"}, planWords...)
		}
		at.fail("found %s, which is not a plan line; expected %s%s", c.next(), oneOf(words, ""), hint)
	}
	c.accept(kind)
	if !deleting {
		l := planLine(c, kind, at)
		return &planEdit{line: l, key: l.key(), at: l.at}
	}
	e := &planEdit{key: kind, at: at}
	if kind != "slots" && kind != "final" {
		var name string
		name, e.at = c.ident("the " + kind + " to delete")
		e.key += " " + name
	}
	c.finish("the line to delete")
	return e
}

// mergePlan applies the plan edits of a variant. All base finals share one key: the first final of
// the variant replaces them, the next ones are added.
func mergePlan(base []*Line, v *Variant) []*Line {
	lines := slices.Clone(base)
	own := map[string]bool{} // keys that the variant has written
	for _, e := range v.plan {
		at := slices.IndexFunc(lines, func(l *Line) bool { return l.key() == e.key })
		if e.line == nil {
			if at < 0 {
				keys := make([]string, len(lines))
				for i, l := range lines {
					keys[i] = l.key()
				}
				e.at.fail("the plan has no line %s to delete; expected %s%s", e.key, oneOf(slices.Compact(keys), "a plan line, but the plan is empty"), didYouMean(e.key, keys))
			}
			lines = slices.DeleteFunc(lines, func(l *Line) bool { return l.key() == e.key })
			continue
		}
		if own[e.key] && e.key != "final" {
			e.at.fail("variant %s writes plan %s twice; expected it once; take one away", v.Name, e.key)
		}
		line := *e.line
		if at >= 0 && !own[e.key] {
			lines[at] = &line // the first of several finals: at stays right when the rest goes
			lines = slices.DeleteFunc(lines, func(l *Line) bool { return l.key() == e.key && l != &line })
		} else {
			line.added = true
			lines = append(lines, &line)
		}
		own[e.key] = true
	}
	for i, l := range lines {
		if l.Kind != "final" {
			unique(lines[:i], l)
		}
	}
	return lines
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
