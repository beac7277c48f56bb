package causal

import (
	"testing"

	"ptxmc/memmodel"
)

// The tests of this file try to break axiom X4 (rule ATOMIC): a read-modify-write A reads a write r, and a
// write W that is morally strong with A has r < W < A. In all of them r is strong at too narrow a
// scope, so that nothing orders A with r when A reads it. Such an
// order may not be taken, however it comes about.

// TestForcedBothWays: a and b write at cta scope in two CTAs. An update x by a's agent reads b, an
// update y by b's agent reads a; x and y are morally strong. y < x puts y between b and x, x < y puts
// x between a and y: this execution does not exist.
func TestForcedBothWays(t *testing.T) {
	everyWay(func(ch Chooser) {
		w := newWorld(2, 1)
		w.write(scoped(strong(0, 0, 1), memmodel.CTA), ch)
		w.write(scoped(strong(1, 0, 1), memmodel.CTA), ch)
		w.rmw(strong(0, 0, 1), Observation{2}, ch)
		y := strong(1, 0, 1)
		y.RMW = true
		if w.MayUpdate(0, 1, &y, w.views[1]) {
			w.rmw(y, Observation{1}, ch)
		}
		checkAll(t, w)
	})
}

// TestBeforeRacingUpdate: x updates r of another CTA, with which it is not ordered. y, an update of r
// by r's own agent, must not stand before x.
func TestBeforeRacingUpdate(t *testing.T) {
	everyWay(func(ch Chooser) {
		w := newWorld(2, 1)
		r := w.write(scoped(strong(1, 0, 1), memmodel.CTA), ch)
		w.rmw(strong(0, 0, 1), Observation{w.position(0, r)}, ch)
		y := strong(1, 0, 1)
		y.RMW = true
		if w.MayUpdate(0, w.position(0, r), &y, w.views[1]) {
			w.rmw(y, Observation{w.position(0, r)}, ch)
		}
		checkAll(t, w)
	})
}

// TestBetweenByClosure: y (gpu scope) < x, where x is an update at cta scope that reads r of another
// CTA. z follows r and is placed before y, and so puts y between r and x, though z and x are not
// compared.
func TestBetweenByClosure(t *testing.T) {
	everyWay(func(ch Chooser) {
		w := newWorld(2, 1)
		r := w.write(scoped(strong(0, 0, 1), memmodel.CTA), ch)
		w.write(strong(1, 0, 1), ch)                                                    // y
		w.rmw(scoped(strong(1, 0, 1), memmodel.CTA), Observation{w.position(0, r)}, ch) // x, own y first
		w.write(strong(0, 0, 1), ch)                                                    // z, own r first
		checkAll(t, w)
	})
}
