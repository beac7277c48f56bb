package ptx

import (
	"ptxmc/memmodel"
	"ptxmc/model"
)

// preCopy checks cp.async (PTX ISA 9.7.10.28.3.1). Its optional operand is a size or, in a predicate
// register, ignore-src.
func preCopy(c *context) error {
	c.in.Bulk = model.BulkForm{DstSpace: model.SharedCTA, SrcSpace: model.GlobalSpace, Completion: model.CompleteBulkGroup}
	if len(c.ops) < 4 || c.ops[3].kind != opName {
		return nil
	}
	if d, _ := c.sc.lookup(c.ops[3].name); d == nil || d.typ != model.Pred {
		return nil
	}
	c.shape = parseShape("m m i:u32 s:pred x:b64?")
	return c.checkNeed(c.ops[3].tok, "operand ignore-src of cp.async", need{ptx: 75})
}

func finCopy(c *context) error {
	n := c.in.Src[0].Imm.Lo
	switch {
	case n != 4 && n != 8 && n != 16:
		return c.errorf(c.ops[2].tok, "cp.async copies %d bytes; expected 4, 8 or 16; change the size", n)
	case n != 16 && c.m["cop"].text == "cg":
		return c.errorf(c.ops[2].tok, "cp.async.cg copies %d bytes; expected 16; use .ca for smaller sizes", n)
	}
	return nil
}

func finWaitAll(c *context) error {
	c.in.Group.All = true
	c.in.Src = []model.Operand{{Kind: model.ImmOperand}}
	return nil
}

func preCopyArrive(c *context) error {
	c.in.Group.NoInc = c.m.has("noinc")
	return nil
}

func preBulkGroup(c *context) error {
	c.in.Group.Bulk, c.in.Group.Read = true, c.m.has("read")
	return nil
}

// bulkForm stores the qualifiers that all bulk copies share.
func (c *context) bulkForm() {
	m := c.m
	f := model.BulkForm{
		DstSpace: spaces[m["dst"].text], SrcSpace: spaces[m["src"].text],
		Report: reports[m["report"].text], Reduce: atomOps[m["op"].text],
		Multicast: m.has("cast"), Pair: m["pair"].text == "cta_group::2",
		IgnoreOOB: m.has("oob"), ByteMask: m.has("mask"),
	}
	if m["done"].text == "bulk_group" {
		f.Completion = model.CompleteBulkGroup
	}
	c.in.Bulk = f
}

// maskShape is the operand of a CTA mask, as wide as the qualifier says.
func (c *context) maskShape() string {
	switch c.m["cast"].text {
	case "":
		return ""
	case "multicast::cluster::32b":
		return " s:b32"
	default:
		return " s:b16"
	}
}

// preBulk checks cp.async.bulk (PTX ISA 9.7.10.28.4.1) and stores its form.
func preBulk(c *context) error {
	in, m := c.in, c.m
	if m["dst"].tok.line == m["src"].tok.line && m["dst"].tok.col > m["src"].tok.col {
		return c.errorf(m["src"].tok, "%s names the source before the destination; expected .%s.%s; exchange them", c.f.name, m["dst"].text, m["src"].text)
	}
	c.bulkForm()
	switch {
	case in.Sem == memmodel.Relaxed && in.Scope == memmodel.ScopeNone:
		return c.errorf(m["sem"].tok, "cp.async.bulk.relaxed has no scope; expected .cta, .cluster, .gpu or .sys; write for example cp.async.bulk.relaxed.gpu")
	case in.Sem == memmodel.Relaxed && in.Type == model.NoType:
		return c.fail("%s has no type; expected .b128 at the end with .relaxed; add .b128", c.name)
	case in.Sem != memmodel.Relaxed && m.has("scope"):
		return c.errorf(m["scope"].tok, "%s has a scope but no .relaxed; expected .relaxed.%s … .b128; add .relaxed or remove the scope", c.name, m["scope"].text)
	case in.Sem != memmodel.Relaxed && in.Type != model.NoType:
		return c.errorf(m["type"].tok, "%s has .b128 but its accesses are weak; expected .relaxed and a scope with .b128; add them, as in cp.async.bulk.relaxed.gpu", c.name)
	case in.Bulk.Multicast && in.Bulk.DstSpace == model.SharedCTA:
		return c.errorf(m["cast"].tok, "%s copies to several CTAs, but its destination is .shared::cta; expected .shared::cluster; change the space", c.name)
	case in.Bulk.IgnoreOOB && in.Bulk.DstSpace != model.SharedCTA:
		return c.errorf(m["oob"].tok, "%s has .ignore_oob; expected it with .shared::cta.global only; change the space", c.name)
	case in.Bulk.IgnoreOOB && in.Bulk.Report != model.ReportDisabled:
		return c.errorf(m["report"].tok, "%s has .ignore_oob and a report; expected .mbarrier::report::disabled with it; remove one", c.name)
	}
	switch {
	case in.Bulk.DstSpace == model.GlobalSpace && in.Bulk.ByteMask:
		c.shape = parseShape("m m s:u32 x:b64? s:b16")
	case in.Bulk.DstSpace == model.GlobalSpace:
		c.shape = parseShape("m m s:u32 x:b64?")
	case in.Bulk.IgnoreOOB:
		c.shape = parseShape("m m s:u32 s:u32 s:u32 m x:b64?")
	default:
		c.shape = parseShape("m m s:u32 m" + c.maskShape() + " x:b64?")
	}
	return nil
}

