package ptx

import (
	"ptxmc/memmodel"
	"ptxmc/model"
)

// preLd and preSt settle the ordering qualifiers of ld and st (PTX ISA 9.7.10, ld, st).
func preLd(c *context) error {
	in := c.in
	if in.NC {
		if in.Space != model.GlobalSpace {
			return c.errorf(c.m["nc"].tok, "%s reads through the non-coherent cache; expected .global; write ld.global.nc", c.name)
		}
		if c.m.has("sem") && in.Sem != memmodel.Weak || c.m.has("vol") || in.MMIO {
			return c.errorf(c.m["nc"].tok, "%s is ordered and non-coherent; expected .weak with .nc; remove one", c.name)
		}
	}
	if in.Space == model.ParamSpace || in.Space == model.ConstSpace {
		if in.Sem != memmodel.Weak || c.m.has("vol") || in.MMIO {
			return c.fail("%s orders a read-only space; expected .weak or nothing with .%s; remove the qualifier", c.name, in.Space)
		}
	}
	if c.m["cop"].text == "cv" {
		if in.Sem != memmodel.Weak || in.MMIO {
			return c.fail("%s has .cv and an ordering; expected one of them; remove .cv", c.name)
		}
		c.volatile()
	}
	return c.ordering()
}

func preSt(c *context) error { return c.ordering() }

func (c *context) volatile() {
	c.in.Volatile, c.in.Sem, c.in.Scope = true, memmodel.Relaxed, memmodel.Sys
}

// ordering checks .sem, .scope, .volatile and .mmio against each other, and the vector width.
func (c *context) ordering() error {
	in, f := c.in, c.f.name
	switch {
	case c.m.has("vol"):
		if c.m.has("sem") || c.m.has("scope") || in.MMIO {
			return c.errorf(c.m["vol"].tok, "%s has .volatile and another ordering; expected .volatile alone (it is relaxed at .sys); remove one", c.name)
		}
		c.volatile()
	case in.MMIO && (!in.Sem.Strong() || in.Scope != memmodel.Sys):
		return c.errorf(c.m["mmio"].tok, "%s is not system-scope; expected %s.mmio.relaxed.sys; write it so", c.name, f)
	case in.Sem.Strong() && in.Scope == memmodel.ScopeNone:
		return c.errorf(c.m["sem"].tok, "%s.%s has no scope; expected .cta, .cluster, .gpu or .sys; write for example %s.%s.gpu", f, in.Sem, f, in.Sem)
	case !in.Sem.Strong() && c.m.has("scope"):
		sem := "acquire"
		if c.f.op == model.St {
			sem = "release"
		}
		return c.errorf(c.m["scope"].tok, "%s has scope .%s but no ordering; expected .relaxed or .%s before it; add one or remove the scope", c.name, in.Scope, sem)
	}
	return c.vectorWidth()
}

// vectorWidth limits vectors to 128 bits, or 256 in global memory (.v8 of 32 bits, .v4 of 64).
func (c *context) vectorWidth() error {
	in := c.in
	bits := in.Vec * in.Type.Bits()
	v := c.m["vec"]
	switch {
	case in.Vec == 1:
	case in.Type == model.B128:
		return c.errorf(v.tok, "%s is a vector of 128-bit elements; expected no vector; remove .%s", c.name, v.text)
	case in.Vec == 8 && in.Type.Bits() != 32:
		return c.errorf(v.tok, "%s has 8 elements of %d bits; expected .v8 with 32-bit types; use .v2 or .v4", c.name, in.Type.Bits())
	case bits > 128:
		if in.Space != model.GlobalSpace && in.Space != model.GenericSpace {
			return c.errorf(v.tok, "%s accesses %d bits at once; expected at most 128 outside .global; split it", c.name, bits)
		}
		return c.checkNeed(v.tok, "a 256-bit access", need{ptx: 88, sm: 100})
	}
	return nil
}

// preAtom sets the defaults of atom and red: .relaxed.gpu (PTX ISA 9.7.15.5, 9.7.15.6).
func preAtom(c *context) error {
	in := c.in
	if in.Sem == memmodel.Weak {
		in.Sem = memmodel.Relaxed
	}
	if in.Scope == memmodel.ScopeNone {
		in.Scope = memmodel.GPU
	}
	if in.AtomOp == model.AtomCAS {
		c.shape = parseShape("d_ m s s x:b64?")
	} else if c.f.op == model.Atom {
		c.shape = parseShape("d_ m s x:b64?")
	}
	return nil
}

// atomTypes are the types of each operation (PTX ISA Tables 41 and 42).
var atomTypes = map[model.AtomOp][]model.Type{
	model.AtomAnd:  {model.B32, model.B64},
	model.AtomOr:   {model.B32, model.B64},
	model.AtomXor:  {model.B32, model.B64},
	model.AtomExch: {model.B32, model.B64, model.B128},
	model.AtomCAS:  {model.B32, model.B64, model.B128},
	model.AtomAdd:  {model.U32, model.S32, model.U64, model.F32, model.F64, model.F16x2},
	model.AtomInc:  {model.U32},
	model.AtomDec:  {model.U32},
	model.AtomMin:  {model.U32, model.S32, model.U64, model.S64},
	model.AtomMax:  {model.U32, model.S32, model.U64, model.S64},
}

func finAtom(c *context) error {
	in := c.in
	ok := false
	var names []string
	for _, t := range atomTypes[in.AtomOp] {
		ok = ok || t == in.Type
		names = append(names, "."+t.String())
	}
	op := c.m["op"].text
	if !ok {
		return c.errorf(c.m["type"].tok, "%s.%s does not exist for .%s; expected %s; change the type", c.f.name, op, in.Type, list(names))
	}
	if in.Type == model.F16x2 && !c.m.has("noftz") {
		return c.fail("%s has no .noftz; expected %s.add.noftz.f16x2; add it", c.name, c.f.name)
	}
	if c.m.has("noftz") && in.Type != model.F16x2 {
		if in.Type != model.F32 || in.AtomOp != model.AtomAdd {
			return c.errorf(c.m["noftz"].tok, ".noftz does not exist for .%s.%s; expected .add.noftz.f16x2 or .add.noftz.f32; remove it", op, in.Type)
		}
		return c.checkNeed(c.m["noftz"].tok, c.f.name+".add.noftz.f32", need{ptx: 94, sm: 90})
	}
	return nil
}

// finStBulk: the value of st.bulk is zero (PTX ISA 9.7.10, st.bulk).
func finStBulk(c *context) error {
	if c.in.Src[1].Imm.Lo != 0 {
		return c.errorf(c.ops[2].tok, "st.bulk stores %s; expected 0, the only value that it may store", c.ops[2].tok.text)
	}
	c.in.Src = c.in.Src[:1]
	return nil
}
