package ptx

import (
	"testing"

	"ptxmc/memmodel"
	"ptxmc/model"
)

func TestMemory(t *testing.T) {
	ld := func(typ model.Type, space model.Space) model.Instr {
		return model.Instr{Op: model.Ld, Type: typ, Space: space, Vec: 1}
	}
	with := func(in model.Instr, f func(*model.Instr)) model.Instr { f(&in); return in }
	strong := func(in model.Instr, sem memmodel.Sem, scope memmodel.Scope) model.Instr {
		in.Sem, in.Scope = sem, scope
		return in
	}
	st := func(typ model.Type, space model.Space) model.Instr {
		return model.Instr{Op: model.St, Type: typ, Space: space, Vec: 1}
	}
	atom := func(op model.AtomOp, typ model.Type, space model.Space) model.Instr {
		return model.Instr{Op: model.Atom, AtomOp: op, Type: typ, Space: space, Vec: 1, Sem: memmodel.Relaxed, Scope: memmodel.GPU}
	}
	volatile := func(in model.Instr) model.Instr {
		in.Volatile = true
		return strong(in, memmodel.Relaxed, memmodel.Sys)
	}
	checkInstrs(t, []instrCase{
		{"ld.u32 r1, [d1];", "r1 <- [d1]", ld(model.U32, model.GenericSpace)},
		{"ld.global.b8 r1, [d1+-4];", "r1 <- [d1-4]", ld(model.B8, model.GlobalSpace)},
		{"ld.param.u64 d1, [a];", "d1 <- [param#0]", ld(model.U64, model.ParamSpace)},
		{"ld.param::entry.u32 r1, [b+0];", "r1 <- [param#8]", ld(model.U32, model.ParamSpace)},
		{"ld.const.u32 r1, [cv];", "r1 <- [const#1]", ld(model.U32, model.ConstSpace)},
		{"ld.u32 r1, [gv+4];", "r1 <- [global#0+4]", ld(model.U32, model.GlobalSpace)},
		{"ld.acquire.gpu.global.b32 r1, [d1];", "r1 <- [d1]", strong(ld(model.B32, model.GlobalSpace), memmodel.Acquire, memmodel.GPU)},
		{"ld.global.acquire.gpu.b32 r1, [d1];", "r1 <- [d1]", strong(ld(model.B32, model.GlobalSpace), memmodel.Acquire, memmodel.GPU)},
		{"ld.relaxed.cluster.shared::cluster.u64 d1, [r1];", "d1 <- [r1]", strong(ld(model.U64, model.SharedCluster), memmodel.Relaxed, memmodel.Cluster)},
		{"ld.volatile.shared.u32 r1, [dyn+8];", "r1 <- [shared::cta#96+8]", volatile(ld(model.U32, model.SharedCTA))},
		{"ld.global.cv.u32 r1, [d1];", "r1 <- [d1]", volatile(ld(model.U32, model.GlobalSpace))},
		{"ld.mmio.relaxed.sys.global.u32 r1, [d1];", "r1 <- [d1]",
			with(strong(ld(model.U32, model.GlobalSpace), memmodel.Relaxed, memmodel.Sys), func(in *model.Instr) { in.MMIO = true })},
		{"ld.global.nc.L1::no_allocate.L2::128B.v4.u32 {r1, r2, _, r4}, [d1];", "r1 r2 _ r4 <- [d1]",
			with(ld(model.U32, model.GlobalSpace), func(in *model.Instr) { in.NC, in.Vec = true, 4 })},
		{"ld.global.L2::cache_hint.v2.b64 {d1, d2}, [d3], d4;", "d1 d2 <- [d3]",
			with(ld(model.B64, model.GlobalSpace), func(in *model.Instr) { in.Vec = 2 })},
		{"ld.global.v8.b32 {r1, r2, r3, r4, r5, r6, r7, _}, [d1];", "r1 r2 r3 r4 r5 r6 r7 _ <- [d1]",
			with(ld(model.B32, model.GlobalSpace), func(in *model.Instr) { in.Vec = 8 })},
		{"ld.relaxed.gpu.global.b128 x1, [d1];", "x1 <- [d1]", strong(ld(model.B128, model.GlobalSpace), memmodel.Relaxed, memmodel.GPU)},
		{"ld.shared.u16 d1, [16];", "d1 <- [0x10]", ld(model.U16, model.SharedCTA)},
		{"st.release.sys.global.u32 [d1], 5;", "<- 0x5 [d1]", strong(st(model.U32, model.GlobalSpace), memmodel.Release, memmodel.Sys)},
		{"st.shared::cta.v2.f32 [tile], {f1, 1.0};", "<- f1 0x3f800000 [shared::cta#16]",
			with(st(model.F32, model.SharedCTA), func(in *model.Instr) { in.Vec = 2 })},
		{"st.weak.global.cs.b8 [d1], r1;", "<- r1 [d1]", st(model.B8, model.GlobalSpace)},
		{"atom.global.add.u32 r1, [d1], 1;", "r1 <- 0x1 [d1]", atom(model.AtomAdd, model.U32, model.GlobalSpace)},
		{"atom.acq_rel.cta.shared.cas.b32 r1, [bar], r2, r3;", "r1 <- r2 r3 [shared::cta#0]",
			strong(atom(model.AtomCAS, model.B32, model.SharedCTA), memmodel.AcqRel, memmodel.CTA)},
		{"atom.exch.b128 x1, [d1], x2;", "x1 <- x2 [d1]", atom(model.AtomExch, model.B128, model.GenericSpace)},
		{"atom.add.noftz.f16x2 _, [d1], r1;", "_ <- r1 [d1]", atom(model.AtomAdd, model.F16x2, model.GenericSpace)},
		{"atom.add.release.gpu.global.L2::cache_hint.u64 d1, [d2], d3, d4;", "d1 <- d3 [d2]",
			strong(atom(model.AtomAdd, model.U64, model.GlobalSpace), memmodel.Release, memmodel.GPU)},
		{"red.release.gpu.global.max.s64 [d1], -1;", "<- 0xffffffffffffffff [d1]",
			model.Instr{Op: model.Red, AtomOp: model.AtomMax, Type: model.S64, Space: model.GlobalSpace, Vec: 1, Sem: memmodel.Release, Scope: memmodel.GPU}},
		{"prefetch.global.L2 [d1];", "<-", model.Instr{}},
		{"discard.global.L2 [d1], 128;", "<-", model.Instr{}},
		{"createpolicy.fractional.L2::evict_first.b64 d1, 1.0;", "d1 <- 0x0", model.Instr{Op: model.Mov, Type: model.B64}},
	})
}

