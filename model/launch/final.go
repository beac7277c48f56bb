package launch

import (
	"fmt"
	"strings"

	"ptxmc/model"
)

// Final is a condition on memory when everything has ended.
//
// On floats == and != compare bits: a protocol moves bits, and its sentinel is often -0.0 or a NaN.
// So -0.0 differs from +0.0 and a NaN equals itself. The other comparisons are those of numbers.
// Arithmetic has the type of the elements and rounds to nearest; integers of elements wrap around.
type Final struct {
	Pos  model.Pos
	Text string // as written

	cond    *node
	params  map[string]int64
	buffers map[string]*Buffer
}

// maxInstances bounds a condition: its foralls may not have more instances together.
const maxInstances = 1 << 20

// env returns an evaluation environment of the condition.
func (f *Final) env(read func(buffer string, elem int) (model.Value, bool)) *env {
	return &env{params: f.params, buffers: f.buffers, read: read}
}

// Check evaluates the condition; read gives the bits of an element, or known = false for memory
// that was never initialised. A condition that depends on unknown memory does not hold. Why names
// the first instance that fails, with its values.
func (f *Final) Check(read func(buffer string, elem int) (v model.Value, known bool)) (holds bool, why string) {
	err := func() (err error) {
		defer catch(&err)
		e := f.env(read)
		if holds = e.truth(f.cond) == yes; !holds {
			why = e.explain(f.cond)
		}
		return nil
	}()
	if err != nil { // cannot be: Case has evaluated every instance
		return false, err.Error()
	}
	return holds, why
}

// Reads calls visit for every element that the condition may read; some more than once.
func (f *Final) Reads(visit func(buffer string, elem int)) {
	err := func() (err error) {
		defer catch(&err)
		f.env(func(buffer string, elem int) (model.Value, bool) {
			visit(buffer, elem)
			return model.Value{}, false
		}).truth(f.cond)
		return nil
	}()
	if err != nil { // cannot be, as above
		panic(err)
	}
}

// verify evaluates the condition with all memory unknown, which visits every instance: indexes,
// types and ranges are right afterwards.
func (f *Final) verify(used map[string]bool) {
	reads := 0
	e := f.env(func(string, int) (model.Value, bool) {
		reads++
		return model.Value{}, false
	})
	e.used, e.limit = used, maxInstances
	switch result := e.truth(f.cond); {
	case reads == 0:
		f.cond.at.fail("the condition reads no memory, so it says nothing; expected an element of a buffer, as in out[0] == 1.0; check that its ranges are not empty")
	case result == yes:
		f.cond.at.fail("the condition holds whatever memory contains, so it says nothing; expected one that memory can refute; correct the part without an element")
	case result == no:
		f.cond.at.fail("the condition fails whatever memory contains; expected one that can hold; correct the part without an element")
	}
}

// truth evaluates a condition.
func (e *env) truth(n *node) truth {
	switch n.op {
	case forallOp:
		result := yes
		e.instances(n, func() bool {
			result = min(result, e.truth(n.kids[2]))
			return result == no && e.limit == 0
		})
		return result
	case "&&", "||":
		stop := no
		if n.op == "||" {
			stop = yes
		}
		a := e.truth(n.kids[0])
		if a == stop {
			return a
		}
		b := e.truth(n.kids[1])
		if stop == yes {
			return max(a, b)
		}
		return min(a, b)
	case "!":
		return yes - e.truth(n.kids[0])
	case "==", "!=", "<", "<=", ">", ">=":
		return e.compare(n, e.eval(n.kids[0]), e.eval(n.kids[1]))
	}
	o := e.eval(n)
	n.at.fail("%s is a value (%s); expected a condition, as in out[i] == 1.0; compare it with something", n.text, map[bool]string{true: "an element", false: "a number"}[o.kind == elemKind])
	return no
}

// instances runs body for every value of a forall; body stops it by returning true.
func (e *env) instances(n *node, body func() bool) {
	low, high := e.integer(n.kids[0]), e.integer(n.kids[1])
	e.vars = append(e.vars, variable{name: n.name})
	defer func() { e.vars = e.vars[:len(e.vars)-1] }()
	for i := low; i < high; i++ {
		if e.steps++; e.limit > 0 && e.steps > e.limit {
			n.at.fail("the condition has more than %d instances; expected fewer; shorten its ranges", e.limit)
		}
		e.vars[len(e.vars)-1].value = i
		if body() {
			return
		}
	}
}

