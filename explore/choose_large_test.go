package explore

import "testing"

// TestChooserManyAlternatives: a read of 16 single-byte cells with two visible writes each has 65536
// observations. All must be tried; an alternative that is passed over is a behaviour that a
// "verified" does not cover.
func TestChooserManyAlternatives(t *testing.T) {
	for _, n := range []int{1 << 16, 1<<16 + 3} {
		var ch chooser
		tried := 0
		for more := true; more; more = ch.next() {
			if k := ch.Choose(n); k != tried {
				t.Fatalf("alternative %d comes after %d", k, tried-1)
			}
			tried++
		}
		if tried != n {
			t.Errorf("%d of %d alternatives were tried", tried, n)
		}
	}
}
