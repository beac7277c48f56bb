package machine

import (
	"slices"

	"ptxmc/memmodel/causal"
	"ptxmc/model"
)

// units lists the events of a copy in a range of one side: one for each 16 bytes of a .b128 copy, one
// for each cell otherwise.
func (st *stepper) units(f *flight, o *object, off, n int, write bool) []causal.Access {
	whole := st.m.flightAccess(f, write)
	var units []causal.Access
	if st.in.Type == model.B128 && n%chunkBytes == 0 {
		for end := off + n; off < end; off += chunkBytes {
			a := whole
			a.First, a.N = o.cellRange(off, chunkBytes)
			units = append(units, a)
		}
		return units
	}
	first, count := o.cellRange(off, n)
	for c := first; c < first+count; c++ {
		a := whole
		a.First, a.N = c, 1
		units = append(units, a)
	}
	return units
}

// readSource observes the source: what each 16-byte chunk delivers, and whether the copy reports.
func (st *stepper) readSource(f *flight) (*payload, bool) {
	chunks, ok := st.chunks(f)
	if !ok {
		return nil, false
	}
	picks, report := st.choose(chunks)
	data := &payload{report: report}
	var units []causal.Access
	for _, c := range picks {
		data.bytes = append(data.bytes, c.bytes...)
		data.unknown = append(data.unknown, c.unknown...)
		st.out.Missed = append(st.out.Missed, c.missed...)
		units = append(units, c.units...)
		if !report {
			st.accept(f, c)
		}
	}
	for _, c := range picks {
		for u := range c.units {
			st.s.Mem.Constrain(&c.units[u], f.view, c.picks[u])
			st.observed(f, &c.units[u], c.picks[u])
			if !report && !st.out.Ended && !st.checkUse(&c.units[u], c.picks[u]) {
				return nil, false
			}
		}
	}
	st.recordSource(f, units)
	st.describe(picks, report)
	return data, true
}

// chunks lists what each 16-byte chunk of the tile may deliver, after a look for races.
func (st *stepper) chunks(f *flight) ([][]chunk, bool) {
	m := st.m
	var out [][]chunk
	options := func(k int) *[]chunk {
		if n := len(out); n == 0 || out[n-1][0].k != k {
			out = append(out, []chunk{{k: k}})
		}
		return &out[len(out)-1]
	}
	for i := range f.parts {
		p := &f.parts[i]
		if p.src < 0 {
			for off := 0; off < p.n; off += chunkBytes {
				q := *p
				q.tile, q.n = p.tile+off, min(p.n-off, chunkBytes)
				list := options(q.tile / chunkBytes)
				for j := range *list {
					(*list)[j] = (*list)[j].filled(&q)
				}
			}
			continue
		}
		for _, a := range st.units(f, f.src, p.src, p.n, false) {
			st.checkSource(&a)
			obs := m.observe(st.s, &a, st.t.view, m.cellBytes(a.First, a.N))
			if len(obs) == 0 {
				st.undefined("no-value", "the copy's read of %s has no value to take", m.cellName(a.First, a.N))
				return nil, false
			}
			list := options((p.tile + m.layout.cells[a.First].off - p.src) / chunkBytes)
			var next []chunk
			for _, c := range *list {
				for _, pick := range obs {
					next = append(next, c.with(st, f, &a, pick))
				}
			}
			*list = next
		}
	}
	for k := range out {
		out[k] = st.inspect(f, k, out[k])
	}
	return out, true
}

// filled adds bytes that come from no memory.
func (c chunk) filled(p *part) chunk {
	c.bytes, c.unknown = slices.Clip(c.bytes), slices.Clip(c.unknown)
	for i := range p.n {
		b := byte(0)
		if len(p.fill) > 0 {
			b = p.fill[(p.tile+i)%len(p.fill)]
		}
		c.bytes, c.unknown = append(c.bytes, b), append(c.unknown, p.unknown)
	}
	return c
}

// choose decides what the chunks deliver and whether the copy reports. A reported copy's data must
// not be used, so which data it is need not be told apart: one way for each chunk that may cause the
// report is enough, the one that misses least.
func (st *stepper) choose(chunks [][]chunk) ([]chunk, bool) {
	quiet := make([][]chunk, len(chunks)) // what may be delivered without a report
	var ways [][]chunk
	acceptable := true
	for k, options := range chunks {
		for _, c := range options {
			if !c.hit {
				quiet[k] = append(quiet[k], c)
			}
		}
		acceptable = acceptable && len(quiet[k]) > 0
	}
	for k, options := range chunks {
		for _, hit := range causes(options) {
			way := make([]chunk, len(chunks))
			for j := range chunks {
				way[j] = newest(chunks[j])
			}
			way[k] = hit
			ways = append(ways, way)
		}
	}
	n := len(ways)
	if acceptable {
		n++
	}
	i := st.ch.Choose(n)
	if i < len(ways) {
		return ways[i], st.m.Opts.Break != RuleReport || len(chunks) == 1
	}
	picks := make([]chunk, len(chunks))
	for k := range chunks {
		picks[k] = quiet[k][st.ch.Choose(len(quiet[k]))]
	}
	return picks, false
}

// observed makes known what a strong copy observed: base causality goes on from its read to its completion.
func (st *stepper) observed(f *flight, a *causal.Access, pick causal.Observation) {
	if !a.Strong {
		return
	}
	for i, p := range pick {
		w := st.s.Mem.Cell(a.First + i).Writes[p]
		if w.Event != causal.NoEvent && !w.Settled && causal.MorallyStrong(a, &st.s.Mem.Events[w.Event].Access) {
			st.handOver(f, w.Event, a.Own())
		}
	}
}
