package machine

import "ptxmc/model"

// maxTiles is how many combinations of operands of one copy are told apart.
const maxTiles = 256

// copyAccesses lists what a copy may touch on its two sides: add takes accesses relative to an address
// operand, emit others.
func (m *Machine) copyAccesses(t *threadInfo, in *model.Instr, regs []absVal, add func(ai int, space model.Space, proto access), emit func(access)) {
	sets, known := m.operandSets(t, in, regs)
	if in.Bulk.Dims > 0 {
		m.tensorAccesses(t, in, regs, sets, known, add, emit)
		return
	}
	dst := func(off, n, unit int) { add(0, in.Bulk.DstSpace, access{off: off, n: n, unit: unit, write: true}) }
	src := func(off, n, unit int) {
		add(1, in.Bulk.SrcSpace, access{off: off, n: n, unit: unit, report: in.Bulk.Report})
	}
	if !known { // any size, in the finest units that the form can make
		unit := 16
		switch {
		case in.Op == model.CopyAsync || in.Bulk.ByteMask || in.Bulk.IgnoreOOB:
			unit = 1
		case in.Bulk.Reduce != model.NoAtom:
			unit = in.Type.Bytes()
		}
		for ai, space := range []model.Space{in.Bulk.DstSpace, in.Bulk.SrcSpace} {
			a := access{n: unit, unit: unit, write: ai == 0}
			if ai == 1 {
				a.report = in.Bulk.Report
			}
			emit(anywhere(a, m.home(t, m.absOperand(t, &in.Addrs[ai].Base, regs)), space))
		}
		return
	}
	for _, v := range sets {
		var parts []part
		unit := 16
		switch {
		case in.Op == model.CopyAsync:
			n := v[0]
			if len(v) > 1 {
				if n = v[1]; ignoresSource(t, in) {
					n = v[0] * (1 - v[1]&1)
				}
			}
			parts = smallParts(v[0], min(n, v[0]), 0, 0)
		case in.Bulk.IgnoreOOB:
			parts = flatParts(v[0], 0, 0, 0xffff, v[1], v[2])
		case in.Bulk.ByteMask:
			parts = flatParts(v[0], 0, 0, v[in.Bulk.Mask()], 0, 0)
		default:
			parts = flatParts(v[0], 0, 0, 0xffff, 0, 0)
			if in.Bulk.Reduce != model.NoAtom {
				unit = in.Type.Bytes()
			}
		}
		for _, p := range parts {
			dst(p.dst, p.n, unit)
			if p.src >= 0 {
				src(p.src, p.n, unit)
			}
		}
	}
}

// operandSets lists the combinations of values that the source operands may have, if they are few.
func (m *Machine) operandSets(t *threadInfo, in *model.Instr, regs []absVal) ([][]int, bool) {
	out := [][]int{nil}
	for i := range in.Src {
		v := m.absOperand(t, &in.Src[i], regs)
		if i == in.Bulk.Mask() && in.Bulk.Multicast {
			v = setOf(model.Value{}) // the CTA mask: all CTAs are taken in
		}
		if v.kind != valSet || len(out)*len(v.set) > maxTiles {
			return nil, false
		}
		var next [][]int
		for _, o := range out {
			for _, x := range v.set {
				next = append(next, append(append([]int(nil), o...), int(uint32(x.Lo))))
			}
		}
		out = next
	}
	return out, true
}

// tensorAccesses does the same for a tensor copy: the boxes at all coordinates, or the whole tensor.
func (m *Machine) tensorAccesses(t *threadInfo, in *model.Instr, regs []absVal, sets [][]int, known bool,
	add func(ai int, space model.Space, proto access), emit func(access)) {
	store := in.Bulk.DstSpace == model.GlobalSpace
	mapAt, tileAt, space := 1, 0, in.Bulk.DstSpace
	if store {
		mapAt, tileAt, space = 0, 1, in.Bulk.SrcSpace
	}
	base := m.absOperand(t, &in.Addrs[mapAt].Base, regs)
	for i := range m.Case.Plan.TensorMaps {
		tm := &m.Case.Plan.TensorMaps[i]
		if len(tm.Dims) != in.Bulk.Dims {
			continue
		}
		if base.kind == valSet {
			used := false
			for _, x := range base.set {
				used = used || m.tensorMap(t, x.Lo+uint64(in.Addrs[mapAt].Off)) == tm
			}
			if !used {
				continue
			}
		}
		unit := 16
		if in.Bulk.Reduce != model.NoAtom || !known {
			unit = tm.Elem.Bytes()
		}
		global := access{obj: m.layout.objects[m.layout.buffers[tm.Buffer]], write: store, report: in.Bulk.Report}
		if !known {
			global.off, global.n, global.unit = -1, unit, unit
			emit(global)
			add(tileAt, space, access{n: tileBytes(tm), unit: unit, write: !store})
			continue
		}
		for _, v := range sets {
			at := make([]int64, len(tm.Dims))
			for d := range at {
				at[d] = int64(int32(v[d]))
			}
			for _, r := range tiles(tm, at, unit) {
				add(tileAt, space, access{off: r.tile, n: r.n, unit: r.n, write: !store})
				if r.off >= 0 {
					global.off, global.n, global.unit = r.off, r.n, r.n
					emit(global)
				}
			}
		}
	}
}

// atPeers repeats accesses of shared memory in all CTAs of the cluster, for multicast and CTA pairs.
func (m *Machine) atPeers(t *threadInfo, list []access) []access {
	var out []access
	for _, a := range list {
		if a.obj == nil || a.obj.cta < 0 {
			continue
		}
		for _, c := range m.clusters[m.ctas[t.cta].cluster] {
			if s := m.layout.shared[c]; s >= 0 && m.layout.objects[s] != a.obj {
				b := a
				b.obj = m.layout.objects[s]
				out = append(out, b)
			}
		}
	}
	return out
}
