package machine

import (
	"fmt"
	"slices"

	"ptxmc/memmodel"
	"ptxmc/memmodel/causal"
	"ptxmc/model"
	"ptxmc/model/launch"
	"ptxmc/model/litmus"
)

// litmusInfo is what a machine that runs a litmus test knows besides the PTX program that it was lowered to.
type litmusInfo struct {
	prog  *litmus.Program
	terms []litmus.Term
	addr  []uint64  // by location
	virt  []uint8   // by object: the number of its virtual address
	home  []*object // by location: its memory
	regs  []map[string]model.Reg
	bars  []barrierPlace // by mbarrier object of the test
}

// NewLitmus prepares a litmus test. Its threads are all resident from the beginning; races are no violations.
// An error says what of the test the machine does not run.
func NewLitmus(p *litmus.Program, opts Options) (*Machine, error) {
	opts.Racy, opts.KeepFinal = true, true
	c := &launch.Case{Title: p.Name, Module: &model.Module{File: p.File}}
	m := &Machine{Case: c, Opts: opts, litmus: &litmusInfo{prog: p, terms: p.Terms()}, widest: memmodel.GPU}
	for t := range p.Threads {
		if p.Threads[t].GPU != p.Threads[0].GPU {
			m.widest = memmodel.Sys
		}
	}
	m.placeThreads(p)
	limit := causal.MaxCTAs
	if m.mixed = m.otherProxies(p); m.mixed {
		limit = causal.MaxCTAs / int(memmodel.Constant)
		m.Opts.NoCollect = true // what is settled is judged for the generic and the async proxy only
	}
	if m.aliased {
		limit = causal.MaxAliasedCTAs / int(memmodel.Constant)
	}
	if len(m.ctas) > limit {
		return nil, fmt.Errorf("%s: the test has %d CTAs; the machine runs at most %d with its proxies and aliases", p.File, len(m.ctas), limit)
	}
	var at []int // by location: the plan's buffer
	for i, l := range p.Locs {
		if l.Phys != i {
			at = append(at, at[l.Phys])
			continue
		}
		at = append(at, len(c.Plan.Buffers))
		c.Plan.Buffers = append(c.Plan.Buffers, launch.Buffer{Name: l.Name, Elem: model.B64, Count: 1, Init: make([]launch.ElemInit, 1)})
	}
	m.layout = newLayout(c, m.ctas, m.grids)
	m.locations(p, at)
	m.litmusBarriers(p)
	for i, l := range p.Locs {
		if l.Phys == i {
			c.Plan.Buffers[at[i]].Init[0].Values = []model.Value{{Lo: m.litmus.fromLitmus(l.Init)}}
		}
	}
	if err := m.initialMemory(); err != nil {
		return nil, err
	}
	m.codes = map[*model.Entry]*code{}
	for t := range p.Threads {
		l := &lowering{info: m.litmus, thread: t, entry: &model.Entry{Name: p.Threads[t].Name}, regs: map[string]model.Reg{}}
		exit, err := l.lower()
		if err != nil {
			return nil, err
		}
		m.litmus.regs = append(m.litmus.regs, l.regs)
		code := newCode(l.entry, exit...)
		m.codes[l.entry], m.threads[t].code = code, code
		c.Module.Entries = append(c.Module.Entries, l.entry)
	}
	m.coverage = newCoverage(m.codes)
	if err := m.analyse(); err != nil {
		return nil, err
	}
	return m, m.initialBarriers(&State{})
}

// placeThreads builds one grid with the clusters, CTAs and threads of the test.
func (m *Machine) placeThreads(p *litmus.Program) {
	one := [3]int{1, 1, 1}
	m.Case.Plan.Launches = []launch.Launch{{Entry: &model.Entry{}, Name: p.Name, Grid: one, Block: one, Cluster: one}}
	g := gridInfo{launch: &m.Case.Plan.Launches[0], after: []bool{false}}
	ctaOf, clusterOf := map[int]int{}, map[int]int{}
	for t := range p.Threads {
		th := &p.Threads[t]
		cl, ok := clusterOf[th.Cluster]
		if !ok {
			cl = len(m.clusters)
			clusterOf[th.Cluster] = cl
			m.clusters = append(m.clusters, nil)
		}
		ct, ok := ctaOf[th.CTA]
		if !ok {
			ct = len(m.ctas)
			ctaOf[th.CTA] = ct
			m.ctas = append(m.ctas, ctaInfo{cluster: cl, rank: len(m.clusters[cl])})
			m.clusters[cl] = append(m.clusters[cl], ct)
			g.ctas = append(g.ctas, ct)
		}
		m.threads = append(m.threads, threadInfo{
			cta: ct, linear: len(m.ctas[ct].threads), name: th.Name,
			place: memmodel.Place{GPU: th.GPU, Cluster: cl, CTA: ct, Thread: t},
		})
		m.ctas[ct].threads = append(m.ctas[ct].threads, t)
	}
	m.grids = []gridInfo{g}
	m.slotsAll = true
}

