package launch

import (
	"fmt"
	"strings"

	"ptxmc/model"
)

// Limits of a launch. The first three are the hardware's; the others keep a slip of the pen from
// filling the memory of the checker.
const (
	maxBlock   = 1024    // threads of a CTA
	maxBlockZ  = 64      // of them in the third extent
	maxCluster = 16      // CTAs of a cluster
	maxThreads = 1 << 16 // threads of the whole plan
	maxShared  = 1 << 20 // bytes of shared memory of a CTA
	maxStream  = 1 << 16
)

// pointerSize is the bytes of a pointer argument.
const pointerSize = 8

// launch evaluates a launch line against its entry.
func (r *resolver) launch(l *Line, d *launchDecl) {
	plan := &r.c.Plan
	g := Launch{
		Name: l.Name, Pos: l.Pos, Programmatic: d.programmatic,
		Entry: r.c.Module.Entry(d.entry),
		Grid:  r.extents(d.grid, "grid"), Block: r.extents(d.block, "block"), Cluster: [3]int{1, 1, 1},
	}
	if g.Entry == nil {
		var names []string
		for _, e := range r.c.Module.Entries {
			names = append(names, e.Name)
		}
		d.entryAt.fail("%s is not an entry of the module; expected %s%s", d.entry, oneOf(names, "an .entry in the PTX text, but it has none"), didYouMean(d.entry, names))
	}
	if d.cluster != nil {
		g.Cluster = r.extents(d.cluster, "cluster")
	}
	r.limits(&g, d)
	if d.shared != nil {
		n := r.ints().integer(d.shared)
		if n < 0 || n > maxShared-int64(g.Entry.SharedBytes) {
			d.shared.at.fail("%d bytes of dynamic shared memory beside %d static ones are not possible; expected 0 to %d together", n, g.Entry.SharedBytes, maxShared)
		}
		g.DynShared = int(n)
	}
	if d.stream != nil {
		n := r.ints().integer(d.stream)
		if n < 0 || n > maxStream {
			d.stream.at.fail("%d is not a stream; expected a number from 0 to %d", n, maxStream)
		}
		g.Stream = int(n)
	}
	if d.programmatic {
		before := false
		for _, o := range plan.Launches {
			before = before || o.Stream == g.Stream
		}
		if !before {
			d.programmaticAt.fail("%s is the first launch in stream %d, so there is no grid to be programmatic to; expected a launch above it in this stream; take programmatic away, or move the line", g.Name, g.Stream)
		}
	}
	r.events(&g, d)
	g.Args = r.args(l, d, g.Entry)
	plan.Launches = append(plan.Launches, g)
}

// extents evaluates a shape; missing ones are 1.
func (r *resolver) extents(s *shape, what string) [3]int {
	out := [3]int{1, 1, 1}
	for i, n := range s.dims {
		v := r.ints().integer(n)
		if v < 1 || v > maxThreads {
			n.at.fail("%s extent %d is not possible; expected 1 to %d; correct the expression or a param", what, v, maxThreads)
		}
		out[i] = int(v)
	}
	return out
}

func volume(s [3]int) int64 { return int64(s[0]) * int64(s[1]) * int64(s[2]) }

func (r *resolver) limits(g *Launch, d *launchDecl) {
	if n := volume(g.Block); n > maxBlock || g.Block[2] > maxBlockZ {
		d.block.at.fail("a block of %s threads is not possible; expected at most %d, and %d in the third extent", dims(g.Block), maxBlock, maxBlockZ)
	}
	ctas := volume(g.Grid)
	if ctas <= maxThreads {
		r.threads += ctas * volume(g.Block)
	}
	if ctas > maxThreads || r.threads > maxThreads {
		d.grid.at.fail("the plan starts more than %d threads; expected far fewer, as every interleaving is explored; use a smaller grid", maxThreads)
	}
	if d.cluster == nil {
		return
	}
	if n := volume(g.Cluster); n > maxCluster {
		d.cluster.at.fail("a cluster of %s CTAs is not possible; expected at most %d", dims(g.Cluster), maxCluster)
	}
	for i := range g.Grid {
		if g.Grid[i]%g.Cluster[i] != 0 {
			d.cluster.at.fail("clusters of %s do not divide a grid of %s; expected each extent of the grid to be a multiple of the cluster's", dims(g.Cluster), dims(g.Grid))
		}
	}
	r.clusters = max(r.clusters, int(volume(g.Cluster)))
}

