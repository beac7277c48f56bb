package causal

import (
	"testing"

	"pgregory.net/rapid"
)

// TestWalkMixed walks with updates among writes of all scopes and proxies.
func TestWalkMixed(t *testing.T) {
	for _, m := range []manner{
		{cells: 1, narrow: true, updates: true},
		{cells: 1, weak: true, updates: true},
		{cells: 1, proxies: true, updates: true},
		{cells: 2, weak: true, narrow: true, proxies: true, updates: true},
	} {
		rapid.Check(t, func(t *rapid.T) { walk(t, m) })
	}
}
