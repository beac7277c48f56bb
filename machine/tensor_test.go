package machine

import (
	"testing"

	"ptxmc/model"
	"ptxmc/model/launch"
)

// TestTiles compares the runs of a box with every element looked up by itself.
func TestTiles(t *testing.T) {
	m := &launch.TensorMap{Off: 32, Elem: model.U16, Dims: []int64{11, 3, 2}, Strides: []int64{2, 32, 128}, Box: []int64{8, 2, 2}}
	for c := int64(-9); c < 13; c++ {
		for _, unit := range []int{16, 2} {
			at := []int64{c, c % 3, 1}
			off := map[int]int{} // by byte of the tile
			tile := 0
			for z := range m.Box[2] {
				for y := range m.Box[1] {
					for x := range m.Box[0] {
						px, py, pz := at[0]+x, at[1]+y, at[2]+z
						o := -1
						if px >= 0 && px < 11 && py >= 0 && py < 3 && pz >= 0 && pz < 2 {
							o = int(32 + 2*px + 32*py + 128*pz)
						}
						for b := range 2 {
							off[tile+b] = o
							if o >= 0 {
								off[tile+b] = o + b
							}
						}
						tile += 2
					}
				}
			}
			next := 0
			for _, r := range tiles(m, at, unit) {
				if r.tile != next || r.n > unit || r.tile/16 != (r.tile+r.n-1)/16 {
					t.Fatalf("at %v: run %+v, the one before ends at %d", at, r, next)
				}
				for b := range r.n {
					want := off[r.tile+b]
					if r.off < 0 && want >= 0 || r.off >= 0 && r.off+b != want {
						t.Errorf("at %v: byte %d of the tile is from %d, want %d", at, r.tile+b, r.off+b, want)
					}
				}
				next += r.n
			}
			if next != tileBytes(m) {
				t.Errorf("at %v: the runs end at %d, want %d", at, next, tileBytes(m))
			}
		}
	}
}
