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
