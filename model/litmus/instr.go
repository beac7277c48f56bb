package litmus

import (
	"slices"
	"strings"

	"ptxmc/memmodel"
)

// family is what the first part of a mnemonic says.
type family struct {
	op    Op
	proxy Proxy
	sems  []string // the semantics it may have
	word  string   // the operator of an Assign or a Branch
}

var (
	loadSems  = []string{"weak", "relaxed", "acquire", "volatile"}
	storeSems = []string{"weak", "relaxed", "release", "volatile"}
	weakSems  = []string{"weak"}
	rmwSems   = []string{"relaxed", "acquire", "release", "acq_rel"}
	fenceSems = []string{"sc", "acq_rel", "acquire", "release"}
)

var families = map[string]family{
	"ld":   {op: Load, sems: loadSems},
	"suld": {op: Load, proxy: Surface, sems: loadSems},
	"tld":  {op: Load, proxy: Texture, sems: weakSems},
	"cold": {op: Load, proxy: Constant, sems: weakSems},
	"ldc":  {op: Load, proxy: Constant, sems: weakSems},
	"st":   {op: Store, sems: storeSems},
	"sust": {op: Store, proxy: Surface, sems: storeSems},

	"atom":   {op: RMW, sems: rmwSems},
	"red":    {op: RMW, sems: rmwSems, word: "red"},
	"suatom": {op: RMW, proxy: Surface, sems: rmwSems},
	"sured":  {op: RMW, proxy: Surface, sems: rmwSems, word: "red"},

	"fence": {op: Fence, sems: fenceSems}, "membar": {op: Fence},
	"bar": {op: Barrier}, "barrier": {op: Barrier},
	"mbarrier": {op: MBarArrive}, "cp": {op: AsyncCopy, proxy: Async},

	"mov": {op: Assign}, "add": {op: Assign, word: "+"}, "sub": {op: Assign, word: "-"},
	"mul": {op: Assign, word: "*"}, "div": {op: Assign, word: "/"},
	"and": {op: Assign, word: "&"}, "or": {op: Assign, word: "|"}, "xor": {op: Assign, word: "^"},

	"beq": {op: Branch, word: "=="}, "bne": {op: Branch, word: "!="}, "blt": {op: Branch, word: "<"},
	"ble": {op: Branch, word: "<="}, "bgt": {op: Branch, word: ">"}, "bge": {op: Branch, word: ">="},
	"goto": {op: Goto},
}

var scopes = map[string]memmodel.Scope{
	"cta": memmodel.CTA, "cluster": memmodel.Cluster, "gpu": memmodel.GPU, "sys": memmodel.Sys,
}

var sems = map[string]memmodel.Sem{
	"weak": memmodel.Weak, "relaxed": memmodel.Relaxed, "volatile": memmodel.Relaxed,
	"acquire": memmodel.Acquire, "release": memmodel.Release, "acq_rel": memmodel.AcqRel, "sc": memmodel.SC,
}

var rmwOps = []string{"add", "and", "cas", "dec", "div", "exch", "inc", "max", "min", "mul", "or", "sub", "xor"}

// proxies are those of fence.proxy, handles those by which a location may be accessed under another name.
var (
	proxies = map[string]Proxy{"generic": Generic, "surface": Surface, "texture": Texture, "constant": Constant, "async": Async}
	handles = map[string]Proxy{"generic": Generic, "surface": Surface, "texture": Texture, "constant": Constant}
)

// mnemonic is a mnemonic taken apart.
type mnemonic struct {
	tok        token
	head       string
	parts      []string // the qualifiers
	sem, scope string   // as written, "" if absent
	rmw        string
}

// place returns the token of the qualifier i, to point at.
func (m *mnemonic) place(i int) token {
	off := m.tok.off + len(m.head) + 1
	for _, p := range m.parts[:i] {
		off += len(p) + 1
	}
	return token{wordToken, m.parts[i], min(off, m.tok.end), m.tok.end}
}

