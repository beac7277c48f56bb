package ptx

import "ptxmc/model"

// syncForms are control flow, fences, barriers and programmatic launch (PTX ISA 9.7.12, 9.7.15).
var syncForms = []form{
	{name: "bra", op: model.Bra, slots: "uni=uni?", shape: "label"},
	{name: "ret", op: model.Ret, slots: "uni=uni?"},
	{name: "exit", op: model.Ret},
	{name: "trap", op: model.Trap},
	{name: "nanosleep", op: model.Nanosleep, slots: "type=u32", shape: "s", need: "63,70"},

	{name: "fence", op: model.Fence, slots: "sem=sc|acq_rel|acquire@86,90|release@86,90? scope", need: "60,70", pre: preFence},
	{name: "fence", op: model.Fence, slots: "sem=acquire sr=sync_restrict::shared::cluster scope=cluster", need: "86,90", pre: preFence,
		notes: restrictNotes},
	{name: "fence", op: model.Fence, slots: "sem=release sr=sync_restrict::shared::cta scope=cluster", need: "86,90", pre: preFence,
		notes: restrictNotes},
	{name: "fence.mbarrier_init", op: model.FenceMBarrierInit, slots: "sem=release scope=cluster", need: "80,90"},
	{name: "fence.proxy.async", op: model.FenceProxy, slots: "pspace=global|shared::cta|shared::cluster?", need: "80,90", pre: preProxy,
		notes: map[string]string{"shared": "the proxy fence names the window: use .shared::cta or .shared::cluster"}},
	{name: "fence.proxy.async::generic", op: model.FenceProxy, slots: "psem=acquire sr=sync_restrict::shared::cluster scope=cluster", need: "86,90", pre: preProxy},
	{name: "fence.proxy.async::generic", op: model.FenceProxy, slots: "psem=release sr=sync_restrict::shared::cta scope=cluster", need: "86,90", pre: preProxy},
	{name: "fence.proxy.async::generic", slots: "psem=release sr=sync_restrict::shared::cluster::read scope=cluster",
		why: "the non-cumulative ::read fence is not modelled"},
	{name: "fence.proxy.alias", op: model.FenceProxy, need: "75,70", pre: preAlias},
	{name: "membar.proxy.async", op: model.FenceProxy, slots: "pspace=global|shared::cta|shared::cluster?", need: "80,90", pre: preProxy},
	{name: "membar.proxy.alias", op: model.FenceProxy, need: "75,70", pre: preAlias},
	{name: "membar", op: model.Fence, slots: "level=cta|gl|sys", pre: preMembar,
		notes: map[string]string{"gpu": "membar calls this level .gl"}},

	{name: "bar.sync", op: model.BarSync, shape: "s:u32 s:u32?", pre: preBar, fin: finBar},
	{name: "bar.cta.sync", op: model.BarSync, shape: "s:u32 s:u32?", need: "78", pre: preBar, fin: finBar},
	{name: "bar.arrive", op: model.BarArrive, shape: "s:u32 s:u32", pre: preBar, fin: finBar},
	{name: "bar.cta.arrive", op: model.BarArrive, shape: "s:u32 s:u32", need: "78", pre: preBar, fin: finBar},
	{name: "barrier.sync", op: model.BarSync, slots: "aligned=aligned?", shape: "s:u32 s:u32?", need: "60,30", fin: finBar},
	{name: "barrier.cta.sync", op: model.BarSync, slots: "aligned=aligned?", shape: "s:u32 s:u32?", need: "78,30", fin: finBar},
	{name: "barrier.arrive", op: model.BarArrive, slots: "aligned=aligned?", shape: "s:u32 s:u32", need: "60,30", fin: finBar},
	{name: "barrier.cta.arrive", op: model.BarArrive, slots: "aligned=aligned?", shape: "s:u32 s:u32", need: "78,30", fin: finBar},

	{name: "griddepcontrol.launch_dependents", op: model.LaunchDependents, need: "78,90"},
	{name: "griddepcontrol.wait", op: model.GridDepWait, need: "78,90"},

	{name: "clusterlaunchcontrol.try_cancel.async", op: model.TryCancel, slots: "space=shared::cta? done=mbarrier::complete_tx::bytes type=b128",
		shape: "m m", need: "86,100"},
	{name: "clusterlaunchcontrol.try_cancel.async", slots: "space=shared::cta? done=mbarrier::complete_tx::bytes mc=multicast::cluster::all type=b128",
		why: "the response to every CTA of a cluster is not modelled; let one CTA ask and tell the others"},
	{name: "clusterlaunchcontrol.query_cancel.is_canceled", op: model.IsCanceled, slots: "d=pred type=b128", shape: "d:pred s", need: "86,100"},
	{name: "clusterlaunchcontrol.query_cancel.get_first_ctaid", op: model.FirstCTAID, slots: "v=v4 d=b32 type=b128", shape: "dv:b32 s", need: "86,100", pre: preFirstCTAID},
	{name: "clusterlaunchcontrol.query_cancel", op: model.FirstCTAID, slots: "dim=get_first_ctaid::x|get_first_ctaid::y|get_first_ctaid::z d=b32 type=b128",
		shape: "d:b32 s", need: "86,100", pre: preFirstCTAID},
}

