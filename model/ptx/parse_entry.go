package ptx

import (
	"ptxmc/internal/spell"
	"strings"

	"ptxmc/model"
)

// entryParser is the state of reading one kernel.
type entryParser struct {
	*parser
	e      *model.Entry
	sc     *scope // innermost open { }
	opened []token
	shared []*sharedVar // of the module, then of the entry
	fixes  []*sharedVar // unsized extern variables that operands name, by marker
}

// performance directives of an entry that carry numbers (PTX ISA 11.4); the launch plan, not
// these, says which launches are checked.
var entryDirectives = []string{
	".maxntid", ".reqntid", ".minnctapersm", ".maxnctapersm", ".maxnreg", ".reqnctapercluster",
	".explicitcluster", ".maxclusterrank", ".noreturn", ".blocksareclusters", ".pragma",
}

// entry reads what follows .entry (PTX ISA 11.2).
func (p *parser) entry() error {
	name, err := p.identifier("kernel")
	if err != nil {
		return err
	}
	if p.mod.Entry(name.text) != nil {
		return p.errorf(name, "kernel %s is defined twice; expected one definition; rename one", name.text)
	}
	e := &entryParser{
		parser: p,
		e:      &model.Entry{Name: name.text, Pos: p.pos(name)},
		sc:     newScope(p.global),
		shared: append([]*sharedVar(nil), p.shared...),
	}
	if p.is("(") {
		if err := e.params(); err != nil {
			return err
		}
	}
	if err := e.directives(); err != nil {
		return err
	}
	if p.accept(";") { // a prototype
		return nil
	}
	open := p.peek()
	if err := p.expect("{", "to begin the body of "+name.text); err != nil {
		return err
	}
	if err := e.body(open); err != nil {
		return err
	}
	e.layout()
	p.mod.Entries = append(p.mod.Entries, e.e)
	return nil
}

// params reads (.param .u64 name, …) (PTX ISA 5.1.6.1).
func (e *entryParser) params() error {
	e.next()
	if e.accept(")") {
		return nil
	}
	for {
		t := e.peek()
		if t.text != ".param" {
			return e.errorf(t, "found %s in the parameter list; expected .param, as in .param .u64 name", t.describe())
		}
		e.next()
		if err := e.param(); err != nil {
			return err
		}
		if !e.accept(",") {
			return e.expect(")", "after the parameters")
		}
	}
}

func (e *entryParser) param() error {
	var typ model.Type
	align := 0
	for e.peek().kind == tokDot {
		t := e.next()
		switch t.text {
		case ".align":
			n, err := e.integer("alignment")
			if err != nil {
				return err
			}
			if n == 0 || n&(n-1) != 0 || n > 1<<16 {
				return e.errorf(t, "alignment %d is not allowed; expected a power of two up to 65536", n)
			}
			if typ == model.NoType { // after .ptr it speaks of the memory pointed to
				align = n
			}
		case ".ptr", ".global", ".const", ".shared", ".local":
			if typ == model.NoType {
				return e.errorf(t, "%s stands before the type of the parameter; expected .param .u64 .ptr %s name", t.text, t.text)
			}
		default:
			typ = model.TypeByName(t.text[1:])
			if typ == model.NoType || typ == model.Pred {
				return e.errorf(t, "%s is no type of a parameter; expected a type such as .u32 or .u64%s", t.text, spell.DidYouMean(t.text, typeNames()))
			}
		}
	}
	name, err := e.identifier("parameter")
	if err != nil {
		return err
	}
	if typ == model.NoType {
		return e.errorf(name, "parameter %s has no type; expected one, as in .param .u64 %s", name.text, name.text)
	}
	if e.sc.declared(name.text) != "" {
		return e.errorf(name, "parameter %s is declared twice; expected distinct names; rename one", name.text)
	}
	count, unsized, err := e.dimensions(name, typ.Bytes(), 1<<15)
	if err != nil {
		return err
	}
	if unsized {
		return e.errorf(name, "parameter %s has no size; expected a number in []; add it", name.text)
	}
	off := alignUp(e.e.ParamBytes, max(align, typ.Bytes()))
	e.e.Params = append(e.e.Params, model.Param{Name: name.text, Type: typ, Offset: off, Size: count * typ.Bytes()})
	e.e.ParamBytes = off + count*typ.Bytes()
	e.sc.syms[name.text] = &symbol{name: name.text, op: model.Operand{
		Kind: model.SymbolOperand, Space: model.ParamSpace, Imm: model.Value{Lo: uint64(off)},
	}}
	return nil
}

