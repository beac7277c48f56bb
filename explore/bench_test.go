package explore

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"testing"

	"ptxmc/machine"
	"ptxmc/model/launch"
)

// loadCase prepares a case of a spec file.
func loadCase(tb testing.TB, file, variant string, set map[string]int64) *machine.Machine {
	tb.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		tb.Fatal(err)
	}
	spec, err := launch.Load(file, string(text))
	if err != nil {
		tb.Fatal(err)
	}
	c, err := spec.Case(variant, set)
	if err != nil {
		tb.Fatal(err)
	}
	m, err := machine.New(c, machine.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// BenchmarkFineGrained explores the base protocol with tiles of 2, 4 and 8 chunks.
func BenchmarkFineGrained(b *testing.B) {
	for _, tiles := range []int64{1, 2} {
		for _, chunks := range []int64{2, 4, 8} {
			b.Run(fmt.Sprintf("tiles=%d/chunks=%d", tiles, chunks), func(b *testing.B) {
				b.ReportAllocs()
				var states, transitions, bytes int
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				for b.Loop() {
					r := Run(context.Background(), loadCase(b, "../specs/fine-grained/tile.ptx", "", map[string]int64{"chunks": chunks, "tiles": tiles}), Options{})
					if r.Verdict != Verified {
						b.Fatal(r.Verdict)
					}
					states, transitions, bytes = r.States, r.Transitions, r.StateBytes
				}
				runtime.ReadMemStats(&after)
				b.ReportMetric(float64(states), "states")
				b.ReportMetric(float64(states)*float64(b.N)/b.Elapsed().Seconds(), "states/s")
				b.ReportMetric(float64(bytes), "B/state")
				b.ReportMetric(float64(after.Mallocs-before.Mallocs)/float64(b.N)/float64(transitions), "allocs/transition")
			})
		}
	}
}
