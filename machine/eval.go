package machine

import (
	"fmt"
	"math/bits"

	"ptxmc/model"
	"ptxmc/model/alu"
)

// special returns the value of a special register (PTX ISA chapter 10).
func (m *Machine) special(t *threadInfo, s model.Special) uint64 {
	cta := &m.ctas[t.cta]
	l := m.grids[cta.grid].launch
	dim := func(first model.Special, d [3]int) uint64 { return uint64(d[s-first]) }
	switch {
	case s >= model.TidX && s <= model.TidZ:
		return dim(model.TidX, t.tid)
	case s >= model.NTidX && s <= model.NTidZ:
		return dim(model.NTidX, l.Block)
	case s >= model.CTAIDX && s <= model.CTAIDZ:
		return dim(model.CTAIDX, cta.coord)
	case s >= model.NCTAIDX && s <= model.NCTAIDZ:
		return dim(model.NCTAIDX, l.Grid)
	case s >= model.ClusterCTAIDX && s <= model.ClusterCTAIDZ:
		i := s - model.ClusterCTAIDX
		return uint64(cta.coord[i] % l.Cluster[i])
	case s >= model.ClusterNCTAIDX && s <= model.ClusterNCTAIDZ:
		return dim(model.ClusterNCTAIDX, l.Cluster)
	case s >= model.ClusterIDX && s <= model.ClusterIDZ:
		i := s - model.ClusterIDX
		return uint64(cta.coord[i] / l.Cluster[i])
	case s >= model.NClusterIDX && s <= model.NClusterIDZ:
		i := s - model.NClusterIDX
		return uint64(l.Grid[i] / l.Cluster[i])
	case s == model.ClusterCTARank:
		return uint64(cta.rank)
	case s == model.ClusterNCTARank:
		return uint64(l.Cluster[0] * l.Cluster[1] * l.Cluster[2])
	case s == model.LaneID:
		return uint64(t.linear % 32)
	case s == model.WarpID:
		return uint64(t.linear / 32)
	case s >= model.LaneMaskEQ && s <= model.LaneMaskGT:
		return uint64(laneMask(s, t.linear%32))
	default: // NWarpID
		return uint64((l.Block[0]*l.Block[1]*l.Block[2] + 31) / 32)
	}
}

// laneMask is %lanemask_eq and its kin for a lane.
func laneMask(s model.Special, lane int) uint32 {
	eq := uint32(1) << lane
	switch s {
	case model.LaneMaskEQ:
		return eq
	case model.LaneMaskLE:
		return eq | (eq - 1)
	case model.LaneMaskLT:
		return eq - 1
	case model.LaneMaskGE:
		return ^(eq - 1)
	default:
		return ^(eq | (eq - 1))
	}
}

// symbol returns the address of a variable as the thread sees it.
func (m *Machine) symbol(t *threadInfo, o *model.Operand) uint64 {
	switch o.Space {
	case model.SharedCTA:
		return sharedBase + uint64(m.ctas[t.cta].rank)*sharedStride + o.Imm.Lo + uint64(o.Off)
	case model.ParamSpace:
		return o.Imm.Lo + uint64(o.Off)
	default:
		return m.layout.objects[m.layout.globals[o.Imm.Lo]].base + uint64(o.Off)
	}
}

// operand returns the value of a source operand that is not a register.
func (m *Machine) constant(t *threadInfo, o *model.Operand) model.Value {
	switch o.Kind {
	case model.ImmOperand:
		return o.Imm
	case model.SpecialOperand:
		return model.Value{Lo: m.special(t, o.Special)}
	case model.SymbolOperand:
		return model.Value{Lo: m.symbol(t, o)}
	default:
		return model.Value{}
	}
}

// truncate cuts v to the width of a type.
func truncate(v model.Value, t model.Type) model.Value {
	switch n := t.Bits(); {
	case n == 0 || n >= 128:
		return v
	case n > 64:
		v.Hi &= 1<<(n-64) - 1
		return v
	case n == 64:
		return model.Value{Lo: v.Lo}
	default:
		return model.Value{Lo: v.Lo & (1<<n - 1)}
	}
}

