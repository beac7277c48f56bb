package launch

import (
	"path/filepath"
	"slices"
	"strings"

	"ptxmc/model"
)

// The keywords of annotations: of the base, and of the lines of a variant.
var (
	baseWords    = []string{"title", "param", "buffer", "tensormap", "launch", "slots", "final", "expect", "variant"}
	variantWords = []string{"expect", "replace", "delete", "insert", "plan"}
)

// Load reads the annotations of a PTX file. The PTX itself is not looked at. The error is a
// *model.Diagnostic, the first one.
func Load(file, text string) (spec *Spec, err error) {
	defer catch(&err)
	base := filepath.Base(file)
	s := &Spec{
		File:   file,
		Title:  strings.TrimSuffix(base, filepath.Ext(base)),
		Source: model.NewSource(file, text),
		marks:  map[string][]int{},
	}
	l := &loader{spec: s}
	f := &finder{file: file}
	for i, line := range s.Source.Lines {
		n, ok := f.find(line)
		switch {
		case !ok:
		case n.trailing:
			l.marks(newCursor(file, line, n.start), i)
		default:
			l.line(newCursor(file, line, n.start), n.start)
		}
	}
	l.finish()
	return s, nil
}

// VariantNames returns the names of the variants, in the order of the file.
func (s *Spec) VariantNames() []string {
	names := make([]string, len(s.Variants))
	for i, v := range s.Variants {
		names[i] = v.Name
	}
	return names
}

// loader is the state of reading the annotations of a file.
type loader struct {
	spec     *Spec
	titled   bool
	variant  *Variant // the one being read
	textOpen *edit    // the edit that takes `|` lines
}

// marks reads "mark NAME ..." behind PTX text.
func (l *loader) marks(c *cursor, index int) {
	at := c.here()
	if !c.keyword("mark") {
		at.fail("found %s behind PTX text; expected //@ mark NAME; put other annotations on lines of their own", c.next())
	}
	for first := true; first || !c.done(); first = false {
		name, at := c.label("a mark")
		lines := l.spec.marks[name]
		if n := len(lines); n > 0 && lines[n-1] == index {
			at.fail("mark %s is given twice on this line; expected it once; take one away", name)
		}
		l.spec.marks[name] = append(lines, index)
	}
}

// line reads an annotation that has a line of its own. The text begins at index start.
func (l *loader) line(c *cursor, start int) {
	if c.is("|") {
		l.text(c)
		return
	}
	if c.done() {
		return
	}
	l.textOpen = nil
	at, w := c.here(), c.peekIdent()
	if w == "mark" {
		at.fail("a mark stands on a line without PTX text; expected it behind the line that it names, as in `fence.acq_rel.gpu; //@ mark publish`; move it")
	}
	if l.variant != nil && isOneOf(w, variantWords) {
		c.accept(w)
		l.variantLine(c, w, at)
		return
	}
	if l.variant != nil && w != "variant" && isOneOf(w, baseWords) {
		mend := "move it above the first variant"
		if w != "title" {
			mend += ", or write plan " + w + " to change it in variant " + l.variant.Name
		}
		at.fail("%s belongs to the base but stands behind a variant; expected %s; %s", w, oneOf(append(variantWords, "variant"), ""), mend)
	}
	if l.variant == nil && isOneOf(w, variantWords) && w != "expect" {
		at.fail("%s stands before the first variant; expected it below a line such as //@ variant no-fence \"what is broken\"; move it, or start a variant", w)
	}
	if !isOneOf(w, baseWords) {
		words := baseWords
		if l.variant != nil {
			words = append(slices.Clone(variantWords), "variant")
		}
		at.fail("this annotation starts with %s, which is not a keyword; expected %s; a plain comment starts with // only%s", c.next(), oneOf(words, ""), didYouMean(w, words))
	}
	c.accept(w)
	l.baseLine(c, w, at)
}

