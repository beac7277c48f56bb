package litmus

import "slices"

// Terms returns the terms that the program's questions speak of, those of locations […] first.
func (p *Program) Terms() []Term {
	var terms []Term
	add := func(t Term) {
		if !slices.Contains(terms, t) {
			terms = append(terms, t)
		}
	}
	for _, t := range p.Shown {
		add(t)
	}
	for _, t := range TermsOf(p.Filter) {
		add(t)
	}
	for _, c := range p.Conditions {
		for _, t := range TermsOf(c.Expr) {
			add(t)
		}
	}
	return terms
}

// TermsOf returns the terms of an expression, which may be nil, from left to right; some may stand twice.
func TermsOf(e Expr) []Term {
	switch e := e.(type) {
	case Term:
		return []Term{e}
	case *Unary:
		return TermsOf(e.X)
	case *Binary:
		return append(TermsOf(e.X), TermsOf(e.Y)...)
	}
	return nil
}