// pure evaluates an instruction that only computes; src are its operand values, truncated.
func (m *Machine) pure(t *threadInfo, in *model.Instr, src []model.Value) ([]model.Value, error) {
	switch in.Op {
	case model.Cvta:
		v := src[0]
		if in.Space == model.ParamSpace && !in.ToSpace {
			v.Lo += genericParam
		}
		if in.Space.Shared() {
			if in.ToSpace {
				v.Lo -= genericShared
			} else {
				v.Lo += genericShared
			}
		}
		return []model.Value{truncate(v, in.Type)}, nil
	case model.Mapa:
		return m.mapa(t, in, src)
	case model.GetCTARank:
		at, err := m.sharedAddress(t, in, src[0].Lo, true)
		return []model.Value{{Lo: (at - sharedBase) / sharedStride}}, err
	case model.Isspacep:
		o, _, err := m.resolve(t.cta, model.GenericSpace, src[0].Lo)
		yes := err == nil && (o.space == in.Space || o.cta == t.cta && in.Space == model.SharedCTA || o.cta >= 0 && in.Space == model.SharedCluster)
		return []model.Value{{Lo: b2u(yes)}}, nil
	case model.Elect:
		// one leader of the members, the same at every execution: the lowest lane
		lane := uint64(bits.TrailingZeros32(uint32(src[0].Lo) | 1<<31))
		out := []model.Value{{Lo: lane}, {Lo: b2u(uint64(t.linear%32) == lane)}}
		return out[2-len(in.Dst):], nil
	case model.IsCanceled, model.FirstCTAID:
		return queryCancel(in, src[0])
	case model.TensorLd:
		return make([]model.Value, len(in.Dst)), nil // opaque
	case model.Nop, model.Nanosleep:
		return nil, nil
	default:
		return alu.Eval(in, src)
	}
}

// badAddress is an address that mapa or getctarank cannot take.
type badAddress struct{ error }

// sharedAddress returns the shared::cluster address that the operand of mapa or getctarank names.
func (m *Machine) sharedAddress(t *threadInfo, in *model.Instr, at uint64, cluster bool) (uint64, error) {
	if in.Space == model.GenericSpace {
		at -= genericShared
	}
	if _, _, err := m.resolveShared(t.cta, at, cluster); err != nil {
		return 0, badAddress{err}
	}
	return at, nil
}

// mapa maps an address of the executing CTA's shared memory to the CTA of a rank (PTX ISA 9.7.10.23).
// An address of another CTA has no counterpart there: it is mapped already.
func (m *Machine) mapa(t *threadInfo, in *model.Instr, src []model.Value) ([]model.Value, error) {
	n := len(m.clusters[m.ctas[t.cta].cluster])
	rank := src[1].Lo
	if rank >= uint64(n) {
		return nil, badAddress{fmt.Errorf("mapa to CTA rank %d of a cluster of %d", rank, n)}
	}
	at, err := m.sharedAddress(t, in, src[0].Lo, false)
	if err != nil {
		return nil, badAddress{fmt.Errorf("mapa of an address that is not in the executing CTA's own shared memory, or is mapped already: %w", err)}
	}
	v := sharedBase + rank*sharedStride + (at-sharedBase)%sharedStride
	if in.Space == model.GenericSpace {
		v += genericShared
	}
	return []model.Value{{Lo: v}}, nil
}

func b2u(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// loadParam reads the parameter block or the constant bank: private, so no event.
func (m *Machine) loadPrivate(t *threadInfo, in *model.Instr, addr uint64) ([]model.Value, error) {
	n := in.Type.Bytes()
	var block []byte
	off := int(addr)
	if in.Space == model.ParamSpace {
		block = t.args
	} else {
		o, at, err := m.resolveGlobal(addr)
		if err != nil {
			return nil, err
		}
		block, off = m.inputs[0][o.index], at
	}
	var out []model.Value
	for range in.Vec {
		if off < 0 || off+n > len(block) {
			return nil, fmt.Errorf("load of %d bytes at offset %d of a block of %d bytes", n, off, len(block))
		}
		out = append(out, extend(getValue(block[off:off+n]), in.Type))
		off += n
	}
	return out, nil
}

// extend sign-extends a loaded signed integer to the width of a wider register (PTX ISA 9.4.1).
func extend(v model.Value, t model.Type) model.Value {
	if t.Signed() && t.Bits() < 64 && v.Lo>>(t.Bits()-1)&1 == 1 {
		v.Lo |= ^uint64(0) << t.Bits()
	}
	return v
}
