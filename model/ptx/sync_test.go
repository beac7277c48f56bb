package ptx

import (
	"testing"

	"ptxmc/memmodel"
	"ptxmc/model"
)

func TestSync(t *testing.T) {
	fence := func(sem memmodel.Sem, scope memmodel.Scope) model.Instr {
		return model.Instr{Op: model.Fence, Sem: sem, Scope: scope}
	}
	restricted := func(sem memmodel.Sem, space model.Space) model.Instr {
		return model.Instr{Op: model.Fence, Sem: sem, Scope: memmodel.Cluster, SyncRestrict: space}
	}
	oneWay := func(sem memmodel.Sem, space model.Space) model.Instr {
		return model.Instr{Op: model.FenceProxy, Scope: memmodel.Cluster, SyncRestrict: space, ProxyFence: model.ProxyFence{Proxy: memmodel.Async, Sem: sem, Space: space}}
	}
	proxy := func(space model.Space) model.Instr {
		return model.Instr{Op: model.FenceProxy, ProxyFence: model.ProxyFence{Proxy: memmodel.Async, Space: space}}
	}
	checkInstrs(t, []instrCase{
		{"fence.gpu;", "<-", fence(memmodel.AcqRel, memmodel.GPU)},
		{"fence.acq_rel.cluster;", "<-", fence(memmodel.AcqRel, memmodel.Cluster)},
		{"fence.cluster.acq_rel;", "<-", fence(memmodel.AcqRel, memmodel.Cluster)},
		{"fence.sc.sys;", "<-", fence(memmodel.SC, memmodel.Sys)},
		{"fence.acquire.cta;", "<-", fence(memmodel.Acquire, memmodel.CTA)},
		{"membar.gl;", "<-", fence(memmodel.SC, memmodel.GPU)},
		{"membar.cta;", "<-", fence(memmodel.SC, memmodel.CTA)},
		{"fence.acquire.sync_restrict::shared::cluster.cluster;", "<-", restricted(memmodel.Acquire, model.SharedCluster)},
		{"fence.release.sync_restrict::shared::cta.cluster;", "<-", restricted(memmodel.Release, model.SharedCTA)},
		{"fence.mbarrier_init.release.cluster;", "<-", model.Instr{Op: model.FenceMBarrierInit, Sem: memmodel.Release, Scope: memmodel.Cluster}},
		{"fence.proxy.async;", "<-", proxy(model.GenericSpace)},
		{"fence.proxy.async.shared::cta;", "<-", proxy(model.SharedCTA)},
		{"fence.proxy.async.global;", "<-", proxy(model.GlobalSpace)},
		{"membar.proxy.async.shared::cluster;", "<-", proxy(model.SharedCluster)},
		{"fence.proxy.alias;", "<-", model.Instr{Op: model.FenceProxy, ProxyFence: model.ProxyFence{Alias: true}}},
		{"fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;", "<-", oneWay(memmodel.Release, model.SharedCTA)},
		{"fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;", "<-", oneWay(memmodel.Acquire, model.SharedCluster)},
		{"bar.sync 0;", "<- 0x0", model.Instr{Op: model.BarSync, Aligned: true}},
		{"bar.cta.sync 1, 64;", "<- 0x1 0x40", model.Instr{Op: model.BarSync, Aligned: true}},
		{"bar.arrive r1, 64;", "<- r1 0x40", model.Instr{Op: model.BarArrive, Aligned: true}},
		{"barrier.sync 0, r1;", "<- 0x0 r1", model.Instr{Op: model.BarSync}},
		{"barrier.cta.arrive.aligned 3, 32;", "<- 0x3 0x20", model.Instr{Op: model.BarArrive, Aligned: true}},
		{"bar.warp.sync -1;", "<- 0xffffffff", model.Instr{Op: model.WarpSync}},
		{"elect.sync _|p, 0xffffffff;", "_ p <- 0xffffffff", model.Instr{Op: model.Elect}},
		{"elect.sync r1|p, r2;", "r1 p <- r2", model.Instr{Op: model.Elect}},
		{"bar.red.popc.u32 r1, 0, p;", "r1 <- 0x0 p", model.Instr{Op: model.BarRed, Type: model.U32, Aligned: true}},
		{"barrier.cta.red.and.pred p, 1, 64, !q;", "p <- 0x1 0x40 !q", model.Instr{Op: model.BarRed, Type: model.Pred, AtomOp: model.AtomAnd}},
		{"shfl.sync.up.b32 r1|p, r2, 1, 0, -1;", "r1 p <- r2 0x1 0x0 0xffffffff", model.Instr{Op: model.WarpOp, Warp: model.ShflUp, Type: model.B32}},
		{"shfl.sync.idx.b32 r1, r2, r3, 31, 3;", "r1 <- r2 r3 0x1f 0x3", model.Instr{Op: model.WarpOp, Warp: model.ShflIdx, Type: model.B32}},
		{"vote.sync.uni.pred p, !q, 3;", "p <- !q 0x3", model.Instr{Op: model.WarpOp, Warp: model.VoteUni, Type: model.Pred}},
		{"vote.sync.ballot.b32 r1, p, 3;", "r1 <- p 0x3", model.Instr{Op: model.WarpOp, Warp: model.VoteBallot, Type: model.B32}},
		{"match.any.sync.b64 r1, d1, 3;", "r1 <- d1 0x3", model.Instr{Op: model.WarpOp, Warp: model.MatchAny, Type: model.B64}},
		{"match.all.sync.b32 _|p, r1, 3;", "_ p <- r1 0x3", model.Instr{Op: model.WarpOp, Warp: model.MatchAll, Type: model.B32}},
		{"redux.sync.min.s32 r1, r2, 3;", "r1 <- r2 0x3", model.Instr{Op: model.WarpOp, Warp: model.Redux, Type: model.S32, AtomOp: model.AtomMin}},
		{"activemask.b32 r1;", "r1 <-", model.Instr{Op: model.ActiveMask, Type: model.B32}},
		{"nanosleep.u32 20;", "<- 0x14", model.Instr{Op: model.Nanosleep, Type: model.U32}},
		{"trap;", "<-", model.Instr{Op: model.Trap}},
		{"exit;", "<-", model.Instr{Op: model.Ret}},
		{"ret.uni;", "<-", model.Instr{Op: model.Ret}},
		{"bra.uni L;", "<-", model.Instr{Op: model.Bra, Target: 1}},
		{"griddepcontrol.wait;", "<-", model.Instr{Op: model.GridDepWait}},
		{"griddepcontrol.launch_dependents;", "<-", model.Instr{Op: model.LaunchDependents}},
	})
}

