package machine

import "math/bits"

// bitset is a fixed-size set of small integers.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (b bitset) set(i int)      { b[i/64] |= 1 << (i % 64) }
func (b bitset) has(i int) bool { return b[i/64]&(1<<(i%64)) != 0 }

// or adds c and reports whether that changed b.
func (b bitset) or(c bitset) bool {
	changed := false
	for i, w := range c {
		if b[i]|w != b[i] {
			b[i] |= w
			changed = true
		}
	}
	return changed
}

func (b bitset) meets(c bitset) bool {
	for i, w := range c {
		if b[i]&w != 0 {
			return true
		}
	}
	return false
}

// meetsRange reports whether b holds one of the n integers from first on.
func (b bitset) meetsRange(first, n int) bool {
	for i := first; b != nil && i < first+n; i++ {
		if b.has(i) {
			return true
		}
	}
	return false
}

func (b bitset) each(f func(i int)) {
	for wi, w := range b {
		for ; w != 0; w &= w - 1 {
			f(wi*64 + bits.TrailingZeros64(w))
		}
	}
}
