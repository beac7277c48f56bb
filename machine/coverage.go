package machine

import (
	"fmt"

	"ptxmc/model"
)

// coverage says which instructions ran in any execution so far, and which branches went which way.
type coverage struct {
	ran   map[*model.Entry][]bool
	taken map[*model.Entry][]bool // branches: the target was taken
	fell  map[*model.Entry][]bool // branches: not taken
}

func newCoverage(codes map[*model.Entry]*code) coverage {
	c := coverage{map[*model.Entry][]bool{}, map[*model.Entry][]bool{}, map[*model.Entry][]bool{}}
	for e := range codes {
		c.ran[e] = make([]bool, len(e.Code)+1)
		c.taken[e] = make([]bool, len(e.Code)+1)
		c.fell[e] = make([]bool, len(e.Code)+1)
	}
	return c
}

func (m *Machine) cover(ti, pc int) { m.coverage.ran[m.threads[ti].code.entry][pc] = true }

func (m *Machine) coverBranch(ti, pc int, taken bool) {
	e := m.threads[ti].code.entry
	if taken {
		m.coverage.taken[e][pc] = true
	} else {
		m.coverage.fell[e][pc] = true
	}
}

// Unreached is code that no explored execution ran.
type Unreached struct {
	Pos  model.Pos
	Text string
	What string // "entry", "label", "branch", "instruction"
	// Traps: the run of instructions only traps, so that it is there not to be reached.
	Traps bool
}

// Unreached lists entries never started, instructions never executed (the first of each run of
// them) and conditional branches that only ever went one way.
func (m *Machine) Unreached() []Unreached {
	var out []Unreached
	for _, e := range m.Case.Module.Entries {
		c, ok := m.coverage.ran[e]
		if !ok {
			continue // not launched by the plan
		}
		gap := false
		for pc := range e.Code {
			in := &e.Code[pc]
			if !c[pc] {
				if !gap {
					what := "instruction"
					if pc == 0 {
						what = "entry " + e.Name
					}
					for _, l := range e.Labels {
						if l.PC == pc {
							what = "label " + l.Name
						}
					}
					out = append(out, Unreached{in.Pos, in.Text, what, trapsOnly(e, c, pc)})
				}
				gap = true
				continue
			}
			gap = false
			if in.Op == model.Bra && in.Pred != model.NoReg {
				if !m.coverage.taken[e][pc] {
					out = append(out, Unreached{in.Pos, in.Text, "branch never taken", false})
				}
				if !m.coverage.fell[e][pc] {
					out = append(out, Unreached{in.Pos, in.Text, "branch always taken", false})
				}
			}
		}
	}
	return out
}

// String returns "what: file:line text".
func (u Unreached) String() string {
	return fmt.Sprintf("%s:%d %s (%s)", u.Pos.File, u.Pos.Line, u.Text, u.What)
}

// trapsOnly reports whether the unreached instructions from pc on do nothing but trap.
func trapsOnly(e *model.Entry, ran []bool, pc int) bool {
	traps := false
	for ; pc < len(e.Code) && !ran[pc]; pc++ {
		switch in := &e.Code[pc]; {
		case in.Op == model.Trap:
			traps = true
		case visible(in) && in.Op != model.Ret:
			return false
		}
	}
	return traps
}