var restrictNotes = map[string]string{
	"sync_restrict::shared::cta":     ".sync_restrict::shared::cta goes with .release",
	"sync_restrict::shared::cluster": ".sync_restrict::shared::cluster goes with .acquire",
	"cta":                            "a restricted fence has scope .cluster",
	"gpu":                            "a restricted fence has scope .cluster",
	"sys":                            "a restricted fence has scope .cluster",
}

// warpForms are the instructions in which the lanes of a warp or the threads of a CTA exchange values (PTX
// ISA 9.7.9 shfl.sync; 9.7.15 bar.red, vote.sync, match.sync, activemask, redux.sync, elect.sync).
var warpForms = []form{
	{name: "bar.red", op: model.BarRed, slots: "red=popc type=u32", shape: "d s:u32 s:u32? s:pred", pre: preBarRed, fin: finBarRed},
	{name: "bar.red", op: model.BarRed, slots: "red=and|or type=pred", shape: "d s:u32 s:u32? s:pred", pre: preBarRed, fin: finBarRed},
	{name: "bar.cta.red", op: model.BarRed, slots: "red=popc type=u32", shape: "d s:u32 s:u32? s:pred", need: "78", pre: preBarRed, fin: finBarRed},
	{name: "bar.cta.red", op: model.BarRed, slots: "red=and|or type=pred", shape: "d s:u32 s:u32? s:pred", need: "78", pre: preBarRed, fin: finBarRed},
	{name: "barrier.red", op: model.BarRed, slots: "red=popc aligned=aligned? type=u32", shape: "d s:u32 s:u32? s:pred", need: "60,30", pre: preBarRed, fin: finBarRed},
	{name: "barrier.red", op: model.BarRed, slots: "red=and|or aligned=aligned? type=pred", shape: "d s:u32 s:u32? s:pred", need: "60,30", pre: preBarRed, fin: finBarRed},
	{name: "barrier.cta.red", op: model.BarRed, slots: "red=popc aligned=aligned? type=u32", shape: "d s:u32 s:u32? s:pred", need: "78,30", pre: preBarRed, fin: finBarRed},
	{name: "barrier.cta.red", op: model.BarRed, slots: "red=and|or aligned=aligned? type=pred", shape: "d s:u32 s:u32? s:pred", need: "78,30", pre: preBarRed, fin: finBarRed},

	{name: "bar.warp.sync", op: model.WarpSync, shape: "s:b32", need: "60,30"},
	{name: "elect.sync", op: model.Elect, shape: "elect s:b32", need: "80,90"},
	{name: "shfl.sync", op: model.WarpOp, slots: "kind=up|down|bfly|idx type=b32", shape: "dq s s:b32 s:b32 s:b32", need: "60,30", pre: preWarp},
	{name: "vote.sync", op: model.WarpOp, slots: "kind=all|any|uni type=pred", shape: "d s s:b32", need: "60,30", pre: preWarp},
	{name: "vote.sync", op: model.WarpOp, slots: "kind=ballot type=b32", shape: "d s:pred s:b32", need: "60,30", pre: preWarp},
	{name: "match.any.sync", op: model.WarpOp, slots: "type=b32|b64", shape: "d:b32 s s:b32", need: "60,70", pre: preWarp},
	{name: "match.all.sync", op: model.WarpOp, slots: "type=b32|b64", shape: "dq:b32 s s:b32", need: "60,70", pre: preWarp},
	{name: "redux.sync", op: model.WarpOp, slots: "op=add|min|max type=u32|s32", shape: "d s s:b32", need: "70,80", pre: preWarp},
	{name: "redux.sync", op: model.WarpOp, slots: "op=and|or|xor type=b32", shape: "d s s:b32", need: "70,80", pre: preWarp},
	{name: "redux.sync", slots: "op=min|max a=abs? nan=NaN? type=f32", why: "redux.sync of floating-point values is not modelled; use shfl.sync"},
	{name: "activemask", op: model.ActiveMask, slots: "type=b32", shape: "d", need: "62,30"},
	{name: "setmaxnreg", op: model.Nop, slots: "action=inc|dec sync=sync aligned=aligned type=u32", shape: "i", need: "80,a", fin: finMaxNReg},
}

