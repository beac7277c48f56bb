package machine

import (
	"fmt"
	"slices"

	"ptxmc/memmodel"
	"ptxmc/memmodel/causal"
	"ptxmc/model"
)

// mma is a matrix multiplication between its issue and its completion: it may read its tiles at any moment
// until then, and nobody can tell when. So a wgmma.mma_async completes in the move of the wait for its group,
// a tcgen05.mma in that of its commit's arrival. It is never changed.
type mma struct {
	thread, pc int
	age        int // commits since the one that took it; -1: not committed yet
	tiles      []tile
	behind     causal.View // tcgen05.mma: the writes of its tiles that it comes behind
}

// tile is a range of shared memory that an mma reads.
type tile struct {
	obj    *object
	off, n int
}

// mmaState is what a thread's next wgmma.mma_async goes by.
type mmaState struct {
	fenced bool
	view   causal.View // at the last wgmma.fence: what the mma's reads come after
	dirty  bool        // an operand register was used otherwise since then
}

// rowBytes is K elements of a row, for every type of wgmma.mma_async.
const rowBytes = 32

// The widths of the swizzle modes in bits 61 to 63 of a descriptor; wgmma has two of these bits.
var (
	warpgroupSwizzle = [8]int{2: 128, 3: 128, 4: 64, 5: 64, 6: 32, 7: 32}
	tensorSwizzle    = [8]int{1: 128, 2: 128, 4: 64, 6: 32}
)

// span is how many bytes from its start address a matrix of so many rows takes (PTX ISA 9.7.16, matrix
// descriptor format; assumption A8). Without a stride, and transposed, it is taken to be contiguous.
func span(desc uint64, rows int, transposed bool, widths [8]int) int {
	leading, stride := int(desc>>16&0x3fff)<<4, int(desc>>32&0x3fff)<<4
	if stride == 0 || transposed {
		return rows * rowBytes
	}
	groups := (rows/8 - 1) * stride
	width := widths[desc>>61]
	if width == 0 {
		return groups + leading + 128 // two core matrices of 8 rows of 16 bytes
	}
	return groups + 7*width + rowBytes
}

// mmaTiles lists the operand matrices in shared memory: descriptor operand, rows, and whether it is transposed.
// The rows of a tcgen05.mma stand in its instruction descriptor (PTX ISA 9.7.17, instruction descriptor).
func mmaTiles(in *model.Instr, shape uint64, f func(src, rows int, transposed bool)) {
	n, m, transB, transA := in.MMA.N, 64, in.MMA.TransB, in.MMA.TransA
	if in.Op == model.TensorMMA {
		n, m = int(shape>>17&0x3f)*8, int(shape>>24&0x1f)*16
		transB, transA = shape>>16&1 == 1, shape>>15&1 == 1
	}
	f(1, n, transB)
	if in.MMA.ADesc {
		f(2, m, transA)
	}
}

// tileAt finds the matrix of a descriptor in the shared memory of a CTA: the descriptor holds the low 18 bits
// of its address.
func (m *Machine) tileAt(cta int, in *model.Instr, desc uint64, rows int, transposed bool) (tile, error) {
	widths := warpgroupSwizzle
	if in.Op == model.TensorMMA {
		widths = tensorSwizzle
	}
	t := tile{off: int(desc&0x3fff) << 4, n: span(desc, rows, transposed, widths)}
	if t.n <= 0 {
		return t, fmt.Errorf("the instruction descriptor gives a matrix no rows")
	}
	o := m.layout.shared[cta]
	if o < 0 {
		return t, fmt.Errorf("the descriptor %#x names shared memory, and the CTA has none", desc)
	}
	if t.obj = m.layout.objects[o]; t.off+t.n > t.obj.size {
		return t, fmt.Errorf("the descriptor %#x names %d bytes at offset %d of shared memory, which has %d bytes", desc, t.n, t.off, t.obj.size)
	}
	return t, nil
}

// mmaLocal executes wgmma.fence and wgmma.commit_group, which touch no memory.
func (st *stepper) mmaLocal(in *model.Instr) bool {
	switch in.Op {
	case model.MMAFence:
		st.t.mma = mmaState{fenced: true, view: st.t.view}
	case model.MMACommit:
		for i, x := range st.s.mmas {
			if x.thread == st.ti {
				c := *x
				c.age++
				st.s.mmas[i] = &c
			}
		}
	default:
		return false
	}
	return true
}

