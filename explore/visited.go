package explore

import (
	"bytes"
	"hash/maphash"
)

// visited stores encoded states whole: two different states are never taken for one, whatever
// their hashes. States are numbered in the order of their discovery.
type visited struct {
	seed  maphash.Seed
	table []uint32 // open addressing; number+1, 0 is free
	index []uint64 // by state: offset of its bytes
	arena []byte
}

func newVisited() *visited {
	return &visited{seed: maphash.MakeSeed(), table: make([]uint32, 1<<12)}
}

func (v *visited) len() int { return len(v.index) }

func (v *visited) bytes(n int) []byte {
	end := uint64(len(v.arena))
	if n+1 < len(v.index) {
		end = v.index[n+1]
	}
	return v.arena[v.index[n]:end]
}

// add enters a state; it returns its number and whether it is new.
func (v *visited) add(state []byte) (int, bool) {
	if len(v.index)*2 >= len(v.table) {
		v.grow()
	}
	mask := uint64(len(v.table) - 1)
	for h := maphash.Bytes(v.seed, state) & mask; ; h = (h + 1) & mask {
		n := v.table[h]
		if n == 0 {
			v.table[h] = uint32(len(v.index) + 1)
			v.index = append(v.index, uint64(len(v.arena)))
			v.arena = append(v.arena, state...)
			return len(v.index) - 1, true
		}
		if bytes.Equal(v.bytes(int(n-1)), state) {
			return int(n - 1), false
		}
	}
}

func (v *visited) grow() {
	v.table = make([]uint32, 2*len(v.table))
	mask := uint64(len(v.table) - 1)
	for n := range v.index {
		h := maphash.Bytes(v.seed, v.bytes(n)) & mask
		for v.table[h] != 0 {
			h = (h + 1) & mask
		}
		v.table[h] = uint32(n + 1)
	}
}
