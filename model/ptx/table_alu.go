package ptx

import "ptxmc/model"

// aluForms are the integer, logic, comparison, conversion and address instructions (PTX ISA
// 9.7.1, 9.7.2, 9.7.6, 9.7.8, 9.7.10).
var aluForms = []form{
	{name: "mov", op: model.Mov, slots: "type=pred|b16|b32|b64|b128@83,70|u16|u32|u64|s16|s32|s64|f32|f64", shape: "mov"},

	{name: "add", op: model.Add, slots: "type=int", shape: "d s s"},
	{name: "add", op: model.Add, slots: "sat type=s32", shape: "d s s"},
	{name: "add", slots: "cc=cc type=int", why: carryReason},
	{name: "addc", why: carryReason},
	{name: "sub", op: model.Sub, slots: "type=int", shape: "d s s"},
	{name: "sub", op: model.Sub, slots: "sat type=s32", shape: "d s s"},
	{name: "sub", slots: "cc=cc type=int", why: carryReason},
	{name: "subc", why: carryReason},
	{name: "mul", op: model.Mul, slots: "mode=lo|hi type=int", shape: "d s s"},
	{name: "mul", op: model.Mul, slots: "mode=wide type=u16|u32|s16|s32", shape: "d:wide s s"},
	{name: "mad", op: model.Mad, slots: "mode=lo|hi type=int", shape: "d s s s"},
	{name: "mad", op: model.Mad, slots: "mode=wide type=u16|u32|s16|s32", shape: "d:wide s s s:wide"},
	{name: "mad", op: model.Mad, slots: "mode=hi sat type=s32", why: "saturating mad is not modelled"},
	{name: "mad", slots: "mode=lo|hi cc=cc type=int", why: carryReason},
	{name: "madc", why: carryReason},
	{name: "div", op: model.Div, slots: "type=int", shape: "d s s"},
	{name: "div", slots: "rnd=approx|full|rn|rz|rm|rp ftz? type=f32|f64", why: "floating-point division is not modelled"},
	{name: "rem", op: model.Rem, slots: "type=int", shape: "d s s"},
	{name: "abs", op: model.Abs, slots: "type=s16|s32|s64", shape: "d s"},
	{name: "neg", op: model.Neg, slots: "type=s16|s32|s64", shape: "d s"},
	{name: "min", op: model.Min, slots: "type=int", shape: "d s s"},
	{name: "max", op: model.Max, slots: "type=int", shape: "d s s"},

	{name: "and", op: model.And, slots: "type=pred|b16|b32|b64", shape: "d s s"},
	{name: "or", op: model.Or, slots: "type=pred|b16|b32|b64", shape: "d s s"},
	{name: "xor", op: model.Xor, slots: "type=pred|b16|b32|b64", shape: "d s s"},
	{name: "not", op: model.Not, slots: "type=pred|b16|b32|b64", shape: "d s"},
	{name: "shl", op: model.Shl, slots: "type=bits", shape: "d s s:u32"},
	{name: "shr", op: model.Shr, slots: "type=b16|b32|b64|u16|u32|u64|s16|s32|s64", shape: "d s s:u32"},

	{name: "setp", op: model.SetP, slots: "cmp bool? ftz? type=b16|b32|b64|u16|u32|u64|s16|s32|s64|f16|bf16@78,90|f32|f64",
		shape: "dp s s s:pred?", fin: finCompare},
	{name: "setp", slots: "cmp bool? ftz? type=f16x2|bf16x2", why: "comparison of packed types is not modelled"},
	{name: "set", op: model.Set, slots: "cmp bool? ftz? type=u32|s32|f32 stype=plain",
		shape: "d s:stype s:stype s:pred?", fin: finCompare},
	{name: "selp", op: model.SelP, slots: "type=plain", shape: "d s s s:pred"},

	{name: "cvt", op: model.Cvt, slots: "rnd=crnd? ftz? sat? pzo=pzo@94,107f? type=number stype=number",
		shape: "d s:stype", wide: true, fin: finCvt},
	{name: "cvt", slots: "rnd=rn|rz|rs|rna? satfinite=satfinite? relu=relu? scaled=scaled::n2::ue8m0? sat? ftz? pzo=pzo? " +
		"type=f16x2|bf16x2|tf32|e4m3x2|e5m2x2|e2m1x2|e2m3x2|e3m2x2|ue8m0x2|f16|bf16|f32 " +
		"stype=f32|f16x2|bf16x2|f16|bf16|e4m3x2|e5m2x2|e2m1x2|e2m3x2|e3m2x2|ue8m0x2",
		why: "conversions of packed and 8-bit types, .relu and .satfinite are not modelled"},
	{name: "cvta", op: model.Cvta, slots: "to=to? space=global|shared|shared::cta@78|shared::cluster@78,90|const|param|param::entry type=ptr",
		shape: "d s", fin: finCvta},

	{name: "prmt", op: model.Prmt, slots: "type=b32", shape: "d s s s"},
	{name: "prmt", slots: "type=b32 mode=f4e|b4e|rc8|ecl|ecr|rc16", why: "only the default mode is modelled"},
	{name: "bfe", op: model.Bfe, slots: "type=u32|u64|s32|s64", shape: "d s s:u32 s:u32"},
	{name: "bfi", op: model.Bfi, slots: "type=b32|b64", shape: "d s s s:u32 s:u32"},
	{name: "popc", op: model.Popc, slots: "type=b32|b64", shape: "d:u32 s"},
	{name: "clz", op: model.Clz, slots: "type=b32|b64", shape: "d:u32 s"},
	{name: "lop3", op: model.Lop3, slots: "type=b32", shape: "d s s s i:u32", fin: finLop3},
	{name: "lop3", slots: "bool=or|and type=b32", why: "lop3 with a predicate operand is not modelled"},

	{name: "mapa", op: model.Mapa, slots: "space=shared::cluster? type=ptr", shape: "d s s:u32", need: "78,90"},
	{name: "getctarank", op: model.GetCTARank, slots: "space=shared::cluster? type=ptr", shape: "d:u32 s", need: "78,90"},
	{name: "isspacep", op: model.Isspacep, slots: "space=global|shared|shared::cta@78|shared::cluster@78,90|const|param|param::entry",
		shape: "d:pred s:u64"},
	{name: "isspacep", slots: "space=local", why: "local memory is not modelled"},
}

