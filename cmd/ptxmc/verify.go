package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"time"

	"ptxmc/counterexample"
	"ptxmc/explore"
	"ptxmc/machine"
	"ptxmc/model/launch"
)

type verifyCmd struct {
	Paths     []string         `arg:"" name:"path" help:"Spec files, or folders that are searched for *.ptx."`
	Variant   string           `help:"Check this variant alone (\"base\" for the file as it is)." placeholder:"NAME"`
	Property  string           `help:"Ask for this property alone." placeholder:"NAME"`
	Set       map[string]int64 `help:"Give a parameter of the plan another value." placeholder:"PARAM=VALUE"`
	Assume    []string         `help:"Relax a policy: reads-done-at-issue, async-flag-payload, order-through-completion, mbarrier-init-fence, trigger-visibility, residency." placeholder:"POLICY"`
	Schedules bool             `help:"Print the schedule of every refutation, also of expected ones."`
	JSON      bool             `help:"Print JSON lines instead of text."`
	Trace     string           `help:"Write the traces of all refutations to a JSON file." placeholder:"FILE"`
	MaxStates int              `help:"Stop a search after this many states." placeholder:"N"`
	MaxMemory int              `help:"Stop a search when the program uses this much memory, in MB (default: three quarters of the machine's)." placeholder:"MB"`
	Timeout   time.Duration    `help:"Stop a search after this time." placeholder:"DURATION"`
	Workers   int              `help:"Cases checked at the same time (default: one for each processor)." placeholder:"N"`

	AllowUnreached bool `help:"Pass a proof although some code was never reached."`
}

// job is one case: a file as it is or with one variant's edits.
type job struct {
	spec    *launch.Spec
	machine *machine.Machine
	result  *explore.Result
	done    chan struct{}
	failure error // an internal error while it ran
}

func (j *job) name() string {
	if j.machine.Case.Variant == "" {
		return "base"
	}
	return j.machine.Case.Variant
}

// Run checks every case and compares verdicts with expectations.
func (c *verifyCmd) Run(env *environment) error {
	jobs, err := c.load()
	if err != nil {
		fmt.Fprintln(env.err, err)
		c.summary(env, 0, 1)
		return &exitError{exitInput}
	}
	show := newReporter(c, env, jobs)
	c.start(env, jobs, show)
	passed, failed, code := 0, 0, exitOK
	var traces []*counterexample.Trace
	for _, j := range jobs {
		<-j.done
		o := judge(c, j)
		show.finished(j, o)
		if j.result != nil && j.result.Verdict == explore.Refuted {
			traces = append(traces, counterexample.FromResult(j.machine, j.result))
		}
		if o.pass {
			passed++
			continue
		}
		failed++
		code = max(code, o.code)
	}
	show.close()
	if c.Trace != "" {
		if err := counterexample.Save(c.Trace, traces); err != nil {
			fmt.Fprintf(env.err, "ptxmc: the traces could not be written to %s: %v\n", c.Trace, err)
			failed++
			code = max(code, exitInternal)
		}
	}
	c.summary(env, passed, failed)
	if code != exitOK {
		return &exitError{code}
	}
	return nil
}

func (c *verifyCmd) summary(env *environment, passed, failed int) {
	if c.JSON {
		b, _ := json.Marshal(map[string]any{"schema": jsonSchema, "event": "summary", "passed": passed, "failed": failed})
		fmt.Fprintf(env.out, "%s\n", b)
		return
	}
	fmt.Fprintf(env.out, "%d passed, %d failed\n", passed, failed)
}

// start runs the jobs in order on a few workers.
func (c *verifyCmd) start(env *environment, jobs []*job, show *reporter) {
	n := c.Workers
	if n <= 0 {
		n = runtime.GOMAXPROCS(0)
	}
	queue := make(chan *job)
	var once sync.Once
	for range n {
		go func() {
			for j := range queue {
				c.check(env, j, show)
				close(j.done)
			}
		}()
	}
	go func() {
		for _, j := range jobs {
			queue <- j
		}
		once.Do(func() { close(queue) })
	}()
}

func (c *verifyCmd) check(env *environment, j *job, show *reporter) {
	defer func() {
		if p := recover(); p != nil {
			j.failure = fmt.Errorf("%v", p)
		}
	}()
	target := ""
	if e := j.machine.Case.Plan.Expect; !e.Verified {
		target = e.Property
	}
	if c.Property != "" {
		target = ""
	}
	memory := uint64(c.MaxMemory) << 20
	if memory == 0 {
		memory = defaultMemory()
	}
	j.result = explore.Run(env.ctx, j.machine, explore.Options{
		Target: target, Only: c.Property,
		MaxStates: c.MaxStates, MaxMemory: memory, Timeout: c.Timeout,
		Progress: func(p explore.Progress) { show.progress(j, p) },
	})
}

// outcome is a verdict compared with what was expected.
type outcome struct {
	pass bool
	code int    // if it did not pass
	why  string // if it did not pass
}

func judge(c *verifyCmd, j *job) outcome {
	if j.failure != nil {
		return outcome{code: exitInternal, why: "internal error: " + j.failure.Error()}
	}
	r, want := j.result, j.machine.Case.Plan.Expect
	switch r.Verdict {
	case explore.Undecided:
		return outcome{code: exitUndecided, why: r.Limit}
	case explore.Refuted:
		if want.Verified || c.Property != "" && want.Property != c.Property {
			return outcome{code: exitRefuted, why: "expected verified"}
		}
		if want.Property != r.Violation.Property {
			return outcome{code: exitRefuted, why: "expected refuted " + want.Property}
		}
		return outcome{pass: true}
	}
	if !want.Verified && (c.Property == "" || c.Property == want.Property) {
		return outcome{code: exitRefuted, why: "expected refuted " + want.Property}
	}
	if want.Verified && want.States > 0 && int64(r.States) != want.States && c.Property == "" {
		return outcome{code: exitRefuted, why: fmt.Sprintf("expected %d states: a lost or a new state", want.States)}
	}
	if !j.machine.FinalsReached() {
		return outcome{code: exitRefuted, why: "no execution came to an end, so the final conditions were never evaluated"}
	}
	// a variant may make code superfluous; the base has to reach all of it
	if !c.AllowUnreached && j.machine.Case.Variant == "" {
		if u := notExcused(j); len(u) > 0 {
			return outcome{code: exitRefuted, why: "code was never reached, so the proof says nothing of it: " + u[0].String()}
		}
	}
	return outcome{pass: true}
}

// notExcused lists code that no execution reached and that the spec does not mark as such: a line
// with the mark "unreached", or a block that only traps.
func notExcused(j *job) []machine.Unreached {
	var out []machine.Unreached
	for _, u := range j.result.Unreached {
		if strings.HasPrefix(u.What, "branch") || u.Traps || j.machine.Case.Marked(u.Pos, "unreached") {
			continue
		}
		out = append(out, u)
	}
	return out
}
