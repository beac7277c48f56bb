package machine

import (
	"slices"

	"ptxmc/model"
)

// This file says which registers and memory matrix multiplications use.

// checkRegisters reports the use of a register that an mma in flight may still read or write, and takes note
// of others that the next mma needs a fence for (PTX ISA 9.7.16, wgmma.fence, wgmma.mma_async).
func (st *stepper) checkRegisters(in *model.Instr) bool {
	mine := st.info.code.mma
	if mine == nil || in.Op == model.MMAAsync {
		return true
	}
	ok := true
	touch := func(r model.Reg, write bool) {
		if !ok || !mine.has(int(r)) {
			return
		}
		for _, x := range st.s.mmas {
			y := &st.info.code.entry.Code[x.pc]
			if x.thread == st.ti && (holds(y.Dst, r) || write && holds(y.Src, r)) {
				st.undefined("wgmma-register", "%s uses register %s while the wgmma.mma_async of line %d is in flight: wait for its group first",
					st.m.threadName(st.ti), st.info.code.entry.RegNames[r], y.Pos.Line)
				ok = false
				return
			}
		}
		st.t.mma.dirty = true
	}
	uses(in, func(r model.Reg) { touch(r, false) })
	for i := range in.Dst {
		if in.Dst[i].Kind == model.RegOperand {
			touch(in.Dst[i].Reg, true)
		}
	}
	return ok
}

func holds(list []model.Operand, r model.Reg) bool {
	return slices.ContainsFunc(list, func(o model.Operand) bool { return o.Kind == model.RegOperand && o.Reg == r })
}

// mmaRegisters is the set of accumulators and registers of A of all wgmma.mma_async of an entry; nil if it
// has none.
func mmaRegisters(e *model.Entry) bitset {
	var set bitset
	for pc := range e.Code {
		in := &e.Code[pc]
		if in.Op != model.MMAAsync {
			continue
		}
		if set == nil {
			set = newBitset(len(e.RegTypes))
		}
		regs := in.Dst
		if !in.MMA.ADesc {
			regs = append(slices.Clone(regs), in.Src[2:]...)
		}
		for _, o := range regs {
			if o.Kind == model.RegOperand {
				set.set(int(o.Reg))
			}
		}
	}
	return set
}

// mmaAccesses lists what a matrix multiplication may read.
func (m *Machine) mmaAccesses(t *threadInfo, in *model.Instr, regs []absVal) []access {
	var out []access
	anywhere := func() {
		if o := m.layout.shared[t.cta]; o >= 0 {
			out = append(out, access{obj: m.layout.objects[o], off: -1, n: 16, unit: 16})
		}
	}
	shapes := []model.Value{{}}
	if in.Op == model.TensorMMA {
		v := m.absOperand(t, &in.Src[0], regs)
		if v.kind != valSet {
			anywhere()
			return out
		}
		shapes = v.set
	}
	for _, shape := range shapes {
		mmaTiles(in, shape.Lo, func(src, rows int, transposed bool) {
			v := m.absOperand(t, &in.Src[src], regs)
			if v.kind != valSet {
				anywhere()
				return
			}
			for _, d := range v.set {
				if x, err := m.tileAt(t.cta, in, d.Lo, rows, transposed); err == nil {
					out = append(out, access{obj: x.obj, off: x.off, n: x.n})
				}
			}
		})
	}
	return out
}

// mmaWaitFootprint: a wait or a commit ends the reads of matrix multiplications of its thread.
func (m *Machine) mmaWaitFootprint(ti int, f *footprint) {
	code := m.threads[ti].code.entry.Code
	for pc := range code {
		if code[pc].Op != model.MMAAsync && code[pc].Op != model.TensorMMA {
			continue
		}
		for _, a := range m.facts[ti].accesses[pc] {
			first, count := a.obj.first, len(a.obj.bounds)
			if a.off >= 0 {
				first, count = a.obj.cellRange(a.off, a.n)
			}
			for c := first; c < first+count; c++ {
				f.R.set(c)
				f.A.set(c)
			}
		}
	}
}
