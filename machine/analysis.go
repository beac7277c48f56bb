package machine

import (
	"fmt"
	"slices"

	"ptxmc/model"
)

// This file finds, for every thread and instruction, which memory it may touch now and later, by
// conditional constant propagation over sets of values. The result only has to be an
// over-approximation: it draws the cell bounds, tells the search which agents cannot disturb each
// other, and the collector which events nobody will meet. Step checks every actual access
// against it.

// absVal is what is known of a register: one of a few values, some address inside one object, or
// nothing.
type absVal struct {
	kind absKind
	set  []model.Value // valSet: sorted, at most maxSet
	obj  *object       // valIn
}

type absKind uint8

const (
	valNone absKind = iota // not reached
	valSet
	valIn
	valAny
)

const maxSet = 32

func cmpValue(a, b model.Value) int {
	switch {
	case a.Hi != b.Hi && a.Hi < b.Hi, a.Hi == b.Hi && a.Lo < b.Lo:
		return -1
	case a == b:
		return 0
	default:
		return 1
	}
}

func setOf(vs ...model.Value) absVal {
	slices.SortFunc(vs, cmpValue)
	return absVal{kind: valSet, set: slices.Compact(vs)}
}

// home returns the object that all values of the abstraction lie in as addresses of some window,
// or nil.
func (m *Machine) home(t *threadInfo, v absVal) *object {
	switch v.kind {
	case valIn:
		return v.obj
	case valSet:
		var obj *object
		for _, x := range v.set {
			o, _, err := m.resolve(t.cta, model.GenericSpace, x.Lo)
			if err != nil {
				o, _, err = m.resolveShared(t.cta, x.Lo, true)
			}
			if err != nil || obj != nil && o != obj {
				return nil
			}
			obj = o
		}
		return obj
	default:
		return nil
	}
}

func (m *Machine) joinVal(t *threadInfo, a, b absVal) absVal {
	switch {
	case a.kind == valNone:
		return b
	case b.kind == valNone:
		return a
	case a.kind == valSet && b.kind == valSet:
		u := setOf(append(slices.Clone(a.set), b.set...)...)
		if len(u.set) <= maxSet {
			return u
		}
	}
	if o := m.home(t, a); o != nil && o == m.home(t, b) {
		return absVal{kind: valIn, obj: o}
	}
	return absVal{kind: valAny}
}

func sameVal(a, b absVal) bool {
	return a.kind == b.kind && a.obj == b.obj && slices.Equal(a.set, b.set)
}

// access is one memory footprint of an instruction as the analysis sees it.
type access struct {
	obj    *object // nil: anywhere in the space
	space  model.Space
	off, n int // off < 0: anywhere in obj, in units of n
	unit   int // cells inside are cut every unit bytes; 0: not
	write  bool
	report model.ReportMechanism
	sync   bool // an mbarrier object
}

// threadFacts is what the analysis found for one thread.
type threadFacts struct {
	accesses [][]access // by pc
	reached  []bool
	step     []footprint // by pc: the instruction itself
	blocked  []footprint // by pc: the same while the thread waits at a barrier before it
	future   []footprint // by pc: the instruction and all that may follow
	next     [][]int     // feasible successors
	late     bitset      // loads that may bind late, by pc
	strong   []bool      // by pc: a strong write or a trigger may follow (release heads matter)
	mma      []bool      // by pc: a wgmma.mma_async may follow
}

// footprint is what an agent may read and write, over cells and special resources.
type footprint struct {
	R, W bitset
	// P: cells that are accessed otherwise than by weak stores, stores of device scope and
	// read-modify-writes of device scope.
	P bitset
	A bitset // cells that are accessed through the async proxy
}

// Special resources follow the cells.
func (m *Machine) resSC() int              { return len(m.layout.cells) }
func (m *Machine) resNamed(cta int) int    { return len(m.layout.cells) + 1 + cta }
func (m *Machine) resExit(cta int) int     { return len(m.layout.cells) + 1 + len(m.ctas) + cta }
func (m *Machine) resEnd(grid int) int     { return len(m.layout.cells) + 1 + 2*len(m.ctas) + grid }
func (m *Machine) resSlots() int           { return len(m.layout.cells) + 1 + 2*len(m.ctas) + len(m.grids) }
func (m *Machine) resFree() int            { return m.resSlots() + 1 }
func (m *Machine) resTrigger(cta int) int  { return m.resSlots() + 2 + cta }
func (m *Machine) resLaunch(grid int) int  { return m.resTrigger(len(m.ctas)) + grid }
func (m *Machine) resGroup(thread int) int { return m.resLaunch(len(m.grids)) + thread }
func (m *Machine) resCluster(c int) int    { return m.resGroup(len(m.threads)) + c }
func (m *Machine) newFootprint() footprint {
	return footprint{newBitset(m.nres), newBitset(m.nres), newBitset(m.nres), newBitset(m.nres)}
}

