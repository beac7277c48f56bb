package ptx

import (
	"fmt"
	"strings"

	"ptxmc/model"
)

// mmaShapes lists the shapes m64nNkK with N in steps of 8 up to 256.
func mmaShapes(k int) string {
	var out []string
	for n := 8; n <= 256; n += 8 {
		out = append(out, fmt.Sprintf("m64n%dk%d", n, k))
	}
	return strings.Join(out, "|")
}

// mmaForms are the asynchronous warpgroup-level matrix instructions (PTX ISA 9.7.16). Their arithmetic is
// opaque: what they read and when, and which registers they use, is modelled.
func mmaForms() []form {
	mma := func(slots string) form {
		return form{name: "wgmma.mma_async", op: model.MMAAsync, need: "80,90a", shape: "mma", slots: "sync=sync aligned=aligned " + slots}
	}
	return []form{
		{name: "wgmma.fence", op: model.MMAFence, need: "80,90a", slots: "sync=sync aligned=aligned"},
		{name: "wgmma.commit_group", op: model.MMACommit, need: "80,90a", slots: "sync=sync aligned=aligned"},
		{name: "wgmma.wait_group", op: model.MMAWait, need: "80,90a", slots: "sync=sync aligned=aligned", shape: "i:u32"},
		mma("shape=" + mmaShapes(16) + " dtype=f16|f32 atype=f16 btype=f16"),
		mma("shape=" + mmaShapes(16) + " dtype=f32 atype=bf16 btype=bf16"),
		mma("shape=" + mmaShapes(8) + " dtype=f32 atype=tf32 btype=tf32"),
		mma("shape=" + mmaShapes(32) + " dtype=f16|f32 atype=e4m3|e5m2 btype=e4m3|e5m2"),
		mma("shape=" + mmaShapes(32) + " satfinite=satfinite? dtype=s32 atype=s8|u8 btype=s8|u8"),
		mma("shape=" + mmaShapes(256) + " dtype=s32 atype=b1 btype=b1 op=and popc=popc"),
	}
}

const (
	pairReason   = "pairs of CTAs (.cta_group::2) are not modelled; use .cta_group::1"
	tensorReason = "this form of tcgen05.mma is not modelled; use .kind::f16, ::tf32, ::f8f6f4 or ::i8 without sparsity and scales"
	tensorNum    = "num=x1|x2|x4|x8|x16|x32|x64|x128"
)

// tensorForms are the instructions with tensor memory (PTX ISA 9.7.17).
var tensorForms = []form{
	{name: "tcgen05.alloc", op: model.TensorAlloc, need: "86,100a", slots: "cg=cta_group::1 sync=sync aligned=aligned space=shared::cta? type=b32", shape: "m i:u32"},
	{name: "tcgen05.alloc", slots: "cg=cta_group::2 sync=sync aligned=aligned space=shared::cta? type=b32", why: pairReason},
	{name: "tcgen05.dealloc", op: model.Nop, need: "86,100a", slots: "cg=cta_group::1 sync=sync aligned=aligned type=b32", shape: "s i:u32", fin: finNop},
	{name: "tcgen05.relinquish_alloc_permit", op: model.Nop, need: "86,100a", slots: "cg=cta_group::1 sync=sync aligned=aligned", fin: finNop},
	{name: "tcgen05.fence::before_thread_sync", op: model.Nop, need: "86,100a", fin: finNop},
	{name: "tcgen05.fence::after_thread_sync", op: model.Nop, need: "86,100a", fin: finNop},
	{name: "tcgen05.wait::ld", op: model.Nop, need: "86,100a", slots: "sync=sync aligned=aligned", fin: finNop},
	{name: "tcgen05.wait::st", op: model.Nop, need: "86,100a", slots: "sync=sync aligned=aligned", fin: finNop},
	{name: "tcgen05.ld", op: model.TensorLd, need: "86,100a", slots: "sync=sync aligned=aligned sh=16x64b|16x128b|16x256b|32x32b " + tensorNum + " pack=pack::16b? type=b32", shape: "tensor"},
	{name: "tcgen05.st", op: model.Nop, need: "86,100a", slots: "sync=sync aligned=aligned sh=16x64b|16x128b|16x256b|32x32b " + tensorNum + " unpack=unpack::16b? type=b32", shape: "tensor", fin: finNop},
	{name: "tcgen05.commit", op: model.TensorCommit, need: "86,100a", slots: "cg=cta_group::1 done=mbarrier::arrive::one space=shared::cluster? type=b64", shape: "m"},
	{name: "tcgen05.commit", slots: "cg=cta_group::1 done=mbarrier::arrive::one space=shared::cluster? mc=multicast::cluster type=b64", why: "arrivals at several CTAs are not modelled; commit once for each"},
	{name: "tcgen05.commit", slots: "cg=cta_group::2 done=mbarrier::arrive::one space=shared::cluster? mc=multicast::cluster? type=b64", why: pairReason},
	{name: "tcgen05.mma", op: model.TensorMMA, need: "86,100a", slots: "cg=cta_group::1 kind=kind::f16|kind::tf32|kind::f8f6f4|kind::i8", shape: "tensor"},
	{name: "tcgen05.mma", slots: "cg=cta_group::2 kind=kind::f16|kind::tf32|kind::f8f6f4|kind::i8", why: pairReason},
	{name: "tcgen05.mma", why: tensorReason, slots: "sp=sp? ws=ws? cg=cta_group::1|cta_group::2 kind=kind::f16|kind::tf32|kind::f8f6f4|kind::i8|kind::mxf8f6f4|kind::mxf4|kind::mxf4nvf4 " +
		"scale=block_scale? vec=scale_vec::1X|scale_vec::2X|scale_vec::4X|block16|block32? c=collector::a::fill|collector::a::use|collector::a::lastuse|collector::a::discard?"},
}
