package ptx

import (
	"math"
	"strconv"
	"strings"

	"ptxmc/model"
)

// constKind says how a constant was written.
type constKind uint8

const (
	intConst  constKind = iota // bits holds the 64-bit value
	f32Const                   // 0f…: bits holds 32 bits
	realConst                  // 0d… or decimal: bits holds the 64 bits of a double
)

// constant is the value of a literal or of a constant expression (PTX ISA 4.5).
type constant struct {
	kind constKind
	bits uint64
}

// parseNumber reads one literal.
func parseNumber(s string) (constant, string) {
	low := strings.ToLower(s)
	if h, ok := strings.CutPrefix(low, "0f"); ok {
		v, err := strconv.ParseUint(h, 16, 32)
		if err != nil || len(h) != 8 {
			return constant{}, "single-precision literal " + s + " is malformed; expected 0f and 8 hexadecimal digits, as in 0f3F800000"
		}
		return constant{f32Const, v}, ""
	}
	if h, ok := strings.CutPrefix(low, "0d"); ok {
		v, err := strconv.ParseUint(h, 16, 64)
		if err != nil || len(h) != 16 {
			return constant{}, "double-precision literal " + s + " is malformed; expected 0d and 16 hexadecimal digits, as in 0d3FF0000000000000"
		}
		return constant{realConst, v}, ""
	}
	if !strings.HasPrefix(low, "0x") && strings.ContainsAny(low, ".e") {
		v, err := strconv.ParseFloat(low, 64)
		if err != nil || strings.ContainsAny(low, "_xp") {
			return constant{}, "number " + s + " is malformed; expected a decimal literal such as 1.5 or 2e-3"
		}
		return constant{realConst, math.Float64bits(v)}, ""
	}
	digits, base := strings.TrimSuffix(low, "u"), 10
	switch {
	case strings.HasPrefix(digits, "0x"):
		digits, base = digits[2:], 16
	case strings.HasPrefix(digits, "0b"):
		digits, base = digits[2:], 2
	case len(digits) > 1 && digits[0] == '0':
		digits, base = digits[1:], 8
	}
	v, err := strconv.ParseUint(digits, base, 64)
	if err != nil {
		return constant{}, "number " + s + " is malformed or exceeds 64 bits; expected decimal, 0x hexadecimal, 0 octal, 0b binary, 0f or 0d digits"
	}
	return constant{intConst, v}, ""
}

// binaryLevels are the integer operators of constant expressions by falling precedence.
var binaryLevels = [][]string{{"*", "/", "%"}, {"+", "-"}, {"<<", ">>"}, {"&"}, {"^"}, {"|"}}

// constExpr reads a constant expression. A bare one stops before '|', which separates pairs of
// predicates; inside parentheses it is an operator.
func (p *parser) constExpr() (constant, error) { return p.constLevel(len(binaryLevels)-2, 0) }

func (p *parser) constLevel(level, depth int) (constant, error) {
	if level < 0 {
		return p.constUnary(depth)
	}
	a, err := p.constLevel(level-1, depth)
	for err == nil {
		t := p.peek()
		found := false
		for _, op := range binaryLevels[level] {
			found = found || t.is(op)
		}
		if !found {
			return a, nil
		}
		p.next()
		var b constant
		if b, err = p.constLevel(level-1, depth); err != nil {
			break
		}
		if a.kind != intConst || b.kind != intConst {
			return a, p.errorf(t, "operator %s stands between floating-point constants; expected integers; compute the value and write it", t.text)
		}
		if b.bits == 0 && (t.text == "/" || t.text == "%") {
			return a, p.errorf(t, "constant division by zero; expected a non-zero divisor; correct the expression")
		}
		a.bits = apply(t.text, a.bits, b.bits)
	}
	return a, err
}

// apply computes with signed 64-bit integers, as PTX ISA 4.5.5 does for literals without U.
func apply(op string, a, b uint64) uint64 {
	switch op {
	case "*":
		return a * b
	case "/":
		if int64(b) == -1 {
			return -a
		}
		return uint64(int64(a) / int64(b))
	case "%":
		if int64(b) == -1 {
			return 0
		}
		return uint64(int64(a) % int64(b))
	case "+":
		return a + b
	case "-":
		return a - b
	case "<<":
		return a << min(b, 64)
	case ">>":
		return uint64(int64(a) >> min(b, 63))
	case "&":
		return a & b
	case "^":
		return a ^ b
	default:
		return a | b
	}
}