// mmaAsync issues a wgmma.mma_async. It is ordered behind the thread's last wgmma.fence and reads shared memory
// through the async proxy (rules MMA-FENCE, MMA-PROXY).
func (st *stepper) mmaAsync() {
	m, s, in := st.m, st.s, st.in
	if !st.t.mma.fenced || st.t.mma.dirty {
		st.undefined("wgmma-fence", "%s executes wgmma.mma_async, and no wgmma.fence stands between it and earlier uses of its registers", m.threadName(st.ti))
		return
	}
	for _, x := range s.mmas {
		if x.thread != st.ti {
			continue
		}
		y := &st.info.code.entry.Code[x.pc]
		if y.MMA.N != in.MMA.N && slices.ContainsFunc(in.Dst, func(o model.Operand) bool { return holds(y.Dst, o.Reg) }) {
			st.undefined("wgmma-register", "%s accumulates into registers that a wgmma.mma_async of another shape (line %d) still writes", m.threadName(st.ti), y.Pos.Line)
			return
		}
	}
	view := st.t.mma.view
	if m.Opts.Break == RuleMMAFence {
		view = st.t.view
	}
	if !st.startMMA(0, view) {
		return
	}
	for i := range in.Dst {
		st.set(in, i, model.Value{}) // opaque: checkOpaque sees to it that nothing depends on it
	}
}

// startMMA puts a matrix multiplication in flight whose reads come behind a view.
func (st *stepper) startMMA(shape uint64, view causal.View) bool {
	m, s, in := st.m, st.s, st.in
	x := &mma{thread: st.ti, pc: st.pc, age: -1}
	ok := true
	mmaTiles(in, shape, func(src, rows int, transposed bool) {
		if !ok {
			return
		}
		t, err := m.tileAt(st.info.cta, in, st.operand(&in.Src[src]).Lo, rows, transposed)
		if err != nil {
			st.undefined("out-of-bounds", "%v", err)
			ok = false
			return
		}
		x.tiles = append(x.tiles, t)
		if ok = st.checkTile(t, view); in.Op == model.TensorMMA {
			x.behind = causal.Join(x.behind, st.writesIn(t, view))
		}
	})
	if !ok {
		return false
	}
	s.mmas = append(s.mmas, x)
	slices.SortStableFunc(s.mmas, func(a, b *mma) int { return a.thread - b.thread })
	st.rec.note("matrix multiplication in flight")
	return true
}

// writesIn is the part of a view that writes of a tile are.
func (st *stepper) writesIn(t tile, view causal.View) (v causal.View) {
	first, n := t.obj.cellRange(t.off, t.n)
	for _, k := range view {
		if e := st.s.Mem.Events[k.Event]; e.Write && overlap(e.First, e.N, first, n) {
			v = v.With(k.Event, k.Level)
		}
	}
	return v
}

// tileReads lists the read events of a tile: one for each cell.
func (m *Machine) tileReads(ti, pc int, t tile, f func(a *causal.Access) bool) bool {
	info := &m.threads[ti]
	first, n := t.obj.cellRange(t.off, t.n)
	for c := first; c < first+n; c++ {
		a := causal.Access{Place: info.place, Agent: ti, Proxy: memmodel.Async, CTA: info.cta, First: c, N: 1, Async: true, Ref: pc}
		if !f(&a) {
			return false
		}
	}
	return true
}

// checkTile reports what the reads of a tile conflict with, and contents that no mma should take.
func (st *stepper) checkTile(t tile, view causal.View) bool {
	m := st.m
	own := st.t.view
	defer func() { st.t.view = own }()
	st.t.view = view
	return m.tileReads(st.ti, st.pc, t, func(a *causal.Access) bool {
		m.covered(st.ti, st.pc, a.First, 1, false)
		if !st.plainMemory(a) || !st.checkFlights(a, false) {
			return false
		}
		st.checkTileWrites(a, own)
		for _, pick := range m.observe(st.s, a, view, m.layout.cells[a.First].size) {
			if _, known := m.bytes(st.s, a, pick); !known {
				st.undefined("uninitialized-read", "%s is read by a matrix multiplication, but nothing has written it", m.cellName(a.First, 1))
				return false
			}
			if !st.checkUse(a, pick) {
				return false
			}
		}
		return true
	})
}

