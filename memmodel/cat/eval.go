package cat

import (
	"ptxmc/memmodel"
)

// evaluator computes the nodes of a model for one execution, each at most once but for those that
// a fixpoint changes.
type evaluator struct {
	m      *Model
	env    *Env
	values []Value
	done   []bool
	solved []loopState
}

// loopState says how far a fixpoint is.
type loopState uint8

const (
	unsolved loopState = iota
	solving
	solved
)

func newEvaluator(m *Model, env *Env) *evaluator {
	return &evaluator{m: m, env: env, values: make([]Value, len(m.nodes)),
		done: make([]bool, len(m.nodes)), solved: make([]loopState, len(m.loops))}
}

// value returns the value of a node.
func (ev *evaluator) value(id int) (Value, error) {
	n := &ev.m.nodes[id]
	if n.op == opRec {
		if ev.solved[n.loop] == unsolved {
			if err := ev.solve(n.loop); err != nil {
				return Value{}, err
			}
		}
		return ev.values[id], nil
	}
	if !ev.done[id] {
		v, err := ev.compute(n)
		if err != nil {
			return Value{}, err
		}
		ev.values[id], ev.done[id] = v, true
	}
	return ev.values[id], nil
}

// solve finds the least fixpoint of a let rec: from empty, until nothing changes.
func (ev *evaluator) solve(index int) error {
	loop := ev.m.loops[index]
	ev.solved[index] = solving
	for _, id := range loop.names {
		ev.values[id] = Value{}
	}
	for changed := true; changed; {
		changed = false
		for _, id := range loop.open {
			ev.done[id] = false
		}
		for _, k := range loop.inner {
			ev.solved[k] = unsolved
		}
		next := make([]Value, len(loop.names))
		for k, body := range loop.bodies {
			var err error
			if next[k], err = ev.value(body); err != nil {
				return err
			}
		}
		for k, id := range loop.names {
			n := &ev.m.nodes[id]
			was := ev.values[id]
			if !next[k].isNothing() && !was.isNothing() && next[k].kind() != was.kind() {
				return n.pos.errorf("%q is once a set and once a relation; expected one of them", n.name)
			}
			if !next[k].contains(was) {
				return n.pos.errorf("the definition of %q has no least fixpoint: it shrinks as the name "+
					"grows; expected a monotone one; use the name neither under ~ nor to the right of \\", n.name)
			}
			changed = changed || !was.contains(next[k])
			ev.values[id] = next[k]
		}
	}
	ev.solved[index] = solved
	return nil
}

func (ev *evaluator) compute(n *node) (Value, error) {
	switch n.op {
	case opUniverse:
		return Value{Set: memmodel.FullSet(ev.env.N)}, nil
	case opNothing:
		return Value{}, nil
	case opID:
		return Value{Rel: memmodel.NewRel(ev.env.N).Optional()}, nil
	case opFree, opDerived:
		return ev.provided(n)
	case opSeq:
		return ev.sequence(n)
	}
	a, err := ev.value(n.a)
	if err != nil {
		return Value{}, err
	}
	switch n.op {
	case opToID, opDomain, opRange, opComplement, opInverse, opPlus, opStar, opOptional:
		return ev.unary(n, a)
	}
	b, err := ev.value(n.b)
	if err != nil {
		return Value{}, err
	}
	if n.op == opProduct {
		return ev.product(n, a, b)
	}
	return ev.boolean(n, a, b)
}

// provided looks a name up in the environment.
func (ev *evaluator) provided(n *node) (Value, error) {
	set, rel := ev.env.Sets[n.name], ev.env.Rels[n.name]
	switch {
	case set != nil && rel != nil:
		return Value{}, n.pos.errorf("the environment provides %q as a set and as a relation; expected one of them", n.name)
	case set != nil && set.Size() != ev.env.N:
		return Value{}, n.pos.errorf("the environment provides the set %q over %d events; expected %d", n.name, set.Size(), ev.env.N)
	case rel != nil && rel.Size() != ev.env.N:
		return Value{}, n.pos.errorf("the environment provides the relation %q over %d events; expected %d", n.name, rel.Size(), ev.env.N)
	case set != nil || rel != nil:
		return Value{Set: set, Rel: rel}, nil
	case n.op == opDerived:
		return ev.value(n.a)
	}
	var known []string
	for name := range ev.env.Sets {
		known = append(known, name)
	}
	for name := range ev.env.Rels {
		known = append(known, name)
	}
	for _, let := range ev.m.lets {
		known = append(known, let.name)
	}
	return Value{}, n.pos.errorf("nothing defines %q: neither the model nor the execution; expected a "+
		"set or a relation%s", n.name, didYouMean(n.name, known))
}

func (ev *evaluator) run() ([]Check, map[string]Value, error) {
	checks := make([]Check, 0, len(ev.m.checks))
	for _, c := range ev.m.checks {
		done, err := ev.check(c)
		if err != nil {
			return nil, nil, err
		}
		checks = append(checks, done)
	}
	values := make(map[string]Value, len(ev.m.lets))
	for _, let := range ev.m.lets {
		v, err := ev.value(let.node)
		if err != nil {
			return nil, nil, err
		}
		values[let.name] = v
	}
	return checks, values, nil
}

func (ev *evaluator) consistent() (bool, error) {
	for _, c := range ev.m.cheap {
		if holds, err := ev.holds(c); err != nil || !holds {
			return false, err
		}
	}
	return true, nil
}

func (ev *evaluator) check(c check) (Check, error) {
	out := Check{Name: c.name, Kind: c.kind, Flag: c.flag, Negated: c.negated}
	holds, err := ev.holds(c)
	if err != nil {
		return out, err
	}
	out.Holds = holds
	if holds == c.negated {
		out.Witness = witness(c.kind, ev.values[c.node])
	}
	return out, nil
}

// holds evaluates the condition of a check.
func (ev *evaluator) holds(c check) (bool, error) {
	v, err := ev.value(c.node)
	if err != nil {
		return false, err
	}
	if c.kind != "empty" && v.Set != nil {
		return false, c.pos.errorf("%s is asked of a set; expected a relation; write [S] for the identity on S", c.kind)
	}
	plain := true
	switch {
	case v.Set != nil:
		plain = v.Set.Empty()
	case v.Rel == nil:
	case c.kind == "empty":
		plain = v.Rel.Empty()
	case c.kind == "irreflexive":
		plain = v.Rel.Irreflexive()
	default:
		plain = v.Rel.Acyclic()
	}
	return plain != c.negated, nil
}

// witness shows what is in a value that should be empty, irreflexive or acyclic, and is not.
func witness(kind string, v Value) []int {
	var found []int
	switch {
	case v.Set != nil:
		found = v.Set.Members()[:1]
	case kind == "acyclic":
		found = v.Rel.Cycle()
	default:
		v.Rel.Each(func(i, j int) {
			switch {
			case found != nil:
			case kind == "empty":
				found = []int{i, j}
			case i == j:
				found = []int{i}
			}
		})
	}
	return found
}
