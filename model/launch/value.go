package launch

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"ptxmc/model"
	"ptxmc/model/alu"
)

// kind says what an operand of an expression is.
type kind uint8

const (
	intKind   kind = iota // i: literals, params, bound variables and what is computed from them
	bitsKind              // v: a hexadecimal literal on its own
	floatKind             // f: a float literal or a computation with one, in double precision
	elemKind              // v of type typ: an element of a buffer or a computation with one
	boolKind              // b
)

// operand is the value of an expression.
type operand struct {
	kind  kind
	i     int64
	f     float64
	text  string // a float literal as written, so that it is rounded once
	v     model.Value
	typ   model.Type
	known bool // false: depends on memory of unknown content
	b     truth
}

// truth is a condition's value: unknown memory leaves it open.
type truth uint8

const (
	no truth = iota
	maybe
	yes
)

func truthOf(b bool) truth {
	if b {
		return yes
	}
	return no
}

func packed(t model.Type) bool { return t == model.F16x2 || t == model.BF16x2 }

func untyped(t model.Type) bool { return t >= model.B8 && t <= model.B128 }

func mask(bits int) uint64 {
	if bits >= 64 {
		return ^uint64(0)
	}
	return 1<<bits - 1
}

// extend returns an integer element as 64 bits, by its sign.
func extend(v model.Value, t model.Type) uint64 {
	if t.Signed() {
		shift := 64 - t.Bits()
		return uint64(int64(v.Lo<<shift) >> shift)
	}
	return v.Lo
}

// convert gives a literal or integer the type t: hexadecimal literals are bits, everything else is
// a number. The problem, if any, ends a sentence that starts with the value.
func convert(o operand, t model.Type) (v model.Value, problem string) {
	bits := t.Bits()
	switch {
	case o.kind == bitsKind:
		if bits <= 64 && (o.v.Hi != 0 || o.v.Lo&^mask(bits) != 0) {
			return v, fmt.Sprintf("does not fit; expected at most %d bits for %s", bits, t)
		}
		return o.v, ""
	case packed(t):
		return v, fmt.Sprintf("is not a %s; expected its bits, as in 0x3c003c00", t)
	case o.kind == intKind && t.Float():
		return fromFloat(float64(o.i), strconv.FormatInt(o.i, 10), t), ""
	case o.kind == intKind:
		low, high := int64(-1)<<min(63, bits-1), int64(math.MaxInt64)
		if bits < 64 {
			high = int64(mask(bits))
			if t.Signed() {
				high = int64(mask(bits - 1))
			}
		}
		if o.i < low || o.i > high {
			return v, fmt.Sprintf("does not fit; expected a value from %d to %d for %s", low, high, t)
		}
		if v.Lo = uint64(o.i) & mask(bits); bits > 64 && o.i < 0 {
			v.Hi = ^uint64(0)
		}
		return v, ""
	case t.Float():
		return fromFloat(o.f, o.text, t), ""
	}
	return v, fmt.Sprintf("is a float; expected an integer for %s, or bits as in 0x3f800000", t)
}

// fromFloat rounds to nearest. A NaN is the canonical one.
func fromFloat(f float64, text string, t model.Type) model.Value {
	switch {
	case math.IsNaN(f) && t == model.F64:
		return model.Value{Lo: 0x7ff8000000000000}
	case math.IsNaN(f) && t == model.F32:
		return model.Value{Lo: 0x7fffffff}
	case math.IsNaN(f):
		return model.Value{Lo: 0x7fff}
	case t == model.F64:
		return model.Value{Lo: math.Float64bits(f)}
	case t == model.F32 && text != "":
		// From the digits, not from the double: one rounding. Out of range is infinity.
		single, _ := strconv.ParseFloat(text, 32)
		return model.Value{Lo: uint64(math.Float32bits(float32(single)))}
	}
	return evaluate(model.Instr{Op: model.Cvt, Type: t, SrcType: model.F64, Round: model.RN}, model.Value{Lo: math.Float64bits(f)})
}

// toFloat returns the number that a float element holds, exactly.
func toFloat(v model.Value, t model.Type) float64 {
	switch t {
	case model.F64:
		return math.Float64frombits(v.Lo)
	case model.F32:
		return float64(math.Float32frombits(uint32(v.Lo)))
	}
	d := evaluate(model.Instr{Op: model.Cvt, Type: model.F64, SrcType: t}, v)
	return math.Float64frombits(d.Lo)
}

// evaluate is one instruction of package alu; the callers pass only what it knows.
func evaluate(in model.Instr, src ...model.Value) model.Value {
	dst, err := alu.Eval(&in, src)
	if err != nil {
		panic(err)
	}
	return dst[0]
}

// format writes a value of type t: 0x80000000 (-0.0) for floats, a number for integers, bits else.
func format(v model.Value, t model.Type) string {
	switch {
	case t == model.B128:
		return fmt.Sprintf("0x%016x%016x", v.Hi, v.Lo)
	case t.Float() && !packed(t):
		return fmt.Sprintf("0x%0*x (%s)", 2*t.Bytes(), v.Lo, formatFloat(toFloat(v, t), t))
	case t.Signed():
		return strconv.FormatInt(int64(extend(v, t)), 10)
	case t >= model.U8 && t <= model.U64:
		return strconv.FormatUint(v.Lo, 10)
	}
	return fmt.Sprintf("0x%0*x", 2*t.Bytes(), v.Lo)
}

func formatFloat(f float64, t model.Type) string {
	switch {
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	}
	bits := 64
	if t != model.F64 {
		bits = 32
	}
	s := strconv.FormatFloat(f, 'g', -1, bits)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}

// describe writes an operand for an explanation.
func (o operand) describe() string {
	switch {
	case o.kind == elemKind && !o.known:
		return "unknown"
	case o.kind == elemKind:
		return format(o.v, o.typ)
	case o.kind == bitsKind && o.v.Hi == 0:
		return fmt.Sprintf("%#x", o.v.Lo)
	case o.kind == bitsKind:
		return fmt.Sprintf("%#x%016x", o.v.Hi, o.v.Lo)
	case o.kind == floatKind:
		return formatFloat(o.f, model.F64)
	}
	return strconv.FormatInt(o.i, 10)
}
