package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/mattn/go-isatty"

	"ptxmc/counterexample"
	"ptxmc/explore"
)

// jsonSchema is the version of the JSON lines.
const jsonSchema = "ptxmc/1"

// reporter prints verdicts in the order of the jobs, and progress between them: a changing line on
// a terminal, a line now and then elsewhere.
type reporter struct {
	c        *verifyCmd
	env      *environment
	width    int // of the case names
	terminal bool
	mu       sync.Mutex
	dirty    bool // a progress line stands on the terminal
	last     time.Time
}

// quiet is how long a search may run before a log without a terminal hears of it, and how often.
const quiet = 10 * time.Second

func newReporter(c *verifyCmd, env *environment, jobs []*job) *reporter {
	r := &reporter{c: c, env: env, last: time.Now()}
	for _, j := range jobs {
		r.width = max(r.width, len(caseName(j)))
	}
	if f, ok := env.err.(*os.File); ok {
		r.terminal = isatty.IsTerminal(f.Fd())
	}
	return r
}

func caseName(j *job) string {
	return filepath.ToSlash(j.spec.File) + "  " + j.name()
}

func (r *reporter) progress(j *job, p explore.Progress) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.terminal && time.Since(r.last) < quiet {
		return
	}
	r.last = time.Now()
	line := fmt.Sprintf("exploring %s  %s states  depth %d  frontier %s  %s/s  %d MB  %.0fs", caseName(j), thousands(p.States), p.Depth,
		thousands(p.Frontier), thousands(int(float64(p.States)/p.Elapsed.Seconds())), p.Memory>>20, p.Elapsed.Seconds())
	if r.terminal {
		fmt.Fprintf(r.env.err, "\r\x1b[K%s", line)
		r.dirty = true
		return
	}
	fmt.Fprintln(r.env.err, line)
}

func (r *reporter) clear() {
	if r.dirty {
		fmt.Fprint(r.env.err, "\r\x1b[K")
		r.dirty = false
	}
}

func (r *reporter) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.clear()
}

// finished prints the verdict of one case, and its schedule where that is of interest.
func (r *reporter) finished(j *job, o outcome) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.clear()
	if r.c.JSON {
		r.json(j, o)
		return
	}
	mark := "ok  "
	if !o.pass {
		mark = "FAIL"
	}
	if j.result == nil {
		fmt.Fprintf(r.env.out, "%s  %-*s  %s\n", mark, r.width, caseName(j), o.why)
		return
	}
	fmt.Fprintf(r.env.out, "%s  %-*s  %s\n", mark, r.width, caseName(j), r.verdict(j))
	if o.why != "" {
		fmt.Fprintf(r.env.out, "      %s\n", o.why)
	}
	res := j.result
	switch {
	case res.Verdict == explore.Undecided:
		fmt.Fprintf(r.env.out, "      covered: %s states, %s transitions, depth %d; %s states were not expanded; nothing is proved\n",
			thousands(res.States), thousands(res.Transitions), res.Depth, thousands(res.Frontier))
	case res.Verdict == explore.Refuted && (!o.pass || r.c.Schedules || r.c.Variant != ""):
		counterexample.WriteText(r.env.out, counterexample.FromResult(j.machine, res))
	case res.Verdict == explore.Verified:
		for _, u := range res.Unreached {
			fmt.Fprintf(r.env.out, "      never reached: %v\n", u)
		}
	}
}

// verdict is the verdict with what it rests on.
func (r *reporter) verdict(j *job) string {
	res := j.result
	var parts []string
	switch res.Verdict {
	case explore.Refuted:
		parts = append(parts, fmt.Sprintf("REFUTED   %-16s", res.Violation.Property), plural(len(res.Steps), "step"))
	case explore.Undecided:
		parts = append(parts, fmt.Sprintf("UNDECIDED %-16s", ""))
	default:
		what := "all properties"
		if r.c.Property != "" {
			what = r.c.Property
		}
		parts = append(parts, fmt.Sprintf("VERIFIED  %-16s", what))
	}
	parts = append(parts, thousands(res.States)+" states", fmt.Sprintf("%.2fs", res.Elapsed.Seconds()))
	if res.Verdict == explore.Verified {
		if res.Cyclic {
			parts = append(parts, "retries unbounded")
		} else {
			parts = append(parts, "every execution ends")
		}
	}
	if res.Verdict != explore.Undecided {
		parts = append(parts, "assumes "+strings.Join(j.machine.Assumptions(), " "))
		policies := "strict"
		if p := j.machine.Policies(); len(p) > 0 {
			policies = strings.Join(p, " ")
		}
		parts = append(parts, "policies "+policies)
	}
	return strings.Join(parts, "  ")
}

func (r *reporter) json(j *job, o outcome) {
	e := map[string]any{
		"schema": jsonSchema, "event": "verdict", "file": j.spec.File, "variant": j.name(), "pass": o.pass,
		"assumptions": j.machine.Assumptions(), "policies": j.machine.Policies(),
	}
	if o.why != "" {
		e["why"] = o.why
	}
	if res := j.result; res != nil {
		e["verdict"] = strings.ToLower(res.Verdict.String())
		e["states"], e["transitions"], e["depth"] = res.States, res.Transitions, res.Depth
		e["seconds"] = res.Elapsed.Seconds()
		e["unbounded"] = res.Cyclic
		var un []string
		for _, u := range res.Unreached {
			un = append(un, u.String())
		}
		e["unreached"] = un
		if res.Violation != nil {
			e["property"], e["rule"] = res.Violation.Property, res.Violation.Rule
			e["trace"] = counterexample.FromResult(j.machine, res)
		}
		if res.Limit != "" {
			e["limit"] = res.Limit
		}
	}
	b, err := json.Marshal(e)
	if err != nil {
		panic(err)
	}
	fmt.Fprintf(r.env.out, "%s\n", b)
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
