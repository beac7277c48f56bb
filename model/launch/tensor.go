package launch

import (
	"strings"

	"ptxmc/model"
)

// tensorMapSize is the bytes of a tensor map (PTX ISA 5.5.8).
const tensorMapSize = 128

// TensorMap describes a tensor in global memory and the box of it that one copy moves (PTX ISA
// 5.5.8), tiled mode without interleaving. Lists begin with the innermost dimension.
type TensorMap struct {
	Name    string
	Pos     model.Pos
	Buffer  int   // index into Plan.Buffers
	Off     int64 // bytes from its beginning to the tensor
	Elem    model.Type
	Dims    []int64
	Strides []int64 // bytes; the first is that of an element
	Box     []int64
	NaN     bool // out-of-bounds elements are NaN, else zero
}

type tensorDecl struct {
	base               *node
	elem               model.Type
	elemAt             place
	dims, strides, box *list
	nan                bool
	nanAt              place
}

// list is "(a, b, ...)".
type list struct {
	at    place
	items []*node
}

// tensorTypes are the types that a tensor map may have (PTX ISA 5.5.1), as far as they are modelled.
var tensorTypes = []string{"u8", "u16", "u32", "s32", "u64", "s64", "f16", "bf16", "f32", "f64"}

// tensorWords are the clauses of a tensormap line.
var tensorWords = []string{"over", "dims", "strides", "box", "fill"}

// tensorLine reads "over BUFFER : type dims (..) strides (..) box (..) fill zero".
func tensorLine(c *cursor) *tensorDecl {
	d := &tensorDecl{}
	if !c.keyword("over") {
		c.here().fail("found %s; expected `over` and the buffer that holds the tensor, as in over data : f32 dims (8, 4) box (4, 2)", c.next())
	}
	d.base = c.number()
	c.expect(":", "and the type of an element, as in : f32")
	var name string
	name, d.elemAt = c.ident("a type")
	if !isOneOf(name, tensorTypes) {
		d.elemAt.fail("%s is not the type of a tensor; expected one of %s%s", name, strings.Join(tensorTypes, " "), didYouMean(name, tensorTypes))
	}
	d.elem = model.TypeByName(name)
	seen := map[string]bool{}
	for !c.done() {
		at, w := c.here(), c.peekIdent()
		if !isOneOf(w, tensorWords[1:]) {
			at.fail("found %s; expected %s%s", c.next(), oneOf(tensorWords[1:], ""), didYouMean(w, tensorWords[1:]))
		}
		if seen[w] {
			at.fail("%s is given twice; expected it once; take one away", w)
		}
		seen[w] = true
		c.accept(w)
		switch w {
		case "dims":
			d.dims = c.list()
		case "strides":
			d.strides = c.list()
		case "box":
			d.box = c.list()
		case "fill":
			d.nanAt = c.here()
			if d.nan = c.keyword("nan"); !d.nan && !c.keyword("zero") {
				d.nanAt.fail("found %s; expected zero or nan, which is what lies outside the tensor", c.next())
			}
		}
	}
	for _, w := range []string{"dims", "box"} {
		if !seen[w] {
			c.here().fail("the tensor map has no %s; expected `%s` and an extent for each dimension, the innermost first, as in %s (8, 4); add it", w, w, w)
		}
	}
	return d
}

// list reads "(a, b, ...)", with one element also without parentheses.
func (c *cursor) list() *list {
	l := &list{at: c.here()}
	if !c.tuple() {
		l.items = []*node{c.number()}
		return l
	}
	c.accept("(")
	for {
		l.items = append(l.items, c.number())
		if !c.accept(",") {
			break
		}
	}
	c.expect(")", "or a comma between the dimensions, as in (8, 4)")
	return l
}

func (r *resolver) tensorMaps() {
	r.maps = map[string]int{}
	for i, l := range r.ofKind("tensormap") {
		r.maps[l.Name] = i
		r.c.Plan.TensorMaps = append(r.c.Plan.TensorMaps, r.tensorMap(l, l.decl.(*tensorDecl)))
	}
}

