package machine

import (
	"ptxmc/memmodel"
	"ptxmc/memmodel/causal"
	"ptxmc/model"
	"ptxmc/model/litmus"
	"ptxmc/model/mbarrier"
)

// This file holds the asynchronous operations of litmus tests: copies of one location, and the first phase of
// mbarrier objects.

// locationBytes is the size of a location.
const locationBytes = 8

// litmusBarriers lays the mbarrier objects of a test out in the shared memory of their CTAs.
func (m *Machine) litmusBarriers(p *litmus.Program) {
	for i := range p.Barriers {
		cta := m.threads[p.Barriers[i].Thread].cta
		if m.layout.shared[cta] < 0 {
			m.layout.shared[cta] = len(m.layout.objects)
			m.layout.objects = append(m.layout.objects, &object{name: "shared", space: model.SharedCTA, cta: cta, buffer: -1,
				base: sharedBase + uint64(m.ctas[cta].rank)*sharedStride})
		}
		o := m.layout.objects[m.layout.shared[cta]]
		m.litmus.bars = append(m.litmus.bars, barrierPlace{o, o.size})
		o.size += 8
	}
}

// barrierPlace is where an mbarrier object lies.
type barrierPlace struct {
	obj *object
	off int
}

// initialBarriers enters the objects, which everybody knows from the beginning.
func (m *Machine) initialBarriers(s *State) error {
	for i, at := range m.litmus.bars {
		b, err := mbarrier.Init(0, uint32(m.litmus.prog.Barriers[i].Count))
		if err != nil {
			return err
		}
		cell, _ := at.obj.cellRange(at.off, 8)
		k, _ := s.barrierAt(cell)
		s.bars = append(s.bars, nil)
		copy(s.bars[k+1:], s.bars[k:])
		s.bars[k] = &barrier{cell: cell, Barrier: b}
	}
	return nil
}

// barrierAddress is the address of an object as every thread of the cluster may use it.
func (l *lowering) barrierAddress() model.Address {
	at := l.info.bars[l.in.Bar]
	return model.Address{Base: model.Operand{Kind: model.ImmOperand, Imm: model.Value{Lo: at.obj.base + uint64(at.off)}}}
}

func immediate(n int) model.Operand {
	return model.Operand{Kind: model.ImmOperand, Imm: model.Value{Lo: uint64(n)}}
}

// async lowers the asynchronous operations. A wait is a loop of try_wait on the phase of parity 0.
func (l *lowering) async() {
	in := l.in
	switch in.Op {
	case litmus.MBarArrive:
		out := model.Instr{Op: model.MBarrier, MBar: model.MBarForm{Op: model.MBarArrive}, Addrs: []model.Address{l.barrierAddress()}}
		if in.Tx > 0 {
			out.MBar.ExpectTx, out.Src = true, []model.Operand{immediate(in.Tx * locationBytes)}
		}
		l.emit(out)
	case litmus.MBarWait:
		begin := len(l.entry.Code)
		done := l.newReg("", model.Pred)
		l.emit(model.Instr{Op: model.MBarrier, MBar: model.MBarForm{Op: model.MBarTryWait, Parity: true}, Dst: []model.Operand{done},
			Src: []model.Operand{immediate(0)}, Addrs: []model.Address{l.barrierAddress()}})
		l.emit(model.Instr{Op: model.Bra, Pred: done.Reg, PredNeg: true, Target: begin})
	case litmus.AsyncCopy:
		l.emit(model.Instr{Op: model.BulkCopy, Bulk: model.BulkForm{DstSpace: model.GlobalSpace, SrcSpace: model.GlobalSpace},
			Src:   []model.Operand{immediate(locationBytes)},
			Addrs: []model.Address{{Base: l.operand(in.Addr)}, {Base: l.operand(in.Src[0])}, l.barrierAddress()}})
	}
	for i := range l.entry.Code {
		if c := &l.entry.Code[i]; c.Op == model.MBarrier {
			c.Space = model.SharedCluster
		}
		l.entry.Code[i].Proxy = genericIfAsync(l.entry.Code[i].Proxy) // the async proxy belongs to the agent
	}
}

func genericIfAsync(p memmodel.Proxy) memmodel.Proxy {
	if p == memmodel.Async {
		return memmodel.Generic
	}
	return p
}

// litmusCopy is a copy from one location to another.
func (st *stepper) litmusCopy() (*flight, bool) {
	f := &flight{thread: st.ti, pc: st.pc, n: locationBytes, view: st.t.view}
	var ok bool
	if f.dst, f.dstOff, ok = st.locate(0, model.GlobalSpace, locationBytes, locationBytes); !ok {
		return nil, false
	}
	f.virt[0] = st.virt
	if f.src, f.srcOff, ok = st.locate(1, model.GlobalSpace, locationBytes, locationBytes); !ok {
		return nil, false
	}
	f.virt[1] = st.virt
	bar, off, ok := st.locate(2, model.SharedCluster, 8, 8)
	if !ok {
		return nil, false
	}
	f.bar, _ = bar.cellRange(off, 8)
	f.parts = []part{{dst: f.dstOff, src: f.srcOff, n: locationBytes}}
	use := causal.Access{Place: st.info.place, Agent: st.ti, CTA: st.info.cta, First: f.bar, N: 1}
	return f, st.liveBarrier(&use) != nil
}
