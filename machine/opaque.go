package machine

import (
	"fmt"

	"ptxmc/model"
)

// This file sees to it that nothing depends on the results of matrix multiplications, which are opaque: they
// are kept as zeros. Registers are followed without regard to order, memory by object.

type opaques struct {
	m    *Machine
	regs map[*code]bitset
	objs map[*object]bool
}

// checkOpaque refuses programs in which control flow, addresses, synchronisation or a final condition depend
// on the result of a matrix multiplication.
func (m *Machine) checkOpaque() error {
	o := &opaques{m, map[*code]bitset{}, map[*object]bool{}}
	any := false
	for _, c := range m.codes {
		o.regs[c] = newBitset(len(c.entry.RegTypes))
		for pc := range c.entry.Code {
			any = any || multiplies(c.entry.Code[pc].Op)
		}
	}
	if !any {
		return nil
	}
	for changed := true; changed; {
		changed = false
		for ti := range m.threads {
			code := m.threads[ti].code
			for pc := range code.entry.Code {
				if m.facts[ti].reached[pc] && o.flow(ti, pc, &code.entry.Code[pc]) {
					changed = true
				}
			}
		}
	}
	for ti := range m.threads {
		code := m.threads[ti].code
		for pc := range code.entry.Code {
			if in := &code.entry.Code[pc]; m.facts[ti].reached[pc] && o.decides(code, in) {
				return &model.Diagnostic{Pos: in.Pos, Msg: fmt.Sprintf(
					"%s depends on the result of a matrix multiplication, which is opaque here; expected control flow, addresses and synchronisation that do not; replace the value by an input", in.Text)}
			}
		}
	}
	for i := range m.Case.Plan.Finals {
		f := &m.Case.Plan.Finals[i]
		var err error
		f.Reads(func(buffer string, _ int) {
			for b := range m.Case.Plan.Buffers {
				if m.Case.Plan.Buffers[b].Name == buffer && o.objs[m.layout.objects[m.layout.buffers[b]]] {
					err = &model.Diagnostic{Pos: f.Pos, Msg: fmt.Sprintf(
						"buffer %s holds results of a matrix multiplication, which are opaque here; expected a condition on other buffers", buffer)}
				}
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// multiplies reports whether the registers that an instruction sets are results.
func multiplies(op model.Op) bool { return op == model.MMAAsync || op == model.TensorLd }

// flow follows one instruction, and reports whether something became opaque.
func (o *opaques) flow(ti, pc int, in *model.Instr) (changed bool) {
	regs := o.regs[o.m.threads[ti].code]
	opaque := multiplies(in.Op)
	for i := range in.Src {
		s := &in.Src[i]
		opaque = opaque || s.Kind == model.RegOperand && regs.has(int(s.Reg))
	}
	for _, a := range o.m.facts[ti].accesses[pc] {
		for _, obj := range o.m.targets(ti, a) {
			if !a.sync && !a.write && o.objs[obj] || in.Op == model.Atom && o.objs[obj] {
				opaque = true
			}
		}
	}
	if !opaque {
		return false
	}
	for _, a := range o.m.facts[ti].accesses[pc] {
		for _, obj := range o.m.targets(ti, a) {
			if a.write && !a.sync && !o.objs[obj] {
				o.objs[obj], changed = true, true
			}
		}
	}
	for i := range in.Dst {
		if d := &in.Dst[i]; d.Kind == model.RegOperand && !regs.has(int(d.Reg)) {
			regs.set(int(d.Reg))
			changed = true
		}
	}
	return changed
}

// decides reports whether an instruction does something that depends on an opaque value, other than moving it.
func (o *opaques) decides(c *code, in *model.Instr) bool {
	regs := o.regs[c]
	is := func(x *model.Operand) bool { return x.Kind == model.RegOperand && regs.has(int(x.Reg)) }
	if in.Pred != model.NoReg && regs.has(int(in.Pred)) {
		return true
	}
	for i := range in.Addrs {
		if is(&in.Addrs[i].Base) {
			return true
		}
	}
	last := len(in.Src)
	switch in.Op {
	case model.St, model.Red, model.Atom: // data
		if in.AtomOp == model.AtomCAS {
			return last > 0 && is(&in.Src[0])
		}
		return false
	case model.WarpOp:
		if in.Warp > model.ShflIdx {
			return last > 0 && is(&in.Src[0])
		}
		for i := 1; i < last; i++ {
			if is(&in.Src[i]) {
				return true
			}
		}
		return false
	}
	if !visible(in) {
		return false
	}
	for i := range in.Src {
		if is(&in.Src[i]) {
			return true
		}
	}
	return false
}
