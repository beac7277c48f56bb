package ptx

import (
	"ptxmc/internal/spell"
	"ptxmc/model"
)

// sharedVar is a shared variable and where an entry lays it out.
type sharedVar struct{ v model.Var }

// Limits keep a mistyped size from filling the memory of the machine that checks.
const (
	maxSharedBytes = 1 << 20
	maxGlobalBytes = 1 << 24
	maxInitBytes   = 1 << 26 // of a module
)

// declType is what stands before the names of a variable declaration.
type declType struct {
	space  model.Space
	align  int
	vec    int
	typ    model.Type
	extern bool
}

// variables reads .global, .const and .shared declarations (PTX ISA 5.4) up to their ';'. At
// module scope e is nil.
func (p *parser) variables(sc *scope, linkage string, e *entryParser) error {
	space := p.next()
	d := declType{vec: 1, extern: linkage == ".extern"}
	switch space.text {
	case ".global":
		d.space = model.GlobalSpace
	case ".const":
		d.space = model.ConstSpace
	default:
		d.space = model.SharedCTA
	}
	if err := p.declQualifiers(&d); err != nil {
		return err
	}
	for {
		if err := p.variable(sc, d, e); err != nil {
			return err
		}
		if !p.accept(",") {
			return p.semicolon("declaration")
		}
	}
}

// declQualifiers reads .align N, .v2/.v4, .attribute(…) and the type.
func (p *parser) declQualifiers(d *declType) error {
	for d.typ == model.NoType {
		t := p.peek()
		if t.kind != tokDot {
			return p.errorf(t, "found %s; expected the type of the variable, such as .b32; add it", t.describe())
		}
		p.next()
		switch t.text {
		case ".align":
			n, err := p.integer("alignment")
			if err != nil {
				return err
			}
			if n == 0 || n&(n-1) != 0 || n > 1<<16 {
				return p.errorf(t, "alignment %d is not allowed; expected a power of two up to 65536", n)
			}
			d.align = n
		case ".v2":
			d.vec = 2
		case ".v4":
			d.vec = 4
		case ".v8":
			d.vec = 8
		case ".attribute":
			if err := p.skipParens(); err != nil {
				return err
			}
		default:
			d.typ = model.TypeByName(t.text[1:])
			if d.typ == model.NoType || d.typ == model.Pred {
				return p.errorf(t, "%s is no type of a variable; expected a type such as .b8, .b32 or .b64%s", t.text, spell.DidYouMean(t.text, typeNames()))
			}
		}
	}
	if d.align == 0 {
		d.align = d.vec * d.typ.Bytes()
	}
	return nil
}

func typeNames() []string {
	var names []string
	for t := model.Pred; t <= model.F64; t++ {
		names = append(names, "."+t.String())
	}
	return names
}

func (p *parser) skipParens() error {
	t := p.peek()
	if err := p.expect("(", "after .attribute"); err != nil {
		return err
	}
	for !p.accept(")") {
		if n := p.next(); n.kind == tokEOF || n.is(";") {
			return p.errorf(t, `parenthesis is not closed; expected ")"; close it`)
		}
	}
	return nil
}

// variable reads one name with its dimensions and initialiser, and declares it.
func (p *parser) variable(sc *scope, d declType, e *entryParser) error {
	name, err := p.identifier("variable")
	if err != nil {
		return err
	}
	if what := sc.declared(name.text); what != "" {
		return p.errorf(name, "%s is declared twice in this scope, first as a %s; expected a new name; rename one", name.text, what)
	}
	v := model.Var{Name: name.text, Pos: p.pos(name), Space: d.space, Align: d.align, Extern: d.extern}
	unit := d.vec * d.typ.Bytes()
	limit := maxGlobalBytes
	if d.space == model.SharedCTA {
		limit = maxSharedBytes
	}
	count, unsized, err := p.dimensions(name, unit, limit)
	if err != nil {
		return err
	}
	if p.is("=") {
		eq := p.next()
		if d.space == model.SharedCTA {
			return p.errorf(eq, "shared variable %s has an initialiser; expected none, shared memory begins undefined; store the value in the kernel", v.Name)
		}
		data, err := p.initialiser(d.typ, limit)
		if err != nil {
			return err
		}
		if unsized {
			count, unsized = (len(data)+unit-1)/unit, false
		}
		if len(data) > count*unit {
			return p.errorf(eq, "initialiser of %s has %d bytes; expected at most %d; remove elements or enlarge the array", v.Name, len(data), count*unit)
		}
		if p.initBytes += count * unit; p.initBytes > maxInitBytes {
			return p.errorf(eq, "initialised variables exceed %d bytes at %s; expected small tables; initialise in the launch plan", maxInitBytes, v.Name)
		}
		v.Init = make([]byte, count*unit)
		copy(v.Init, data)
	}
	if unsized && !d.extern {
		return p.errorf(name, "array %s has no size; expected one, as in %s[16]; add it, or declare the array .extern", v.Name, v.Name)
	}
	if !unsized {
		v.Size = count * unit
	}
	return p.declare(sc, name, v, unsized, e)
}

