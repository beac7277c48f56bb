package alu

import (
	"fmt"

	"ptxmc/model"
)

// Atomic returns the value that atom and red (PTX ISA 9.7.15, atom) leave in memory: op of the old
// value and a, for a cas b if the old value is a. inc and dec wrap around at a. Floating-point
// results round to nearest even and keep subnormals: .noftz, and f32 in shared memory. For f32 in
// global memory see [AtomicFTZ].
func Atomic(op model.AtomOp, t model.Type, old, a, b model.Value) (model.Value, error) {
	return atomic(op, t, old, a, b, false)
}

// AtomicFTZ is Atomic as the ISA describes an f32 add on global memory: subnormal operands and
// results become zeros of their sign. Other types and operations are as in Atomic.
func AtomicFTZ(op model.AtomOp, t model.Type, old, a, b model.Value) (model.Value, error) {
	return atomic(op, t, old, a, b, op == model.AtomAdd && t == model.F32)
}

var atomicOps = map[model.AtomOp]model.Op{
	model.AtomAnd: model.And,
	model.AtomOr:  model.Or,
	model.AtomXor: model.Xor,
	model.AtomAdd: model.Add,
	model.AtomMin: model.Min,
	model.AtomMax: model.Max,
}

func atomic(op model.AtomOp, t model.Type, old, a, b model.Value, ftz bool) (model.Value, error) {
	w := t.Bits()
	old, a, b = trunc(old, w), trunc(a, w), trunc(b, w)
	switch op {
	case model.AtomExch:
		return a, nil
	case model.AtomCAS:
		if old == a {
			return b, nil
		}
		return old, nil
	case model.AtomInc:
		if old.Lo >= a.Lo {
			return model.Value{}, nil
		}
		return model.Value{Lo: old.Lo + 1}, nil
	case model.AtomDec:
		if old.Lo == 0 || old.Lo > a.Lo {
			return a, nil
		}
		return model.Value{Lo: old.Lo - 1}, nil
	}
	alu, ok := atomicOps[op]
	if !ok {
		return model.Value{}, fmt.Errorf("atomic operation %d of type .%s is none that ptxmc evaluates", op, t)
	}
	dst, err := Eval(&model.Instr{Op: alu, Type: t, FTZ: ftz}, []model.Value{old, a})
	if err != nil {
		return model.Value{}, fmt.Errorf("atom: %w", err)
	}
	return dst[0], nil
}
