package machine

import (
	"fmt"
	"slices"
	"sort"

	"ptxmc/model"
	"ptxmc/model/launch"
)

// Address windows. PTX leaves the numbers open; these keep the windows apart from each other and
// from small integers. The shared window of a CTA lies inside its cluster's window (PTX ISA
// 5.1.7), a megabyte for each rank.
const (
	sharedBase    = 0x2000_0000
	sharedStride  = 1 << 20
	globalBase    = 0x10_0000_0000
	globalStride  = 1 << 28
	genericShared = 0x7000_0000_0000 // generic address = genericShared + shared::cluster address
)

// object is one variable, buffer, or the shared memory of one CTA.
type object struct {
	name   string
	space  model.Space // GlobalSpace, ConstSpace or SharedCTA
	base   uint64      // address in its own space
	size   int         // bytes
	cta    int         // owner of shared memory, else -1
	bounds []int       // offsets of the cells, ascending, from 0; without the end
	first  int         // number of the first cell
	elem   model.Type  // for printing
	buffer int         // index of the plan's buffer, or -1
	index  int         // in layout.objects
	alias  *object     // not nil: another virtual address of that object, without memory of its own
	// by byte: nothing has initialised it; it was left by an earlier round
	unknown, stale []bool
}

// cellRange returns the cells of bytes [off, off+n); they must start and end at cell bounds.
func (o *object) cellRange(off, n int) (first, count int) {
	lo := sort.SearchInts(o.bounds, off)
	hi := sort.SearchInts(o.bounds, off+n)
	return o.first + lo, hi - lo
}

// cell is what the machine knows about a cell for ever.
type cell struct {
	obj  *object
	off  int // in the object
	size int // bytes
	// report is the mechanism of the validity-reporting copies that read the cell.
	report   model.ReportMechanism
	sentinel []byte // the bytes that mean "not yet written", nil if none
}

// layout is the memory of the program: objects and their division into cells.
type layout struct {
	objects []*object
	cells   []cell
	shared  []int // by CTA: index of its object, -1 if it has no shared memory
	globals []int // by module variable: index of its object
	buffers []int // by plan buffer
}

func newLayout(c *launch.Case, ctas []ctaInfo, grids []gridInfo) *layout {
	l := &layout{}
	addGlobal := func(o *object) int {
		o.base = globalBase + uint64(len(l.objects))*globalStride
		o.cta = -1
		l.objects = append(l.objects, o)
		return len(l.objects) - 1
	}
	for i, b := range c.Plan.Buffers {
		l.buffers = append(l.buffers, addGlobal(&object{name: b.Name, space: model.GlobalSpace, size: b.Count * b.Elem.Bytes(), elem: b.Elem, buffer: i}))
	}
	for _, v := range c.Module.Globals {
		l.globals = append(l.globals, addGlobal(&object{name: v.Name, space: v.Space, size: v.Size, buffer: -1}))
	}
	for i, cta := range ctas {
		g := grids[cta.grid]
		size := sharedSize(g.launch)
		if size == 0 {
			l.shared = append(l.shared, -1)
			continue
		}
		l.shared = append(l.shared, len(l.objects))
		l.objects = append(l.objects, &object{
			name: "shared", space: model.SharedCTA, size: size, cta: i, buffer: -1,
			base: sharedBase + uint64(cta.rank)*sharedStride,
		})
	}
	return l
}

// sharedSize is what a CTA of the launch has: the sized variables, then the dynamic part, which the
// extern ones name.
func sharedSize(l *launch.Launch) int {
	size := l.Entry.SharedBytes
	start := size
	for _, v := range l.Entry.Shared {
		if v.Extern {
			start = max(start, v.Offset)
		}
	}
	if l.DynShared > 0 {
		size = start + l.DynShared
	}
	return size
}