// otherProxies reports whether the test uses more than the generic and the async proxy, and notes whether
// some memory has several virtual addresses.
func (m *Machine) otherProxies(p *litmus.Program) (other bool) {
	for _, l := range p.Locs {
		m.aliased = m.aliased || l.Virt != p.Locs[l.Phys].Virt
	}
	for _, t := range p.Threads {
		for _, in := range t.Code {
			other = other || litmusProxy[in.Proxy] > memmodel.Async
		}
	}
	return other || m.aliased
}

// litmusProxy gives the proxies of package litmus.
var litmusProxy = map[litmus.Proxy]memmodel.Proxy{
	litmus.Generic: memmodel.Generic, litmus.Async: memmodel.Async, litmus.Surface: memmodel.Surface, litmus.Texture: memmodel.Texture, litmus.Constant: memmodel.Constant,
}

// locations gives every location an address: an alias has one of its own, which leads to the same memory.
func (m *Machine) locations(p *litmus.Program, at []int) {
	info := m.litmus
	for i, l := range p.Locs {
		o := m.layout.objects[m.layout.buffers[at[i]]]
		addr := o.base
		if l.Phys != i {
			addr = globalBase + uint64(len(m.layout.objects))*globalStride
			m.layout.objects = append(m.layout.objects, &object{name: l.Name, space: model.GlobalSpace, base: addr, cta: -1, buffer: -1, alias: o})
		}
		info.addr, info.home = append(info.addr, addr), append(info.home, o)
	}
	if m.aliased {
		info.virt = make([]uint8, len(m.layout.objects))
		for i, l := range p.Locs {
			info.virt[(info.addr[i]-globalBase)/globalStride] = uint8(l.Virt + 1)
		}
	}
}

// virtual numbers the virtual address that a global address belongs to; 0 where no memory has several.
func (m *Machine) virtual(addr uint64) uint8 {
	if !m.aliased || addr < globalBase {
		return 0
	}
	return m.litmus.virt[(addr-globalBase)/globalStride]
}

// proxyPlace numbers the pairs of a non-generic proxy and a CTA, the async proxy's first.
func (m *Machine) proxyPlace(p memmodel.Proxy, cta int) int {
	if p == memmodel.Generic {
		return cta
	}
	return int(p-memmodel.Async)*len(m.ctas) + cta
}

// fromLitmus gives the machine's form of a value, which may be the address of a location.
func (i *litmusInfo) fromLitmus(v int64) uint64 {
	if l, ok := i.prog.LocOf(v); ok {
		return i.addr[l]
	}
	return uint64(v)
}

func (i *litmusInfo) toLitmus(v uint64) int64 {
	if l := slices.Index(i.addr, v); l >= 0 {
		return litmus.Address(l)
	}
	return int64(v)
}

// LitmusOutcomes calls f with the values of the test's terms (litmus.Program.Terms) in each final state that
// an execution that ended in s may have: a location with several unordered last writes ends with any of them.
func (m *Machine) LitmusOutcomes(s *State, f func(values []int64)) {
	info := m.litmus
	last := map[*object][]int64{}
	var open []*object
	for _, t := range info.terms {
		if t.Thread >= 0 || last[info.home[t.Loc]] != nil {
			continue
		}
		o := info.home[t.Loc]
		open = append(open, o)
		for _, v := range m.lastValues(s, o.first) {
			last[o] = append(last[o], info.toLitmus(getValue(v).Lo))
		}
	}
	memory := map[*object]int64{}
	value := func(t litmus.Term) int64 {
		if t.Thread < 0 {
			return memory[info.home[t.Loc]]
		}
		if r, ok := info.regs[t.Thread][t.Reg]; ok {
			return info.toLitmus(s.threads[t.Thread].regs[r].Lo)
		}
		return 0
	}
	var choose func(i int)
	choose = func(i int) {
		if i < len(open) {
			for _, v := range last[open[i]] {
				memory[open[i]] = v
				choose(i + 1)
			}
			return
		}
		if info.prog.Filter != nil && litmus.Eval(info.prog.Filter, value) == 0 {
			return
		}
		values := make([]int64, len(info.terms))
		for k, t := range info.terms {
			values[k] = value(t)
		}
		f(values)
	}
	choose(0)
}
