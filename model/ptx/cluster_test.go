package ptx

import (
	"testing"

	"ptxmc/memmodel"
	"ptxmc/model"
)

func TestCluster(t *testing.T) {
	const tx = "mbarrier::complete_tx::bytes"
	arrive := model.Instr{Op: model.ClusterArrive, Sem: memmodel.Release, Scope: memmodel.Cluster}
	relaxed := model.Instr{Op: model.ClusterArrive, Sem: memmodel.Relaxed, Scope: memmodel.Cluster}
	wait := model.Instr{Op: model.ClusterWait, Sem: memmodel.Acquire, Scope: memmodel.Cluster}
	aligned := func(in model.Instr) model.Instr { in.Aligned = true; return in }
	bulk := model.Instr{Op: model.BulkCopy, Bulk: model.BulkForm{DstSpace: model.SharedCluster, SrcSpace: model.SharedCTA}}
	strong := bulk
	strong.Sem, strong.Scope, strong.Type = memmodel.Relaxed, memmodel.Cluster, model.B128
	store := func(typ model.Type, vec int) model.Instr {
		return model.Instr{Op: model.AsyncStore, Type: typ, Vec: vec, Space: model.SharedCluster}
	}
	red := func(op model.AtomOp, typ model.Type) model.Instr {
		return model.Instr{Op: model.AsyncRed, Type: typ, Vec: 1, AtomOp: op, Space: model.SharedCluster, Sem: memmodel.Relaxed, Scope: memmodel.Cluster}
	}
	release := func(in model.Instr, scope memmodel.Scope) model.Instr {
		in.Sem, in.Scope, in.Space = memmodel.Release, scope, model.GlobalSpace
		return in
	}
	weak := store(model.U32, 1)
	weak.Space = model.GenericSpace
	mmio := release(red(model.AtomAdd, model.S64), memmodel.Sys)
	mmio.MMIO = true
	checkInstrs(t, []instrCase{
		{"barrier.cluster.arrive;", "<-", arrive},
		{"barrier.cluster.arrive.release.aligned;", "<-", aligned(arrive)},
		{"barrier.cluster.arrive.relaxed;", "<-", relaxed},
		{"barrier.cluster.arrive.relaxed.aligned;", "<-", aligned(relaxed)},
		{"barrier.cluster.wait;", "<-", wait},
		{"barrier.cluster.wait.acquire.aligned;", "<-", aligned(wait)},
		{"cp.async.bulk.shared::cluster.shared::cta." + tx + " [r1], [tile], 64, [r2];", "<- 0x40 [r1] [shared::cta#16] [r2]", bulk},
		{"cp.async.bulk.relaxed.cluster.shared::cluster.shared::cta." + tx + ".b128 [r1], [tile], 64, [r2];",
			"<- 0x40 [r1] [shared::cta#16] [r2]", strong},
		{"st.async.shared::cluster." + tx + ".b32 [r1], r2, [r3];", "<- r2 [r1] [r3]", store(model.B32, 1)},
		{"st.async.weak.shared::cluster." + tx + ".v4.s32 [r1+16], {r2, r3, r4, 1}, [r3];", "<- r2 r3 r4 0x1 [r1+16] [r3]", store(model.S32, 4)},
		{"st.async.cluster.shared::cluster." + tx + ".v2.b64 [r1], {d2, d3}, [r3];", "<- d2 d3 [r1] [r3]", store(model.B64, 2)},
		{"st.async.shared::cluster." + tx + ".b128 [r1], x1, [r3];", "<- x1 [r1] [r3]", store(model.B128, 1)},
		{"st.async." + tx + ".u32 [d1], r2, [d3];", "<- r2 [d1] [d3]", weak},
		{"st.async.release.gpu.global.u32 [d1], r2;", "<- r2 [d1]", release(store(model.U32, 1), memmodel.GPU)},
		{"st.async.sys.release.global.f64 [d1], g2;", "<- g2 [d1]", release(store(model.F64, 1), memmodel.Sys)},
		{"red.async.relaxed.cluster.shared::cluster." + tx + ".min.s32 [r1], r2, [r3];", "<- r2 [r1] [r3]", red(model.AtomMin, model.S32)},
		{"red.async.relaxed.cluster.shared::cluster.xor.b32 [r1], 1, [r3];", "<- 0x1 [r1] [r3]", red(model.AtomXor, model.B32)},
		{"red.async.relaxed.cluster.shared::cluster." + tx + ".add.u64 [r1], d2, [r3];", "<- d2 [r1] [r3]", red(model.AtomAdd, model.U64)},
		{"red.async.release.gpu.global.add.u32 [d1], r2;", "<- r2 [d1]", release(red(model.AtomAdd, model.U32), memmodel.GPU)},
		{"red.async.mmio.release.sys.global.add.s64 [d1], d2;", "<- d2 [d1]", mmio},
		{"mapa.shared::cluster.u32 r1, bar, 3;", "r1 <- shared::cta#0 0x3", model.Instr{Op: model.Mapa, Type: model.U32, Space: model.SharedCluster}},
		{"mapa.shared::cluster.u32 r1, tile+16, r2;", "r1 <- shared::cta#16+16 r2", model.Instr{Op: model.Mapa, Type: model.U32, Space: model.SharedCluster}},
		{"mapa.shared::cluster.u64 d1, d2, r2;", "d1 <- d2 r2", model.Instr{Op: model.Mapa, Type: model.U64, Space: model.SharedCluster}},
		{"mapa.u64 d1, d2, r2;", "d1 <- d2 r2", model.Instr{Op: model.Mapa, Type: model.U64}},
		{"getctarank.shared::cluster.u32 r1, r2;", "r1 <- r2", model.Instr{Op: model.GetCTARank, Type: model.U32, Space: model.SharedCluster}},
		{"getctarank.shared::cluster.u32 r1, tile+8;", "r1 <- shared::cta#16+8", model.Instr{Op: model.GetCTARank, Type: model.U32, Space: model.SharedCluster}},
		{"getctarank.u64 r1, d2;", "r1 <- d2", model.Instr{Op: model.GetCTARank, Type: model.U64}},
	})
}
