package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"ptxmc/explore"
	"ptxmc/memmodel/axiomatic"
	"ptxmc/memmodel/cat"
	"ptxmc/memmodel/models"
	"ptxmc/model/litmus"
)

// judgement is what the engines say of one litmus test.
type judgement struct {
	prog        *litmus.Program
	oracle      *axiomatic.Result     // nil if not asked
	machine     *explore.LitmusResult // nil if not asked
	termination bool
	seconds     float64
}

// question is one condition of a test, or whether it terminates.
type question struct{ name, text string }

func (c *litmusCmd) judge(ctx context.Context, p *litmus.Program, m *cat.Model) (*judgement, error) {
	start := time.Now()
	j := &judgement{prog: p, termination: c.Property == "termination"}
	var err error
	if c.Engine != "machine" && !j.termination {
		if j.oracle, err = axiomatic.Run(p, m, axiomatic.Options{Unroll: c.Unroll, Context: ctx}); err != nil {
			return nil, fmt.Errorf("%s: %w", p.File, err)
		}
	}
	if c.Engine == "machine" || c.Engine == "both" || j.termination {
		if j.machine, err = explore.Litmus(ctx, p, explore.LitmusOptions{Termination: j.termination}); err != nil {
			return nil, err
		}
	}
	j.seconds = time.Since(start).Seconds()
	return j, nil
}

func (j *judgement) questions() (out []question) {
	if j.termination {
		return []question{{text: "terminates"}}
	}
	for i := range j.prog.Conditions {
		q := &j.prog.Conditions[i]
		out = append(out, question{q.Name, fmt.Sprintf("%s %s", q.Kind, q.Text)})
	}
	return out
}

// answer decides a question. Where both engines were asked they agree, or differ says that they do not.
func (j *judgement) answer(i int) (holds, decided bool) {
	switch {
	case j.oracle != nil:
		return j.oracle.Verdicts[i].Holds, j.oracle.Verdicts[i].Decided
	case j.machine.Search.Verdict == explore.Undecided:
		return false, false
	case j.termination:
		return j.machine.Terminates, true
	default:
		return j.machine.Holds(&j.prog.Conditions[i]), true
	}
}

func (j *judgement) cut(c *litmusCmd) string {
	switch {
	case j.oracle == nil:
		return j.machine.Search.Limit
	case j.oracle.Incomplete != "":
		return j.oracle.Incomplete
	default:
		return fmt.Sprintf("a loop needs more than %d turns; give --unroll a larger number", c.Unroll)
	}
}

func (j *judgement) size() string {
	var parts []string
	if j.oracle != nil {
		parts = append(parts, fmt.Sprintf("%d executions", j.oracle.Executions))
	}
	if j.machine != nil {
		parts = append(parts, fmt.Sprintf("%d states", j.machine.Search.States))
	}
	return strings.Join(parts, ", ")
}

func (j *judgement) notes() []string {
	if j.oracle != nil {
		return j.oracle.Notes
	}
	if out := j.machine.Search.LeftOut; out != "" {
		return []string{"executions are left out: " + out}
	}
	return nil
}

// differ says in which final states the two engines differ, or "". What a loop's bound cut off the oracle
// lacks with good reason.
func (j *judgement) differ() string {
	if j.oracle == nil || j.machine == nil || j.oracle.Incomplete != "" || j.machine.Search.Verdict == explore.Undecided {
		return ""
	}
	var oracle [][]int64
	for _, o := range j.oracle.Outcomes {
		oracle = append(oracle, o.Values)
	}
	var out []string
	less := func(what string, a, b [][]int64) {
		for _, v := range a {
			if !slices.ContainsFunc(b, func(w []int64) bool { return slices.Equal(v, w) }) {
				out = append(out, what+" "+axiomatic.NewOutcome(j.prog, v).String())
			}
		}
	}
	less("only the axioms allow", oracle, j.machine.Outcomes)
	if !j.oracle.Truncated {
		less("only the machine reaches", j.machine.Outcomes, oracle)
	}
	return strings.Join(out, "\n      ")
}

// states lists the final states as herd does: *> marks those that satisfy the first condition.
func (j *judgement) states(env *environment) {
	list := []axiomatic.Outcome{}
	if j.oracle != nil {
		list = j.oracle.Outcomes
	} else {
		for _, v := range j.machine.Outcomes {
			list = append(list, axiomatic.NewOutcome(j.prog, v))
		}
	}
	fmt.Fprintf(env.out, "      States %d\n", len(list))
	for _, o := range list {
		value := func(t litmus.Term) int64 { return o.Values[slices.Index(o.Terms, t)] }
		mark := ":"
		if litmus.Eval(j.prog.Conditions[0].Expr, value) != 0 {
			mark = "*"
		}
		count := "" // the machine does not count executions
		if j.oracle != nil {
			count = fmt.Sprint(o.Count)
		}
		fmt.Fprintf(env.out, "      %-8s%s>%s\n", count, mark, o)
	}
}

// why shows what decided a question.
func (j *judgement) why(env *environment, i int) {
	switch {
	case j.oracle != nil:
		why(env, &j.oracle.Verdicts[i])
	case j.termination && j.machine.Search.Violation != nil:
		fmt.Fprintf(env.out, "      why: %s\n", j.machine.Search.Violation.Message)
	}
}

// needsLate reports whether the axioms without assumption A1 answer the questions of the file as expected,
// and with it as the machine does.
func (c *litmusCmd) needsLate(ctx context.Context, f *litmusFile) bool {
	with, err := models.Load("ptxmc")
	if err != nil {
		return false
	}
	holds := func(m *cat.Model) (all, decided bool) {
		all = true
		for _, p := range f.programs {
			r, err := axiomatic.Run(p, m, axiomatic.Options{Unroll: c.Unroll, Context: ctx})
			if err != nil {
				return false, false
			}
			for _, v := range r.Verdicts {
				if !v.Decided {
					return false, false
				}
				all = all && v.Holds
			}
		}
		return all, true
	}
	without := with.Without("A1")
	expected := f.expected != "0"
	a, okA := holds(without)
	b, okB := holds(with)
	return okA && okB && a == expected && b != expected
}
