package ptx

import (
	"strings"
	"testing"

	"ptxmc/model"
)

func TestTensor(t *testing.T) {
	checkInstrs(t, []instrCase{
		{"tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [r1], 32;", "<- 0x20 [r1]", model.Instr{Op: model.TensorAlloc, Type: model.B32, Space: model.SharedCTA, Aligned: true}},
		{"tcgen05.ld.sync.aligned.16x128b.x1.b32 {r1, r2}, [r3];", "r1 r2 <-", model.Instr{Op: model.TensorLd, Type: model.B32, Aligned: true}},
		{"tcgen05.st.sync.aligned.32x32b.x1.b32 [r3], {r1};", "<-", model.Instr{Op: model.Nop, Aligned: true}},
		{"tcgen05.mma.cta_group::1.kind::f16 [r1], d1, d2, r2, p;", "<- r2 d2 d1", model.Instr{Op: model.TensorMMA, MMA: model.MMAForm{ADesc: true}}},
		{"tcgen05.mma.cta_group::1.kind::i8 [r1], [r3], d2, r2, {r4, r4, r4, r4}, p;", "<- r2 d2", model.Instr{Op: model.TensorMMA}},
		{"tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [r1];", "<- [r1]", model.Instr{Op: model.TensorCommit, Type: model.B64, Space: model.SharedCluster}},
		{"clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [r1], [bar];", "<- [r1] [shared::cta#0]", model.Instr{Op: model.TryCancel, Type: model.B128, Space: model.SharedCTA}},
		{"clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, x1;", "p <- x1", model.Instr{Op: model.IsCanceled, Type: model.B128}},
		{"clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {r1, r2, _, _}, x1;", "r1 r2 _ _ <- x1", model.Instr{Op: model.FirstCTAID, Type: model.B128, Vec: 4}},
		{"clusterlaunchcontrol.query_cancel.get_first_ctaid::z.b32.b128 r1, x1;", "r1 <- x1", model.Instr{Op: model.FirstCTAID, Type: model.B128, Vec: 1, Dim: 2}},
	})
}

// TestWarpgroup parses wgmma, which only sm_90a has.
func TestWarpgroup(t *testing.T) {
	for _, c := range []struct {
		text, want, fail string
		form             model.MMAForm
	}{
		{text: "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {f0, f1, f2, f3}, d1, d2, p, 1, -1, 0, 1;",
			want: "f0 f1 f2 f3 <- p d2 d1", form: model.MMAForm{N: 8, ADesc: true, TransB: true}},
		{text: "wgmma.mma_async.sync.aligned.m64n16k16.f16.f16.f16 {r1, r2, r3, r4}, {r5, r5, r5, r5}, d2, p, 1, 1, 0;",
			want: "r1 r2 r3 r4 <- p d2 r5 r5 r5 r5", form: model.MMAForm{N: 16}},
		{text: "wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.u8 {r1, r2, r3, r4}, d1, d2, p;",
			want: "r1 r2 r3 r4 <- p d2 d1", form: model.MMAForm{N: 8, ADesc: true}},
		{text: "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {f1, f2}, d1, d2, p, 1, 1, 0, 0;", fail: "has 2 accumulators; expected 4"},
		{text: "wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {f0, f1, f2, f3}, d1, d2, p;", fail: "has 0 constants behind scale-d; expected 2"},
		{text: "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {f0, f1, f2, f3}, d1, d2, p, 2, 1, 0, 0;", fail: "2 is no scale"},
		{text: "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {f0, f1, f2, f3}, {r1, r2}, d2, p, 1, 1, 0;", fail: "matrix A has 2 registers"},
	} {
		module := ".version 8.0\n.target sm_90a\n" + strings.TrimPrefix(prelude, header)
		mod, err := Parse(model.NewSource("t.ptx", module+c.text+"\n}\n"))
		if c.fail != "" {
			if err == nil || !strings.Contains(err.Error(), c.fail) {
				t.Errorf("%s: error %v, want %q", c.text, err, c.fail)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		e := mod.Entries[0]
		if got := shows(e, e.Code[0]); got != c.want || e.Code[0].MMA != c.form {
			t.Errorf("%s: %s %+v, want %s %+v", c.text, got, e.Code[0].MMA, c.want, c.form)
		}
	}
}
