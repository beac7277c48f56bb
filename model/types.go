// Package model holds the program under test: types, instructions, entries and memory objects,
// as decoded from PTX. It knows nothing of text, of the memory model or of the search.
package model

import "fmt"

// Pos is a place in a source file. Line and Col count from 1; Col counts bytes.
type Pos struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Col  int    `json:"col"`
}

// String returns file:line:col.
func (p Pos) String() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col) }

// Value is the content of a register or an operand: up to 128 bits, the low 64 in Lo. Bits above
// the width of the type are zero. A predicate is 0 or 1.
type Value struct{ Lo, Hi uint64 }

// Type is a fundamental or packed type (PTX ISA 5.2).
type Type uint8

// The types that the instruction set here uses.
const (
	NoType Type = iota
	Pred
	B8
	B16
	B32
	B64
	B128
	U8
	U16
	U32
	U64
	S8
	S16
	S32
	S64
	F16
	F16x2
	BF16
	BF16x2
	F32
	F64
)

var typeInfo = [...]struct {
	name  string
	bytes int
}{
	NoType: {"", 0}, Pred: {"pred", 1},
	B8: {"b8", 1}, B16: {"b16", 2}, B32: {"b32", 4}, B64: {"b64", 8}, B128: {"b128", 16},
	U8: {"u8", 1}, U16: {"u16", 2}, U32: {"u32", 4}, U64: {"u64", 8},
	S8: {"s8", 1}, S16: {"s16", 2}, S32: {"s32", 4}, S64: {"s64", 8},
	F16: {"f16", 2}, F16x2: {"f16x2", 4}, BF16: {"bf16", 2}, BF16x2: {"bf16x2", 4},
	F32: {"f32", 4}, F64: {"f64", 8},
}

// String returns the type's qualifier without its dot.
func (t Type) String() string {
	if int(t) < len(typeInfo) {
		return typeInfo[t].name
	}
	return fmt.Sprintf("Type(%d)", uint8(t))
}

// Bytes returns the size of the type; a predicate has size 1.
func (t Type) Bytes() int { return typeInfo[t].bytes }

// Bits returns the width of the type in bits; a predicate has width 1.
func (t Type) Bits() int {
	if t == Pred {
		return 1
	}
	return 8 * t.Bytes()
}

// Signed reports whether the type is a signed integer.
func (t Type) Signed() bool { return t >= S8 && t <= S64 }

// Float reports whether the type is a floating-point type.
func (t Type) Float() bool { return t >= F16 && t <= F64 }

// TypeByName returns the type whose qualifier (without dot) is name, or NoType.
func TypeByName(name string) Type {
	for t, info := range typeInfo {
		if info.name == name && name != "" {
			return Type(t)
		}
	}
	return NoType
}

// Space is a state space (PTX ISA 5.1).
type Space uint8

// The state spaces. SharedCTA is the default of .shared.
const (
	GenericSpace Space = iota
	GlobalSpace
	SharedCTA
	SharedCluster
	ParamSpace
	ConstSpace
)

var spaceNames = [...]string{"generic", "global", "shared::cta", "shared::cluster", "param", "const"}

// String returns the qualifier without its dot.
func (s Space) String() string { return spaceNames[s] }

// Shared reports whether the space is one of the shared windows.
func (s Space) Shared() bool { return s == SharedCTA || s == SharedCluster }