func (p *parser) constUnary(depth int) (constant, error) {
	t := p.peek()
	if depth > 64 {
		return constant{}, p.errorf(t, "constant expression is nested too deeply; expected at most 64 levels; compute the value and write it")
	}
	switch {
	case t.is("-"), t.is("+"), t.is("~"), t.is("!"):
		p.next()
		c, err := p.constUnary(depth + 1)
		if err != nil {
			return c, err
		}
		return unary(t.text, c), nil
	case t.is("("):
		p.next()
		c, err := p.constLevel(len(binaryLevels)-1, depth+1)
		if err != nil {
			return c, err
		}
		return c, p.expect(")", "to close the parenthesis")
	case t.kind == tokNum:
		p.next()
		c, bad := parseNumber(t.text)
		if bad != "" {
			return c, p.errorf(t, "%s", bad)
		}
		return c, nil
	case t.kind == tokWord && t.text == "WARP_SZ":
		p.next()
		return constant{intConst, 32}, nil
	case t.kind == tokBad:
		return constant{}, p.errorf(t, "%s", t.text)
	case t.kind == tokWord:
		return constant{}, p.errorf(t, "%s is not constant; expected a literal here; compute the value with an instruction first", t.text)
	}
	return constant{}, p.errorf(t, "found %s; expected a constant", t.describe())
}

func unary(op string, c constant) constant {
	switch {
	case op == "-" && c.kind == intConst:
		c.bits = -c.bits
	case op == "-" && c.kind == f32Const:
		c.bits ^= 1 << 31
	case op == "-":
		c.bits ^= 1 << 63
	case op == "~" && c.kind == intConst:
		c.bits = ^c.bits
	case op == "!" && c.kind == intConst && c.bits == 0:
		c.bits = 1
	case op == "!" && c.kind == intConst:
		c.bits = 0
	}
	return c
}

// immediate converts a constant to the bits of a type; the text says what is wrong with it.
func immediate(c constant, t model.Type) (model.Value, string) {
	switch {
	case t == model.Pred:
		if c.kind != intConst {
			return model.Value{}, "a floating-point constant cannot be a predicate; expected 0 or 1"
		}
		if c.bits != 0 {
			return model.Value{Lo: 1}, ""
		}
		return model.Value{}, ""
	case t == model.F64:
		switch c.kind {
		case f32Const:
			return model.Value{Lo: math.Float64bits(float64(math.Float32frombits(uint32(c.bits))))}, ""
		case realConst:
			return model.Value{Lo: c.bits}, ""
		}
		return model.Value{}, "an integer cannot be an .f64 operand; expected a floating-point constant such as 1.0 or 0d3FF0000000000000"
	case t == model.F32:
		switch c.kind {
		case f32Const:
			return model.Value{Lo: c.bits}, ""
		case realConst:
			return model.Value{Lo: uint64(math.Float32bits(float32(math.Float64frombits(c.bits))))}, ""
		}
		return model.Value{}, "an integer cannot be an .f32 operand; expected a floating-point constant such as 1.0 or 0f3F800000"
	case c.kind == f32Const && t == model.B32, c.kind == realConst && t == model.B64:
		return model.Value{Lo: c.bits}, ""
	case c.kind != intConst && t.Float():
		return model.Value{}, "a ." + t.String() + " operand cannot be written as a decimal; expected its bits, such as 0x3C00"
	case c.kind != intConst:
		return model.Value{}, "a floating-point constant cannot be a ." + t.String() + " operand; expected an integer"
	}
	v := model.Value{Lo: c.bits}
	if bits := t.Bits(); bits < 64 {
		v.Lo &= 1<<bits - 1
	} else if bits > 64 && int64(c.bits) < 0 {
		v.Hi = ^uint64(0)
	}
	return v, ""
}
