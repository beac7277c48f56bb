package cat

import (
	"fmt"
	"strings"
)

// node is a vertex of a resolved model: names are replaced by what they stand for, functions are
// expanded, equal expressions are one node. So each value of an execution is computed once.
type node struct {
	op   operator
	pos  pos
	name string // opFree, opDerived, opRec
	a, b int    // operands, -1 if absent
	loop int    // opRec: index of its fixpoint
}

// fixpoint is one let rec. Nodes in [first,last) that depend on its names change while it is
// solved; open lists them.
type fixpoint struct {
	names       []int // opRec nodes
	bodies      []int
	first, last int
	open        []int
	inner       []int // fixpoints that lie within
}

// shape is what makes two nodes equal.
type shape struct {
	op   operator
	name string
	a, b int
}

// scope is a chain of definitions, the latest first.
type scope struct {
	parent *scope
	name   string
	node   int
	fun    *function // a function, or nil
}

// function is a let with parameters and the scope it was written in.
type function struct {
	*binding
	scope *scope
}

func (s *scope) find(name string) *scope {
	for ; s != nil; s = s.parent {
		if s.name == name {
			return s
		}
	}
	return nil
}

// names lists what can be seen from s.
func (s *scope) names() []string {
	var names []string
	for ; s != nil; s = s.parent {
		names = append(names, s.name)
	}
	return names
}

// maxNodes and maxCalls bound the expansion of functions.
const (
	maxNodes = 1 << 16
	maxCalls = 64
)

// resolver builds the nodes of a model.
type resolver struct {
	nodes   []node
	known   map[shape]int
	loops   []*fixpoint
	derived map[string]*expr // see prelude.go
	library *scope           // functions of the prelude
	calls   int              // functions being expanded
}

func (r *resolver) node(op operator, at pos, name string, a, b int) int {
	s := shape{op, name, a, b}
	if id, ok := r.known[s]; ok && op != opRec {
		return id
	}
	id := len(r.nodes)
	r.nodes = append(r.nodes, node{op: op, pos: at, name: name, a: a, b: b, loop: -1})
	r.known[s] = id
	return id
}

// expr resolves an expression in a scope.
func (r *resolver) expr(e *expr, s *scope) (int, error) {
	if len(r.nodes) > maxNodes {
		return 0, e.pos.errorf("the model has over %d operations with its functions expanded; "+
			"expected fewer; name shared parts by let", maxNodes)
	}
	switch e.op {
	case opName:
		return r.nameOrCall(e, s)
	case opLet:
		for _, let := range e.lets {
			var err error
			if s, err = r.let(let, s, nil); err != nil {
				return 0, err
			}
		}
		return r.expr(e.args[0], s)
	}
	operands := [2]int{-1, -1}
	for k, arg := range e.args {
		id, err := r.expr(arg, s)
		if err != nil {
			return 0, err
		}
		operands[k] = id
	}
	return r.node(e.op, e.pos, "", operands[0], operands[1]), nil
}

func (r *resolver) nameOrCall(e *expr, s *scope) (int, error) {
	found := s.find(e.name)
	if e.call {
		return r.call(e, s, found)
	}
	switch {
	case found != nil && found.fun != nil, found == nil && r.isFunction(e.name):
		return 0, e.pos.errorf("%q is a function; expected a set or a relation; give its arguments, "+
			"as in %s(x)", e.name, e.name)
	case found != nil:
		return found.node, nil
	case e.name == "id":
		return r.node(opID, e.pos, "", -1, -1), nil
	case e.name == "emptyset":
		return r.node(opNothing, e.pos, "", -1, -1), nil
	}
	if definition := r.derived[e.name]; definition != nil {
		id, err := r.expr(definition, nil)
		return r.node(opDerived, e.pos, e.name, id, -1), err
	}
	return r.node(opFree, e.pos, e.name, -1, -1), nil
}

// builtins are the functions that no let can write.
var builtins = map[string]operator{"domain": opDomain, "range": opRange, "toid": opToID}

