package litmus

import (
	"fmt"
	"strings"

	"ptxmc/memmodel"
)

// String writes the program as a .litmus file. Parse gives an equal program back (but for the file, the lines and
// the texts as written) if the dialect has all of it: threads are named P and a number, registers r and a number,
// one condition is exists, ~exists or forall. Of a program of another dialect the text is for reading only.
func (p *Program) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "PTX %s\n{\n", p.Name)
	for i := range p.Locs {
		fmt.Fprintf(&b, "%s;\n", p.locEntry(i))
	}
	for _, m := range p.Barriers {
		fmt.Fprintf(&b, "mbarrier %s@%s = %d;\n", m.Name, p.Threads[m.Thread].Name, m.Count)
	}
	for i := range p.Threads {
		for _, r := range sortedKeys(p.Threads[i].Regs) {
			fmt.Fprintf(&b, "%s:%s = %s;\n", p.Threads[i].Name, r, p.Show(p.Threads[i].Regs[r]))
		}
	}
	b.WriteString("}\n")
	p.columns(&b)
	if len(p.Shown) > 0 {
		b.WriteString("locations [")
		for _, t := range p.Shown {
			fmt.Fprintf(&b, "%s; ", t)
		}
		b.WriteString("]\n")
	}
	if p.Filter != nil {
		fmt.Fprintf(&b, "filter (%s)\n", flat(p.Filter))
	}
	for _, c := range p.Conditions {
		fmt.Fprintf(&b, "%s (%s)\n", c.Kind, flat(c.Expr))
	}
	return b.String()
}

// Show writes a value: the address of a location as &x, anything else as a number.
func (p *Program) Show(v int64) string {
	if loc, ok := p.LocOf(v); ok {
		return "&" + p.Locs[loc].Name
	}
	return Const(v).String()
}

func (p *Program) locEntry(i int) string {
	switch l := &p.Locs[i]; {
	case l.Phys == i:
		return l.Name + " = " + p.Show(l.Init)
	case l.Proxy == Generic:
		return l.Name + " @ generic aliases " + p.Locs[l.Phys].Name
	default:
		return l.Name + " @ " + l.Proxy.String() + " aliases " + p.Locs[l.Virt].Name
	}
}

// columns writes the threads, the cells padded to the width of their column.
func (p *Program) columns(b *strings.Builder) {
	cells := make([][]string, len(p.Threads))
	widths := make([]int, len(p.Threads))
	rows := 0
	for i := range p.Threads {
		t := &p.Threads[i]
		cells[i] = []string{fmt.Sprintf("%s@cta %d,cluster %d,gpu %d", t.Name, t.CTA, t.Cluster, t.GPU)}
		for k := range t.Code {
			cells[i] = append(cells[i], p.instruction(&t.Code[k]))
		}
		rows = max(rows, len(cells[i]))
		for _, c := range cells[i] {
			widths[i] = max(widths[i], len(c))
		}
	}
	for row := range rows {
		for i := range cells {
			cell := ""
			if row < len(cells[i]) {
				cell = cells[i][row]
			}
			end := " |"
			if i == len(cells)-1 {
				end = " ;\n"
			}
			fmt.Fprintf(b, " %-*s%s", widths[i], cell, end)
		}
	}
}

// heads are the mnemonics of an access by its proxy.
var heads = map[Op][]string{
	Load: {"ld", "suld", "tld", "cold"}, Store: {"st", "sust"}, RMW: {"atom", "suatom"},
}

// reductions are those of an RMW without result.
var reductions = []string{"red", "sured"}

// instruction writes one instruction.
func (p *Program) instruction(in *Instr) string {
	quals := ""
	if in.Op == Load || in.Op == Store || in.Sem != memmodel.Weak {
		quals = "." + in.Sem.String()
	}
	if in.Scope != memmodel.ScopeNone {
		quals += "." + in.Scope.String()
	}
	switch in.Op {
	case Load:
		return heads[Load][in.Proxy] + quals + " " + in.Dst + ", [" + p.operand(in.Addr, "") + "]"
	case Store:
		return heads[Store][in.Proxy] + quals + " [" + p.operand(in.Addr, "") + "], " + p.operand(in.Src[0], "&")
	case RMW:
		head, args := heads[RMW][in.Proxy], []string{in.Dst}
		if in.NoReturn {
			head, args = reductions[in.Proxy], nil
		}
		args = append(args, "["+p.operand(in.Addr, "")+"]")
		for _, o := range in.Src {
			args = append(args, p.operand(o, "&"))
		}
		return head + quals + "." + in.RMWOp + " " + strings.Join(args, ", ")
	case Fence:
		return "fence" + quals
	case ProxyFence:
		return "fence.proxy." + in.Proxy.String()
	case AliasFence:
		return "fence.proxy.alias"
	case Barrier:
		return p.barrierText(in)
	case Assign:
		if e, ok := in.Expr.(*Binary); ok {
			return operators[e.Op] + " " + in.Dst + ", " + exprOperand(e.X) + ", " + exprOperand(e.Y)
		}
		return "mov " + in.Dst + ", " + exprOperand(in.Expr)
	case Branch:
		e := in.Cond.(*Binary)
		return operators[e.Op] + " " + exprOperand(e.X) + ", " + exprOperand(e.Y) + ", " + in.Target
	case Goto:
		return "goto " + in.Target
	case Label:
		return in.Label + ":"
	case MBarArrive:
		if in.Tx > 0 {
			return fmt.Sprintf("mbarrier.arrive.expect_tx%s [%s], %d", quals, p.Barriers[in.Bar].Name, in.Tx)
		}
		return "mbarrier.arrive" + quals + " [" + p.Barriers[in.Bar].Name + "]"
	case MBarWait:
		return "mbarrier.wait" + quals + " [" + p.Barriers[in.Bar].Name + "]"
	case AsyncCopy:
		return "cp.async.bulk" + quals + " [" + p.operand(in.Addr, "") + "], [" + p.operand(in.Src[0], "") + "], [" + p.Barriers[in.Bar].Name + "]"
	}
	return in.Op.String()
}

// operators are the mnemonics of Assign and Branch by the operator.
var operators = func() map[string]string {
	out := map[string]string{}
	for name, f := range families {
		if (f.op == Assign || f.op == Branch) && f.word != "" {
			out[f.word] = name
		}
	}
	return out
}()

func (p *Program) barrierText(in *Instr) string {
	s := "bar.cta.sync "
	if in.BarArrive {
		s = "bar.cta.arrive "
	}
	s += p.operand(in.BarInst, "&")
	for _, o := range []Operand{in.BarID, in.BarCount} {
		if o.Kind != NoOperand {
			s += ", " + p.operand(o, "&")
		}
	}
	return s
}

// operand writes an operand; mark stands before the name of a location.
func (p *Program) operand(o Operand, mark string) string {
	switch o.Kind {
	case RegOperand:
		return o.Reg
	case LocOperand:
		return mark + p.Locs[o.Loc].Name
	}
	return Const(o.Const).String()
}

// exprOperand writes an operand of Assign or Branch.
func exprOperand(e Expr) string {
	if t, ok := e.(Term); ok {
		return t.Reg
	}
	return e.String()
}

// flat writes an expression without the parentheses of its leftmost chain of connectives, so that a long chain does
// not nest.
func flat(e Expr) string {
	b, ok := e.(*Binary)
	if !ok || b.Op != "&&" && b.Op != "||" {
		return e.String()
	}
	left := b.X.String()
	if x, ok := b.X.(*Binary); ok && x.Op == b.Op {
		left = flat(x)
	}
	return left + " " + b.Op + " " + b.Y.String()
}