func (e *env) compare(n *node, a, b operand) truth {
	if a.kind == boolKind || b.kind == boolKind {
		n.at.fail("%s compares conditions; expected values on both sides; join conditions with && || and !", n.text)
	}
	var less, equal, ordered bool
	switch {
	case a.kind == elemKind || b.kind == elemKind:
		a, b = e.unify(n, a, b)
		if n.op != "==" && n.op != "!=" {
			e.arithmetical(n, a.typ)
		}
		if !a.known || !b.known {
			return maybe
		}
		equal, ordered = a.v == b.v, true
		switch {
		case n.op == "==" || n.op == "!=":
		case a.typ.Float():
			x, y := toFloat(a.v, a.typ), toFloat(b.v, b.typ)
			less, equal, ordered = x < y, x == y, x == x && y == y
		case a.typ.Signed():
			less = int64(extend(a.v, a.typ)) < int64(extend(b.v, b.typ))
		default:
			less = a.v.Lo < b.v.Lo
		}
	case a.kind == floatKind || b.kind == floatKind:
		x, y := e.number(n.kids[0], a), e.number(n.kids[1], b)
		less, equal, ordered = x < y, x == y, x == x && y == y
	default:
		x, y := e.toInt(a, n.kids[0]), e.toInt(b, n.kids[1])
		less, equal, ordered = x < y, x == y, true
	}
	switch n.op {
	case "==":
		return truthOf(equal)
	case "!=":
		return truthOf(!equal)
	case "<":
		return truthOf(less)
	case "<=":
		return truthOf(less || equal)
	case ">":
		return truthOf(ordered && !less && !equal)
	}
	return truthOf(ordered && !less)
}

// wanted says what a comparison expects of its left side.
var wanted = map[string]string{
	"==": "expected ", "!=": "expected a value other than ",
	"<": "expected less than ", "<=": "expected at most ", ">": "expected more than ", ">=": "expected at least ",
}

// explain says why a condition that is not true is not: a false part before an unknown one.
func (e *env) explain(n *node) string {
	want := e.truth(n)
	switch n.op {
	case forallOp:
		why := ""
		e.instances(n, func() bool {
			if e.truth(n.kids[2]) == want {
				why = e.explain(n.kids[2])
			}
			return why != ""
		})
		return why
	case "&&":
		if e.truth(n.kids[0]) == want {
			return e.explain(n.kids[0])
		}
		return e.explain(n.kids[1])
	case "||":
		return e.explain(n.kids[0]) + ", and " + e.explain(n.kids[1])
	case "!":
		if want == maybe {
			return e.explain(n.kids[0])
		}
		return n.kids[0].text + " holds" + e.where()
	}
	return e.explainComparison(n)
}

func (e *env) explainComparison(n *node) string {
	a, b := e.eval(n.kids[0]), e.eval(n.kids[1])
	left, where := e.subject(n.kids[0]), ""
	if n.kids[0].op != elemOp {
		where = e.where()
	}
	if a.kind == elemKind || b.kind == elemKind {
		a, b = e.unify(n, a, b)
	}
	right := b.describe()
	if b.kind == elemKind && !b.known {
		right = e.subject(n.kids[1]) + ", which is unknown"
	}
	return fmt.Sprintf("%s is %s, %s%s%s", left, a.describe(), wanted[n.op], right, where)
}

// subject names the left side: an element by its number, anything else as written.
func (e *env) subject(n *node) string {
	if n.op == elemOp {
		return fmt.Sprintf("%s[%d]", n.name, e.integer(n.kids[0]))
	}
	return n.text
}

// where lists the bound variables.
func (e *env) where() string {
	if len(e.vars) == 0 {
		return ""
	}
	var parts []string
	for _, v := range e.vars {
		parts = append(parts, fmt.Sprintf("%s = %d", v.name, v.value))
	}
	return " for " + strings.Join(parts, ", ")
}