// checkTileWrites reports writes that are not ordered before the reads of a tile, or not for the async proxy.
func (st *stepper) checkTileWrites(a *causal.Access, own causal.View) {
	if st.m.Opts.Break == RuleRace {
		return
	}
	for _, id := range st.s.Mem.Unordered(a, false, st.t.view) {
		e := st.s.Mem.Events[id]
		level, known := own.Level(id)
		switch {
		case level&a.Needs() != 0:
			st.race(a, false, st.m.eventSite(e, "the conflicting write (known, but no wgmma.fence since)"), false, "")
		case known:
			st.race(a, false, st.m.eventSite(e, "the conflicting write (no fence.proxy.async since)"), false, "")
		default:
			site := st.m.eventSite(e, "the write of the tile")
			st.violate(&Violation{Property: "no-overwrite", Rule: "in-flight-tile",
				Message: fmt.Sprintf("%s writes %s, and nothing orders the write before or after the matrix multiplication of %s that reads it",
					site.Agent, st.m.cellName(a.First, a.N), st.m.threadName(st.ti)),
				Sites: []Site{site},
				Fix:   "synchronise with the thread that writes the tile"})
		}
	}
}

// mmaWait is wgmma.wait_group N: all but the N most recent groups of the thread complete. What they read is
// then known to the thread, ready for both proxies (rule MMA-WAIT).
func (st *stepper) mmaWait() {
	m, s := st.m, st.s
	keep := s.mmas[:0:0]
	pending := int(st.in.Src[0].Imm.Lo)
	for _, x := range s.mmas {
		if x.thread != st.ti || x.age < pending {
			keep = append(keep, x)
			continue
		}
		st.rec.note("the matrix multiplication of line %d is complete", st.info.code.entry.Code[x.pc].Pos.Line)
		own := st.finishMMA(x, st.t.view)
		if m.Opts.Break != RuleMMAWait {
			st.t.view = causal.Join(st.t.view, own)
		}
	}
	s.mmas = keep
}

// finishMMA records what a completed matrix multiplication has read, and returns it: ready for both proxies,
// as its completion is followed by an implicit proxy fence (PTX ISA 9.7.10.28.2; reference B3).
func (st *stepper) finishMMA(x *mma, known causal.View) (own causal.View) {
	m, s := st.m, st.s
	for _, t := range x.tiles {
		m.tileReads(x.thread, x.pc, t, func(a *causal.Access) bool {
			if m.othersWrite(s, -1, a.First, 1) {
				s.Mem.Supersede(a, known)
				own = own.With(s.Mem.Read(&causal.Event{Access: *a}), a.Own()|causal.G)
			}
			return true
		})
	}
	return own
}

// checkMMAs reports a write of a tile that an mma in flight reads.
func (st *stepper) checkMMAs(a *causal.Access, write bool) bool {
	if !write || st.m.Opts.Break == RuleInFlight {
		return true
	}
	for _, x := range st.s.mmas {
		for _, t := range x.tiles {
			if first, n := t.obj.cellRange(t.off, t.n); overlap(a.First, a.N, first, n) {
				st.violate(&Violation{Property: "no-overwrite", Rule: "in-flight-tile", Ends: true,
					Message: fmt.Sprintf("%s writes %s while a matrix multiplication issued by %s is in flight and reads it",
						st.m.threadName(st.ti), st.m.cellName(a.First, a.N), st.m.threadName(x.thread)),
					Sites: []Site{st.m.site(x.thread, x.pc, "the matrix multiplication in flight")},
					Fix:   "wait for its completion before the tile is handed on: wgmma.wait_group, or the mbarrier of a tcgen05.commit"})
				return false
			}
		}
	}
	return true
}

// checkExit reports a matrix multiplication that is in flight when its CTA exits.
func (st *stepper) checkExit(cta int) bool {
	for _, x := range st.s.mmas {
		if st.m.threads[x.thread].cta == cta {
			st.violate(&Violation{Property: "lifetime", Rule: "in-flight-at-exit", Ends: true,
				Message: fmt.Sprintf("%s exits while the matrix multiplication issued by %s is still in flight", st.m.ctaName(cta), st.m.threadName(x.thread)),
				Sites:   []Site{st.m.site(x.thread, x.pc, "the matrix multiplication")},
				Fix:     "wait for its completion before the CTA's threads end"})
			return false
		}
	}
	return true
}