func TestBulkCopy(t *testing.T) {
	bulk := func(dst model.Space, r model.ReportMechanism) model.Instr {
		return model.Instr{Op: model.BulkCopy, Bulk: model.BulkForm{DstSpace: dst, SrcSpace: model.GlobalSpace, Report: r}}
	}
	relaxed := func(in model.Instr, scope memmodel.Scope) model.Instr {
		in.Sem, in.Scope, in.Type = memmodel.Relaxed, scope, model.B128
		return in
	}
	const tx = "mbarrier::complete_tx::bytes"
	cases := []instrCase{
		{"cp.async.bulk.shared::cluster.global." + tx + " [r1], [d1], r2, [r3];", "<- r2 [r1] [d1] [r3]", bulk(model.SharedCluster, 0)},
		{"cp.async.bulk.shared::cta.global." + tx + ".L2::cache_hint [tile], [d1+16], 64, [bar], d2;",
			"<- 0x40 [shared::cta#16] [d1+16] [shared::cta#0]", bulk(model.SharedCTA, 0)},
		{"cp.async.bulk.relaxed.gpu.shared::cta.global." + tx + ".b128 [tile], [d1], 64, [bar];",
			"<- 0x40 [shared::cta#16] [d1] [shared::cta#0]", relaxed(bulk(model.SharedCTA, 0), memmodel.GPU)},
		// A report without .relaxed is legal.
		{"cp.async.bulk.shared::cta.global." + tx + ".mbarrier::report::validity::per_element::ff [tile], [gv], 64, [bar];",
			"<- 0x40 [shared::cta#16] [global#0] [shared::cta#0]", bulk(model.SharedCTA, model.ReportPerElementFF)},
	}
	for suffix, r := range reports {
		cases = append(cases, instrCase{"cp.async.bulk.relaxed.sys.shared::cta.global." + tx + "." + suffix + ".b128 [r1], [d1], 16, [r2];",
			"<- 0x10 [r1] [d1] [r2]", relaxed(bulk(model.SharedCTA, r), memmodel.Sys)})
	}
	checkInstrs(t, cases)
}

