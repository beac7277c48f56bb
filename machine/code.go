package machine

import (
	"ptxmc/model"
)

// code is an entry with what does not depend on the thread that runs it.
type code struct {
	entry *model.Entry
	// live[pc] lists the registers whose value may still be read when pc is next.
	live []bitset
	// mma is the set of registers that matrix multiplications use; nil if there are none.
	mma bitset
	// of the waits for groups of cp.async, and of bulk copies: how many groups one of them leaves pending
	// at most.
	pending [2]int
	reads   bool // there is a wait for the reads of bulk copies alone
	arrives bool // there is an asynchronous arrival
}

// newCode prepares an entry. The values of the exit registers count when the thread has ended.
func newCode(e *model.Entry, exit ...model.Reg) *code {
	c := &code{entry: e, mma: mmaRegisters(e)}
	for i := range e.Code {
		switch in := &e.Code[i]; in.Op {
		case model.CopyWait:
			kind := b2i(in.Group.Bulk)
			c.pending[kind] = max(c.pending[kind], int(in.Src[0].Imm.Lo))
			c.reads = c.reads || in.Group.Read
		case model.CopyArrive:
			c.arrives = true
		}
	}
	c.liveness(exit)
	return c
}

// finals keeps the registers whose values count when the thread has ended.
func (c *code) finals(regs []model.Value) []model.Value {
	out := make([]model.Value, len(regs))
	c.live[len(c.entry.Code)].each(func(r int) { out[r] = regs[r] })
	return out
}

// visible reports whether an instruction is a step of its own: it touches memory, a barrier or the
// launch, or may end the thread. All else is private to the thread and runs on at once.
func visible(in *model.Instr) bool {
	switch in.Op {
	case model.Ld:
		return in.Space != model.ParamSpace && in.Space != model.ConstSpace
	case model.St, model.StBulk, model.Atom, model.Red, model.Fence, model.FenceProxy, model.FenceMBarrierInit,
		model.BarSync, model.BarArrive, model.BarRed, model.BarQuorum, model.WarpSync, model.WarpOp, model.Elect, model.ActiveMask,
		model.ClusterArrive, model.ClusterWait, model.AsyncStore, model.AsyncRed,
		model.BulkCopy, model.CopyAsync, model.CopyArrive, model.CopyCommit, model.CopyWait,
		model.MMAAsync, model.MMAWait, model.TensorMMA, model.TensorCommit, model.TensorAlloc, model.TryCancel,
		model.LaunchDependents, model.GridDepWait, model.Trap, model.Ret:
		return true
	case model.MBarrier:
		return in.MBar.Op != model.MBarPendingCount
	default:
		return false
	}
}

// successors calls f for every instruction that may follow pc; len(Code) is the end.
func successors(e *model.Entry, pc int, f func(next int)) {
	in := &e.Code[pc]
	switch in.Op {
	case model.Bra:
		f(in.Target)
		if in.Pred != model.NoReg {
			f(pc + 1)
		}
	case model.Ret, model.Trap:
		if in.Pred != model.NoReg {
			f(pc + 1)
		}
	default:
		f(pc + 1)
	}
}

// uses calls f for every register that the instruction reads.
func uses(in *model.Instr, f func(r model.Reg)) {
	if in.Pred != model.NoReg {
		f(in.Pred)
	}
	for i := range in.Src {
		if in.Src[i].Kind == model.RegOperand {
			f(in.Src[i].Reg)
		}
	}
	for i := range in.Addrs {
		if in.Addrs[i].Base.Kind == model.RegOperand {
			f(in.Addrs[i].Base.Reg)
		}
	}
}

// liveness is the usual backward analysis of registers.
func (c *code) liveness(exit []model.Reg) {
	e := c.entry
	n := len(e.RegTypes)
	c.live = make([]bitset, len(e.Code)+1)
	for i := range c.live {
		c.live[i] = newBitset(n)
	}
	for _, r := range exit {
		c.live[len(e.Code)].set(int(r))
	}
	for changed := true; changed; {
		changed = false
		for pc := len(e.Code) - 1; pc >= 0; pc-- {
			in := &e.Code[pc]
			set := newBitset(n)
			successors(e, pc, func(next int) { set.or(c.live[next]) })
			if in.Pred == model.NoReg {
				for i := range in.Dst {
					if in.Dst[i].Kind == model.RegOperand {
						set[in.Dst[i].Reg/64] &^= 1 << (in.Dst[i].Reg % 64)
					}
				}
			}
			uses(in, func(r model.Reg) { set.set(int(r)) })
			if c.live[pc].or(set) {
				changed = true
			}
		}
	}
}