func (l *loader) baseLine(c *cursor, w string, at place) {
	s := l.spec
	switch w {
	case "title":
		if l.titled {
			at.fail("the file has two titles; expected one; take one away")
		}
		l.titled = true
		s.Title = c.quoted("the title")
		c.finish("the title")
	case "expect":
		if s.Base.Expect.Given {
			at.fail("the verdict of the base is given twice, first on line %d; expected it once; take one away", s.Base.Expect.Pos.Line)
		}
		s.Base.Expect = expectLine(c, at)
	case "variant":
		l.startVariant(c)
	default:
		line := planLine(c, w, at)
		unique(s.Base.Lines, line)
		s.Base.Lines = append(s.Base.Lines, line)
	}
}

// unique refuses a plan line whose name is taken.
func unique(lines []*Line, line *Line) {
	for _, o := range lines {
		switch {
		case line.Kind == "slots" && o.Kind == "slots":
			line.at.fail("slots is given twice, first on line %d; expected it once; take one away", o.Pos.Line)
		case line.Kind == "launch" && o.Kind == "launch" && o.Name == line.Name:
			line.at.fail("launch %s is already on line %d; expected another name; name the second launch of an entry, as in launch %s as again", line.Name, o.Pos.Line, line.Name)
		case line.Kind != "launch" && o.Kind != "launch" && line.Name != "" && o.Name == line.Name:
			line.at.fail("the name %s is already taken by the %s on line %d; expected another name; rename one", line.Name, o.Kind, o.Pos.Line)
		}
	}
}

func (l *loader) startVariant(c *cursor) {
	v := &Variant{}
	v.Name, v.at = c.label("a variant")
	v.Pos = v.at.pos()
	v.Title = v.Name
	for _, o := range l.spec.Variants {
		if o.Name == v.Name {
			v.at.fail("variant %s is already on line %d; expected another name; rename one", v.Name, o.Pos.Line)
		}
	}
	if !c.done() {
		v.Title = c.quoted("what the variant breaks")
	}
	c.finish("the variant")
	l.spec.Variants = append(l.spec.Variants, v)
	l.variant = v
}

func (l *loader) variantLine(c *cursor, w string, at place) {
	v := l.variant
	switch w {
	case "expect":
		if v.Expect.Given {
			at.fail("the verdict of variant %s is given twice, first on line %d; expected it once; take one away, or start the next variant before it", v.Name, v.Expect.Pos.Line)
		}
		v.Expect = expectLine(c, at)
	case "plan":
		v.plan = append(v.plan, readPlanEdit(c))
	default:
		e := readEdit(c, w, at)
		v.edits = append(v.edits, e)
		if w != "delete" {
			l.textOpen = e
		}
	}
}

// text reads a `|` line.
func (l *loader) text(c *cursor) {
	at := c.here()
	if l.textOpen == nil {
		at.fail("this text belongs to no edit; expected it directly below replace NAME, insert before NAME or insert after NAME; move it, or add the edit")
	}
	start := c.i + 1
	if start < len(c.line.Text) && c.line.Text[start] == ' ' {
		start++
	}
	text := model.SourceLine{Text: c.line.Text[start:], Line: c.line.Line, Col: start + 1}
	if strings.Contains(text.Text, "//@") {
		c.at(start + strings.Index(text.Text, "//@")).fail("an annotation stands in the text of an edit and would have no effect; expected PTX only; take it away")
	}
	l.textOpen.text = append(l.textOpen.text, text)
}

// finish checks what needs the whole file.
func (l *loader) finish() {
	for _, v := range l.spec.Variants {
		if !v.Expect.Given {
			v.at.fail("variant %s has no verdict; expected a line //@   expect verified or //@   expect refuted PROPERTY below it; add it", v.Name)
		}
		l.spec.checkEdits(v)
		mergePlan(l.spec.Base.Lines, v)
		if len(v.edits)+len(v.plan) == 0 {
			v.at.fail("variant %s changes nothing; expected a replace, delete, insert or plan line below it; add one", v.Name)
		}
	}
}
