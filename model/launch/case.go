package launch

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"ptxmc/model"
	"ptxmc/model/ptx"
)

// Case makes the program of a variant; the empty name is the base. set overrides params. An error
// in the file is a *model.Diagnostic; an unknown variant or param in the call is a plain error.
func (s *Spec) Case(variant string, set map[string]int64) (*Case, error) {
	return s.caseBy(ptx.Parse, variant, set)
}

// caseBy is Case with any parser.
func (s *Spec) caseBy(parse func(*model.Source) (*model.Module, error), variant string, set map[string]int64) (c *Case, err error) {
	v := &Variant{Title: s.Title, Expect: s.Base.Expect}
	if variant != "" {
		i := slices.IndexFunc(s.Variants, func(v *Variant) bool { return v.Name == variant })
		if i < 0 {
			return nil, fmt.Errorf("%s has no variant %s; expected %s%s", s.File, variant,
				oneOf(s.VariantNames(), "no variant: the file has none"), didYouMean(variant, s.VariantNames()))
		}
		v = s.Variants[i]
	}
	defer func() {
		if err != nil {
			c = nil
		}
	}()
	defer catch(&err)
	c = &Case{Spec: s, Variant: variant, Title: v.Title, Source: s.edited(v)}
	r := &resolver{c: c, lines: mergePlan(s.Base.Lines, v), used: map[string]bool{}, awaited: map[string]bool{}}
	if err := r.params(set); err != nil {
		return nil, err
	}
	r.buffers()
	r.tensorMaps()
	r.verdict(v.Expect)
	launches := r.ofKind("launch")
	if len(launches) == 0 {
		s.top().fail("the plan launches nothing; expected a line such as //@ launch kernel grid 1 block 32; add it")
	}
	if c.Module, err = parse(c.Source); err != nil {
		return nil, err
	}
	for _, l := range launches {
		r.launch(l, l.decl.(*launchDecl))
	}
	r.unusedEvents()
	r.slots()
	r.finals()
	r.unused()
	return c, nil
}

// PTX returns the text of the program, with the edits of the variant; lines of the plan are left empty.
func (c *Case) PTX() string {
	var b strings.Builder
	f := &finder{file: c.Source.File}
	for _, l := range c.Source.Lines {
		text := l.Text
		if n, ok := f.find(l); ok {
			text = strings.TrimRight(text[:n.start-len("//@")], " \t")
		}
		b.WriteString(text + "\n")
	}
	return b.String()
}

// top is the place for what is missing in the file as a whole.
func (s *Spec) top() place { return place{s.File, s.Source.Lines[0], 1} }

// resolver evaluates the lines of a plan into c.Plan.
type resolver struct {
	c        *Case
	lines    []*Line
	used     map[string]bool // params and buffers that something refers to
	awaited  map[string]bool // events that a launch waits for
	byName   map[string]*Buffer
	index    map[string]int // of buffers
	maps     map[string]int // of tensor maps
	changed  bool           // set gives a param another value than the file
	threads  int64          // of all launches
	clusters int            // largest cluster
}

func (r *resolver) ofKind(kind string) []*Line {
	var out []*Line
	for _, l := range r.lines {
		if l.Kind == kind {
			out = append(out, l)
		}
	}
	return out
}

// ints is where integer expressions of the plan are evaluated.
func (r *resolver) ints() *env {
	return &env{params: r.c.Plan.Params, buffers: r.byName, used: r.used}
}

// params evaluates the params in order; each may use those above it.
func (r *resolver) params(set map[string]int64) error {
	p := map[string]int64{}
	r.c.Plan.Params = p
	for _, l := range r.ofKind("param") {
		p[l.Name] = r.ints().integer(l.decl.(*paramDecl).value)
		if v, ok := set[l.Name]; ok {
			r.changed = r.changed || v != p[l.Name]
			p[l.Name] = v
		}
	}
	for _, name := range sortedKeys(set) {
		if _, ok := p[name]; !ok {
			return fmt.Errorf("%s has no param %s; expected %s%s", r.c.Spec.File, name,
				oneOf(sortedKeys(p), "none to be set: the plan has no param"), didYouMean(name, sortedKeys(p)))
		}
	}
	return nil
}

// verdict takes over the expected verdict. A number of states holds for the file's params only.
func (r *resolver) verdict(x Expect) {
	if !x.Given { // only the base: Load has seen to variants
		r.c.Spec.top().fail("the file has no expected verdict; expected a line //@ expect verified or //@ expect refuted PROPERTY above the first variant; add it")
	}
	if r.changed {
		x.States = 0
	}
	r.c.Plan.Expect = x
}

// maxElements bounds a buffer; a model checker visits all of it in every state.
const maxElements = 1 << 16

const maxAlign = 1 << 20