func (r *resolver) isFunction(name string) bool {
	_, builtin := builtins[name]
	return builtin || r.library.find(name) != nil
}

func (r *resolver) call(e *expr, s, found *scope) (int, error) {
	args := make([]int, len(e.args))
	for k, arg := range e.args {
		id, err := r.expr(arg, s)
		if err != nil {
			return 0, err
		}
		args[k] = id
	}
	if op, ok := builtins[e.name]; ok && found == nil {
		if len(args) != 1 {
			return 0, e.pos.errorf("%s is given %s; expected 1", e.name, count(len(args), "argument"))
		}
		return r.node(op, e.pos, "", args[0], -1), nil
	}
	if found == nil {
		found = r.library.find(e.name)
	}
	if found == nil || found.fun == nil {
		known := append(append(s.names(), r.library.names()...), "domain", "range", "toid")
		return 0, e.pos.errorf("%q is no function but is given %s; expected a function or, between two "+
			"relations, an operator%s", e.name, count(len(args), "argument"), didYouMean(e.name, known))
	}
	f := found.fun
	if len(args) != len(f.params) {
		return 0, e.pos.errorf("%s is given %s; expected %d: %s(%s)", e.name,
			count(len(args), "argument"), len(f.params), f.name, strings.Join(f.params, ", "))
	}
	if r.calls >= maxCalls {
		return 0, e.pos.errorf("functions are nested over %d deep; expected fewer", maxCalls)
	}
	r.calls++
	defer func() { r.calls-- }()
	inner := f.scope
	for k, param := range f.params {
		inner = &scope{parent: inner, name: param, node: args[k]}
	}
	return r.expr(f.body, inner)
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// let adds the definitions of a let to a scope; each is also told to record, if that is not nil.
func (r *resolver) let(let *letStmt, s *scope, record func(name string, id int)) (*scope, error) {
	if let.rec {
		return r.letRec(let, s, record)
	}
	out := s
	for _, b := range let.bindings { // all see the scope before the let
		if b.fun {
			out = &scope{parent: out, name: b.name, fun: &function{b, s}}
			continue
		}
		id, err := r.expr(b.body, s)
		if err != nil {
			return nil, err
		}
		out = &scope{parent: out, name: b.name, node: id}
		if record != nil {
			record(b.name, id)
		}
	}
	return out, nil
}

func (r *resolver) letRec(let *letStmt, s *scope, record func(string, int)) (*scope, error) {
	loop := &fixpoint{first: len(r.nodes)}
	index := len(r.loops)
	r.loops = append(r.loops, loop)
	for _, b := range let.bindings {
		id := r.node(opRec, b.pos, b.name, index, -1)
		r.nodes[id].loop = index
		loop.names = append(loop.names, id)
		s = &scope{parent: s, name: b.name, node: id}
	}
	for _, b := range let.bindings {
		id, err := r.expr(b.body, s)
		if err != nil {
			return nil, err
		}
		loop.bodies = append(loop.bodies, id)
	}
	loop.last = len(r.nodes)
	for k := index + 1; k < len(r.loops); k++ {
		loop.inner = append(loop.inner, k)
	}
	r.findOpen(loop)
	if record != nil {
		for k, b := range let.bindings {
			record(b.name, loop.names[k])
		}
	}
	return s, nil
}

// findOpen lists the nodes whose value depends on the names of a fixpoint. Operands have lower
// numbers than their users, so one pass suffices.
func (r *resolver) findOpen(loop *fixpoint) {
	open := make([]bool, loop.last-loop.first)
	isOpen := func(id int) bool { return id >= loop.first && open[id-loop.first] }
	for id := loop.first; id < loop.last; id++ {
		n := r.nodes[id]
		if n.op == opRec || isOpen(n.a) || isOpen(n.b) {
			open[id-loop.first] = true
			if n.op != opRec {
				loop.open = append(loop.open, id)
			}
		}
	}
}