// instructions parses the labels and the instruction of one cell or statement into a thread. It stops at
// the mark that ends it.
func (p *parser) instructions(thread int) error {
	code := &p.prog.Threads[thread].Code
	for p.peek().kind == wordToken {
		start := p.pos
		t := p.next()
		in := Instr{Line: p.line(t.off)}
		label := p.accept(":")
		if label {
			if slices.ContainsFunc(*code, func(i Instr) bool { return i.Op == Label && i.Label == t.text }) {
				return p.errAt(t.off, "label %s stands twice in thread %s; expected another name", t.text, p.prog.Threads[thread].Name)
			}
			in.Op, in.Label = Label, t.text
		} else if err := p.instruction(&in, thread, t); err != nil {
			return err
		}
		in.Text = squeeze(p.tokens[start:p.pos])
		*code = append(*code, in)
		if !label {
			return nil
		}
	}
	return nil
}

// instruction parses the instruction whose mnemonic is t.
func (p *parser) instruction(in *Instr, thread int, t token) error {
	parts := strings.Split(t.text, ".")
	m := &mnemonic{tok: t, head: parts[0], parts: parts[1:]}
	f, ok := families[m.head]
	if !ok {
		return p.unknown(t, m.head, "instruction", sortedKeys(families))
	}
	in.Op, in.Proxy = f.op, f.proxy
	switch f.op {
	case Load:
		return p.load(in, m, f, thread)
	case Store, RMW:
		return p.write(in, m, f, thread)
	case Fence:
		return p.fence(in, m, f)
	case Barrier:
		return p.barrier(in, m, thread)
	case MBarArrive:
		return p.mbarrier(in, m, thread)
	case AsyncCopy:
		return p.copy(in, m, f, thread)
	case Assign, Branch, Goto:
		if len(m.parts) > 0 {
			return p.errAt(m.place(0).off, "%s has no qualifiers here; expected %s alone (numbers are signed and of 64 bits)", m.head, m.head)
		}
		return p.local(in, f, thread)
	}
	return p.errAt(t.off, "instruction %s is not handled", m.head)
}

// qualifiers sorts the parts into semantics, scope and operation, in whatever order they stand.
func (p *parser) qualifiers(m *mnemonic, f family) error {
	for i, part := range m.parts {
		var slot *string
		switch {
		case f.op == RMW && slices.Contains(rmwOps, part):
			slot = &m.rmw
		case sems[part] != 0 || part == "weak":
			slot = &m.sem
			if !slices.Contains(f.sems, part) {
				return p.errAt(m.place(i).off, "%s cannot be .%s; expected one of .%s", m.head, part, strings.Join(f.sems, ", ."))
			}
		case scopes[part] != 0:
			slot = &m.scope
		default:
			known := slices.Concat(f.sems, sortedKeys(scopes))
			if f.op == RMW {
				known = append(known, rmwOps...)
			}
			return p.unknown(m.place(i), part, "qualifier", known)
		}
		if *slot != "" {
			return p.errAt(m.place(i).off, "%s has both .%s and .%s; expected one of them", m.head, *slot, part)
		}
		*slot = part
	}
	return nil
}

// order sets semantics and scope, with the defaults of the PTX ISA.
func (p *parser) order(in *Instr, m *mnemonic, f family) error {
	if err := p.qualifiers(m, f); err != nil {
		return err
	}
	weak, volatile := m.sem == "weak" || m.sem == "" && (f.op == Load || f.op == Store), m.sem == "volatile"
	switch {
	case weak && m.sem == "" && m.scope != "":
		return p.errAt(m.tok.off, "%s has scope .%s but no semantics; expected one of .%s before it", m.head, m.scope, strings.Join(f.sems[1:], ", ."))
	case (weak || volatile) && m.scope != "":
		return p.errAt(m.tok.off, "a .%s access has no scope; leave .%s away", m.sem, m.scope)
	case weak:
		return nil
	case volatile:
		in.Sem, in.Scope = memmodel.Relaxed, memmodel.Sys
		return nil
	case m.scope == "" && f.op == RMW:
		m.scope = "gpu"
	case m.scope == "":
		return p.errAt(m.tok.off, "%s needs a scope; expected .cta, .cluster, .gpu or .sys", m.tok.text)
	}
	in.Sem, in.Scope = sems[m.sem], scopes[m.scope]
	if m.sem == "" {
		in.Sem = memmodel.Relaxed
		if f.op == Fence {
			in.Sem = memmodel.AcqRel
		}
	}
	return nil
}

