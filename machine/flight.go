package machine

import (
	"bytes"
	"cmp"
	"slices"

	"ptxmc/memmodel"
	"ptxmc/memmodel/causal"
	"ptxmc/model"
)

// flight is an asynchronous operation between issue and completion: a copy, one element of a
// reduction, or an asynchronous arrival. It is never changed.
type flight struct {
	thread, pc     int
	dst, src       *object  // src nil: it reads nothing; dst nil: an asynchronous arrival
	dstOff, srcOff int      // where its tile begins
	n              int      // bytes that its completion counts
	virt           [2]uint8 // virtual addresses of dst and src, as causal.Access has them
	bar            int      // cell of its mbarrier; -1: a group of its thread tracks it
	view           causal.View
	touches        footprint // of its next move
	ends           footprint // of all its moves: it releases waits of its thread

	parts      []part
	elem       model.Type // of a reduction
	into, from bitset     // cells that it will write, and read
	bulk       bool       // through the async proxy; else cp.async, through the generic one
	exclusive  bool       // nobody may touch the destination
	staged     bool       // reading and writing are two moves: its thread waits for the reads alone
	data       *payload
	own        causal.View // its accesses so far, as its completion hands them over
	reads      causal.View // the reads among them

	stored      bool                          // its data comes from registers: st.async, red.async
	fences      [memmodel.Sys + 1]causal.View // what fences before the issue let a strong store hand over
	sharedFence causal.View

	age   int // groups that its thread has committed since, its own included; 0: uncommitted
	epoch int // an arrival waits for the copies of its thread with no greater epoch
	issue int // tells reductions of one instruction apart
}

// part is a run of bytes of a copy. Its bytes come from fill where src is negative.
type part struct {
	dst, src, n int
	tile        int // offset in the copy's tile in shared memory
	fill        []byte
	unknown     bool // of indeterminate value
}

// payload is what a copy has read.
type payload struct {
	bytes   []byte
	unknown []bool // nothing has written the byte
	report  bool
}

// finished holds what completed copies of a thread hand over to a wait that is still to come.
type finished struct {
	thread     int
	bulk       bool
	age, epoch int
	reads, own causal.View
}

// arrival reports whether the operation is cp.async.mbarrier.arrive.
func (f *flight) arrival() bool { return f.dst == nil }

// grouped reports whether a group of the thread tracks the operation.
func (f *flight) grouped() bool { return f.dst != nil && f.bar < 0 && !f.stored }

// endsWithCTA reports whether nothing but the end of its CTA waits for the operation.
func (f *flight) endsWithCTA() bool { return f.stored && f.bar < 0 }

// level is what the agent needs to know an event by.
func (m *Machine) flightLevel(f *flight) causal.Level {
	if !f.bulk {
		return causal.G
	}
	return causal.AsyncIn(m.threads[f.thread].cta)
}

// flightAccess describes an access of a copy. A reduction is strong at its destination alone.
func (m *Machine) flightAccess(f *flight, write bool) causal.Access {
	in := &m.threads[f.thread].code.entry.Code[f.pc]
	a := causal.Access{
		Place: m.threads[f.thread].place, Agent: f.thread, CTA: m.threads[f.thread].cta,
		Strong: in.Sem.Strong(), Scope: in.Scope, Async: true, Ref: f.pc,
	}
	if f.bulk {
		a.Proxy = memmodel.Async
	}
	a.Virt = f.virt[b2i(!write)]
	if in.Bulk.Reduce != model.NoAtom {
		a.RMW = write
		if !write {
			a.Strong, a.Scope = false, memmodel.ScopeNone
		}
	}
	return a
}