const carryReason = "the carry flag is not modelled; use 64-bit arithmetic"

// floatForms are the floating-point instructions (PTX ISA 9.7.3 to 9.7.5).
var floatForms = []form{
	{name: "add", op: model.Add, slots: "rnd=frnd? ftz? sat? type=f32", shape: "d s s"},
	{name: "add", op: model.Add, slots: "rnd=frnd? type=f64", shape: "d s s"},
	{name: "add", op: model.Add, slots: "rnd=rn? ftz? sat? type=f16|f16x2", shape: "d s s"},
	{name: "add", op: model.Add, slots: "rnd=rn? type=bf16@78,90|bf16x2@78,90", shape: "d s s"},
	{name: "sub", op: model.Sub, slots: "rnd=frnd? ftz? sat? type=f32", shape: "d s s"},
	{name: "sub", op: model.Sub, slots: "rnd=frnd? type=f64", shape: "d s s"},
	{name: "sub", op: model.Sub, slots: "rnd=rn? ftz? sat? type=f16|f16x2", shape: "d s s"},
	{name: "sub", op: model.Sub, slots: "rnd=rn? type=bf16@78,90|bf16x2@78,90", shape: "d s s"},
	{name: "mul", op: model.Mul, slots: "rnd=frnd? ftz? sat? type=f32", shape: "d s s"},
	{name: "mul", op: model.Mul, slots: "rnd=frnd? type=f64", shape: "d s s"},
	{name: "mul", op: model.Mul, slots: "rnd=rn? ftz? sat? type=f16|f16x2", shape: "d s s"},
	{name: "mul", op: model.Mul, slots: "rnd=rn? type=bf16@78,90|bf16x2@78,90", shape: "d s s"},
	{name: "fma", op: model.FMA, slots: "rnd=frnd ftz? sat? type=f32", shape: "d s s s"},
	{name: "fma", op: model.FMA, slots: "rnd=frnd type=f64", shape: "d s s s"},
	{name: "fma", op: model.FMA, slots: "rnd=rn ftz? sat? type=f16|f16x2", shape: "d s s s"},
	{name: "fma", op: model.FMA, slots: "rnd=rn type=bf16@70,80|bf16x2@70,80", shape: "d s s s"},
	{name: "fma", slots: "rnd=rn ftz? relu=relu|oob type=half", why: "fma.relu and fma.oob are not modelled"},
	// mad of floating-point types is fma on every target that has scopes.
	{name: "mad", op: model.FMA, slots: "rnd=frnd ftz? sat? type=f32", shape: "d s s s"},
	{name: "mad", op: model.FMA, slots: "rnd=frnd type=f64", shape: "d s s s"},

	{name: "abs", op: model.Abs, slots: "ftz? type=f32", shape: "d s"},
	{name: "abs", op: model.Abs, slots: "type=f64", shape: "d s"},
	{name: "abs", op: model.Abs, slots: "ftz? type=f16|f16x2", shape: "d s"},
	{name: "abs", op: model.Abs, slots: "type=bf16@70,80|bf16x2@70,80", shape: "d s"},
	{name: "neg", op: model.Neg, slots: "ftz? type=f32", shape: "d s"},
	{name: "neg", op: model.Neg, slots: "type=f64", shape: "d s"},
	{name: "neg", op: model.Neg, slots: "ftz? type=f16|f16x2", shape: "d s"},
	{name: "neg", op: model.Neg, slots: "type=bf16@70,80|bf16x2@70,80", shape: "d s"},
	{name: "min", op: model.Min, slots: "ftz? nan? type=f32", shape: "d s s"},
	{name: "min", op: model.Min, slots: "type=f64", shape: "d s s"},
	{name: "min", op: model.Min, slots: "ftz? nan? type=f16|f16x2", shape: "d s s"},
	{name: "min", op: model.Min, slots: "nan? type=bf16@70,80|bf16x2@70,80", shape: "d s s"},
	{name: "min", slots: minMaxMore, why: minMaxReason},
	{name: "max", op: model.Max, slots: "ftz? nan? type=f32", shape: "d s s"},
	{name: "max", op: model.Max, slots: "type=f64", shape: "d s s"},
	{name: "max", op: model.Max, slots: "ftz? nan? type=f16|f16x2", shape: "d s s"},
	{name: "max", op: model.Max, slots: "nan? type=bf16@70,80|bf16x2@70,80", shape: "d s s"},
	{name: "max", slots: minMaxMore, why: minMaxReason},
}

const (
	minMaxMore   = "ftz? nan? x=xorsign? a=abs? relu=relu? type=f32|f16|f16x2|bf16|bf16x2|u16x2|s16x2|s32"
	minMaxReason = ".xorsign.abs, .relu and 16x2 integer types are not modelled"
)