func (p *parser) load(in *Instr, m *mnemonic, f family, thread int) error {
	if err := p.order(in, m, f); err != nil {
		return err
	}
	if err := p.destination(in); err != nil {
		return err
	}
	if t := p.peek(); m.head == "ld" && len(m.parts) == 0 && (t.kind == numberToken || t.text == "-" || t.text == "&" || isRegister(t.text)) {
		in.Op = Assign
		return p.assign(in, "", thread)
	}
	if err := p.address(in, thread); err != nil {
		return err
	}
	return p.pin(in, thread)
}

// destination parses a register and a comma.
func (p *parser) destination(in *Instr) error {
	in.Dst = p.peek().text
	if err := p.register(); err != nil {
		return err
	}
	return p.expect(",", "after the destination")
}

// address parses x, [x] or [r1].
func (p *parser) address(in *Instr, thread int) error {
	t := p.peek()
	bracket := p.accept("[")
	if r := p.peek(); r.kind == wordToken && isRegister(r.text) {
		if !bracket {
			return p.errAt(t.off, "found register %s where an address stands; expected a location, or [%s] for the address in the register", t.text, t.text)
		}
		p.pos++
		p.uses = append(p.uses, use{register, thread, r})
		in.Addr = Operand{Kind: RegOperand, Reg: r.text}
	} else {
		if r.kind == wordToken && p.prog.Dialect == "litmus" && p.findLoc(r.text) < 0 && !strings.Contains(r.text, ".") {
			p.implicit = append(p.implicit, r)
			p.declare(r.text)
		}
		n, err := p.location()
		if err != nil {
			return err
		}
		p.accesses[n]++
		in.Addr = Operand{Kind: LocOperand, Loc: n}
	}
	if bracket {
		return p.expect("]", "after the address")
	}
	return nil
}

// value parses a number, a register or the address &x of a location.
func (p *parser) value(thread int) (Operand, error) {
	switch t := p.peek(); {
	case t.kind == numberToken || t.text == "-":
		n, err := p.number()
		return Operand{Kind: ConstOperand, Const: n}, err
	case t.kind == wordToken && isRegister(t.text):
		p.pos++
		p.uses = append(p.uses, use{register, thread, t})
		return Operand{Kind: RegOperand, Reg: t.text}, nil
	case p.accept("&"):
		n, err := p.location()
		return Operand{Kind: LocOperand, Loc: n}, err
	case t.kind == wordToken && p.findLoc(t.text) >= 0:
		return Operand{}, p.errAt(t.off, "found location %s where a value stands; expected a number, a register, or &%s for its address", t.text, t.text)
	}
	return Operand{}, p.unexpected("a number, a register, or & and a location")
}

// write parses the rest of a store or a read-modify-write.
func (p *parser) write(in *Instr, m *mnemonic, f family, thread int) error {
	if err := p.order(in, m, f); err != nil {
		return err
	}
	count := 1
	if f.op == RMW {
		in.RMWOp, in.NoReturn = m.rmw, f.word == "red"
		switch {
		case m.rmw == "":
			return p.errAt(m.tok.off, "%s needs an operation; expected one of .%s", m.tok.text, strings.Join(rmwOps, ", ."))
		case in.NoReturn && (m.rmw == "cas" || m.rmw == "exch"):
			return p.errAt(m.tok.off, "%s has no .%s; expected atom.%s with a destination", m.head, m.rmw, m.rmw)
		case m.rmw == "cas":
			count = 2
		}
		if !in.NoReturn {
			if err := p.destination(in); err != nil {
				return err
			}
		}
	}
	if err := p.address(in, thread); err != nil {
		return err
	}
	for range count {
		if err := p.expect(",", "before the value"); err != nil {
			return err
		}
		v, err := p.value(thread)
		if err != nil {
			return err
		}
		in.Src = append(in.Src, v)
	}
	if in.Dst == "" {
		return nil
	}
	return p.pin(in, thread)
}

