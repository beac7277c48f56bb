package cat

import "ptxmc/memmodel"

func (v Value) isNothing() bool { return v.Set == nil && v.Rel == nil }

func (v Value) kind() string {
	switch {
	case v.Set != nil:
		return "a set"
	case v.Rel != nil:
		return "a relation"
	default:
		return "{}"
	}
}

// contains reports whether o, of the same kind or {}, is part of v.
func (v Value) contains(o Value) bool {
	switch {
	case o.Set != nil && v.Set != nil:
		return o.Set.Minus(v.Set).Empty()
	case o.Rel != nil && v.Rel != nil:
		return v.Rel.Contains(o.Rel)
	case o.Set != nil:
		return o.Set.Empty()
	case o.Rel != nil:
		return o.Rel.Empty()
	default:
		return true
	}
}

// relation returns v as a relation for operator n; side says which operand it is.
func (ev *evaluator) relation(n *node, side string, v Value) (*memmodel.Rel, error) {
	if v.Set != nil {
		return nil, n.pos.errorf("the %soperand of %s is a set; expected a relation; write [S] for the "+
			"identity on S", side, symbols[n.op])
	}
	if v.Rel == nil {
		return memmodel.NewRel(ev.env.N), nil
	}
	return v.Rel, nil
}

// set returns v as a set for operator n.
func (ev *evaluator) set(n *node, side string, v Value) (*memmodel.Set, error) {
	if v.Rel != nil {
		return nil, n.pos.errorf("the %soperand of %s is a relation; expected a set; write domain(r) or "+
			"range(r) for the events that it relates", side, symbols[n.op])
	}
	if v.Set == nil {
		return memmodel.NewSet(ev.env.N), nil
	}
	return v.Set, nil
}

func (ev *evaluator) unary(n *node, a Value) (Value, error) {
	if n.op == opToID {
		s, err := ev.set(n, "", a)
		if err != nil {
			return Value{}, err
		}
		return Value{Rel: memmodel.Identity(s)}, nil
	}
	if n.op == opComplement {
		switch {
		case a.Set != nil:
			return Value{Set: a.Set.Complement()}, nil
		case a.Rel != nil:
			return Value{Rel: a.Rel.Complement()}, nil
		}
		return Value{}, n.pos.errorf("~{} is either all events or all pairs of them; expected a set or " +
			"a relation; write _ or _*_")
	}
	r, err := ev.relation(n, "", a)
	if err != nil {
		return Value{}, err
	}
	switch n.op {
	case opDomain:
		return Value{Set: r.Domain()}, nil
	case opRange:
		return Value{Set: r.Range()}, nil
	case opInverse:
		return Value{Rel: r.Inverse()}, nil
	case opPlus:
		return Value{Rel: r.Plus()}, nil
	case opStar:
		return Value{Rel: r.Star()}, nil
	default:
		return Value{Rel: r.Optional()}, nil
	}
}

func (ev *evaluator) product(n *node, a, b Value) (Value, error) {
	left, err := ev.set(n, "left ", a)
	if err != nil {
		return Value{}, err
	}
	right, err := ev.set(n, "right ", b)
	if err != nil {
		return Value{}, err
	}
	return Value{Rel: memmodel.Product(left, right)}, nil
}

// sequence composes two relations; [S];r and r;[S] only cut r.
func (ev *evaluator) sequence(n *node) (Value, error) {
	if ev.m.nodes[n.a].op == opToID {
		s, r, err := ev.cut(n.a, n, "right ", n.b)
		if err != nil {
			return Value{}, err
		}
		return Value{Rel: r.RestrictDomain(s)}, nil
	}
	if ev.m.nodes[n.b].op == opToID {
		s, r, err := ev.cut(n.b, n, "left ", n.a)
		if err != nil {
			return Value{}, err
		}
		return Value{Rel: r.RestrictRange(s)}, nil
	}
	r, err := ev.operand(n, "left ", n.a)
	if err != nil {
		return Value{}, err
	}
	s, err := ev.operand(n, "right ", n.b)
	if err != nil {
		return Value{}, err
	}
	return Value{Rel: r.Compose(s)}, nil
}

// cut returns the set S of a node [S] and the relation that operator n cuts by it.
func (ev *evaluator) cut(toID int, n *node, side string, rel int) (*memmodel.Set, *memmodel.Rel, error) {
	id := &ev.m.nodes[toID]
	v, err := ev.value(id.a)
	if err != nil {
		return nil, nil, err
	}
	s, err := ev.set(id, "", v)
	if err != nil {
		return nil, nil, err
	}
	r, err := ev.operand(n, side, rel)
	return s, r, err
}

// operand evaluates an operand of n that must be a relation.
func (ev *evaluator) operand(n *node, side string, id int) (*memmodel.Rel, error) {
	v, err := ev.value(id)
	if err != nil {
		return nil, err
	}
	return ev.relation(n, side, v)
}

// boolean joins, intersects or subtracts two sets or two relations.
func (ev *evaluator) boolean(n *node, a, b Value) (Value, error) {
	switch {
	case a.isNothing() && b.isNothing():
		return Value{}, nil
	case a.Set != nil && b.Rel != nil, a.Rel != nil && b.Set != nil:
		return Value{}, n.pos.errorf("the left operand of %s is %s and the right one %s; expected two sets "+
			"or two relations; write [S] for the identity on S", symbols[n.op], a.kind(), b.kind())
	case a.Set != nil || b.Set != nil:
		left, _ := ev.set(n, "", a) // neither is a relation
		right, _ := ev.set(n, "", b)
		switch n.op {
		case opUnion:
			return Value{Set: left.Union(right)}, nil
		case opInter:
			return Value{Set: left.Inter(right)}, nil
		default:
			return Value{Set: left.Minus(right)}, nil
		}
	}
	left, _ := ev.relation(n, "", a) // neither is a set
	right, _ := ev.relation(n, "", b)
	switch n.op {
	case opUnion:
		return Value{Rel: left.Union(right)}, nil
	case opInter:
		return Value{Rel: left.Inter(right)}, nil
	default:
		return Value{Rel: left.Minus(right)}, nil
	}
}