func TestMBarrier(t *testing.T) {
	own := model.SharedCTA
	mb := func(sem memmodel.Sem, scope memmodel.Scope, space model.Space, f model.MBarForm) model.Instr {
		return model.Instr{Op: model.MBarrier, Type: model.B64, Sem: sem, Scope: scope, Space: space, MBar: f}
	}
	weak, none := memmodel.Weak, memmodel.ScopeNone
	rel, acq, rlx := memmodel.Release, memmodel.Acquire, memmodel.Relaxed
	cta, cluster := memmodel.CTA, memmodel.Cluster
	checkInstrs(t, []instrCase{
		{"mbarrier.init.shared.b64 [bar], 2;", "<- 0x2 [shared::cta#0]", mb(weak, none, own, model.MBarForm{})},
		{"mbarrier.init.b64 [bar], 2;", "<- 0x2 [shared::cta#0]", mb(weak, none, own, model.MBarForm{})},
		{"mbarrier.init.layout::v1.shared::cta.b64 [r1+8], r2;", "<- r2 [r1+8]", mb(weak, none, own, model.MBarForm{Layout: 1})},
		{"mbarrier.inval.shared.b64 [bar];", "<- [shared::cta#0]", mb(weak, none, own, model.MBarForm{Op: model.MBarInval})},
		{"mbarrier.expect_tx.b64 [d1], 32;", "<- 0x20 [d1]", mb(rlx, cta, 0, model.MBarForm{Op: model.MBarExpectTx})},
		{"mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [r1], r2;", "<- r2 [r1]", mb(rlx, cluster, model.SharedCluster, model.MBarForm{Op: model.MBarCompleteTx})},
		{"mbarrier.arrive.shared.b64 d1, [bar];", "d1 <- [shared::cta#0]", mb(rel, cta, own, model.MBarForm{Op: model.MBarArrive})},
		{"mbarrier.arrive.release.cluster.shared::cluster.b64 _, [r1], 3;", "_ <- 0x3 [r1]", mb(rel, cluster, model.SharedCluster, model.MBarForm{Op: model.MBarArrive})},
		{"mbarrier.arrive.relaxed.cta.b64 d1, [d2], r1;", "d1 <- r1 [d2]", mb(rlx, cta, 0, model.MBarForm{Op: model.MBarArrive})},
		{"mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 512;", "_ <- 0x200 [shared::cta#0]", mb(rel, cta, own, model.MBarForm{Op: model.MBarArrive, ExpectTx: true})},
		{"mbarrier.arrive.noComplete.release.cta.shared.b64 d1, [bar], 2;", "d1 <- 0x2 [shared::cta#0]", mb(rel, cta, own, model.MBarForm{Op: model.MBarArrive, NoComplete: true})},
		{"mbarrier.arrive_drop.shared::cta.release.cluster.b64 _, [r1], r2;", "_ <- r2 [r1]", mb(rel, cluster, own, model.MBarForm{Op: model.MBarArriveDrop})},
		{"mbarrier.arrive_drop.expect_tx.relaxed.cluster.shared::cta.b64 d1, [r1], r2;", "d1 <- r2 [r1]", mb(rlx, cluster, own, model.MBarForm{Op: model.MBarArriveDrop, ExpectTx: true})},
		{"mbarrier.test_wait.shared.b64 p, [bar], d1;", "p <- d1 [shared::cta#0]", mb(acq, cta, own, model.MBarForm{Op: model.MBarTestWait})},
		{"mbarrier.test_wait.parity.shared::cta.b64 p, [bar], 1;", "p <- 0x1 [shared::cta#0]", mb(acq, cta, own, model.MBarForm{Op: model.MBarTestWait, Parity: true})},
		{"mbarrier.test_wait.phase_type::primary.shared::cta.b64 p|q, v, [bar], d1;", "p q v <- d1 [shared::cta#0]", mb(acq, cta, own, model.MBarForm{Op: model.MBarTestWait, Typed: true})},
		{"mbarrier.try_wait.parity.phase_type::primary.relaxed.cluster.shared::cta.b64 p|q, [bar], r1, 100;", "p q <- r1 0x64 [shared::cta#0]",
			mb(rlx, cluster, own, model.MBarForm{Op: model.MBarTryWait, Parity: true, Typed: true})},
		{"mbarrier.try_wait.parity.phase_type::conditional.acquire.cta.b64 p, [d1], r1, r2;", "p <- r1 r2 [d1]",
			mb(acq, cta, 0, model.MBarForm{Op: model.MBarTryWait, Parity: true, Typed: true, PhaseType: model.PhaseConditional})},
		{"mbarrier.try_wait.b64 p, [d1], d2, 7;", "p <- d2 0x7 [d1]", mb(acq, cta, 0, model.MBarForm{Op: model.MBarTryWait})},
		{"mbarrier.pending_count.layout::v0.b64 r1, d1;", "r1 <- d1", mb(weak, none, 0, model.MBarForm{Op: model.MBarPendingCount})},
		{"mbarrier.check_layout.layout::v1.shared::cta.b64 p, [bar];", "p <- [shared::cta#0]", mb(weak, none, own, model.MBarForm{Op: model.MBarCheckLayout, Layout: 1})},
	})
}
