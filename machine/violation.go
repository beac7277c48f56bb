package machine

import (
	"fmt"

	"ptxmc/memmodel/causal"
	"ptxmc/model"
)

// Violation is a broken property at one step of one execution.
type Violation struct {
	Property string // a name of semantics section 8
	Rule     string // which rule of that property, kebab-case
	Message  string // what happened, in the field's terms
	Sites    []Site // the places in the source that matter, the acting one first
	Fix      string // how to mend it
	Ends     bool   // nothing after it has a meaning
	Step     int    // with a Recorder: how many steps it has at the violation
}

// Site is a place in the source with the part it plays.
type Site struct {
	Pos   model.Pos `json:"pos"`
	Text  string    `json:"text"`
	Agent string    `json:"agent,omitempty"`
	Role  string    `json:"role,omitempty"` // "the copy", "the conflicting store"
}

func (m *Machine) site(ti, pc int, role string) Site {
	e := m.threads[ti].code.entry
	if pc >= len(e.Code) {
		return Site{Pos: e.Pos, Text: "end of " + e.Name, Agent: m.threadName(ti), Role: role}
	}
	in := &e.Code[pc]
	return Site{Pos: in.Pos, Text: in.Text, Agent: m.threadName(ti), Role: role}
}

func (st *stepper) violate(v *Violation) {
	if st.in != nil {
		v.Sites = append([]Site{st.m.site(st.ti, st.pc, "here")}, v.Sites...)
	}
	if st.rec != nil {
		v.Step = len(st.rec.Steps)
	}
	st.out.Violations = append(st.out.Violations, v)
	if v.Ends {
		st.out.Ended = true
	}
}

// undefined reports undefined behaviour.
func (st *stepper) undefined(rule, format string, args ...any) {
	st.violate(&Violation{Property: "defined-behavior", Rule: rule, Message: fmt.Sprintf(format, args...), Ends: true, Fix: fixes[rule]})
}

// fixes says how to mend what is undefined, by rule.
var fixes = map[string]string{
	"uninitialized-read":        "write the location first, or give the buffer a content in the launch plan",
	"mixed-size-race":           "access the location with one size, or order the accesses",
	"misaligned":                "align the address to the size of the access",
	"mbarrier-not-initialized":  "initialise the object first, and invalidate it only after its last use",
	"mbarrier-init-live":        "invalidate the object before it is initialised again",
	"mbarrier-init-not-visible": "synchronise the threads after mbarrier.init: bar.sync within the CTA, fence.mbarrier_init and a cluster barrier across CTAs",
	"mbarrier-pending-underflow": "arrive once for each expected arrival and attempt; a thread that waits for the next attempt has to flip the parity of its primary phase, " +
		"or the wait answers for the attempt before",
	"mbarrier-phase-unobserved": "let some thread wait for a phase before anybody arrives on the next",
	"mbarrier-report-on-v0":     "initialise the object with mbarrier.init.layout::v1",
	"mbarrier-expect-completes": "arm the object (arrive.expect_tx) before the copy is issued",
	"shared-window":             "use .shared::cluster for mapped addresses, where the operation has that form",
	"shared-address":            "map addresses of the own CTA only, each once, to a rank below %cluster_nctarank",
	"cluster-barrier-twice":     "wait for the barrier before arriving again",
	"bulk-own-cta":              "map destination and mbarrier to the rank of another CTA",
	"async-own-cta":             "map destination and mbarrier to the rank of another CTA",
	"bulk-mbarrier-cta":         "map destination and mbarrier to the same rank",
	"async-mbarrier-cta":        "map destination and mbarrier to the same rank",
	"mbarrier-remote":           "let the CTA that owns the object wait on it, and tell the others through memory",
}

// eventSite is the place of an event's instruction.
func (m *Machine) eventSite(e *causal.Event, role string) Site {
	return m.site(e.Agent, e.Ref, role)
}
