package machine

import (
	"fmt"
	"slices"

	"ptxmc/memmodel"
	"ptxmc/memmodel/causal"
	"ptxmc/model"
)

// mma is a wgmma.mma_async between its issue and the wait for its group: it may read its tiles at any moment
// until then, and nobody can tell when. So it completes in the move of the wait. It is never changed.
type mma struct {
	thread, pc int
	age        int // commit_groups since the one that took it; -1: not committed yet
	tiles      []tile
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

// span is how many bytes from its start address a matrix of so many rows takes (PTX ISA 9.7.16, matrix
// descriptor format; assumption A8). Without a stride, and transposed, it is taken to be contiguous.
func span(desc uint64, rows int, transposed bool) int {
	leading, stride := int(desc>>16&0x3fff)<<4, int(desc>>32&0x3fff)<<4
	if stride == 0 || transposed {
		return rows * rowBytes
	}
	groups := (rows/8 - 1) * stride
	width := [4]int{0, 128, 64, 32}[desc>>62]
	if width == 0 {
		return groups + leading + 128 // two core matrices of 8 rows of 16 bytes
	}
	return groups + 7*width + rowBytes
}

// mmaTiles lists the operand matrices in shared memory: descriptor operand, rows, and whether it is transposed.
func mmaTiles(in *model.Instr, f func(src, rows int, transposed bool)) {
	f(1, in.MMA.N, in.MMA.TransB)
	if in.MMA.ADesc {
		f(2, 64, in.MMA.TransA)
	}
}

// tileAt finds the matrix of a descriptor in the shared memory of a CTA: the descriptor holds the low 18 bits
// of its address.
func (m *Machine) tileAt(cta int, desc uint64, rows int, transposed bool) (tile, error) {
	t := tile{off: int(desc&0x3fff) << 4, n: span(desc, rows, transposed)}
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
	x := &mma{thread: st.ti, pc: st.pc, age: -1}
	view := st.t.mma.view
	if m.Opts.Break == RuleMMAFence {
		view = st.t.view
	}
	ok := true
	mmaTiles(in, func(src, rows int, transposed bool) {
		if !ok {
			return
		}
		t, err := m.tileAt(st.info.cta, st.operand(&in.Src[src]).Lo, rows, transposed)
		if err != nil {
			st.undefined("out-of-bounds", "%v", err)
			ok = false
			return
		}
		x.tiles = append(x.tiles, t)
		ok = st.checkTile(t, view)
	})
	if !ok {
		return
	}
	for i := range in.Dst {
		st.set(in, i, model.Value{}) // opaque: checkOpaque sees to it that nothing depends on it
	}
	s.mmas = append(s.mmas, x)
	slices.SortStableFunc(s.mmas, func(a, b *mma) int { return a.thread - b.thread })
	st.rec.note("matrix multiplication in flight")
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
		for _, t := range x.tiles {
			m.tileReads(st.ti, x.pc, t, func(a *causal.Access) bool {
				if m.othersWrite(s, -1, a.First, 1) {
					s.Mem.Supersede(a, st.t.view)
					id := s.Mem.Read(&causal.Event{Access: *a})
					if m.Opts.Break != RuleMMAWait {
						st.t.view = st.t.view.With(id, a.Own()|causal.G)
					}
				}
				return true
			})
		}
	}
	s.mmas = keep
}

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
					Fix:   "wait for its group with wgmma.wait_group before the tile is handed on"})
				return false
			}
		}
	}
	return true
}

// mmaAccesses lists what a wgmma.mma_async may read.
func (m *Machine) mmaAccesses(t *threadInfo, in *model.Instr, regs []absVal) []access {
	var out []access
	mmaTiles(in, func(src, rows int, transposed bool) {
		v := m.absOperand(t, &in.Src[src], regs)
		if v.kind != valSet {
			if o := m.layout.shared[t.cta]; o >= 0 {
				out = append(out, access{obj: m.layout.objects[o], off: -1, n: 16, unit: 16})
			}
			return
		}
		for _, d := range v.set {
			if x, err := m.tileAt(t.cta, d.Lo, rows, transposed); err == nil {
				out = append(out, access{obj: x.obj, off: x.off, n: x.n})
			}
		}
	})
	return out
}

// mmaWaitFootprint: a wait ends the reads of every wgmma.mma_async of its thread.
func (m *Machine) mmaWaitFootprint(ti int, f *footprint) {
	code := m.threads[ti].code.entry.Code
	for pc := range code {
		if code[pc].Op != model.MMAAsync {
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