// dimensions reads [n]…; unsized is true for [].
func (p *parser) dimensions(name token, unit, limit int) (count int, unsized bool, err error) {
	count = 1
	for p.accept("[") {
		if p.accept("]") {
			unsized = true
			continue
		}
		n, err := p.integer("array size")
		if err != nil {
			return 0, false, err
		}
		if n > limit || count*n > limit/unit {
			return 0, false, p.errorf(name, "variable %s is too large; expected at most %d bytes in this space; the model holds small memories", name.text, limit)
		}
		count *= n
		if err := p.expect("]", "after the array size"); err != nil {
			return 0, false, err
		}
	}
	return count, unsized, nil
}

// initialiser reads a scalar or a (nested) list into bytes, little-endian.
func (p *parser) initialiser(typ model.Type, limit int) ([]byte, error) {
	var data []byte
	depth := 0
	for {
		t := p.peek()
		switch {
		case t.is("{"):
			p.next()
			depth++
			continue
		case t.is("}") && depth > 0:
			p.next()
			depth--
		case t.kind == tokWord && t.text != "WARP_SZ":
			return nil, p.errorf(t, "initialiser names %s; expected constants, addresses are not modelled there; store the address in a kernel", t.text)
		default:
			c, err := p.constExpr()
			if err != nil {
				return nil, err
			}
			v, bad := immediate(c, typ)
			if bad != "" {
				return nil, p.errorf(t, "%s", bad)
			}
			for i := range typ.Bytes() {
				b := v.Lo >> (8 * (i % 8))
				if i >= 8 {
					b = v.Hi >> (8 * (i - 8))
				}
				data = append(data, byte(b))
			}
			if len(data) > limit {
				return nil, p.errorf(t, "initialiser is longer than %d bytes; expected a small table", limit)
			}
		}
		if depth == 0 {
			return data, nil
		}
		if p.is("}") {
			continue
		}
		if err := p.expect(",", "or } in the initialiser"); err != nil {
			return nil, err
		}
		if p.is("}") { // a list may end in a comma
			continue
		}
	}
}

// declare enters the variable into the module or the entry.
func (p *parser) declare(sc *scope, name token, v model.Var, unsized bool, e *entryParser) error {
	y := &symbol{name: v.Name, op: model.Operand{Kind: model.SymbolOperand, Space: v.Space}}
	sc.syms[v.Name] = y
	if v.Space != model.SharedCTA {
		y.op.Imm.Lo = uint64(len(p.mod.Globals))
		p.mod.Globals = append(p.mod.Globals, v)
		return nil
	}
	s := &sharedVar{v: v}
	vars := &p.shared
	if e != nil {
		vars = &e.shared
	}
	if unsized {
		y.extern = s
	} else {
		s.v.Offset = alignUp(sharedBytes(p.shared, e), v.Align)
		y.op.Imm.Lo = uint64(s.v.Offset)
		if s.v.Offset+v.Size > maxSharedBytes {
			return p.errorf(name, "shared variables exceed %d bytes at %s; expected less; shrink the arrays", maxSharedBytes, v.Name)
		}
	}
	*vars = append(*vars, s)
	return nil
}

// sharedBytes is the end of the sized shared variables so far.
func sharedBytes(module []*sharedVar, e *entryParser) int {
	end := 0
	if e != nil {
		module = e.shared
	}
	for _, s := range module {
		if s.v.Size > 0 {
			end = max(end, s.v.Offset+s.v.Size)
		}
	}
	return end
}

func alignUp(n, align int) int { return (n + align - 1) &^ (align - 1) }