// directives reads the performance directives between the parameters and the body.
func (e *entryParser) directives() error {
	for e.peek().kind == tokDot {
		t := e.peek()
		known := false
		for _, d := range entryDirectives {
			known = known || d == t.text
		}
		if !known {
			return e.errorf(t, "unknown directive %s of a kernel; expected one such as .maxntid or .reqntid%s", t.text, spell.DidYouMean(t.text, entryDirectives))
		}
		if t.text == ".pragma" {
			if err := e.skipDebug(); err != nil {
				return err
			}
			continue
		}
		e.next()
		for e.peek().kind == tokNum {
			if _, err := e.integer("number"); err != nil {
				return err
			}
			if !e.accept(",") {
				break
			}
		}
	}
	return nil
}

// body reads statements up to the closing brace. Blocks are kept on a stack, not in recursion:
// the nesting of a file is not bounded.
func (e *entryParser) body(open token) error {
	e.opened = []token{open}
	for {
		t := e.peek()
		switch {
		case t.kind == tokBad:
			return e.errorf(t, "%s", t.text)
		case t.kind == tokEOF:
			last := e.opened[len(e.opened)-1]
			return e.errorf(last, `this { is not closed; expected "}" before the end of the file; close it`)
		case t.is("{"):
			e.opened = append(e.opened, e.next())
			e.sc = newScope(e.sc)
		case t.is("}"):
			e.next()
			if err := e.closeScope(); err != nil {
				return err
			}
			e.opened = e.opened[:len(e.opened)-1]
			if len(e.opened) == 0 {
				return nil
			}
		case t.is(";"):
			e.next()
		case t.kind == tokDot:
			if err := e.localDirective(); err != nil {
				return err
			}
		case t.kind == tokWord && e.at(1).is(":"):
			if err := e.label(); err != nil {
				return err
			}
		case t.kind == tokWord, t.is("@"):
			if err := e.instruction(); err != nil {
				return err
			}
		default:
			return e.errorf(t, "found %s; expected an instruction, a declaration or a label", t.describe())
		}
	}
}

// localDirective reads a declaration or a debug directive inside a body.
func (e *entryParser) localDirective() error {
	t := e.peek()
	if e.skippable(t.text) {
		return e.skipDebug()
	}
	switch t.text {
	case ".reg":
		return e.registers()
	case ".global", ".const", ".shared":
		return e.variables(e.sc, "", e)
	case ".extern":
		e.next()
		if d := e.peek(); d.text == ".shared" || d.text == ".global" || d.text == ".const" {
			return e.variables(e.sc, ".extern", e)
		}
		return e.errorf(e.peek(), "found %s after .extern; expected a variable declaration", e.peek().describe())
	case ".local":
		return e.errorf(t, ".local variables are not modelled; expected .shared or registers; keep the data in registers")
	case ".param":
		return e.errorf(t, ".param inside a body passes arguments of a device function, which is not modelled; %s", inlineHint)
	case ".branchtargets", ".calltargets", ".callprototype":
		return e.errorf(t, "%s is not modelled; %s", t.text, inlineHint)
	}
	return e.errorf(t, "unknown directive %s in a kernel; expected .reg, .shared, .loc or .pragma%s", t.text,
		spell.DidYouMean(t.text, []string{".reg", ".shared", ".global", ".const", ".loc", ".file", ".pragma", ".extern"}))
}