// reduceTypes are the element types of each reduction, of shared and of global memory (PTX ISA
// 9.7.10.28.4.2).
var reduceTypes = map[model.AtomOp][2][]model.Type{
	model.AtomAdd: {{model.U32, model.S32, model.U64}, {model.U32, model.S32, model.U64, model.F32, model.F64, model.F16, model.BF16}},
	model.AtomMin: {{model.U32, model.S32}, {model.U32, model.S32, model.U64, model.S64, model.F16, model.BF16}},
	model.AtomMax: {{model.U32, model.S32}, {model.U32, model.S32, model.U64, model.S64, model.F16, model.BF16}},
	model.AtomInc: {{model.U32}, {model.U32}},
	model.AtomDec: {{model.U32}, {model.U32}},
	model.AtomAnd: {{model.B32}, {model.B32, model.B64}},
	model.AtomOr:  {{model.B32}, {model.B32, model.B64}},
	model.AtomXor: {{model.B32}, {model.B32, model.B64}},
}

// preReduce checks cp.reduce.async.bulk; without a scope it is .relaxed.sys.
func preReduce(c *context) error {
	in, m := c.in, c.m
	c.bulkForm()
	if m.has("sem") != m.has("scope") {
		return c.fail("%s has one of .relaxed and a scope; expected both or none; add the other, as in cp.reduce.async.bulk.relaxed.gpu", c.name)
	}
	if !m.has("sem") {
		in.Sem, in.Scope = memmodel.Relaxed, memmodel.Sys
	}
	global := in.Bulk.DstSpace == model.GlobalSpace
	if !global && in.Scope > memmodel.Cluster && m.has("scope") {
		return c.errorf(m["scope"].tok, "%s works in the cluster; expected .cta or .cluster; change the scope", c.name)
	}
	types := reduceTypes[in.Bulk.Reduce][0]
	if global {
		types = reduceTypes[in.Bulk.Reduce][1]
	}
	ok := false
	var names []string
	for _, t := range types {
		ok = ok || t == in.Type
		names = append(names, "."+t.String())
	}
	if !ok {
		return c.errorf(m["type"].tok, "%s.%s to .%s does not exist for .%s; expected %s; change the type", c.f.name, m["op"].text, m["dst"].text, in.Type, list(names))
	}
	half := in.Type == model.F16 || in.Type == model.BF16
	switch add := in.Bulk.Reduce == model.AtomAdd; {
	case half && add && !m.has("noftz"):
		return c.fail("%s has no .noftz; expected .add.noftz.%s; add it", c.name, in.Type)
	case m.has("noftz") && !(add && (half || in.Type == model.F32)):
		return c.errorf(m["noftz"].tok, ".noftz does not exist for .%s.%s; expected it with .add of .f16, .bf16 and .f32; remove it", m["op"].text, in.Type)
	case m.has("noftz") && in.Type == model.F32:
		if err := c.checkNeed(m["noftz"].tok, c.f.name+".add.noftz.f32", need{ptx: 94}); err != nil {
			return err
		}
	}
	if global {
		c.shape = parseShape("m m s:u32 x:b64?")
	} else {
		c.shape = parseShape("m m s:u32 m")
	}
	return nil
}

// preTensor checks the tensor copies (PTX ISA 9.7.10.28.5). The reductions among them are
// .relaxed.gpu for each element.
func preTensor(c *context) error {
	in, m := c.in, c.m
	if c.f.op == model.BulkCopy {
		c.bulkForm()
	}
	in.Bulk.Dims = int(m["dim"].text[0] - '0')
	if in.Bulk.Reduce != model.NoAtom {
		in.Sem, in.Scope = memmodel.Relaxed, memmodel.GPU
	}
	switch {
	case c.f.op != model.BulkCopy:
	case in.Bulk.DstSpace == model.GlobalSpace:
		c.shape = parseShape("t m x:b64?")
	case in.Bulk.Multicast && in.Bulk.DstSpace == model.SharedCTA:
		return c.errorf(m["cast"].tok, "%s copies to several CTAs, but its destination is .shared::cta; expected .shared::cluster; change the space", c.name)
	default:
		c.shape = parseShape("m t m" + c.maskShape() + " x:b64?")
	}
	return nil
}

// tensorOperand decodes [map, {c0, …}]: the generic address of a tensor map, and .s32 coordinates.
func (c *context) tensorOperand(o operand) error {
	if o.kind != opAddr || len(o.elems) != 1+c.in.Bulk.Dims {
		return c.errorf(o.tok, "operand of %s is %s with %s; expected [tensorMap, {…}] with %d; correct it", c.name, o.describe(), plural(max(0, len(o.elems)-1), "coordinate"), c.in.Bulk.Dims)
	}
	base := o
	base.elems = o.elems[:1]
	a, err := c.addr(base, model.GenericSpace)
	if err != nil {
		return err
	}
	c.in.Addrs = append(c.in.Addrs, a)
	for _, x := range o.elems[1:] {
		v, err := c.source(x, model.S32)
		if err != nil {
			return err
		}
		c.in.Src = append(c.in.Src, v)
	}
	return nil
}