func (r *resolver) buffers() {
	r.byName, r.index = map[string]*Buffer{}, map[string]int{}
	plan := &r.c.Plan
	for _, l := range r.ofKind("buffer") {
		plan.Buffers = append(plan.Buffers, r.buffer(l, l.decl.(*bufferDecl)))
	}
	for i := range plan.Buffers {
		r.byName[plan.Buffers[i].Name], r.index[plan.Buffers[i].Name] = &plan.Buffers[i], i
	}
}

func (r *resolver) buffer(l *Line, d *bufferDecl) Buffer {
	b := Buffer{Name: l.Name, Pos: l.Pos, Elem: d.elem, Align: DefaultAlign}
	n := r.ints().integer(d.count)
	if n < 1 || n > maxElements {
		d.count.at.fail("buffer %s has %d elements; expected 1 to %d; correct the count", l.Name, n, maxElements)
	}
	b.Count = int(n)
	if d.align != nil {
		a := r.ints().integer(d.align)
		if a < 1 || a > maxAlign || a&(a-1) != 0 || a < int64(d.elem.Bytes()) {
			d.align.at.fail("alignment %d is not possible; expected a power of two from %d, the size of an element, to %d", a, d.elem.Bytes(), maxAlign)
		}
		b.Align = int(a)
	}
	if d.sentinel != nil {
		if d.elem == model.B128 {
			d.sentinel.at.fail("a sentinel belongs to elements of at most 64 bits, not to b128; expected another type; declare the buffer as b32 or b64")
		}
		b.HasSentinel, b.Sentinel = true, r.value(d.sentinel, d.elem).Lo
	}
	given := make([]ElemInit, len(d.values))
	for i, v := range d.values {
		given[i] = r.content(v, d)
	}
	switch {
	case len(given) > b.Count:
		d.values[b.Count].at.fail("%s are given for %s; expected at most as many values as elements; take some away", plural(len(given), "value"), plural(b.Count, "element"))
	case d.repeat && len(given) == b.Count:
		// Allowed: with another param the same values may have to be repeated.
	case !d.repeat && len(given) != 1 && len(given) != b.Count:
		d.values[0].at.fail("%s are given for %s; expected one for each, one for all, or ... at the end to repeat them", plural(len(given), "value"), plural(b.Count, "element"))
	}
	b.Init = make([]ElemInit, b.Count)
	for i := range b.Init {
		b.Init[i] = given[i%len(given)]
	}
	return b
}

func (r *resolver) content(e element, d *bufferDecl) ElemInit {
	init := ElemInit{Unknown: e.unknown, Stale: d.stale}
	for _, n := range e.values {
		v := r.value(n, d.elem)
		if slices.Contains(init.Values, v) {
			n.at.fail("%s is in the set twice; expected different values; take one away", n.text)
		}
		init.Values = append(init.Values, v)
	}
	return init
}

// value evaluates a constant of type t.
func (r *resolver) value(n *node, t model.Type) model.Value {
	o := r.ints().eval(n)
	if o.kind == boolKind {
		n.at.fail("%s is a condition; expected a value of type %s", n.text, t)
	}
	v, problem := convert(o, t)
	if problem != "" {
		if !strings.HasSuffix(n.text, o.describe()) {
			problem = "(" + o.describe() + ") " + problem
		}
		n.at.fail("%s %s", n.text, problem)
	}
	return v
}

// slots are checked against the largest cluster, whose CTAs start together.
func (r *resolver) slots() {
	for _, l := range r.ofKind("slots") {
		d := l.decl.(*slotsDecl)
		n := r.ints().integer(d.count)
		if n < 1 || n > maxThreads {
			d.count.at.fail("%d CTAs cannot be resident at once; expected 1 to %d; without a slots line all fit", n, maxThreads)
		}
		if int(n) < r.clusters {
			d.count.at.fail("a cluster of %d CTAs does not fit into %s, and could never start; expected at least %d", r.clusters, plural(int(n), "slot"), r.clusters)
		}
		r.c.Plan.Slots = int(n)
	}
}

func (r *resolver) finals() {
	for _, l := range r.ofKind("final") {
		d := l.decl.(*finalDecl)
		f := Final{Pos: l.Pos, Text: d.text, cond: d.cond, params: maps.Clone(r.c.Plan.Params), buffers: r.byName}
		f.verify(r.used)
		r.c.Plan.Finals = append(r.c.Plan.Finals, f)
	}
}

// unused refuses a param, buffer or tensor map that a variant adds and nothing refers to: its name was meant
// to be that of a line to replace.
func (r *resolver) unused() {
	for _, l := range r.lines {
		if !l.added || r.used[l.Name] || l.Kind != "param" && l.Kind != "buffer" && l.Kind != "tensormap" {
			continue
		}
		var names []string
		for _, o := range r.ofKind(l.Kind) {
			names = append(names, o.Name)
		}
		l.at.fail("the variant adds %s %s, and nothing uses it; expected the name of a line to replace, or a use%s", l.Kind, l.Name, didYouMean(l.Name, names))
	}
}
