package machine

import (
	"fmt"
	"slices"
	"strings"

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

// notes is how many remarks the last step has.
func (r *Recorder) notes() int {
	if r == nil || len(r.Steps) == 0 {
		return 0
	}
	return len(r.Steps[len(r.Steps)-1].Notes)
}

// fold makes one remark of those from the k-th on, which begin with the same verb and, but for the
// first, end in the same tail.
func (r *Recorder) fold(k int, verb string) {
	if r == nil || r.notes()-k < 2 {
		return
	}
	s := &r.Steps[len(r.Steps)-1]
	parts := slices.Clone(s.Notes[k:])
	_, tail, _ := strings.Cut(parts[len(parts)-1], ", from ")
	for i, p := range parts {
		body, from, _ := strings.Cut(p, ", from ")
		if !strings.HasPrefix(p, verb) || from != tail {
			return
		}
		parts[i] = strings.TrimPrefix(body, verb)
	}
	line := verb + strings.Join(parts, ", ")
	if tail != "" {
		line += ", from " + tail
	}
	s.Notes = append(s.Notes[:k], line)
}
