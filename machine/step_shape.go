package machine

import (
	"slices"

	"ptxmc/memmodel/causal"
	"ptxmc/model"
)

// This file finds out which bytes a copy moves, from its operands.

// arg returns source operand i as a number of 32 bits.
func (st *stepper) arg(i int) int { return int(uint32(st.operand(&st.in.Src[i]).Lo)) }

// describeCopy resolves the operands of the copy to the first of its destinations.
func (st *stepper) describeCopy() (*flight, bool) {
	f := &flight{thread: st.ti, pc: st.pc, bar: -1, view: st.t.view, elem: st.in.Type}
	switch in := st.in; {
	case in.Op == model.CopyAsync:
		return f, st.smallCopy(f)
	case in.Bulk.Dims > 0:
		return f, st.tensorCopy(f)
	default:
		return f, st.flatCopy(f)
	}
}

// smallCopy is cp.async: it copies a prefix and fills the rest with zeros.
func (st *stepper) smallCopy(f *flight) bool {
	f.n = st.arg(0)
	n := f.n
	if len(st.in.Src) > 1 {
		v := st.operand(&st.in.Src[1])
		if st.ignores(st.in) {
			n *= 1 - int(v.Lo&1)
		} else {
			n = int(uint32(v.Lo))
		}
	}
	if n > f.n {
		st.undefined("copy-size", "cp.async of %d bytes with a src-size of %d", f.n, n)
		return false
	}
	var ok bool
	if f.dst, f.dstOff, ok = st.locate(0, st.in.Bulk.DstSpace, f.n, f.n); !ok {
		return false
	}
	if n > 0 {
		if f.src, f.srcOff, ok = st.locate(1, st.in.Bulk.SrcSpace, n, f.n); !ok {
			return false
		}
	}
	f.parts = smallParts(f.n, n, f.dstOff, f.srcOff)
	return true
}

// ignores reports whether the optional operand of cp.async is the predicate ignore-src.
func (st *stepper) ignores(in *model.Instr) bool { return ignoresSource(st.info, in) }

func ignoresSource(t *threadInfo, in *model.Instr) bool {
	o := &in.Src[1]
	return o.Kind == model.RegOperand && t.code.entry.RegTypes[o.Reg] == model.Pred
}

func smallParts(size, n, dst, src int) []part {
	var parts []part
	if n > 0 {
		parts = append(parts, part{dst: dst, src: src, n: n})
	}
	if n < size {
		parts = append(parts, part{dst: dst + n, src: -1, n: size - n, tile: n})
	}
	return parts
}

// flatCopy is a bulk copy or reduction of adjacent bytes.
func (st *stepper) flatCopy(f *flight) bool {
	in := st.in
	f.n = st.arg(0)
	if f.n == 0 || f.n%16 != 0 {
		st.undefined("bulk-size", "cp.async.bulk of %d bytes; the size must be a positive multiple of 16", f.n)
		return false
	}
	left, right := 0, 0
	if in.Bulk.IgnoreOOB {
		if left, right = st.arg(1), st.arg(2); left > 15 || right > 15 {
			st.undefined("ignored-bytes", "a copy ignores %d and %d bytes at its ends; at most 15 are possible", left, right)
			return false
		}
	}
	var ok bool
	if f.dst, f.dstOff, ok = st.locate(0, in.Bulk.DstSpace, f.n, 16); !ok {
		return false
	}
	if f.src, f.srcOff, ok = st.locateWithin(1, in.Bulk.SrcSpace, f.n, 16, left, right); !ok {
		return false
	}
	if f.src != nil && f.src.cta >= 0 && f.dst.cta == st.info.cta {
		st.undefined("bulk-own-cta", "cp.async.bulk from shared::cta to shared::cluster into %s, which is the executing CTA; the destination must lie in another CTA of the cluster", st.m.ctaName(f.dst.cta))
		return false
	}
	mask := 0xffff
	if in.Bulk.ByteMask {
		mask = st.arg(in.Bulk.Mask())
	}
	f.parts = flatParts(f.n, f.dstOff, f.srcOff, mask, left, right)
	return true
}

