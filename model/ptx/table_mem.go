package ptx

import (
	"strings"

	"ptxmc/model"
)

// cacheSlots are qualifiers without effect on the meaning of a program: cache operators,
// eviction priorities, prefetch sizes and cache hints (PTX ISA 9.7.10, "Cache Operators", "Cache
// Eviction Priority Hints").
const cacheSlots = " l1? l2? hint? "

// memForms are ld, st, atom, red and the cache hints (PTX ISA 9.7.10, 9.7.15).
var memForms = []form{
	{name: "ld", op: model.Ld,
		slots: "mmio=mmio@82,70? sem=weak@60|relaxed@60,70|acquire@60,70? vol=volatile? scope? space=ldspace? nc=nc? cop=ca|cg|cs|lu|cv? unified=unified?" + cacheSlots + "fetch? vec? type=memory",
		shape: "dv m x:b64?", wide: true, pre: preLd,
		notes: map[string]string{
			"release":     "a load cannot release; use .acquire or .relaxed",
			"local":       "local memory is not modelled; keep the value in a register",
			"param::func": "device functions are not modelled; inline them",
			"global::cta": "expected .global",
			"acq_rel":     "a load cannot release; use .acquire",
		}},
	{name: "st", op: model.St,
		slots: "mmio=mmio@82,70? sem=weak@60|relaxed@60,70|release@60,70? vol=volatile? scope? space? cop=wb|cg|cs|wt?" + cacheSlots + "vec? type=memory",
		shape: "m sv x:b64?", wide: true, pre: preSt,
		notes: map[string]string{
			"acquire":     "a store cannot acquire; use .release or .relaxed",
			"acq_rel":     "a store cannot acquire; use .release",
			"local":       "local memory is not modelled; keep the value in a register",
			"param":       "st.param passes arguments of device functions, which are not modelled; inline them",
			"param::func": "device functions are not modelled; inline them",
			"const":       "constant memory cannot be written; use .global",
		}},
	{name: "atom", op: model.Atom, slots: "sem=relaxed@60,70|acquire@60,70|release@60,70|acq_rel@60,70? scope? space? " +
		"op=and|or|xor|exch|cas|add|inc|dec|min|max noftz=noftz? hint? type=b32|b64|b128@83,90|u32|u64|s32|s64|f32|f64|f16x2",
		shape: "d_ m s s? x:b64?", pre: preAtom, fin: finAtom},
	{name: "atom", slots: atomMore, why: atomReason},
	{name: "red", op: model.Red, slots: "sem=relaxed@60,70|release@60,70? scope? space? " +
		"op=and|or|xor|add|inc|dec|min|max noftz=noftz? hint? type=b32|b64|u32|u64|s32|s64|f32|f64|f16x2",
		shape: "m s x:b64?", pre: preAtom, fin: finAtom,
		notes: map[string]string{
			"acquire": "red reads nothing, so it cannot acquire; use atom",
			"acq_rel": "red reads nothing, so it cannot acquire; use atom",
			"exch":    "red has no .exch; use st or atom.exch",
			"cas":     "red has no .cas; use atom.cas",
		}},
	{name: "red", slots: atomMore, why: atomReason},

	{name: "st.bulk", op: model.StBulk, slots: "sem=weak? space=shared::cta?", shape: "m s:u32 i:u64", need: "86,100", wide: true, fin: finStBulk},

	// Hints: no effect in the model.
	{name: "prefetch", op: model.Nop, slots: "space=global? level=L1|L2|L2::evict_last|L2::evict_normal", shape: "m", fin: finNop},
	{name: "prefetchu", op: model.Nop, slots: "level=L1", shape: "m", fin: finNop},
	{name: "prefetch", op: model.Nop, slots: "space=const|param|param::entry? level=tensormap@80,90", shape: "m", fin: finNop},
	{name: "discard", op: model.Nop, slots: "space=global? level=L2", shape: "m i:u32", fin: finNop, need: "74,80"},
	{name: "applypriority", op: model.Nop, slots: "space=global? level=L2::evict_normal", shape: "m i:u32", fin: finNop, need: "74,80"},
	// A cache policy is opaque and has no effect: the register gets 0.
	{name: "createpolicy.fractional", op: model.Mov, slots: "p=L2::evict_last|L2::evict_normal|L2::evict_first|L2::evict_unchanged s=L2::evict_first|L2::evict_unchanged? type=b64",
		shape: "d i:f32?", fin: finPolicy, need: "74,80"},
}

const (
	atomMore = "sem=relaxed|acquire|release|acq_rel? scope? space? op=add|min|max|cas noftz=noftz? hint? vec? " +
		"type=b16|f16|bf16|f16x2|bf16x2|f32"
	atomReason = "atomic operations on 16-bit, bf16 and vector types are not modelled"
)

// unmodelledNames are instructions of PTX that no form describes; forms with longer names go first.
const unmodelledNames = `
	bfind brev fns szext bmsk shf shf.l shf.r sad mul24 mad24 dp2a dp4a cnot copysign testp slct
	rcp sqrt rsqrt sin cos lg2 ex2 tanh vadd vsub vabsdiff vmin vmax vshl vshr vmad vset vadd2 vadd4
	cvt.pack shfl vote match redux
	ldu ld.proxy multimem multimem.ld_reduce multimem.st
	multimem.red multimem.cp
	createpolicy.range createpolicy.cvt tensormap.replace tensormap.cp_fenceproxy
	fence.proxy.tensormap::generic fence.proxy.generic::fabric fence.proxy.fabric::generic
	fence.proxy.fabric::fabric membar.proxy.tensormap::generic
	
	wmma.load wmma.store wmma.mma mma.sync mma ldmatrix stmatrix movmatrix
	wgmma tcgen05 tcgen05.cp tcgen05.shift tcgen05.fence tcgen05.wait istypep alloca stacksave stackrestore
	tex tld4 txq suld sust sured suq pmevent fabric brx brx.idx`

// unmodelledForms makes the second table: instructions known to PTX, not yet modelled.
func unmodelledForms() []form {
	forms := []form{
		{name: "call", why: "device functions are not modelled; inline the function (__forceinline__ in CUDA C++)"},
		{name: "ld.local", why: "local memory is not modelled; keep the value in a register"},
		{name: "st.local", why: "local memory is not modelled; keep the value in a register"},
		{name: "st.param", why: "st.param passes arguments of device functions; inline the function (__forceinline__ in CUDA C++)"},
		{name: "brkpt", why: "a breakpoint has no meaning for a proof; remove it, or use trap"},
		{name: "fence.proxy.alias.acquire", why: "one-way alias fences are not modelled; use fence.proxy.alias"},
		{name: "fence.proxy.alias.release", why: "one-way alias fences are not modelled; use fence.proxy.alias"},
	}
	for _, n := range strings.Fields(unmodelledNames) {
		forms = append(forms, form{name: n, why: "-"})
	}
	return forms
}
