package ptx

import (
	"ptxmc/memmodel"
	"ptxmc/model"
)

var sems = map[string]memmodel.Sem{
	"weak": memmodel.Weak, "relaxed": memmodel.Relaxed, "acquire": memmodel.Acquire,
	"release": memmodel.Release, "acq_rel": memmodel.AcqRel, "sc": memmodel.SC,
}

var scopes = map[string]memmodel.Scope{
	"cta": memmodel.CTA, "cluster": memmodel.Cluster, "gpu": memmodel.GPU, "sys": memmodel.Sys, "gl": memmodel.GPU,
}

var spaces = map[string]model.Space{
	"global": model.GlobalSpace, "shared": model.SharedCTA, "shared::cta": model.SharedCTA,
	"shared::cluster": model.SharedCluster, "param": model.ParamSpace, "param::entry": model.ParamSpace,
	"const":                      model.ConstSpace,
	"sync_restrict::shared::cta": model.SharedCTA, "sync_restrict::shared::cluster": model.SharedCluster,
}

var rounds = map[string]model.Round{
	"rn": model.RN, "rz": model.RZ, "rm": model.RM, "rp": model.RP,
	"rni": model.RNI, "rzi": model.RZI, "rmi": model.RMI, "rpi": model.RPI,
}

var modes = map[string]model.Mode{"lo": model.Lo, "hi": model.Hi, "wide": model.Wide}

var compares = map[string]model.Compare{
	"eq": model.EQ, "ne": model.NE, "lt": model.LT, "le": model.LE, "gt": model.GT, "ge": model.GE,
	"lo": model.LO, "ls": model.LS, "hi": model.HI, "hs": model.HS,
	"equ": model.EQU, "neu": model.NEU, "ltu": model.LTU, "leu": model.LEU, "gtu": model.GTU, "geu": model.GEU,
	"num": model.NUM, "nan": model.NAN,
}

var combines = map[string]model.Op{"and": model.And, "or": model.Or, "xor": model.Xor}

var atomOps = map[string]model.AtomOp{
	"and": model.AtomAnd, "or": model.AtomOr, "xor": model.AtomXor, "exch": model.AtomExch,
	"cas": model.AtomCAS, "add": model.AtomAdd, "inc": model.AtomInc, "dec": model.AtomDec,
	"min": model.AtomMin, "max": model.AtomMax,
}

var vecs = map[string]int{"v2": 2, "v4": 4, "v8": 8}

var reports = map[string]model.ReportMechanism{
	"mbarrier::report::disabled":                        model.ReportDisabled,
	"mbarrier::report::validity::per_16bytes::80000000": model.ReportPer16Bytes80000000,
	"mbarrier::report::validity::per_16bytes::8000":     model.ReportPer16Bytes8000,
	"mbarrier::report::validity::per_16bytes::80":       model.ReportPer16Bytes80,
	"mbarrier::report::validity::per_16bytes::8":        model.ReportPer16Bytes8,
	"mbarrier::report::validity::per_element::ff":       model.ReportPerElementFF,
}

// setFields stores the qualifiers whose slots mean the same in every form. A slot that was not
// written maps to the zero value, which is the absence of the qualifier.
func (c *context) setFields() {
	in, m := c.in, c.m
	in.Type = model.TypeByName(m["type"].text)
	in.SrcType = model.TypeByName(m["stype"].text)
	in.Sem = sems[m["sem"].text]
	in.Scope = scopes[m["scope"].text]
	in.Space = spaces[m["space"].text]
	in.SyncRestrict = spaces[m["sr"].text]
	in.Round = rounds[m["rnd"].text]
	in.Mode = modes[m["mode"].text]
	in.Compare = compares[m["cmp"].text]
	in.Combine = combines[m["bool"].text]
	in.FTZ = m.has("ftz")
	in.Sat = m.has("sat")
	in.NaN = m.has("nan")
	in.ToSpace = m.has("to")
	in.NC = m.has("nc")
	in.MMIO = m.has("mmio")
	in.Aligned = m.has("aligned")
	switch c.f.op {
	case model.Ld, model.St, model.Atom, model.Red, model.AsyncStore, model.AsyncRed:
		in.Vec = max(1, vecs[m["vec"].text])
		in.AtomOp = atomOps[m["op"].text]
	}
}
