package ptx

import (
	"ptxmc/internal/spell"
	"strconv"
	"strings"

	"ptxmc/model"
)

// regDecl is a declared register; it gets its index at its first use, so that registers which a
// compiler declares and never uses do not widen the states.
type regDecl struct {
	name string
	typ  model.Type
	reg  model.Reg
	used bool
}

// regRange is a parameterised declaration %r<n>: %r0 to %r(n-1) (PTX ISA 10, "Parameterized
// Variable Names").
type regRange struct {
	prefix string
	n      int
	typ    model.Type
	regs   map[int]*regDecl
}

// symbol is a variable or parameter that an address may name.
type symbol struct {
	name   string
	op     model.Operand // SymbolOperand
	extern *sharedVar    // .extern .shared: the offset is known at the end of the entry
}

// scope holds the names of the module, an entry or a { } block (PTX ISA 4.4, 5).
type scope struct {
	parent  *scope
	regs    map[string]*regDecl
	ranges  []*regRange
	syms    map[string]*symbol
	labels  map[string]int // index into Entry.Labels
	pending []branch
}

// branch is a bra whose label has not been seen yet.
type branch struct {
	pc    int
	label token
}

func newScope(parent *scope) *scope {
	return &scope{parent: parent, regs: map[string]*regDecl{}, syms: map[string]*symbol{}, labels: map[string]int{}}
}

// declared reports what name is in this scope alone, "" if it is nothing.
func (s *scope) declared(name string) string {
	if s.localReg(name) != nil {
		return "register"
	}
	if s.syms[name] != nil {
		return "variable"
	}
	return ""
}

// localReg finds a register of this scope alone.
func (s *scope) localReg(name string) *regDecl {
	if d := s.regs[name]; d != nil {
		return d
	}
	for _, r := range s.ranges {
		if i, ok := r.index(name); ok && i < r.n {
			d := r.regs[i]
			if d == nil {
				d = &regDecl{name: name, typ: r.typ}
				r.regs[i] = d
			}
			return d
		}
	}
	return nil
}

// index returns the number of a name of the range's prefix.
func (r *regRange) index(name string) (int, bool) {
	digits, ok := strings.CutPrefix(name, r.prefix)
	if !ok || digits == "" || len(digits) > 9 || len(digits) > 1 && digits[0] == '0' {
		return 0, false
	}
	i, err := strconv.Atoi(digits)
	return i, err == nil && i >= 0 && digits[0] != '+' && digits[0] != '-'
}

// lookup finds a register or a symbol in the scope or around it.
func (s *scope) lookup(name string) (*regDecl, *symbol) {
	for ; s != nil; s = s.parent {
		if d := s.localReg(name); d != nil {
			return d, nil
		}
		if y := s.syms[name]; y != nil {
			return nil, y
		}
	}
	return nil, nil
}

// outOfRange finds a declaration %r<n> that name exceeds.
func (s *scope) outOfRange(name string) *regRange {
	for ; s != nil; s = s.parent {
		for _, r := range s.ranges {
			if i, ok := r.index(name); ok && i >= r.n {
				return r
			}
		}
	}
	return nil
}

// names lists what can be named here, for spelling suggestions.
func (s *scope) names() []string {
	var out []string
	for ; s != nil; s = s.parent {
		for n := range s.regs {
			out = append(out, n)
		}
		for _, r := range s.ranges {
			for _, d := range r.regs {
				out = append(out, d.name)
			}
		}
		for n := range s.syms {
			out = append(out, n)
		}
	}
	return out
}

// unknown makes the error for a name that nothing declares.
func (p *parser) unknown(t token, name string, s *scope) error {
	if strings.HasPrefix(name, "%") {
		if err := p.specialError(t, name); err != nil {
			return err
		}
	}
	if r := s.outOfRange(name); r != nil {
		return p.errorf(t, "%s is not declared; .reg .%s %s<%d> declares %s0 to %s%d; raise the number in <>",
			name, r.typ, r.prefix, r.n, r.prefix, r.prefix, r.n-1)
	}
	kind := "a declared register, variable or parameter"
	if near := spell.Nearest(name, s.names()); near != "" {
		return p.errorf(t, "%s is not declared; expected %s; did you mean %s?", name, kind, near)
	}
	return p.errorf(t, "%s is not declared; expected %s; declare it, for example with .reg .b32 %s;", name, kind, name)
}
