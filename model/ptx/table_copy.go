package ptx

import "ptxmc/model"

// copyForms are the asynchronous copies and what they complete by (PTX ISA 9.7.10.28, 9.7.15.16.18).
var copyForms = []form{
	{name: "cp.async", op: model.CopyAsync, need: "70,80",
		slots: "cop=ca|cg dst=shared|shared::cta@78 src=global hint? fetch?", shape: "m m i:u32 s:u32? x:b64?", pre: preCopy, fin: finCopy,
		notes: map[string]string{
			"shared::cluster": "cp.async writes shared memory of the executing CTA only; use .shared::cta",
		}},
	{name: "cp.async.commit_group", op: model.CopyCommit, need: "70,80"},
	{name: "cp.async.wait_group", op: model.CopyWait, shape: "i:u32", need: "70,80"},
	{name: "cp.async.wait_all", op: model.CopyWait, need: "70,80", fin: finWaitAll},
	{name: "cp.async.mbarrier.arrive", op: model.CopyArrive, slots: "noinc=noinc? space=ownsm? type=b64", shape: "m", need: "70,80", pre: preCopyArrive, notes: ownNotes},

	{name: "cp.async.bulk", op: model.BulkCopy, need: "80,90",
		slots: "sem=weak@93,bulk128|relaxed@93,bulk128? scope? dst=shared::cta@86|shared::cluster src=global done=mbarrier::complete_tx::bytes report? cast? hint? oob=ignore_oob@92? type=b128@93,bulk128?",
		pre:   preBulk,
		notes: map[string]string{
			"acquire":    "the accesses of a copy are .weak or .relaxed; use .relaxed.scope with .b128",
			"release":    "the accesses of a copy are .weak or .relaxed; use .relaxed.scope with .b128",
			"bulk_group": "a copy into shared memory completes on an mbarrier; use .mbarrier::complete_tx::bytes",
			"shared":     "bulk copies name the window: use .shared::cta or .shared::cluster",
		}},
	{name: "cp.async.bulk", op: model.BulkCopy, need: "80,90",
		slots: "sem=weak@93,bulk128|relaxed@93,bulk128? scope? dst=global src=shared::cta done=bulk_group hint? mask=cp_mask@86,100? type=b128@93,bulk128?",
		pre:   preBulk},
	{name: "cp.reduce.async.bulk", op: model.BulkCopy, need: "80,90",
		slots: "sem=relaxed@93? scope? dst=shared::cluster src=shared::cta done=mbarrier::complete_tx::bytes op=redop type=b32|u32|s32|b64|u64",
		pre:   preReduce},
	{name: "cp.reduce.async.bulk", op: model.BulkCopy, need: "80,90",
		slots: "sem=relaxed@93? scope? dst=global src=shared::cta done=bulk_group hint? op=redop noftz=noftz? type=f16|bf16|b32|u32|s32|b64|u64|s64|f32|f64",
		pre:   preReduce},

	{name: "cp.async.bulk.tensor", op: model.BulkCopy, need: "80,90",
		slots: "dim dst=shared::cta@86|shared::cluster src=global mode=tile? done=mbarrier::complete_tx::bytes report? cast? pair=cta_group::1@86,100f|cta_group::2@86,100f? hint?",
		pre:   preTensor, notes: tensorNotes},
	{name: "cp.async.bulk.tensor", op: model.BulkCopy, need: "80,90",
		slots: "dim dst=global src=shared::cta mode=tile? done=bulk_group hint?",
		pre:   preTensor, notes: tensorNotes},
	{name: "cp.reduce.async.bulk.tensor", op: model.BulkCopy, need: "80,90",
		slots: "dim dst=global src=shared::cta op=redop mode=tile? done=bulk_group hint?",
		pre:   preTensor, notes: tensorNotes},

	{name: "cp.async.bulk.commit_group", op: model.CopyCommit, need: "80,90", pre: preBulkGroup},
	{name: "cp.async.bulk.wait_group", op: model.CopyWait, slots: "read=read?", shape: "i:u32", need: "80,90", pre: preBulkGroup},

	// Hints: no effect in the model.
	{name: "cp.async.bulk.prefetch.L2", op: model.Nop, slots: "src=global hint? evict=L2::evict_last@94,107f?", shape: "m s:u32 x:b64?", fin: finNop, need: "80,90"},
	{name: "cp.async.bulk.prefetch.tensor", op: model.Nop, slots: "dim level=L2 src=global mode=tile? hint? evict=L2::evict_last@94,107f?", shape: "t x:b64?",
		pre: preTensor, fin: finNop, need: "80,90", notes: tensorNotes},
}

const tileNote = "known to PTX but not modelled by this version; only the .tile mode is"

var tensorNotes = map[string]string{
	"tile::gather4": tileNote, "tile::scatter4": tileNote,
	"im2col": tileNote, "im2col::w": tileNote, "im2col::w::128": tileNote, "im2col_no_offs": tileNote, "im2col_no_offs::w": tileNote,
	"override::global_address": "overrides of the tensor map are not modelled; declare another tensormap in the plan",
	"shared":                   "bulk copies name the window: use .shared::cta or .shared::cluster",
	"relaxed":                  "the accesses of a tensor copy are weak; use cp.async.bulk with .b128",
}
