package explore

import (
	"context"
	"testing"
)

func BenchmarkReset(b *testing.B) {
	for b.Loop() {
		r := Run(context.Background(), loadCase(b, "../specs/fine-grained/tile.ptx", "reset", nil), Options{})
		b.ReportMetric(float64(r.States), "states")
		b.ReportMetric(float64(r.Transitions), "transitions")
		b.ReportMetric(float64(r.StateBytes), "B/state")
	}
}