// flatParts: with a byte mask the runs of set bits of each 16 bytes; the ends that a copy ignores are
// indeterminate.
func flatParts(n, dst, src, mask, left, right int) []part {
	add := func(parts []part, from, to int, unknown bool) []part {
		if from >= to {
			return parts
		}
		p := part{dst: dst + from, src: src + from, n: to - from, tile: from}
		if unknown {
			p.src, p.unknown = -1, true
		}
		return append(parts, p)
	}
	var parts []part
	if mask&0xffff == 0xffff {
		left, right = min(left, n), min(right, n)
		parts = add(parts, 0, left, true)
		parts = add(parts, left, max(left, n-right), false)
		return add(parts, max(left, n-right), n, true)
	}
	for base := 0; base < n; base += 16 {
		for i := 0; i < 16; {
			j := i
			for j < 16 && mask>>j&1 == 1 {
				j++
			}
			parts = add(parts, base+i, base+j, false)
			i = j + 1
		}
	}
	return parts
}

// tensorCopy is a copy or reduction of a box of a tensor.
func (st *stepper) tensorCopy(f *flight) bool {
	m, in := st.m, st.in
	store := in.Bulk.DstSpace == model.GlobalSpace
	side, at := 1, 0 // operands: the tensor map and the tile
	if store {
		side, at = 0, 1
	}
	t := m.tensorMap(st.info, st.address(in, side))
	switch {
	case t == nil:
		st.undefined("tensor-map", "address %#x holds no tensor map: pass one that the launch plan declares", st.address(in, side))
		return false
	case len(t.Dims) != in.Bulk.Dims:
		st.undefined("tensor-map", "the copy has %d dimensions, tensor map %s has %d", in.Bulk.Dims, t.Name, len(t.Dims))
		return false
	case in.Bulk.Reduce != model.NoAtom && !reducible(in.Bulk.Reduce, t.Elem):
		st.undefined("tensor-type", "the reduction does not exist for elements of type %s", t.Elem)
		return false
	}
	f.n, f.elem = tileBytes(t), t.Elem
	space := in.Bulk.DstSpace
	if store {
		space = in.Bulk.SrcSpace
	}
	tile, off, ok := st.locate(at, space, f.n, 128)
	if !ok {
		return false
	}
	coords := make([]int64, len(t.Dims))
	for i := range coords {
		coords[i] = int64(int32(st.arg(i)))
		if store && coords[i] < 0 {
			st.undefined("tensor-coordinates", "a tile is stored at coordinate %d of dimension %d; stores begin inside the tensor", coords[i], i)
			return false
		}
	}
	buffer := m.layout.objects[m.layout.buffers[t.Buffer]]
	unit := 16
	if in.Bulk.Reduce != model.NoAtom {
		unit = t.Elem.Bytes()
	}
	for _, r := range tiles(t, coords, unit) {
		switch {
		case !store && r.off < 0:
			f.parts = append(f.parts, part{dst: off + r.tile, src: -1, n: r.n, tile: r.tile, fill: fillOf(t)})
		case !store:
			f.parts = append(f.parts, part{dst: off + r.tile, src: r.off, n: r.n, tile: r.tile})
		case r.off >= 0:
			f.parts = append(f.parts, part{dst: r.off, src: off + r.tile, n: r.n, tile: r.tile})
		}
	}
	f.dst, f.dstOff, f.src, f.srcOff = tile, off, buffer, int(t.Off)
	if store {
		f.dst, f.dstOff, f.src, f.srcOff = buffer, int(t.Off), tile, off
	}
	return true
}

// reducible: the types of a reduction of a tensor (PTX ISA 9.7.10.28.5.4). Elements of 32 and 64 bits
// without a sign are bits, too.
func reducible(op model.AtomOp, t model.Type) bool {
	half := t == model.F16 || t == model.BF16
	switch op {
	case model.AtomAdd:
		return t == model.U32 || t == model.S32 || t == model.U64 || t == model.F32 || half
	case model.AtomMin, model.AtomMax:
		return t == model.U32 || t == model.S32 || t == model.U64 || t == model.S64 || half
	case model.AtomInc, model.AtomDec:
		return t == model.U32
	default:
		return !t.Float() && t.Bytes() >= 4
	}
}