// divide splits every object at the given offsets and numbers the cells.
func (l *layout) divide(cuts map[*object]map[int]bool) {
	for _, o := range l.objects {
		o.bounds = o.bounds[:0]
		set := cuts[o]
		for off := range set {
			if off > 0 && off < o.size {
				o.bounds = append(o.bounds, off)
			}
		}
		if o.size > 0 {
			o.bounds = append(o.bounds, 0)
		}
		slices.Sort(o.bounds)
		o.first = len(l.cells)
		for i, off := range o.bounds {
			end := o.size
			if i+1 < len(o.bounds) {
				end = o.bounds[i+1]
			}
			l.cells = append(l.cells, cell{obj: o, off: off, size: end - off})
		}
	}
}

// resolve finds the object and offset that an address of a space means to a thread of a CTA.
func (m *Machine) resolve(cta int, space model.Space, addr uint64) (*object, int, error) {
	at := addr
	switch space {
	case model.GenericSpace:
		if at >= genericShared && at < genericShared+1<<32 {
			return m.resolveShared(cta, at-genericShared, true)
		}
		return m.resolveGlobal(at)
	case model.SharedCTA:
		return m.resolveShared(cta, at, false)
	case model.SharedCluster:
		return m.resolveShared(cta, at, true)
	default:
		return m.resolveGlobal(at)
	}
}

func (m *Machine) resolveGlobal(at uint64) (*object, int, error) {
	if at >= globalBase {
		i := int((at - globalBase) / globalStride)
		if i < len(m.layout.objects) && m.layout.objects[i].cta < 0 {
			o := m.layout.objects[i]
			off := int(at - o.base)
			if o.alias != nil {
				o = o.alias
			}
			return o, off, nil
		}
	}
	return nil, 0, fmt.Errorf("address %#x is in no buffer of the launch plan and no variable of the module", at)
}

// outsideWindow says that a shared::cta access names the memory of another CTA.
type outsideWindow struct{ error }

func (m *Machine) resolveShared(cta int, at uint64, cluster bool) (*object, int, error) {
	if at >= sharedBase {
		rank := int((at - sharedBase) / sharedStride)
		for _, peer := range m.clusters[m.ctas[cta].cluster] {
			if m.ctas[peer].rank != rank {
				continue
			}
			if peer != cta && !cluster {
				return nil, 0, outsideWindow{fmt.Errorf("address %#x belongs to CTA rank %d of the cluster, outside the executing CTA's shared::cta window", at, rank)}
			}
			if o := m.layout.shared[peer]; o >= 0 {
				return m.layout.objects[o], int(at - m.layout.objects[o].base), nil
			}
		}
	}
	return nil, 0, fmt.Errorf("address %#x is in no shared memory of the cluster", at)
}

// cellBytes is the size of n cells.
func (m *Machine) cellBytes(first, n int) int {
	c, last := &m.layout.cells[first], &m.layout.cells[first+n-1]
	return last.off + last.size - c.off
}

// cellName names a cell as a user would: mid[4..7], or shared+0x40 of CTA 1.
func (m *Machine) cellName(first, n int) string {
	c := m.layout.cells[first]
	last := m.layout.cells[first+n-1]
	return m.rangeName(c.obj, c.off, last.off+last.size-c.off)
}

func (m *Machine) rangeName(o *object, off, n int) string {
	if o.space == model.SharedCTA {
		entry := m.grids[m.ctas[o.cta].grid].launch.Entry
		// the last variable that begins at or before the range holds it
		for _, v := range entry.Shared {
			switch {
			case off == v.Offset && n == v.Size:
				return fmt.Sprintf("%s of %s", v.Name, m.ctaName(o.cta))
			case off >= v.Offset && (off < v.Offset+v.Size || v.Extern):
				return fmt.Sprintf("%s+%d..%d of %s", v.Name, off-v.Offset, off-v.Offset+n-1, m.ctaName(o.cta))
			}
		}
		return fmt.Sprintf("shared+%d..%d of %s", off, off+n-1, m.ctaName(o.cta))
	}
	if o.elem != model.NoType {
		w := o.elem.Bytes()
		if off%w == 0 && n == w {
			return fmt.Sprintf("%s[%d]", o.name, off/w)
		}
		if off%w == 0 && n%w == 0 {
			return fmt.Sprintf("%s[%d..%d]", o.name, off/w, (off+n)/w-1)
		}
	}
	return fmt.Sprintf("%s+%d..%d", o.name, off, off+n-1)
}
