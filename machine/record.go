package machine

import (
	"fmt"

	"ptxmc/model"
)

// TraceStep is one move of an execution, in words.
type TraceStep struct {
	Agent string    `json:"agent"`
	Pos   model.Pos `json:"pos"`
	Text  string    `json:"text"`
	Notes []string  `json:"notes,omitempty"`
}

// Recorder collects the steps of one execution. A nil Recorder records nothing.
type Recorder struct{ Steps []TraceStep }

func (r *Recorder) agent(name, text string) {
	if r != nil {
		r.Steps = append(r.Steps, TraceStep{Agent: name, Text: text})
	}
}

func (r *Recorder) step(st *stepper, text string) {
	if r != nil {
		r.Steps = append(r.Steps, TraceStep{Agent: st.m.threadName(st.ti), Pos: st.info.code.entry.Pos, Text: text})
	}
}

func (r *Recorder) instr(st *stepper) {
	if r != nil {
		r.Steps = append(r.Steps, TraceStep{Agent: st.m.threadName(st.ti), Pos: st.in.Pos, Text: st.in.Text})
	}
}

// note adds a remark to the last step.
func (r *Recorder) note(format string, args ...any) {
	if r != nil && len(r.Steps) > 0 {
		s := &r.Steps[len(r.Steps)-1]
		s.Notes = append(s.Notes, fmt.Sprintf(format, args...))
	}
}

// pos sets the place of the last step.
func (r *Recorder) pos(p model.Pos) {
	if r != nil {
		r.Steps[len(r.Steps)-1].Pos = p
	}
}
