package machine

import (
	"fmt"
	"slices"
	"strings"

	"ptxmc/memmodel/causal"
	"ptxmc/model"
)

// chunk is one thing that a 16-byte chunk of a copy's source may deliver.
type chunk struct {
	k       int // its place in the tile, in chunks
	units   []causal.Access
	picks   []causal.Observation
	at      []int // where each unit begins in bytes
	bytes   []byte
	unknown []bool // nothing has written the byte
	missed  []int  // cells of which it missed a newer write
	hit     bool   // the inspected element holds the pattern

	// what is wrong with accepting it
	torn             string // "" if it is not torn
	stale, unwritten int    // 1 + the cell with older content, with the sentinel; 0 if none
}

// with adds the observation of one more unit.
func (c chunk) with(st *stepper, f *flight, a *causal.Access, pick causal.Observation) chunk {
	c.units = append(slices.Clip(c.units), *a)
	c.picks = append(slices.Clip(c.picks), pick)
	c.at = append(slices.Clip(c.at), len(c.bytes))
	c.bytes, c.unknown = slices.Clip(c.bytes), slices.Clip(c.unknown)
	for i, p := range pick {
		b, known := st.m.content(st.s, a.First+i, st.s.Mem.Cell(a.First + i).Writes[p].Event)
		c.bytes = append(c.bytes, b...)
		for range b {
			c.unknown = append(c.unknown, !known)
		}
	}
	before := len(st.out.Missed)
	st.noteMissed(a, pick)
	c.missed = append(slices.Clip(c.missed), st.out.Missed[before:]...)
	st.out.Missed = st.out.Missed[:before]
	return c
}

// causes returns the options that make the copy report, as far as they differ in what they miss: of
// two, the one that misses a part of what the other misses stands for both.
func causes(options []chunk) []chunk {
	var out []chunk
	for i := range options {
		c := &options[i]
		if !c.hit || slices.ContainsFunc(out, func(o chunk) bool { return within(o.missed, c.missed) }) {
			continue
		}
		out = append(slices.DeleteFunc(out, func(o chunk) bool { return within(c.missed, o.missed) }), *c)
	}
	return out
}

// within reports whether all of a is in b.
func within(a, b []int) bool {
	for _, x := range a {
		if !slices.Contains(b, x) {
			return false
		}
	}
	return true
}

// newest returns an option that misses nothing: the newest write of each cell can always be observed.
func newest(options []chunk) chunk {
	best := 0
	for i := range options {
		if len(options[i].missed) < len(options[best].missed) {
			best = i
		}
	}
	return options[best]
}

// inspect decides for every option of chunk k whether the copy reports it: one sampled element, or
// every element, is compared with the pattern (CUDA guide Table 15). An option whose elements differ
// splits in two. Options that nobody can tell apart are merged.
func (st *stepper) inspect(f *flight, k int, options []chunk) []chunk {
	mech, inspected := mechanisms[st.in.Bulk.Report]
	var out []chunk
	add := func(c chunk) {
		for i := range out {
			o := &out[i]
			if o.hit == c.hit && slices.Equal(o.missed, c.missed) && (c.hit ||
				slices.Equal(o.bytes, c.bytes) && slices.Equal(o.unknown, c.unknown) && o.torn == c.torn && o.stale == c.stale && o.unwritten == c.unwritten) {
				return
			}
		}
		out = append(out, c)
	}
	for _, c := range options {
		st.judge(f, &c)
		if !inspected {
			add(c)
			continue
		}
		match := mech.matches(c.bytes)
		all, any := !slices.Contains(match, false), slices.Contains(match, true)
		switch {
		case mech.every || all || !any:
			c.hit = any
			add(c)
		case st.m.Opts.Break == RuleSample:
			c.hit = match[0]
			add(c)
		default:
			add(c)
			c.hit = true
			add(c)
		}
	}
	return out
}

