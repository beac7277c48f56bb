package machine

import (
	"ptxmc/model"
	"ptxmc/model/launch"
)

// Windows of addresses that hold no data of the program: tensor maps of the plan, and the parameter
// blocks as generic addresses.
const (
	tensorBase   = 0x5000_0000_0000
	tensorStride = 128
	genericParam = 0x6000_0000_0000
)

func tensorAddress(i int) uint64 { return tensorBase + uint64(i)*tensorStride }

// tensorMap finds the map at a generic address: one of the plan, or a parameter that is a map.
func (m *Machine) tensorMap(t *threadInfo, addr uint64) *launch.TensorMap {
	maps := m.Case.Plan.TensorMaps
	if addr >= genericParam {
		for _, a := range m.grids[m.ctas[t.cta].grid].launch.Args {
			if a.Map >= 0 && a.Param.Size == tensorStride && addr == genericParam+uint64(a.Param.Offset) {
				return &maps[a.Map]
			}
		}
		return nil
	}
	if i := (addr - tensorBase) / tensorStride; addr >= tensorBase && addr%tensorStride == 0 && i < uint64(len(maps)) {
		return &maps[i]
	}
	return nil
}

// tileBytes is the size of the box in shared memory.
func tileBytes(t *launch.TensorMap) int {
	n := t.Elem.Bytes()
	for _, b := range t.Box {
		n *= int(b)
	}
	return n
}

// fillOf is an element outside the tensor.
func fillOf(t *launch.TensorMap) []byte {
	b := make([]byte, t.Elem.Bytes())
	if t.NaN {
		putValue(b, model.Value{Lo: map[model.Type]uint64{
			model.F16: 0x7fff, model.BF16: 0x7fff, model.F32: 0x7fffffff, model.F64: 0x7fffffff_ffffffff,
		}[t.Elem]})
	}
	return b
}

// run is a row piece of a tile: n bytes at an offset in the tile, which lie at off in the buffer,
// or outside the tensor if off is negative.
type run struct{ tile, off, n int }

// tiles lists the runs of the box at the coordinates, in the order of the tile, none longer than
// unit bytes. Swizzling permutes a tile within itself, so it is left out.
func tiles(t *launch.TensorMap, at []int64, unit int) []run {
	var out []run
	w := t.Elem.Bytes()
	index := make([]int64, len(t.Box)) // of the row in the box
	for tile := 0; tile < tileBytes(t); tile += int(t.Box[0]) * w {
		row, inside := t.Off, true
		for d := 1; d < len(t.Box); d++ {
			c := at[d] + index[d]
			inside = inside && c >= 0 && c < t.Dims[d]
			row += c * t.Strides[d]
		}
		for x := int64(0); x < t.Box[0]; x++ {
			r := run{tile + int(x)*w, -1, w}
			if c := at[0] + x; inside && c >= 0 && c < t.Dims[0] {
				r.off = int(row + c*int64(w))
			}
			if k := len(out) - 1; k >= 0 && r.tile%unit != 0 && (out[k].off < 0) == (r.off < 0) {
				out[k].n += w
				continue
			}
			out = append(out, r)
		}
		for d := 1; d < len(index); d++ {
			if index[d]++; index[d] < t.Box[d] {
				break
			}
			index[d] = 0
		}
	}
	return out
}
