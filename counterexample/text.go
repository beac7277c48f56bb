package counterexample

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
)

// WriteText prints the schedule, one line a step with its observations under it, then the
// explanation.
func WriteText(w io.Writer, t *Trace) error {
	p := &printer{w: w}
	wide := 0
	for _, s := range t.Steps {
		wide = max(wide, len(s.Agent))
	}
	for i, s := range t.Steps {
		if i == t.Loop {
			p.printf("      from here on, for ever:\n")
		}
		where := ""
		if s.Pos.Line > 0 {
			where = fmt.Sprintf("%s:%d", filepath.Base(s.Pos.File), s.Pos.Line)
		}
		p.printf("  %3d  %-*s  %-14s  %s\n", i+1, wide, s.Agent, where, s.Text)
		for _, n := range s.Notes {
			p.printf("       %s  · %s\n", strings.Repeat(" ", wide), n)
		}
	}
	p.printf("  why: %s.\n", t.explanation())
	for _, s := range t.Sites {
		if s.Pos.Line == 0 {
			continue
		}
		p.printf("       %s:%d  %s  (%s)\n", s.Pos.File, s.Pos.Line, s.Text, joinNonEmpty(s.Agent, s.Role))
	}
	if t.Fix != "" {
		p.printf("  mend: %s.\n", t.Fix)
	}
	p.printf("  rule: %s (ptxmc rules %s)\n", joinNonEmpty(t.Property, t.Rule), t.Property)
	if len(t.Also) > 0 {
		p.printf("  also broken: %s\n", strings.Join(t.Also, ", "))
	}
	return p.err
}

// explanation is the message with the step it speaks of.
func (t *Trace) explanation() string {
	if t.Loop >= 0 {
		return fmt.Sprintf("steps %d to %d repeat: %s", t.Loop+1, len(t.Steps), t.Message)
	}
	if len(t.Steps) == 0 {
		return t.Message
	}
	return fmt.Sprintf("step %d: %s", len(t.Steps), t.Message)
}

func joinNonEmpty(parts ...string) string {
	var out []string
	for _, p := range parts {
		if p != "" {
			out = append(out, p)
		}
	}
	return strings.Join(out, ", ")
}

// printer remembers the first error.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}
