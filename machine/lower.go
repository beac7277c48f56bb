package machine

import (
	"fmt"
	"maps"
	"slices"

	"ptxmc/model"
	"ptxmc/model/litmus"
)

// lowering translates one thread of a litmus test to the program model of PTX. Registers have 64 bits;
// numbers are signed.
type lowering struct {
	info   *litmusInfo
	thread int
	entry  *model.Entry
	regs   map[string]model.Reg
	now    map[string]model.Reg // registers written in this basic block: where their values are
	labels map[string]int
	jumps  map[int]string // by instruction: the label that it goes to
	in     *litmus.Instr
}

// lower fills the entry and returns the registers whose final values are asked for.
func (l *lowering) lower() (exit []model.Reg, err error) {
	th := &l.info.prog.Threads[l.thread]
	l.labels, l.jumps, l.now = map[string]int{}, map[int]string{}, map[string]model.Reg{}
	l.in = &litmus.Instr{}
	for _, r := range slices.Sorted(maps.Keys(th.Regs)) {
		l.emit(model.Instr{Op: model.Mov, Type: model.B64, Dst: []model.Operand{l.reg(r)}, Src: []model.Operand{l.constant(th.Regs[r])}})
	}
	for i := range th.Code {
		l.in = &th.Code[i]
		if err := l.instruction(); err != nil {
			return nil, err
		}
	}
	l.settle()
	for pc, label := range l.jumps {
		l.entry.Code[pc].Target = l.labels[label]
	}
	for _, t := range l.info.terms {
		if t.Thread == l.thread {
			exit = append(exit, l.reg(t.Reg).Reg)
		}
	}
	return exit, nil
}

func (l *lowering) errorf(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s; the machine does not run it: use --engine oracle", l.info.prog.File, l.in.Line, fmt.Sprintf(format, args...))
}

func (l *lowering) emit(in model.Instr) {
	in.Pos = model.Pos{File: l.info.prog.File, Line: l.in.Line}
	in.Text = l.in.Text
	if in.Op != model.Bra {
		in.Pred = model.NoReg
	}
	in.Sem, in.Scope, in.Vec, in.Space = l.in.Sem, l.in.Scope, 1, model.GlobalSpace
	in.Proxy = litmusProxy[l.in.Proxy]
	l.entry.Code = append(l.entry.Code, in)
}

func (l *lowering) newReg(name string, t model.Type) model.Operand {
	r := model.Reg(len(l.entry.RegTypes))
	l.entry.RegTypes = append(l.entry.RegTypes, t)
	l.entry.RegNames = append(l.entry.RegNames, name)
	return model.Operand{Kind: model.RegOperand, Reg: r}
}

func (l *lowering) reg(name string) model.Operand {
	if r, ok := l.regs[name]; ok {
		return model.Operand{Kind: model.RegOperand, Reg: r}
	}
	o := l.newReg(name, model.B64)
	l.regs[name] = o.Reg
	return o
}

// use is a register as it is read now.
func (l *lowering) use(name string) model.Operand {
	if r, ok := l.now[name]; ok {
		return model.Operand{Kind: model.RegOperand, Reg: r}
	}
	return l.reg(name)
}

// define gives a register that is written a place of its own, so that what still waits for its old value does not
// stand in the way.
func (l *lowering) define(name string) model.Operand {
	l.reg(name)
	o := l.newReg(name, model.B64)
	l.now[name] = o.Reg
	return o
}

// settle ends a basic block: the values go where the next one looks for them.
func (l *lowering) settle() {
	for _, name := range slices.Sorted(maps.Keys(l.now)) {
		l.emit(model.Instr{Op: model.Mov, Type: model.B64, Dst: []model.Operand{l.reg(name)}, Src: []model.Operand{l.use(name)}})
	}
	clear(l.now)
}

func (l *lowering) constant(v int64) model.Operand {
	return model.Operand{Kind: model.ImmOperand, Imm: model.Value{Lo: l.info.fromLitmus(v)}}
}

func (l *lowering) operand(o litmus.Operand) model.Operand {
	switch o.Kind {
	case litmus.RegOperand:
		return l.use(o.Reg)
	case litmus.LocOperand:
		return l.constant(litmus.Address(o.Loc))
	case litmus.NoOperand:
		return model.Operand{}
	default:
		return l.constant(o.Const)
	}
}

