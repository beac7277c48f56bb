// Package launch reads the launch plan of a spec: the `//@` annotations of a PTX file that say
// which entries run, with which shape, arguments and memory, in which order, which verdict is
// expected, and how the protocol is known to break (variants: named edits with their own verdict).
//
// Work is split in two. Load reads the annotations of a file, once. Case then makes one program
// of it: it applies the edits of a variant, evaluates the parameters, parses the PTX and checks
// plan and module against each other. docs/launch-plan.md shows every line by example.
//
// The invariant: no annotation is ignored. What is not understood, names nothing or has no effect
// is a *model.Diagnostic at its line and column.
package launch

import "ptxmc/model"

// Spec is the annotated PTX file, before a variant is chosen and parameters have values.
type Spec struct {
	File     string
	Title    string        // the title line, or the file's name without folder and extension
	Source   *model.Source // the file as it is
	Base     Base
	Variants []*Variant // in the order of the file

	marks map[string][]int // lines (indexes of Source.Lines) that carry the mark, ascending
}

// Base is the plan as written above the first variant.
type Base struct {
	Lines  []*Line
	Expect Expect // Given is false if the file has none: Case then refuses the base
}

// Line is one plan line: param, buffer, tensormap, launch, slots or final.
type Line struct {
	Kind string // the keyword
	Name string // of the param, buffer, tensormap or launch; empty for slots and final
	Pos  model.Pos

	at    place // of Name, or of the keyword
	decl  any   // *paramDecl, *bufferDecl, *tensorDecl, *launchDecl, *slotsDecl or *finalDecl
	added bool  // by a plan line of a variant, without a line to replace
}

// key is what a plan line of a variant replaces by: kind and name.
func (l *Line) key() string {
	if l.Name == "" {
		return l.Kind
	}
	return l.Kind + " " + l.Name
}

// Variant is a named set of edits and the verdict that they lead to.
type Variant struct {
	Name   string
	Title  string
	Pos    model.Pos
	Expect Expect

	at    place
	edits []*edit     // of the PTX text
	plan  []*planEdit // of the plan
}

// Case is a program to check: a spec with one variant applied (or none) and all values known.
type Case struct {
	Spec    *Spec
	Variant string // empty for the base
	Title   string
	Source  *model.Source // after the edits
	Module  *model.Module
	Plan    Plan
}

// Plan is the evaluated launch plan.
type Plan struct {
	Params     map[string]int64
	Buffers    []Buffer
	TensorMaps []TensorMap
	Launches   []Launch // in the order of the file, which is the order within each stream
	Slots      int      // CTAs resident at once over all grids; 0: all fit
	Finals     []Final
	Expect     Expect
}

// DefaultAlign is the alignment of a buffer that states none: what device allocators promise.
const DefaultAlign = 256

// Buffer is an object in global memory.
type Buffer struct {
	Name        string
	Pos         model.Pos
	Elem        model.Type
	Count       int
	Align       int        // bytes
	Init        []ElemInit // len Count
	HasSentinel bool
	Sentinel    uint64 // bits of one element that mean "not yet written"
}

// ElemInit is the initial content of one element.
type ElemInit struct {
	Unknown bool          // never initialised; Values is empty
	Stale   bool          // left by an earlier round
	Values  []model.Value // bits of the element's type; several: the element ranges over the set
}

// Launch is one grid.
type Launch struct {
	Entry                *model.Entry
	Name                 string // the entry's, or what "as" says; unique in the plan
	Pos                  model.Pos
	Grid, Block, Cluster [3]int
	DynShared            int // bytes of dynamic shared memory
	Args                 []Arg
	Stream               int
	Programmatic         bool   // programmatic stream serialization relative to the grid before it in its stream
	Event                string // recorded with this launch, or empty
	When                 EventWhen
	After                []int // launches, by index, whose events the stream waits for before this one
}

// ArgBytes returns the parameter block of the grid; address gives the address of a buffer, tensor that
// of a tensor map.
func (l *Launch) ArgBytes(address, tensor func(i int) uint64) []byte {
	block := make([]byte, l.Entry.ParamBytes)
	for _, a := range l.Args {
		v := a.Value
		switch {
		case a.Buffer >= 0:
			v = model.Value{Lo: address(a.Buffer) + uint64(a.Off)}
		case a.Map >= 0:
			v = model.Value{Lo: tensor(a.Map)}
		}
		for i := range min(a.Param.Size, 16) {
			if i < 8 {
				block[a.Param.Offset+i] = byte(v.Lo >> (8 * i))
			} else {
				block[a.Param.Offset+i] = byte(v.Hi >> (8 * (i - 8)))
			}
		}
	}
	return block
}

// Arg is one argument: Value, or a pointer into a buffer or to a tensor map, which whoever places
// them fills in. A parameter of 128 bytes is the tensor map itself.
type Arg struct {
	Buffer int   // index into Plan.Buffers, or -1
	Map    int   // index into Plan.TensorMaps, or -1
	Off    int64 // bytes added to the buffer's address
	Param  model.Param
	Value  model.Value
}

// Expect is the expected verdict.
type Expect struct {
	Given    bool
	Verified bool   // else refuted
	Property string // the property that is refuted
	States   int64  // number of states of the proof; 0: not stated, or parameters differ from the file's
	Pos      model.Pos
}