// spread computes the cells and footprints of a copy from its parts.
func (m *Machine) spread(f *flight) {
	f.into, f.from = newBitset(m.nres), newBitset(m.nres)
	mark := func(b bitset, o *object, off, n int) {
		first, count := o.cellRange(off, n)
		for c := first; c < first+count; c++ {
			b.set(c)
		}
	}
	for _, p := range f.parts {
		mark(f.into, f.dst, p.dst, p.n)
		if p.src >= 0 && f.data == nil {
			mark(f.from, f.src, p.src, p.n)
		}
	}
	fp := m.newFootprint()
	fp.R.or(f.from)
	if f.data != nil || !f.staged {
		fp.W.or(f.into)
		if f.bar >= 0 {
			fp.W.set(f.bar)
		}
		if !f.exclusive {
			fp.R.or(f.into)
		}
	}
	if f.dst == nil {
		fp.R.set(m.resGroup(f.thread)) // it waits for the copies before it
	}
	if f.dst != nil && f.dst.cta >= 0 {
		fp.R.set(m.resExit(f.dst.cta))
	}
	fp.R.set(m.resExit(m.threads[f.thread].cta))
	f.touches = fp
	f.ends = m.newFootprint()
	f.ends.R.or(fp.R)
	f.ends.W.or(fp.W)
	f.ends.W.or(f.into)
	if !f.exclusive {
		f.ends.R.or(f.into)
	}
	f.ends.W.set(m.resGroup(f.thread))
	if f.endsWithCTA() {
		m.exitFootprint(f.thread, &f.touches)
		m.exitFootprint(f.thread, &f.ends)
	}
}

// needs reports whether the operation still uses a CTA: its memory, or the thread that waits for it.
// A store that has read its source needs its CTA no more.
func (m *Machine) needs(f *flight, cta int) bool {
	switch {
	case f.bar >= 0 && m.layout.cells[f.bar].obj.cta == cta, f.dst != nil && f.dst.cta == cta:
		return true
	case f.stored:
		return false
	case f.dst != nil && f.dst.cta < 0 && f.data != nil:
		return false
	default:
		return m.threads[f.thread].cta == cta
	}
}

func (m *Machine) sortFlights(s *State) {
	first := func(o *object) int {
		if o == nil {
			return -1
		}
		return o.first
	}
	slices.SortStableFunc(s.flights, func(a, b *flight) int {
		if d := cmp.Or(a.thread-b.thread, a.pc-b.pc, first(a.dst)-first(b.dst), a.dstOff-b.dstOff, a.bar-b.bar); d != 0 {
			return d
		}
		if d := cmp.Or(b2i(a.data != nil)-b2i(b.data != nil), first(a.src)-first(b.src), a.srcOff-b.srcOff, a.age-b.age, a.epoch-b.epoch, a.issue-b.issue); d != 0 {
			return d
		}
		if len(a.parts) > 0 && len(b.parts) > 0 {
			if d := a.parts[0].dst - b.parts[0].dst; d != 0 {
				return d
			}
		}
		if a.data != nil {
			return bytes.Compare(a.data.bytes, b.data.bytes)
		}
		return 0
	})
}

// tidyGroups gives epochs the smallest numbers that keep who waits for whom, and joins what finished
// copies have in common.
func (s *State) tidyGroups() {
	if len(s.flights) == 0 && len(s.finished) == 0 {
		return
	}
	before := func(thread, epoch int) (n int) {
		for _, f := range s.flights {
			if f.arrival() && f.thread == thread && f.epoch < epoch {
				n++
			}
		}
		return n
	}
	epochs := make([]int, len(s.flights))
	for i, f := range s.flights {
		epochs[i] = before(f.thread, f.epoch)
	}
	var out []*finished
	for _, f := range s.finished {
		nf := *f
		nf.epoch = before(f.thread, f.epoch)
		i := slices.IndexFunc(out, func(o *finished) bool {
			return o.thread == nf.thread && o.bulk == nf.bulk && o.age == nf.age && o.epoch == nf.epoch
		})
		if i < 0 {
			out = append(out, &nf)
			continue
		}
		out[i].reads, out[i].own = causal.Join(out[i].reads, nf.reads), causal.Join(out[i].own, nf.own)
	}
	slices.SortFunc(out, func(a, b *finished) int {
		return cmp.Or(a.thread-b.thread, b2i(a.bulk)-b2i(b.bulk), a.age-b.age, a.epoch-b.epoch)
	})
	s.finished = out
	for i, f := range s.flights {
		if f.epoch != epochs[i] {
			nf := *f
			nf.epoch = epochs[i]
			s.flights[i] = &nf
		}
	}
}
