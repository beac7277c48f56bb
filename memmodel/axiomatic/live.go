package axiomatic

import (
	"slices"

	"ptxmc/model/litmus"
)

// defUse returns the register that an instruction writes, or "", and those that it reads.
func defUse(in *litmus.Instr, thread int) (def string, use []string) {
	for _, o := range append(slices.Clone(in.Src), in.Addr, in.BarID, in.BarInst, in.BarCount) {
		if o.Kind == litmus.RegOperand {
			use = append(use, o.Reg)
		}
	}
	for _, e := range []litmus.Expr{in.Expr, in.Cond} {
		use = append(use, exprRegs(e, thread)...)
	}
	return in.Dst, use
}

// exprRegs returns the registers of a thread that occur in an expression.
func exprRegs(e litmus.Expr, thread int) []string {
	switch e := e.(type) {
	case litmus.Term:
		if e.Thread == thread {
			return []string{e.Reg}
		}
	case *litmus.Unary:
		return exprRegs(e.X, thread)
	case *litmus.Binary:
		return append(exprRegs(e.X, thread), exprRegs(e.Y, thread)...)
	}
	return nil
}

// liveness returns for each instruction the registers whose value before it may still matter. At the end
// of a thread all do.
func liveness(w *walker) [][]bool {
	n := len(w.code)
	live := make([][]bool, n+1)
	for pc := range live {
		live[pc] = make([]bool, len(w.regs))
	}
	for r := range live[n] {
		live[n][r] = true
	}
	for changed := true; changed; {
		changed = false
		for pc := n - 1; pc >= 0; pc-- {
			in := &w.code[pc]
			next := []int{pc + 1}
			switch in.Op {
			case litmus.Goto:
				next = []int{w.labels[in.Target]}
			case litmus.Branch:
				next = append(next, w.labels[in.Target])
			}
			def, use := defUse(in, w.thread)
			set := func(r int) {
				changed = changed || !live[pc][r]
				live[pc][r] = true
			}
			for _, to := range next {
				for r, on := range live[to] {
					if on && (def == "" || r != w.regs[def]) {
						set(r)
					}
				}
			}
			for _, r := range use {
				set(w.regs[r])
			}
		}
	}
	return live
}