// Limits of a tensor map (CUDA Driver API, cuTensorMapEncodeTiled).
const (
	maxDims     = 5
	maxBox      = 256
	tensorAlign = 16 // of the tensor, its strides and the inner extent of a box, in bytes
)

// tensorMap evaluates a line and checks it as the driver does.
func (r *resolver) tensorMap(l *Line, d *tensorDecl) TensorMap {
	name := r.base(d.base)
	if name == "" {
		d.base.at.fail("%s is not a buffer; expected the buffer that holds the tensor, with an offset in bytes if need be%s", d.base.text, didYouMean(d.base.text, sortedKeys(r.byName)))
	}
	r.used[name] = true
	b := r.byName[name]
	t := TensorMap{Name: l.Name, Pos: l.Pos, Buffer: r.index[name], Off: r.offset(d.base), Elem: d.elem, NaN: d.nan}
	if t.Off < 0 || t.Off%tensorAlign != 0 || b.Align%tensorAlign != 0 {
		d.base.at.fail("the tensor begins at byte %d of a buffer aligned to %d; expected a multiple of %d", t.Off, b.Align, tensorAlign)
	}
	if d.nan && !d.elem.Float() {
		d.nanAt.fail("elements of type %s have no NaN; expected fill zero; change one of them", d.elem)
	}
	n := len(d.dims.items)
	if n > maxDims {
		d.dims.at.fail("the tensor has %d dimensions; expected one to %d", n, maxDims)
	}
	if len(d.box.items) != n {
		d.box.at.fail("the box has %s, and the tensor has %d; expected as many", plural(len(d.box.items), "dimension"), n)
	}
	extent := func(x *node, most int64) int64 {
		v := r.ints().integer(x)
		if v < 1 || v > most {
			x.at.fail("%s is %d; expected an extent from 1 to %d", x.text, v, most)
		}
		return v
	}
	for i := range n {
		t.Dims = append(t.Dims, extent(d.dims.items[i], maxElements))
		t.Box = append(t.Box, extent(d.box.items[i], maxBox))
	}
	if bytes := t.Box[0] * int64(d.elem.Bytes()); bytes%tensorAlign != 0 {
		d.box.items[0].at.fail("the innermost extent of the box has %d bytes; expected a multiple of %d", bytes, tensorAlign)
	}
	r.strides(&t, d)
	end := t.Off + int64(d.elem.Bytes())
	for i := range n {
		end += (t.Dims[i] - 1) * t.Strides[i]
	}
	if size := int64(b.Count) * int64(b.Elem.Bytes()); end > size {
		d.dims.at.fail("the tensor ends at byte %d of %s, which has %d; expected it inside the buffer; correct dims or strides", end, name, size)
	}
	return t
}

// strides evaluates the strides of all dimensions but the innermost; without them the tensor is packed.
func (r *resolver) strides(t *TensorMap, d *tensorDecl) {
	t.Strides = []int64{int64(d.elem.Bytes())}
	if d.strides != nil && len(d.strides.items) != len(t.Dims)-1 {
		d.strides.at.fail("%s for a tensor of %s; expected one for each dimension but the innermost, whose elements are adjacent",
			plural(len(d.strides.items), "stride"), plural(len(t.Dims), "dimension"))
	}
	for i := 1; i < len(t.Dims); i++ {
		s, at := t.Strides[i-1]*t.Dims[i-1], d.dims.items[i-1].at
		if d.strides != nil {
			s, at = r.ints().integer(d.strides.items[i-1]), d.strides.items[i-1].at
		}
		if s < 1 || s%tensorAlign != 0 || s > maxElements*tensorAlign {
			at.fail("dimension %d has a stride of %d bytes; expected a positive multiple of %d", i, s, tensorAlign)
		}
		t.Strides = append(t.Strides, s)
	}
}