func (p *parser) fence(in *Instr, m *mnemonic, f family) error {
	switch {
	case m.head == "membar":
		levels := map[string]memmodel.Scope{"cta": memmodel.CTA, "gl": memmodel.GPU, "sys": memmodel.Sys}
		if len(m.parts) != 1 || levels[m.parts[0]] == 0 {
			return p.errAt(m.tok.off, "%s is no membar; expected membar.cta, membar.gl or membar.sys", m.tok.text)
		}
		in.Sem, in.Scope = memmodel.SC, levels[m.parts[0]]
		return nil
	case m.tok.text == "fence.proxy.alias" || m.tok.text == "fence.alias":
		in.Op = AliasFence
		return nil
	case len(m.parts) > 0 && m.parts[0] == "proxy":
		if len(m.parts) != 2 {
			return p.errAt(m.tok.off, "%s names no single proxy; expected fence.proxy. and one of alias, %s", m.tok.text, strings.Join(sortedKeys(proxies), ", "))
		}
		proxy, ok := proxies[m.parts[1]]
		if !ok {
			return p.unknown(m.place(1), m.parts[1], "proxy", append(sortedKeys(proxies), "alias"))
		}
		in.Op, in.Proxy = ProxyFence, proxy
		return nil
	}
	return p.order(in, m, f)
}

func (p *parser) barrier(in *Instr, m *mnemonic, thread int) error {
	mode := ""
	for i, part := range m.parts {
		switch part {
		case "cta", "aligned":
		case "sync", "arrive":
			if mode != "" {
				return p.errAt(m.place(i).off, "%s has both .%s and .%s; expected one of them", m.head, mode, part)
			}
			mode = part
		default:
			return p.unknown(m.place(i), part, "qualifier", []string{"cta", "sync", "arrive", "aligned"})
		}
	}
	if mode == "" {
		return p.errAt(m.tok.off, "%s neither waits nor arrives; expected %s.cta.sync or %s.cta.arrive", m.tok.text, m.head, m.head)
	}
	in.BarArrive = mode == "arrive"
	for i, slot := range []*Operand{&in.BarInst, &in.BarID, &in.BarCount} {
		if i > 0 && !p.accept(",") {
			return nil
		}
		v, err := p.value(thread)
		if err != nil {
			return err
		}
		*slot = v
	}
	return nil
}

// local parses the rest of an instruction that touches no memory.
func (p *parser) local(in *Instr, f family, thread int) error {
	switch f.op {
	case Goto:
		return p.target(in, thread)
	case Assign:
		if err := p.destination(in); err != nil {
			return err
		}
		return p.assign(in, f.word, thread)
	}
	e, err := p.pair(f.word, thread)
	if err != nil {
		return err
	}
	in.Cond = e
	if err := p.expect(",", "before the label"); err != nil {
		return err
	}
	return p.target(in, thread)
}

// assign parses the sources: two for an operator, one without.
func (p *parser) assign(in *Instr, op string, thread int) error {
	if op != "" {
		e, err := p.pair(op, thread)
		in.Expr = e
		return err
	}
	v, err := p.value(thread)
	if err == nil {
		in.Expr = p.expr(v, thread)
	}
	return err
}

// pair parses two values with a comma between them.
func (p *parser) pair(op string, thread int) (Expr, error) {
	x, err := p.value(thread)
	if err != nil {
		return nil, err
	}
	if err := p.expect(",", "between the operands"); err != nil {
		return nil, err
	}
	y, err := p.value(thread)
	if err != nil {
		return nil, err
	}
	return &Binary{op, p.expr(x, thread), p.expr(y, thread)}, nil
}

// expr is an operand as an expression.
func (p *parser) expr(o Operand, thread int) Expr {
	switch o.Kind {
	case RegOperand:
		return p.regTerm(thread, o.Reg)
	case LocOperand:
		return AddrOf{o.Loc, p.prog.Locs[o.Loc].Name}
	}
	return Const(o.Const)
}

func (p *parser) target(in *Instr, thread int) error {
	t := p.peek()
	if t.kind != wordToken {
		return p.unexpected("a label")
	}
	p.pos++
	p.uses = append(p.uses, use{label, thread, t})
	in.Target = t.text
	return nil
}