func TestCopies(t *testing.T) {
	const tx = "mbarrier::complete_tx::bytes"
	copyOf := func(f func(*model.Instr)) model.Instr {
		in := model.Instr{Op: model.BulkCopy, Bulk: model.BulkForm{DstSpace: model.SharedCluster, SrcSpace: model.GlobalSpace}}
		f(&in)
		return in
	}
	out := func(f func(*model.Instr)) model.Instr {
		in := model.Instr{Op: model.BulkCopy, Bulk: model.BulkForm{DstSpace: model.GlobalSpace, SrcSpace: model.SharedCTA, Completion: model.CompleteBulkGroup}}
		f(&in)
		return in
	}
	reduce := func(op model.AtomOp, typ model.Type, scope memmodel.Scope) func(*model.Instr) {
		return func(in *model.Instr) {
			in.Bulk.Reduce, in.Type, in.Sem, in.Scope = op, typ, memmodel.Relaxed, scope
		}
	}
	small := model.Instr{Op: model.CopyAsync, Bulk: model.BulkForm{DstSpace: model.SharedCTA, SrcSpace: model.GlobalSpace, Completion: model.CompleteBulkGroup}}
	group := func(op model.Op, g model.GroupForm) model.Instr { return model.Instr{Op: op, Group: g} }
	checkInstrs(t, []instrCase{
		{"cp.async.bulk.shared::cluster.global." + tx + ".multicast::cluster.L2::cache_hint [r1], [d1], r2, [r3], h1, d2;", "<- r2 h1 [r1] [d1] [r3]",
			copyOf(func(in *model.Instr) { in.Bulk.Multicast = true })},
		{"cp.async.bulk.shared::cluster.global." + tx + ".multicast::cluster::32b [r1], [d1], 16, [r3], r4;", "<- 0x10 r4 [r1] [d1] [r3]",
			copyOf(func(in *model.Instr) { in.Bulk.Multicast = true })},
		{"cp.async.bulk.shared::cta.global." + tx + ".ignore_oob [r1], [d1], 16, 3, r2, [r3];", "<- 0x10 0x3 r2 [r1] [d1] [r3]",
			copyOf(func(in *model.Instr) { in.Bulk.DstSpace, in.Bulk.IgnoreOOB = model.SharedCTA, true })},
		{"cp.async.bulk.global.shared::cta.bulk_group [d1], [tile], 32;", "<- 0x20 [d1] [shared::cta#16]", out(func(*model.Instr) {})},
		{"cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.cp_mask [d1], [tile], 32, d2, h1;", "<- 0x20 h1 [d1] [shared::cta#16]",
			out(func(in *model.Instr) { in.Bulk.ByteMask = true })},
		{"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [d1], [r1], r2;", "<- r2 [d1] [r1]", out(reduce(model.AtomAdd, model.U32, memmodel.Sys))},
		{"cp.reduce.async.bulk.relaxed.gpu.global.shared::cta.bulk_group.L2::cache_hint.add.noftz.bf16 [d1], [r1], r2, d2;", "<- r2 [d1] [r1]",
			out(reduce(model.AtomAdd, model.BF16, memmodel.GPU))},
		{"cp.reduce.async.bulk.shared::cluster.shared::cta." + tx + ".min.s32 [r1], [r2], 16, [r3];", "<- 0x10 [r1] [r2] [r3]",
			copyOf(func(in *model.Instr) {
				in.Bulk.SrcSpace = model.SharedCTA
				reduce(model.AtomMin, model.S32, memmodel.Sys)(in)
			})},
		{"cp.async.bulk.tensor.2d.shared::cta.global.tile." + tx + " [tile], [d1, {r1, -1}], [bar];", "<- r1 0xffffffff [shared::cta#16] [d1] [shared::cta#0]",
			copyOf(func(in *model.Instr) { in.Bulk.DstSpace, in.Bulk.Dims = model.SharedCTA, 2 })},
		{"cp.async.bulk.tensor.1d.shared::cluster.global." + tx + ".multicast::cluster.cta_group::2 [r1], [d1, {r2}], [r3], h1;", "<- r2 h1 [r1] [d1] [r3]",
			copyOf(func(in *model.Instr) { in.Bulk.Dims, in.Bulk.Multicast, in.Bulk.Pair = 1, true, true })},
		{"cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [d1, {r1, r2, r3}], [r4];", "<- r1 r2 r3 [d1] [r4]",
			out(func(in *model.Instr) { in.Bulk.Dims = 3 })},
		{"cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.tile.bulk_group [d1, {r1}], [r4];", "<- r1 [d1] [r4]",
			out(func(in *model.Instr) {
				in.Bulk.Dims = 1
				reduce(model.AtomAdd, model.NoType, memmodel.GPU)(in)
			})},
		{"cp.async.bulk.prefetch.tensor.2d.L2.global [d1, {r1, r2}];", "<-", model.Instr{Bulk: model.BulkForm{}}},
		{"cp.async.ca.shared.global [tile], [d1], 4;", "<- 0x4 [shared::cta#16] [d1]", small},
		{"cp.async.cg.shared::cta.global.L2::cache_hint.L2::128B [r1+16], [gv], 16, r2, d2;", "<- 0x10 r2 [r1+16] [global#0]", small},
		{"cp.async.ca.shared.global [r1], [d1], 8, p;", "<- 0x8 p [r1] [d1]", small},
		{"cp.async.commit_group;", "<-", group(model.CopyCommit, model.GroupForm{})},
		{"cp.async.wait_group 1;", "<- 0x1", group(model.CopyWait, model.GroupForm{})},
		{"cp.async.wait_all;", "<- 0x0", group(model.CopyWait, model.GroupForm{All: true})},
		{"cp.async.bulk.commit_group;", "<-", group(model.CopyCommit, model.GroupForm{Bulk: true})},
		{"cp.async.bulk.wait_group.read 2;", "<- 0x2", group(model.CopyWait, model.GroupForm{Bulk: true, Read: true})},
		{"cp.async.mbarrier.arrive.noinc.shared::cta.b64 [bar];", "<- [shared::cta#0]",
			model.Instr{Op: model.CopyArrive, Type: model.B64, Space: model.SharedCTA, Group: model.GroupForm{NoInc: true}}},
	})
}