func (m *Machine) analyse() error {
	m.facts = make([]threadFacts, len(m.threads))
	cuts := map[*object]map[int]bool{}
	for _, o := range m.layout.objects {
		cuts[o] = map[int]bool{}
	}
	for i := range m.threads {
		m.propagate(i)
		for _, list := range m.facts[i].accesses {
			for _, a := range list {
				m.cut(i, a, cuts)
			}
		}
	}
	m.layout.divide(cuts)
	if n := len(m.layout.cells); n > 1<<15 {
		return fmt.Errorf("the program's memory falls into %d cells; at most %d are supported: use smaller buffers", n, 1<<15)
	}
	m.nres = m.resCluster(len(m.clusters))
	m.findCancels()
	m.nothing = m.newFootprint()
	m.finals = make([]bool, len(m.layout.cells))
	for i, c := range m.layout.cells {
		m.finals[i] = m.Opts.KeepFinal && c.obj.cta < 0
	}
	for i := range m.Case.Plan.Finals {
		m.Case.Plan.Finals[i].Reads(m.markFinal)
	}
	for i := range m.threads {
		m.footprints(i)
	}
	m.findLate()
	m.markReported()
	m.findRendezvous()
	m.residencies()
	m.triggers = make([]footprint, len(m.ctas))
	for c := range m.ctas {
		m.triggers[c] = m.newFootprint()
		m.triggerFootprint(c, &m.triggers[c])
	}
	m.whole = make([]footprint, len(m.ctas))
	for c := range m.ctas {
		f := m.newFootprint()
		for _, peer := range m.clusters[m.ctas[c].cluster] {
			for _, t := range m.ctas[peer].threads {
				f.R.or(m.facts[t].future[0].R)
				f.W.or(m.facts[t].future[0].W)
			}
		}
		if !m.slotsAll {
			f.R.set(m.resSlots())
			f.W.set(m.resSlots())
		}
		if g := m.ctas[c].grid; m.grids[g].cancels {
			f.W.set(m.resLaunch(g))
		}
		m.whole[c] = f
	}
	return nil
}

// maxPaths is how many register files are told apart at one instruction: a loop with a constant
// number of turns is followed turn by turn, so that it is not taken to run past its end.
const maxPaths = 64

// markFinal keeps the cells of an element for the final conditions.
func (m *Machine) markFinal(buffer string, elem int) {
	for i := range m.Case.Plan.Buffers {
		if b := &m.Case.Plan.Buffers[i]; b.Name == buffer {
			o := m.layout.objects[m.layout.buffers[i]]
			w := b.Elem.Bytes()
			for c := o.first; c < o.first+len(o.bounds); c++ {
				if info := &m.layout.cells[c]; info.off < (elem+1)*w && elem*w < info.off+info.size {
					m.finals[c] = true
				}
			}
		}
	}
}

// propagate runs the constant propagation for one thread.
func (m *Machine) propagate(ti int) {
	t := &m.threads[ti]
	e := t.code.entry
	n := len(e.Code)
	f := &m.facts[ti]
	f.accesses = make([][]access, n+1)
	f.reached = make([]bool, n+1)
	f.next = make([][]int, n+1)
	paths := make([][][]absVal, n+1)
	type item struct{ pc, path int }
	var work []item
	flow := func(from, to int, regs []absVal) {
		if from >= 0 && !slices.Contains(f.next[from], to) {
			f.next[from] = append(f.next[from], to)
		}
		f.reached[to] = true
		regs = slices.Clone(regs)
		for r := range regs {
			if !t.code.live[to].has(r) {
				regs[r] = absVal{kind: valAny}
			}
		}
		for _, p := range paths[to] {
			if slices.EqualFunc(p, regs, sameVal) {
				return
			}
		}
		if len(paths[to]) < maxPaths {
			paths[to] = append(paths[to], regs)
			work = append(work, item{to, len(paths[to]) - 1})
			return
		}
		last := maxPaths - 1
		changed := false
		for r := range regs {
			if j := m.joinVal(t, paths[to][last][r], regs[r]); !sameVal(j, paths[to][last][r]) {
				paths[to][last][r], changed = j, true
			}
		}
		if changed {
			work = append(work, item{to, last})
		}
	}
	begin := make([]absVal, len(e.RegTypes))
	for r := range begin {
		begin[r] = absVal{kind: valAny}
	}
	flow(-1, 0, begin)
	for len(work) > 0 {
		w := work[len(work)-1]
		work = work[:len(work)-1]
		pc := w.pc
		if pc == n {
			continue
		}
		ins := &e.Code[pc]
		regs := paths[pc][w.path]
		guardTrue, guardFalse := m.guard(ins, regs)
		if guardTrue {
			after := m.transfer(t, ins, regs)
			for _, a := range m.accessesOf(t, ins, regs) {
				if !slices.Contains(f.accesses[pc], a) {
					f.accesses[pc] = append(f.accesses[pc], a)
				}
			}
			switch ins.Op {
			case model.Bra:
				flow(pc, ins.Target, after)
			case model.Ret, model.Trap:
			default:
				flow(pc, pc+1, after)
			}
		}
		if guardFalse {
			flow(pc, pc+1, regs)
		}
	}
}