// destinations gives a copy its mbarrier, and one copy to each CTA of a multicast: data and signal go
// to the same offsets in each (PTX ISA 9.7.10.28.4.1). With .cta_group::2 the signal of a destination
// goes to that CTA of its pair whose rank has the parity of the mbarrier's CTA.
func (st *stepper) destinations(f *flight) ([]*flight, bool) {
	m, in := st.m, st.in
	if len(f.parts) == 0 && in.Bulk.Completion == model.CompleteBulkGroup {
		return nil, true // nothing to do
	}
	if in.Bulk.Completion != model.CompleteMBarrier {
		return []*flight{f}, true
	}
	bar, off, ok := st.locate(2, model.SharedCluster, 8, 8)
	if !ok {
		return nil, false
	}
	cluster := m.clusters[m.ctas[st.info.cta].cluster]
	to := []int{f.dst.cta}
	if in.Bulk.Multicast {
		to = nil
		mask := st.arg(in.Bulk.Mask())
		for _, c := range cluster {
			if mask>>m.ctas[c].rank&1 == 1 {
				to = append(to, c)
			}
		}
		if mask>>len(cluster) != 0 {
			st.undefined("multicast-rank", "the CTA mask %#x names a CTA outside the cluster, which has %d", mask, len(cluster))
			return nil, false
		}
	}
	pair := func(c int) int {
		if !in.Bulk.Pair {
			return c
		}
		rank := m.ctas[c].rank&^1 | m.ctas[max(bar.cta, 0)].rank&1
		return cluster[slices.IndexFunc(cluster, func(p int) bool { return m.ctas[p].rank == min(rank, len(cluster)-1) })]
	}
	if !in.Bulk.Multicast && pair(f.dst.cta) != bar.cta {
		st.undefined("bulk-mbarrier-cta", "the mbarrier of a cp.async.bulk must lie in the CTA of its destination (%s); it is in %s", m.ctaName(f.dst.cta), m.ctaName(max(bar.cta, 0)))
		return nil, false
	}
	var out []*flight
	for _, c := range to {
		nf := *f
		nf.parts = slices.Clone(f.parts)
		if !st.ctaAlive(c) || !st.ctaAlive(pair(c)) {
			return nil, false
		}
		if m.layout.shared[c] >= 0 {
			nf.dst = m.layout.objects[m.layout.shared[c]]
		}
		object := m.layout.objects[m.layout.shared[pair(c)]]
		cell, _ := object.cellRange(off, 8)
		nf.bar = cell
		use := causal.Access{Place: st.info.place, Agent: st.ti, CTA: st.info.cta, First: cell, N: 1}
		if b := st.liveBarrier(&use); b == nil {
			return nil, false
		}
		out = append(out, &nf)
	}
	return out, true
}

// locateWithin is locate for n bytes whose ends may lie outside the object.
func (st *stepper) locateWithin(i int, space model.Space, n, align, left, right int) (*object, int, bool) {
	if left+right >= n {
		return nil, 0, true // nothing is read
	}
	in := *st.in
	in.Addrs = slices.Clone(in.Addrs)
	in.Addrs[i].Off += int64(left)
	old := st.in
	st.in = &in
	defer func() { st.in = old }()
	if left == 0 {
		return st.locate(i, space, n-right, align)
	}
	o, off, ok := st.locate(i, space, n-left-right, 1)
	if ok && (off-left+align)%align != 0 {
		st.undefined("misaligned", "access of %d bytes at offset %d of %s is not aligned to %d bytes", n, off-left, o.name, align)
		return nil, 0, false
	}
	return o, off - left, ok
}

// readsDone raises known reads to the level needed (policy reads-done-at-issue).
func (m *Machine) readsDone(s *State, v causal.View, need causal.Level) causal.View {
	for _, k := range v {
		if !s.Mem.Events[k.Event].Write {
			v = v.With(k.Event, need)
		}
	}
	return v
}

// flagPayload raises known writes of global memory by other threads to the level of the copy (policy
// async-flag-payload).
func (m *Machine) flagPayload(s *State, f *flight, v causal.View) causal.View {
	for _, k := range v {
		if e := s.Mem.Events[k.Event]; e.Write && e.Agent != f.thread && m.layout.cells[e.First].obj.cta < 0 {
			v = v.With(k.Event, m.flightLevel(f))
		}
	}
	return v
}