// instruction lowers one instruction.
func (l *lowering) instruction() error {
	in := l.in
	addr := func() []model.Address { return []model.Address{{Base: l.operand(in.Addr)}} }
	switch in.Op {
	case litmus.Load:
		at := addr()
		l.emit(model.Instr{Op: model.Ld, Type: model.B64, Dst: []model.Operand{l.define(in.Dst)}, Addrs: at})
	case litmus.Store:
		l.emit(model.Instr{Op: model.St, Type: model.B64, Src: []model.Operand{l.operand(in.Src[0])}, Addrs: addr()})
	case litmus.RMW:
		return l.atomic(addr())
	case litmus.Fence:
		l.emit(model.Instr{Op: model.Fence})
	case litmus.ProxyFence:
		l.emit(model.Instr{Op: model.FenceProxy, ProxyFence: model.ProxyFence{Proxy: litmusProxy[in.Proxy]}})
	case litmus.AliasFence:
		l.emit(model.Instr{Op: model.FenceProxy, ProxyFence: model.ProxyFence{Alias: true}})
	case litmus.Barrier:
		l.emit(model.Instr{Op: model.BarQuorum, Arrive: in.BarArrive,
			Src: []model.Operand{l.operand(in.BarInst), l.operand(in.BarID), l.operand(in.BarCount)}})
	case litmus.Assign:
		v, err := l.expr(in.Expr)
		if err != nil {
			return err
		}
		l.emit(model.Instr{Op: model.Mov, Type: model.B64, Dst: []model.Operand{l.define(in.Dst)}, Src: []model.Operand{v}})
	case litmus.Branch:
		p, err := l.predicate(in.Cond)
		if err != nil {
			return err
		}
		l.settle()
		l.jumps[len(l.entry.Code)] = in.Target
		l.emit(model.Instr{Op: model.Bra, Pred: p})
	case litmus.Goto:
		l.settle()
		l.jumps[len(l.entry.Code)] = in.Target
		l.emit(model.Instr{Op: model.Bra, Pred: model.NoReg})
	case litmus.Label:
		l.settle()
		l.labels[in.Label] = len(l.entry.Code)
	default:
		l.async()
	}
	return nil
}

// atomics gives the operation and the type of a read-modify-write.
var atomics = map[string]struct {
	op model.AtomOp
	t  model.Type
}{
	"add": {model.AtomAdd, model.U64}, "sub": {model.AtomAdd, model.U64}, "and": {model.AtomAnd, model.B64}, "or": {model.AtomOr, model.B64},
	"xor": {model.AtomXor, model.B64}, "exch": {model.AtomExch, model.B64}, "cas": {model.AtomCAS, model.B64},
	"min": {model.AtomMin, model.S64}, "max": {model.AtomMax, model.S64}, "inc": {model.AtomInc, model.U64}, "dec": {model.AtomDec, model.U64},
}

func (l *lowering) atomic(addr []model.Address) error {
	in := l.in
	a, ok := atomics[in.RMWOp]
	if !ok {
		return l.errorf("PTX has no atom.%s", in.RMWOp)
	}
	out := model.Instr{Op: model.Atom, AtomOp: a.op, Type: a.t, Addrs: addr}
	for _, o := range in.Src {
		v := l.operand(o)
		if in.RMWOp == "sub" {
			v = l.compute(model.Neg, model.S64, v)
		}
		out.Src = append(out.Src, v)
	}
	switch {
	case in.NoReturn:
		out.Op = model.Red
	case in.Dst != "":
		out.Dst = []model.Operand{l.define(in.Dst)}
	}
	l.emit(out)
	return nil
}

func (l *lowering) compute(op model.Op, t model.Type, src ...model.Operand) model.Operand {
	d := l.newReg("", t)
	in := model.Instr{Op: op, Type: t, Dst: []model.Operand{d}, Src: src}
	if op == model.Mul {
		in.Mode = model.Lo
	}
	l.emit(in)
	return d
}

// operators are the operators of litmus expressions that are one instruction.
var operators = map[string]model.Op{
	"+": model.Add, "-": model.Sub, "*": model.Mul, "&": model.And, "|": model.Or, "^": model.Xor,
}

var comparisons = map[string]model.Compare{
	"==": model.EQ, "!=": model.NE, "<": model.LT, "<=": model.LE, ">": model.GT, ">=": model.GE,
}

// expr computes an expression; comparisons give 1 or 0.
func (l *lowering) expr(e litmus.Expr) (model.Operand, error) {
	switch e := e.(type) {
	case litmus.Const:
		return l.constant(int64(e)), nil
	case litmus.AddrOf:
		return l.constant(litmus.Address(e.Loc)), nil
	case litmus.Term:
		return l.use(e.Reg), nil
	case *litmus.Unary:
		if e.Op == "-" {
			x, err := l.expr(e.X)
			return l.compute(model.Neg, model.S64, x), err
		}
	case *litmus.Binary:
		op, ok := operators[e.Op]
		if !ok {
			break
		}
		x, err := l.expr(e.X)
		if err != nil {
			return x, err
		}
		y, err := l.expr(e.Y)
		t := model.S64
		if op == model.And || op == model.Or || op == model.Xor {
			t = model.B64
		}
		return l.compute(op, t, x, y), err
	}
	return model.Operand{}, l.errorf("expression %s", e)
}

// predicate computes a condition.
func (l *lowering) predicate(e litmus.Expr) (model.Reg, error) {
	b, ok := e.(*litmus.Binary)
	if !ok || comparisons[b.Op] == model.NoCompare {
		b = &litmus.Binary{Op: "!=", X: e, Y: litmus.Const(0)}
	}
	x, err := l.expr(b.X)
	if err != nil {
		return model.NoReg, err
	}
	y, err := l.expr(b.Y)
	d := l.newReg("", model.Pred)
	l.emit(model.Instr{Op: model.SetP, Type: model.S64, Compare: comparisons[b.Op], Dst: []model.Operand{d}, Src: []model.Operand{x, y}})
	return d.Reg, err
}