// judge says what is wrong with accepting a chunk: its elements come from different writes, one of
// them concurrent with the copy; some element still holds the sentinel; or its content dates from
// before this round's initialisation.
func (st *stepper) judge(f *flight, c *chunk) {
	m := st.m
	mech, inspected := mechanisms[st.in.Bulk.Report]
	watched := inspected
	writers := map[causal.EventID]bool{}
	concurrent := false
	written := false // some cell holds more than the sentinel
	for u := range c.units {
		off := c.at[u]
		for i, p := range c.picks[u] {
			x := c.units[u].First + i
			info := &m.layout.cells[x]
			watched = watched || info.sentinel != nil
			w := st.s.Mem.Cell(x).Writes[p]
			writers[w.Event] = true
			if _, known := f.view.Level(w.Event); !known && !w.Settled {
				concurrent = true
			}
			if m.sentinelCell(x, c.bytes[off:off+info.size]) {
				c.unwritten = x + 1
			} else {
				written = true
			}
			if m.isStale(st.s, x, p) {
				c.stale = x + 1
			}
			off += info.size
		}
	}
	if !watched {
		c.stale, c.unwritten = 0, 0
		return
	}
	if written && len(writers) == 1 && !writers[causal.NoEvent] {
		c.unwritten = 0 // one write gave the whole chunk: the pattern is one of its values
	}
	if !inspected || mech.every {
		return
	}
	match := mech.matches(c.bytes)
	switch {
	case concurrent && len(writers) > 1:
		c.torn = "takes its elements from different writes"
	case written && (len(writers) > 1 || writers[causal.NoEvent]) && slices.Contains(match, true) && slices.Contains(match, false):
		for i, is := range match {
			if is {
				c.torn = fmt.Sprintf("still holds the sentinel in element %d", i)
				break
			}
		}
	}
}

// accept reports what is wrong with a chunk that the copy delivers without a report.
func (st *stepper) accept(f *flight, c chunk) {
	k := c.k
	if c.torn == "" && c.stale == 0 && c.unwritten == 0 {
		return
	}
	name := st.m.cellName(c.units[0].First, c.units[len(c.units)-1].First+c.units[len(c.units)-1].N-c.units[0].First)
	switch {
	case c.torn != "":
		st.tornChunk(k, name, c)
	case c.stale > 0:
		st.violate(&Violation{Property: "no-stale-data", Rule: "older-content-accepted", Ends: true,
			Message: fmt.Sprintf("the copy accepts chunk %d (%s) with content from before this round's initialisation (%s)", k, name, st.m.cellName(c.stale-1, 1)),
			Fix:     "make the sentinel initialisation of every location visible to the consumer before it loads (guide 4.6.4.2)"})
	case c.unwritten > 0:
		st.violate(&Violation{Property: "no-stale-data", Rule: "sentinel-accepted", Ends: true,
			Message: fmt.Sprintf("the copy delivers chunk %d (%s) without a report although it still holds the sentinel", k, name),
			Fix:     "use a validity report mechanism that matches the sentinel (guide Table 15), or load the data only after its producer has been synchronised with"})
	}
}

// tornChunk explains an accepted chunk that is no unit: which elements were missing, and which
// instructions write it in parts.
func (st *stepper) tornChunk(k int, name string, c chunk) {
	var sites []Site
	var lines []string
	for u := range c.units {
		for x := c.units[u].First; x < c.units[u].First+c.units[u].N; x++ {
			for _, w := range st.s.Mem.Cell(x).Writes {
				if w.Event == causal.NoEvent || st.sentinelEvent(st.s.Mem.Events[w.Event]) {
					continue
				}
				s := st.m.eventSite(st.s.Mem.Events[w.Event], "writes part of the chunk")
				if line := fmt.Sprint(s.Pos.Line); !slices.Contains(lines, line) {
					lines = append(lines, line)
					sites = append(sites, s)
				}
			}
		}
	}
	mech := mechanisms[st.in.Bulk.Report]
	var missing []string
	for i, is := range mech.matches(c.bytes) {
		if is {
			missing = append(missing, fmt.Sprint(i))
		}
	}
	how := c.torn
	if len(missing) > 0 {
		how = "still held the sentinel in its " + plural(missing, "element")
	}
	if len(lines) == 1 {
		how += fmt.Sprintf("; line %s (%s) writes only a part of it, or in parts", lines[0], firstWord(sites[0].Text))
	} else if len(lines) > 1 {
		how += fmt.Sprintf(", because %s write it in parts (%s)", plural(lines, "line"), firstWord(sites[0].Text))
	}
	st.violate(&Violation{Property: "no-torn-chunk", Rule: "torn-chunk-accepted", Ends: true,
		Message: fmt.Sprintf("the copy inspected one element of chunk %d (%s) and reported nothing, but the chunk %s", k, name, how),
		Sites:   sites,
		Fix:     "write each aligned 16-byte chunk with a single strong 128-bit store (st.relaxed.gpu.global.b128) or a .relaxed.gpu .b128 bulk store (guide 4.6.4.3)"})
}

