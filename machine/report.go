package machine

import (
	"bytes"
	"slices"

	"ptxmc/model"
)

// mechanism is a row of Table 15 (CUDA guide 4.6.3; PTX ISA Table 33): which bits of an element
// mean "not yet written", and whether one sampled element of each 16-byte chunk or every element
// is inspected.
type mechanism struct {
	name    string
	bits    int // element width
	pattern uint32
	every   bool
}

var mechanisms = map[model.ReportMechanism]mechanism{
	model.ReportPer16Bytes80000000: {"per_16bytes::80000000", 32, 0x80000000, false},
	model.ReportPer16Bytes8000:     {"per_16bytes::8000", 16, 0x8000, false},
	model.ReportPer16Bytes80:       {"per_16bytes::80", 8, 0x80, false},
	model.ReportPer16Bytes8:        {"per_16bytes::8", 4, 0x8, false},
	model.ReportPerElementFF:       {"per_element::ff", 8, 0xff, true},
}

// chunkBytes is the unit that the per-16-byte mechanisms inspect.
const chunkBytes = 16

// matches lists for every element of b whether it holds the pattern. For per_element::ff the
// element is a byte: a lone 4-bit 0xF of an 8-bit byte is not reported here.
func (r mechanism) matches(b []byte) []bool {
	var out []bool
	switch r.bits {
	case 4:
		for _, x := range b {
			out = append(out, uint32(x&0xf) == r.pattern, uint32(x>>4) == r.pattern)
		}
	default:
		w := r.bits / 8
		for i := 0; i+w <= len(b); i += w {
			out = append(out, uint32(getValue(b[i:i+w]).Lo) == r.pattern)
		}
	}
	return out
}

// sentinelCell reports whether the content of a cell means "not yet written": every element of it
// holds the pattern of the copies that read it, or the buffer's declared sentinel.
func (m *Machine) sentinelCell(c int, b []byte) bool {
	info := &m.layout.cells[c]
	if info.sentinel != nil && bytes.Equal(b, info.sentinel) {
		return true
	}
	r, ok := mechanisms[info.report]
	if !ok || len(b) == 0 || 8*len(b) < r.bits {
		return false
	}
	return !slices.Contains(r.matches(b), false)
}