// dims writes extents without trailing ones.
func dims(s [3]int) string {
	switch {
	case s[1] == 1 && s[2] == 1:
		return fmt.Sprint(s[0])
	case s[2] == 1:
		return fmt.Sprintf("(%d, %d)", s[0], s[1])
	}
	return fmt.Sprintf("(%d, %d, %d)", s[0], s[1], s[2])
}

// args matches the arguments with the parameters of the entry.
func (r *resolver) args(l *Line, d *launchDecl, e *model.Entry) []Arg {
	if len(d.args) != len(e.Params) {
		at := l.at
		if len(d.args) > 0 {
			at = d.argsAt
		}
		want := "no args"
		if len(e.Params) > 0 {
			var names []string
			for _, p := range e.Params {
				names = append(names, p.Name)
			}
			want = "args " + strings.Join(names, ", ")
		}
		at.fail("the launch gives %s, and entry %s has %s; expected %s", plural(len(d.args), "argument"), e.Name, plural(len(e.Params), "parameter"), want)
	}
	out := make([]Arg, len(d.args))
	for i, n := range d.args {
		out[i] = r.arg(n, e.Params[i])
	}
	return out
}

func (r *resolver) arg(n *node, p model.Param) Arg {
	if i, ok := r.maps[n.name]; ok && n.op == nameOp {
		r.used[n.name] = true
		if p.Size != pointerSize && p.Size != tensorMapSize {
			n.at.fail("%s is a tensor map, and parameter %s (%s) has %d bytes; expected a .u64 parameter for its address, or .param .align 64 .b8 %s[%d] for the map itself", n.text, p.Name, p.Type, p.Size, p.Name, tensorMapSize)
		}
		return Arg{Buffer: -1, Map: i, Param: p}
	}
	if name := r.base(n); name != "" {
		off := r.offset(n)
		b := r.byName[name]
		r.used[name] = true
		if p.Size != pointerSize {
			n.at.fail("%s is a pointer of %d bytes, and parameter %s (%s) has %d; expected a .u64 or .b64 parameter, or another argument", n.text, pointerSize, p.Name, p.Type, p.Size)
		}
		if size := int64(b.Count) * int64(b.Elem.Bytes()); off < 0 || off > size {
			n.at.fail("%s is outside the buffer; expected 0 to %d bytes behind %s", n.text, size, name)
		}
		return Arg{Buffer: r.index[name], Map: -1, Off: off, Param: p}
	}
	t := p.Type
	if p.Size != t.Bytes() { // an array
		sizes := map[int]model.Type{1: model.B8, 2: model.B16, 4: model.B32, 8: model.B64, 16: model.B128}
		var ok bool
		if t, ok = sizes[p.Size]; !ok {
			n.at.fail("parameter %s has %d bytes, which no argument fills; expected 1, 2, 4, 8 or 16; split the parameter", p.Name, p.Size)
		}
	}
	v := r.value(n, t)
	return Arg{Buffer: -1, Map: -1, Param: p, Value: v}
}

// base returns the buffer that an argument points into, or "".
func (r *resolver) base(n *node) string {
	switch {
	case n.op == nameOp && r.byName[n.name] != nil:
		return n.name
	case n.op == "+" || n.op == "-":
		return r.base(n.kids[0])
	}
	return ""
}

// offset returns the bytes that an argument adds to its buffer.
func (r *resolver) offset(n *node) int64 {
	if n.op == nameOp {
		return 0
	}
	return integerOp(n, r.offset(n.kids[0]), r.ints().integer(n.kids[1]))
}
