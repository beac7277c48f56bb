package litmus

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"ptxmc/memmodel"
)

// plain takes out what does not survive printing: the file, the lines and the texts as written.
func plain(p *Program) *Program {
	c := *p
	c.File, c.Dialect = "", ""
	c.Threads = nil
	for _, t := range p.Threads {
		var code []Instr
		for _, in := range t.Code {
			in.Line, in.Text = 0, ""
			code = append(code, in)
		}
		t.Code = code
		c.Threads = append(c.Threads, t)
	}
	c.Conditions = nil
	for _, k := range p.Conditions {
		k.Line, k.Text = 0, ""
		c.Conditions = append(c.Conditions, k)
	}
	return &c
}

// fataler is of *testing.T and *rapid.T.
type fataler interface {
	Fatalf(format string, args ...any)
}

// checkRoundTrip prints, parses and compares.
func checkRoundTrip(t fataler, p *Program) {
	text := p.String()
	back, err := Parse("printed.litmus", text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if diff := cmp.Diff(plain(p), plain(back[0])); diff != "" {
		t.Fatalf("the program (-) and what its text gives (+):\n%s\n%s", diff, text)
	}
	if again := back[0].String(); again != text {
		t.Fatalf("printed twice:\n%s", cmp.Diff(text, again))
	}
}

func TestPrintCorpus(t *testing.T) {
	checkRoundTrip(t, load(t, "every.litmus")[0])
	checkRoundTrip(t, load(t, "async.litmus")[0])
	for _, f := range corpusFiles(t, "dat3m", ".litmus") {
		checkRoundTrip(t, parseFile(t, f)[0])
	}
}

// gen draws parts of programs.
type gen struct {
	*rapid.T
	p      *Program
	thread int
}

func (g *gen) pick(from ...string) string { return rapid.SampledFrom(from).Draw(g.T, "pick") }
func (g *gen) num(lo, hi int) int         { return rapid.IntRange(lo, hi).Draw(g.T, "number") }
func (g *gen) reg() string                { return fmt.Sprintf("r%d", g.num(0, 3)) }
func (g *gen) scope() memmodel.Scope      { return memmodel.Scope(g.num(1, 4)) }

func (g *gen) addr() Operand {
	if g.num(0, 3) == 0 {
		return Operand{Kind: RegOperand, Reg: g.reg()}
	}
	return Operand{Kind: LocOperand, Loc: g.num(0, len(g.p.Locs)-1)}
}

func (g *gen) value() Operand {
	switch g.num(0, 2) {
	case 0:
		return Operand{Kind: RegOperand, Reg: g.reg()}
	case 1:
		return Operand{Kind: LocOperand, Loc: g.num(0, len(g.p.Locs)-1)}
	}
	return Operand{Kind: ConstOperand, Const: int64(g.num(-3, 3))}
}

func (g *gen) valueExpr() Expr {
	switch o := g.value(); o.Kind {
	case RegOperand:
		return g.term(g.thread, o.Reg)
	case LocOperand:
		return AddrOf{o.Loc, g.p.Locs[o.Loc].Name}
	default:
		return Const(o.Const)
	}
}

func (g *gen) term(thread int, reg string) Term {
	return Term{Thread: thread, Reg: reg, Name: g.p.Threads[thread].Name + ":" + reg}
}

func (g *gen) locTerm() Term {
	n := g.num(0, len(g.p.Locs)-1)
	return Term{Thread: -1, Loc: n, Name: g.p.Locs[n].Name}
}

func (g *gen) sem(from ...memmodel.Sem) (memmodel.Sem, memmodel.Scope) {
	s := rapid.SampledFrom(from).Draw(g.T, "sem")
	if s == memmodel.Weak {
		return s, memmodel.ScopeNone
	}
	return s, g.scope()
}

// instr draws an instruction that takes no part in a barrier.
func (g *gen) instr() Instr {
	var in Instr
	switch in.Op = Op(g.num(int(Load), int(Assign))); in.Op {
	case Load:
		in.Dst, in.Addr, in.Proxy = g.reg(), g.addr(), Proxy(g.num(0, int(Constant)))
		if in.Proxy <= Surface {
			in.Sem, in.Scope = g.sem(memmodel.Weak, memmodel.Relaxed, memmodel.Acquire)
		}
	case Store:
		in.Addr, in.Src, in.Proxy = g.addr(), []Operand{g.value()}, Proxy(g.num(0, int(Surface)))
		in.Sem, in.Scope = g.sem(memmodel.Weak, memmodel.Relaxed, memmodel.Release)
	case RMW:
		in.Addr, in.Src, in.Proxy, in.RMWOp = g.addr(), []Operand{g.value()}, Proxy(g.num(0, int(Surface))), g.pick(rmwOps...)
		in.Sem, in.Scope = g.sem(memmodel.Relaxed, memmodel.Acquire, memmodel.Release, memmodel.AcqRel)
		switch {
		case in.RMWOp == "cas":
			in.Src = append(in.Src, g.value())
			in.Dst = g.reg()
		case in.RMWOp == "exch" || g.num(0, 1) == 0:
			in.Dst = g.reg()
		default:
			in.NoReturn = true
		}
	case Fence:
		in.Sem, in.Scope = g.sem(memmodel.SC, memmodel.AcqRel, memmodel.Acquire, memmodel.Release)
	case ProxyFence:
		in.Proxy = Proxy(g.num(0, int(Async)))
	case Barrier:
		in.BarInst, in.BarArrive = g.value(), g.num(0, 1) == 0
		if g.num(0, 1) == 0 {
			in.BarID = g.value()
			if g.num(0, 1) == 0 {
				in.BarCount = g.value()
			}
		}
	case Assign:
		in.Dst, in.Expr = g.reg(), g.valueExpr()
		if g.num(0, 1) == 0 {
			in.Expr = &Binary{g.pick("+", "-", "*", "/", "&", "|", "^"), in.Expr, g.valueExpr()}
		}
	}
	return in
}

func (g *gen) expr(depth int) Expr {
	if depth == 0 {
		switch g.num(0, 3) {
		case 0:
			return g.locTerm()
		case 1:
			return Const(g.num(-3, 3))
		}
		return g.term(g.num(0, len(g.p.Threads)-1), g.reg())
	}
	if g.num(0, 5) == 0 {
		return &Unary{"!", g.expr(depth - 1)}
	}
	return &Binary{g.pick("&&", "&&", "||", "==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/"), g.expr(depth - 1), g.expr(depth - 1)}
}

// program draws a program with locations, aliases, barriers, jumps and every kind of instruction.
func program(t *rapid.T) *Program {
	p := &Program{Name: "drawn", Locs: []Loc{{Name: "x", Init: 1}, {Name: "y", Init: Address(0), Phys: 1, Virt: 1},
		{Name: "y2", Init: Address(0), Phys: 1, Virt: 2}, {Name: "s", Init: Address(0), Phys: 1, Virt: 2, Proxy: Surface}}}
	g := &gen{T: t, p: p}
	ctas := g.num(1, 3) // 2 of cluster 0 of gpu 0, 1 of gpu 2
	for i := range max(ctas, g.num(1, 4)) {
		cta := min(i, ctas-1)
		th := Thread{Name: fmt.Sprintf("P%d", i), CTA: cta, GPU: cta / 2 * 2, Cluster: cta / 2, Regs: map[string]int64{}}
		for r := range 4 {
			th.Regs[fmt.Sprintf("r%d", r)] = rapid.SampledFrom([]int64{0, 5, -7, Address(1)}).Draw(t, "register")
		}
		p.Threads = append(p.Threads, th)
	}
	for g.thread = range p.Threads {
		code := &p.Threads[g.thread].Code
		for range g.num(0, 4) {
			*code = append(*code, g.instr())
		}
		if g.num(0, 1) == 0 {
			jump := Instr{Op: Goto, Target: "L"}
			if g.num(0, 1) == 0 {
				jump.Op, jump.Cond = Branch, &Binary{g.pick("==", "!=", "<", "<=", ">", ">="), g.valueExpr(), g.valueExpr()}
			}
			pair := []Instr{{Op: Label, Label: "L"}, g.instr(), jump}
			if g.num(0, 1) == 0 {
				pair[0], pair[2] = pair[2], pair[0]
			}
			*code = append(*code, pair...)
		}
	}
	g.barrier()
	if g.num(0, 1) == 0 {
		p.Shown = []Term{g.locTerm(), g.term(0, "r0")}
	}
	if g.num(0, 1) == 0 {
		p.Filter = g.expr(2)
	}
	p.Conditions = []Condition{{Kind: Kind(g.num(int(Exists), int(Forall))), Expr: g.expr(3)}}
	return p
}

// barrier draws a barrier in the CTA of the first thread and its operations.
func (g *gen) barrier() {
	if g.num(0, 1) == 0 {
		return
	}
	b := MBarrier{Name: "b", Count: g.num(1, 3)}
	copies := g.num(0, 2)
	var ops []Instr
	for range copies {
		in := Instr{Op: AsyncCopy, Proxy: Async, Addr: g.addr(), Src: []Operand{g.addr()}}
		in.Sem, in.Scope = g.sem(memmodel.Weak, memmodel.Relaxed)
		ops = append(ops, in)
	}
	for i := range b.Count {
		in := Instr{Op: MBarArrive, Sem: rapid.SampledFrom([]memmodel.Sem{memmodel.Relaxed, memmodel.Release}).Draw(g.T, "sem"), Scope: memmodel.Scope(g.num(1, 2))}
		if i == 0 {
			in.Tx = copies
		}
		ops = append(ops, in)
	}
	for _, in := range ops {
		th := &g.p.Threads[min(g.num(0, 1), len(g.p.Threads)-1)]
		if th.GPU > 0 {
			th = &g.p.Threads[0]
		}
		th.Code = append(th.Code, in)
	}
	g.p.Threads[0].Code = append(g.p.Threads[0].Code, Instr{Op: MBarWait, Sem: memmodel.Acquire, Scope: memmodel.CTA})
	g.p.Barriers = append(g.p.Barriers, b)
}

func TestPrintDrawn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkRoundTrip(t, program(t)) })
}

// TestPrintChain holds that a condition over many terms does not nest.
func TestPrintChain(t *testing.T) {
	p := load(t, "every.litmus")[0]
	for range 3 * maxDepth {
		p.Conditions[0].Expr = &Binary{"&&", p.Conditions[0].Expr, &Binary{"==", Const(1), Const(1)}}
	}
	checkRoundTrip(t, p)
}
