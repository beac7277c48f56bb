// Package counterexample turns what a search found into what people and programs read: a trace with
// its schedule and an explanation, as text or JSON.
//
// The one invariant: a trace is complete in itself. It names files, lines, agents and values, and
// needs neither the program nor the search to be understood.
package counterexample

import (
	"ptxmc/explore"
	"ptxmc/machine"
)

// Schema is the version of the JSON form of a trace.
const Schema = "ptxmc-trace/1"

// Trace is one execution that breaks a property.
type Trace struct {
	Schema   string `json:"schema"`
	File     string `json:"file"`
	Variant  string `json:"variant,omitempty"`
	Property string `json:"property"`
	Rule     string `json:"rule"`
	// Message says what happens in the last step; Fix how to mend it.
	Message string         `json:"message"`
	Fix     string         `json:"fix,omitempty"`
	Sites   []machine.Site `json:"sites,omitempty"`
	// Steps is the schedule; from Steps[Loop] on it repeats for ever, unless Loop is -1.
	Steps []machine.TraceStep `json:"steps"`
	Loop  int                 `json:"loop"`
	// Also lists other properties that break in the same program.
	Also        []string `json:"also,omitempty"`
	Assumptions []string `json:"assumptions"`
}

// FromResult makes the trace of a refutation.
func FromResult(m *machine.Machine, r *explore.Result) *Trace {
	v := r.Violation
	return &Trace{
		Schema: Schema, File: m.Case.Spec.File, Variant: m.Case.Variant,
		Property: v.Property, Rule: v.Rule, Message: v.Message, Fix: v.Fix, Sites: v.Sites,
		Steps: r.Steps, Loop: r.LoopStart, Also: r.Also, Assumptions: m.Assumptions(),
	}
}