// plural joins words as "element 3" or "elements 1, 2 and 3".
func plural(words []string, noun string) string {
	if len(words) == 1 {
		return noun + " " + words[0]
	}
	return noun + "s " + strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

func (st *stepper) sentinelEvent(e *causal.Event) bool {
	n := st.m.layout.cells[e.First].size
	return st.m.sentinelCell(e.First, e.Bytes[:n])
}

func firstWord(s string) string {
	for _, w := range strings.Fields(s) {
		if w[0] != '@' {
			return w
		}
	}
	return s
}

// isStale: the observed content of a cell dates from before the round's initialisation: it was
// declared stale or never written, or a sentinel write comes after it.
func (m *Machine) isStale(s *State, c, pos int) bool {
	cell := s.Mem.Cell(c)
	info := &m.layout.cells[c]
	if cell.Writes[pos].Event == causal.NoEvent && cell.Base == nil && (info.obj.stale[info.off] || info.obj.unknown[info.off]) {
		return true
	}
	own, _ := m.content(s, c, cell.Writes[pos].Event)
	if m.sentinelCell(c, own) {
		return false
	}
	for _, w := range cell.Writes {
		if w.Preds&(1<<pos) == 0 || w.Event == causal.NoEvent {
			continue
		}
		if b, _ := m.content(s, c, w.Event); m.sentinelCell(c, b) {
			return true
		}
	}
	return false
}

// recordSource keeps the source reads for race detection. A read takes the place of the same read
// by an earlier attempt that everybody learns of who learns of this one: what completes on the
// mbarrier carries both.
func (st *stepper) recordSource(f *flight, units []causal.Access) {
	var carried causal.View
	if i, ok := st.s.barrierAt(f.bar); ok {
		carried = causal.Join(st.s.bars[i].current.near, st.s.bars[i].done.near)
	} else if f.bulk {
		carried = f.view // whoever waits for the group knows it
	}
	for _, a := range units {
		if !st.m.Opts.Racy && st.m.othersWrite(st.s, -1, a.First, a.N) {
			st.s.Mem.Supersede(&a, carried)
			id := st.s.Mem.Read(&causal.Event{Access: a})
			st.handOver(f, id, a.Own())
		}
	}
}

// describe tells the trace what the copy saw.
func (st *stepper) describe(picks []chunk, report bool) {
	if st.rec == nil {
		return
	}
	var hits []string
	for i := range picks {
		c := &picks[i]
		for u := range c.units {
			off, n := c.at[u], st.m.cellBytes(c.units[u].First, c.units[u].N)
			st.rec.note("reads %s = %s%s", st.m.cellName(c.units[u].First, c.units[u].N), hex(c.bytes[off:off+n]), st.m.origin(st.s, &c.units[u], c.picks[u]))
		}
		if c.hit {
			hits = append(hits, fmt.Sprint(c.k))
		}
	}
	switch {
	case report:
		st.rec.note("reports: the inspected element of chunk %s holds the sentinel", strings.Join(hits, ", "))
	case st.in.Bulk.Report != model.ReportDisabled:
		st.rec.note("reports nothing: the data is accepted")
	}
}

// checkSource reports writes of a copy's source that nothing orders before it. A weak copy's source
// may not be modified at all until the copy completes (PTX ISA 8.9.1.1); such a write may as well
// fall between issue and completion, so it is named as one that does.
func (st *stepper) checkSource(a *causal.Access) {
	if a.Strong || st.m.Opts.Break == RuleRace || st.m.Opts.Racy {
		st.checkRaces(a, false)
		return
	}
	for _, id := range st.s.Mem.Unordered(a, false, st.t.view) {
		e := st.s.Mem.Events[id]
		if _, known := st.t.view.Level(id); known {
			// it cannot fall between issue and completion, but no proxy fence brings it to the copy
			st.race(a, false, st.m.eventSite(e, "the conflicting write (no fence.proxy.async between it and the copy)"), false, "")
			continue
		}
		site := st.m.eventSite(e, "the write of the source")
		st.violate(&Violation{Property: "no-overwrite", Rule: "in-flight-source",
			Message: fmt.Sprintf("%s writes %s, the source of a weak copy issued by %s, and nothing orders the write before the issue or after the completion",
				site.Agent, st.m.cellName(a.First, a.N), st.m.threadName(st.ti)),
			Sites: []Site{site},
			Fix:   "order the write before the issue of the copy, or use a .relaxed copy with .b128 if the data itself tells when it is ready"})
	}
}
