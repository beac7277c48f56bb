package main

import (
	"fmt"
	"strings"

	"ptxmc/internal/spell"
	"ptxmc/machine"
	"ptxmc/model/launch"
	"ptxmc/model/mbarrier"
)

type rulesCmd struct {
	Name string `arg:"" optional:"" help:"A property, a rule of the semantics, an mbarrier rule or an assumption."`
}

// explanation is one entry of the rule book.
type explanation struct{ name, kind, text, source string }

// book collects every name that a verdict, a trace or a diagnostic may use.
func book() []explanation {
	var out []explanation
	for _, p := range launch.Properties {
		out = append(out, explanation{p.Name, "property", "refuted if " + p.RefutedBy, "docs/semantics.md, Properties"})
	}
	for _, r := range machine.Rules {
		out = append(out, explanation{string(r.Name), "semantics", r.Text, r.Source})
	}
	for _, r := range machine.Behaviors {
		out = append(out, explanation{r.Name, "violation", r.Text, r.Source})
	}
	for _, r := range mbarrier.Rules {
		out = append(out, explanation{r.Name, "mbarrier", r.Text, r.Source})
	}
	for _, a := range machine.AllAssumptions {
		out = append(out, explanation{a.Name, "assumption", a.Text, "docs/semantics.md, Assumptions"})
	}
	for _, p := range machine.Policies {
		out = append(out, explanation{p.Name, "policy", "strict: " + p.Strict + "; relaxed: " + p.Relaxed, "docs/semantics.md, Assumptions and policies"})
	}
	return out
}

// Run prints one entry in full, or all in short.
func (c *rulesCmd) Run(env *environment) error {
	var names []string
	found := false // a rule and a policy may share a name
	for _, e := range book() {
		names = append(names, e.name)
		if !strings.EqualFold(e.name, c.Name) {
			continue
		}
		fmt.Fprintf(env.out, "%s (%s)\n  %s.\n  source: %s\n", e.name, e.kind, strings.TrimSuffix(e.text, "."), e.source)
		found = true
	}
	if found {
		return nil
	}
	if c.Name != "" {
		fmt.Fprintf(env.err, "ptxmc: no rule %q%s; `ptxmc rules` lists them all\n", c.Name, spell.DidYouMean(c.Name, names))
		return &exitError{exitInput}
	}
	kind := ""
	for _, e := range book() {
		if e.kind != kind {
			kind = e.kind
			fmt.Fprintf(env.out, "%s\n", kind)
		}
		fmt.Fprintf(env.out, "  %-28s %s\n", e.name, e.text)
	}
	return nil
}
