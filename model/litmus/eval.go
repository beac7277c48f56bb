package litmus

import "strconv"

// String returns the number in decimal.
func (c Const) String() string { return strconv.FormatInt(int64(c), 10) }

// String returns "&x".
func (a AddrOf) String() string { return "&" + a.Name }

// String returns the term as written.
func (t Term) String() string { return t.Name }

// String returns the expression in parentheses.
func (u *Unary) String() string { return "(" + u.Op + u.X.String() + ")" }

// String returns the expression fully parenthesised.
func (b *Binary) String() string { return "(" + b.X.String() + " " + b.Op + " " + b.Y.String() + ")" }

// Eval returns the value of e, with the terms' values from env. Comparisons and logic give 1 or 0;
// numbers are 64 bits, wrap around and are signed; division by zero gives 0.
func Eval(e Expr, env func(Term) int64) int64 {
	switch e := e.(type) {
	case Const:
		return int64(e)
	case Term:
		return env(e)
	case AddrOf:
		return Address(e.Loc)
	case *Unary:
		x := Eval(e.X, env)
		if e.Op == "-" {
			return -x
		}
		return truth(x == 0)
	case *Binary:
		return binary(e.Op, Eval(e.X, env), func() int64 { return Eval(e.Y, env) })
	}
	panic("litmus.Eval: no such expression")
}

// binary evaluates x op y; y is asked for only if needed.
func binary(op string, x int64, right func() int64) int64 {
	switch op {
	case "||":
		return truth(x != 0 || right() != 0)
	case "&&":
		return truth(x != 0 && right() != 0)
	}
	y := right()
	switch op {
	case "==":
		return truth(x == y)
	case "!=":
		return truth(x != y)
	case "<":
		return truth(x < y)
	case "<=":
		return truth(x <= y)
	case ">":
		return truth(x > y)
	case ">=":
		return truth(x >= y)
	case "+":
		return x + y
	case "-":
		return x - y
	case "*":
		return x * y
	case "/":
		if y == 0 {
			return 0
		}
		return x / y
	case "&":
		return x & y
	case "|":
		return x | y
	case "^":
		return x ^ y
	}
	panic("litmus.Eval: no such operator " + op)
}

// RMWValue returns what an RMW with the operands src writes over old. A cas that does not match
// writes old back (PTX ISA: its write is then not performed; see the second result).
func RMWValue(op string, old int64, src ...int64) (value int64, writes bool) {
	switch op {
	case "cas":
		if old != src[0] {
			return old, false
		}
		return src[1], true
	case "exch":
		return src[0], true
	case "min":
		return min(old, src[0]), true
	case "max":
		return max(old, src[0]), true
	case "inc":
		if uint64(old) >= uint64(src[0]) {
			return 0, true
		}
		return old + 1, true
	case "dec":
		if old == 0 || uint64(old) > uint64(src[0]) {
			return src[0], true
		}
		return old - 1, true
	}
	return binary(rmwOperators[op], old, func() int64 { return src[0] }), true
}

// rmwOperators are the read-modify-writes that are a binary operator of Eval.
var rmwOperators = map[string]string{
	"add": "+", "sub": "-", "mul": "*", "div": "/", "and": "&", "or": "|", "xor": "^",
}

// Value returns an operand's value, with the registers' values from reg.
func (o Operand) Value(reg func(string) int64) int64 {
	switch o.Kind {
	case RegOperand:
		return reg(o.Reg)
	case LocOperand:
		return Address(o.Loc)
	}
	return o.Const
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