// registers reads .reg .b32 a, %r<10>; (PTX ISA 5.1.1).
func (e *entryParser) registers() error {
	e.next()
	t := e.next()
	typ := model.NoType
	if t.kind == tokDot {
		typ = model.TypeByName(t.text[1:])
	}
	if t.text == ".v2" || t.text == ".v4" {
		return e.errorf(t, "vector registers are not modelled; expected a scalar type; declare the elements one by one")
	}
	if typ == model.NoType {
		return e.errorf(t, "%s is no type of a register; expected a type such as .b32 or .pred%s", t.describe(), spell.DidYouMean(t.text, typeNames()))
	}
	for {
		name, err := e.identifier("register")
		if err != nil {
			return err
		}
		if e.accept("<") {
			n, err := e.integer("number of registers")
			if err != nil {
				return err
			}
			if err := e.expect(">", "after the number of registers"); err != nil {
				return err
			}
			for _, r := range e.sc.ranges {
				if r.prefix == name.text {
					return e.errorf(name, "registers %s<> are declared twice in this scope; expected one declaration; merge them", name.text)
				}
			}
			e.sc.ranges = append(e.sc.ranges, &regRange{prefix: name.text, n: n, typ: typ, regs: map[int]*regDecl{}})
		} else {
			if what := e.sc.declared(name.text); what != "" {
				return e.errorf(name, "%s is declared twice in this scope, first as a %s; expected a new name; rename one", name.text, what)
			}
			e.sc.regs[name.text] = &regDecl{name: name.text, typ: typ}
		}
		if !e.accept(",") {
			return e.semicolon("declaration")
		}
	}
}

// label declares a label at the next instruction.
func (e *entryParser) label() error {
	t := e.next()
	e.next()
	if strings.Contains(t.text, ".") {
		return e.errorf(t, "%s is no label; expected a name without dots", t.text)
	}
	if i, ok := e.sc.labels[t.text]; ok {
		return e.errorf(t, "label %s is defined twice, first in line %d; expected one definition; rename one", t.text, e.e.Labels[i].Pos.Line)
	}
	e.sc.labels[t.text] = len(e.e.Labels)
	e.e.Labels = append(e.e.Labels, model.Label{Name: t.text, PC: len(e.e.Code), Pos: e.pos(t)})
	return nil
}

// closeScope resolves the branches of the block; those to labels outside move outward.
func (e *entryParser) closeScope() error {
	s := e.sc
	for _, b := range s.pending {
		if i, ok := s.labels[b.label.text]; ok {
			e.e.Code[b.pc].Target = e.e.Labels[i].PC
			continue
		}
		if s.parent == e.global {
			var names []string
			for n := range s.labels {
				names = append(names, n)
			}
			return e.errorf(b.label, "label %s is not defined in this kernel; expected a label in the same or an enclosing block; define %s:%s",
				b.label.text, b.label.text, spell.DidYouMean(b.label.text, names))
		}
		s.parent.pending = append(s.parent.pending, b)
	}
	e.sc = s.parent
	return nil
}

// layout places the unsized extern arrays behind the sized shared variables.
func (e *entryParser) layout() {
	e.e.SharedBytes = sharedBytes(nil, e)
	for _, s := range e.shared {
		v := s.v
		if v.Size == 0 && v.Extern {
			v.Offset = alignUp(e.e.SharedBytes, v.Align)
		}
		e.e.Shared = append(e.e.Shared, v)
	}
	if len(e.fixes) == 0 {
		return
	}
	fix := func(o *model.Operand) {
		if o.Kind == model.SymbolOperand && o.Imm.Hi != 0 {
			align := e.fixes[o.Imm.Hi-1].v.Align
			o.Imm = model.Value{Lo: uint64(alignUp(e.e.SharedBytes, align))}
		}
	}
	for i := range e.e.Code {
		in := &e.e.Code[i]
		for j := range in.Dst {
			fix(&in.Dst[j])
		}
		for j := range in.Src {
			fix(&in.Src[j])
		}
		for j := range in.Addrs {
			fix(&in.Addrs[j].Base)
		}
	}
}