// mbarrierForms are the mbarrier instructions (PTX ISA 9.7.15.16).
var mbarrierForms = []form{
	{name: "mbarrier.init", op: model.MBarrier, slots: "layout=layout::v0@93,90|layout::v1@93,90? space=ownsm? type=b64",
		shape: "m s:u32", need: "70,80", pre: preMBar(model.MBarInit), notes: ownNotes},
	{name: "mbarrier.inval", op: model.MBarrier, slots: "space=ownsm? type=b64",
		shape: "m", need: "70,80", pre: preMBar(model.MBarInval), notes: ownNotes},
	{name: "mbarrier.expect_tx", op: model.MBarrier, slots: "sem=relaxed? scope=mscope? space=anysm? type=b64",
		shape: "m s:u32", need: "80,90", pre: preMBar(model.MBarExpectTx), notes: txNotes},
	{name: "mbarrier.complete_tx", op: model.MBarrier, slots: "sem=relaxed? scope=mscope? space=anysm? type=b64",
		shape: "m s:u32", need: "80,90", pre: preMBar(model.MBarCompleteTx), notes: txNotes},
	{name: "mbarrier.arrive", op: model.MBarrier, slots: arriveSlots,
		shape: "d_:b64 m s:u32?", need: "70,80", pre: preMBar(model.MBarArrive), fin: finArrive, notes: arriveNotes},
	{name: "mbarrier.arrive_drop", op: model.MBarrier, slots: arriveSlots,
		shape: "d_:b64 m s:u32?", need: "70,80", pre: preMBar(model.MBarArriveDrop), fin: finArrive, notes: arriveNotes},
	{name: "mbarrier.test_wait", op: model.MBarrier, slots: waitSlots,
		shape: "wait m s:b64", need: "70,80", pre: preMBar(model.MBarTestWait), fin: finWait, notes: waitNotes},
	{name: "mbarrier.try_wait", op: model.MBarrier, slots: waitSlots,
		shape: "wait m s:b64 s:u32?", need: "78,90", pre: preMBar(model.MBarTryWait), fin: finWait, notes: waitNotes},
	{name: "mbarrier.pending_count", op: model.MBarrier, slots: "layout=layout::v0@93,90? type=b64",
		shape: "d:u32 s:b64", need: "70,80", pre: preMBar(model.MBarPendingCount),
		notes: map[string]string{"layout::v1": "the pending count of a state can be read for layout v0 only"}},
	{name: "mbarrier.check_layout", op: model.MBarrier, slots: "layout=layout::v0|layout::v1 space=ownsm? type=b64",
		shape: "d:pred m", need: "93,90", pre: preMBar(model.MBarCheckLayout), notes: ownNotes},
}

const (
	arriveSlots = "tx=expect_tx@80,90? nocomplete=noComplete? sem=release@80|relaxed@86,90? scope=mscope? space=anysm? type=b64"
	waitSlots   = "parity=parity@71? phase=phase_type::primary@93,90|phase_type::conditional@93,90? sem=acquire@80|relaxed@86,90? scope=mscope? space=ownsm? type=b64"

	scopeNote     = "mbarrier operations have scope .cta or .cluster"
	multicastNote = "known to PTX but not modelled by this version; issue one operation per CTA"
)

var (
	ownNotes = map[string]string{
		"shared::cluster": "this operation works on objects of the executing CTA only; use .shared::cta",
	}
	txNotes = map[string]string{
		"gpu": scopeNote, "sys": scopeNote, "multicast::cluster::32b": multicastNote,
		"release": "tx operations order nothing; they are .relaxed", "acquire": "tx operations order nothing; they are .relaxed",
	}
	arriveNotes = map[string]string{
		"gpu": scopeNote, "sys": scopeNote, "multicast::cluster::32b": multicastNote,
		"acquire": "an arrive cannot acquire; use .release or .relaxed", "acq_rel": "an arrive cannot acquire; use .release or .relaxed",
		"parity": "only waits have .parity",
	}
	waitNotes = map[string]string{
		"gpu": scopeNote, "sys": scopeNote,
		"shared::cluster": "a thread can wait only on objects of its own CTA; use .shared::cta",
		"release":         "a wait cannot release; use .acquire or .relaxed", "acq_rel": "a wait cannot release; use .acquire or .relaxed",
	}
)