// guard says whether the instruction may execute, and whether it may be skipped.
func (m *Machine) guard(in *model.Instr, regs []absVal) (yes, no bool) {
	if in.Pred == model.NoReg {
		return true, false
	}
	v := regs[in.Pred]
	if v.kind != valSet {
		return true, true
	}
	for _, x := range v.set {
		if (x.Lo&1 == 1) != in.PredNeg {
			yes = true
		} else {
			no = true
		}
	}
	return yes, no
}

func (m *Machine) absOperand(t *threadInfo, o *model.Operand, regs []absVal) absVal {
	if o.Kind == model.RegOperand {
		v := regs[o.Reg]
		if o.Neg && v.kind == valSet {
			var out []model.Value
			for _, x := range v.set {
				out = append(out, model.Value{Lo: x.Lo ^ 1})
			}
			return setOf(out...)
		}
		return v
	}
	return setOf(m.constant(t, o))
}

// transfer returns the registers after the instruction.
func (m *Machine) transfer(t *threadInfo, in *model.Instr, regs []absVal) []absVal {
	if len(in.Dst) == 0 {
		return regs
	}
	out := slices.Clone(regs)
	set := func(i int, v absVal) {
		if in.Dst[i].Kind == model.RegOperand {
			out[in.Dst[i].Reg] = v
		}
	}
	for i := range in.Dst {
		set(i, absVal{kind: valAny})
	}
	if in.Op == model.Ld && (in.Space == model.ParamSpace || in.Space == model.ConstSpace) {
		base := m.absOperand(t, &in.Addrs[0].Base, regs)
		if base.kind == valSet && len(base.set) == 1 {
			if vs, err := m.loadPrivate(t, in, base.set[0].Lo+uint64(in.Addrs[0].Off)); err == nil {
				for i := range in.Dst {
					set(i, setOf(fitRegister(t, in, i, vs[i])))
				}
			}
		}
		return out
	}
	if visible(in) && in.Op != model.Elect || in.Op == model.MBarrier || in.Op == model.Ld {
		return out
	}
	src := make([]absVal, len(in.Src))
	total := 1
	var home *object
	for i := range in.Src {
		src[i] = m.absOperand(t, &in.Src[i], regs)
		if src[i].kind == valSet {
			total *= len(src[i].set)
		} else {
			total = maxSet * maxSet * 2
		}
		total = min(total, maxSet*maxSet*2)
	}
	if total <= maxSet*maxSet {
		if m.product(t, in, src, set) {
			return out
		}
	}
	// address arithmetic stays inside the one object it starts from
	switch in.Op {
	case model.Add, model.Sub, model.Mad, model.Mov, model.Cvta, model.And, model.Or, model.Cvt:
		for i := range src {
			if o := m.home(t, src[i]); o != nil {
				if home != nil && home != o {
					return out
				}
				home = o
			}
		}
		if home != nil && len(in.Dst) == 1 {
			set(0, absVal{kind: valIn, obj: home})
		}
	case model.SelP:
		if len(in.Dst) == 1 {
			set(0, m.joinVal(t, src[0], src[1]))
		}
	}
	return out
}

// product evaluates the instruction on every combination of operand values.
func (m *Machine) product(t *threadInfo, in *model.Instr, src []absVal, set func(int, absVal)) bool {
	results := make([][]model.Value, len(in.Dst))
	args := make([]model.Value, len(src))
	var rec func(i int) bool
	rec = func(i int) bool {
		if i < len(src) {
			for _, x := range src[i].set {
				args[i] = x
				if !rec(i + 1) {
					return false
				}
			}
			return true
		}
		vs, err := m.pure(t, in, args)
		if err != nil {
			return true // the machine refutes it when it happens; no value flows on
		}
		for d := range in.Dst {
			results[d] = append(results[d], fitRegister(t, in, d, vs[d]))
		}
		return true
	}
	rec(0)
	for d := range results {
		v := setOf(results[d]...)
		if len(v.set) == 0 {
			v = absVal{kind: valAny}
		}
		if len(v.set) > maxSet {
			v = absVal{kind: valAny}
			if o := m.home(t, setOf(results[d]...)); o != nil {
				v = absVal{kind: valIn, obj: o}
			}
		}
		set(d, v)
	}
	return true
}
