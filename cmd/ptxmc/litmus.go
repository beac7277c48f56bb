package main

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ptxmc/memmodel/axiomatic"
	"ptxmc/memmodel/cat"
	"ptxmc/memmodel/models"
	"ptxmc/model/litmus"
)

type litmusCmd struct {
	Paths    []string `arg:"" optional:"" name:"path" help:"Litmus tests (.litmus, .test), or folders that are searched for them. With --expected: all of its tests if none is given."`
	Model    string   `help:"Memory model of the oracle: the name of a built-in one, or a .cat file. Without it ptx-7.5, and ptxmc, which the machine implements, with --engine both." placeholder:"NAME|FILE"`
	Engine   string   `help:"Who judges: the oracle, which lists the executions that the axioms allow; the machine of ptxmc verify; or both, which have to agree." enum:"oracle,machine,both" default:"oracle"`
	Property string   `help:"What is asked: the test's condition, or whether every fair execution ends (by the machine)." enum:"condition,termination" default:"condition"`
	Expected string   `help:"Compare with a list of path,1|0 lines; 1 says that the conditions of the test hold, or that it terminates." placeholder:"FILE.csv"`
	States   bool     `help:"List the final states with the number of executions that end in each (oracle)."`
	Unroll   int      `help:"Oracle: follow a loop for this many turns." default:"3" placeholder:"N"`
	Graph    string   `help:"Draw the execution that decides the condition of one test as SVG (oracle)." placeholder:"FILE.svg"`

	picture picture
}

// litmusFile is one file of tests.
type litmusFile struct {
	path     string
	programs []*litmus.Program
	expected string // "1", "0", or "" without --expected: the conditions must hold
}

// Run judges every test and compares the verdicts with the expected ones.
func (c *litmusCmd) Run(env *environment) error {
	m, files, err := c.load()
	if err != nil {
		fmt.Fprintf(env.err, "ptxmc: %v\n", err)
		fmt.Fprintf(env.out, "0 passed, 1 failed\n")
		return &exitError{exitInput}
	}
	passed, failed, excluded, code := 0, 0, 0, exitOK
	for _, f := range files {
		n, byA1 := c.file(env, m, f)
		switch {
		case byA1:
			excluded++
		case n == exitOK:
			passed++
		default:
			failed++
		}
		code = max(code, n)
	}
	if c.Graph != "" && code != exitInput {
		if err := c.picture.write(c.Graph); err != nil {
			fmt.Fprintf(env.err, "ptxmc: --graph: %v\n", err)
			code = max(code, exitInput)
		}
	}
	if excluded > 0 {
		fmt.Fprintf(env.out, "%d excluded by assumption A1\n", excluded)
	}
	fmt.Fprintf(env.out, "%d passed, %d failed\n", passed, failed)
	if code != exitOK {
		return &exitError{code}
	}
	return nil
}

// file judges the tests of one file. All of their conditions must hold for the file to be 1. byA1: the
// verdicts are other than expected, but only because the machine assumes A1.
func (c *litmusCmd) file(env *environment, m *cat.Model, f *litmusFile) (code int, byA1 bool) {
	type line struct {
		text   string
		judged *judgement
		number int
		name   string
	}
	var lines []line
	all, undecided, differ := true, "", false
	for _, p := range f.programs {
		j, err := c.judge(env.ctx, p, m)
		if err != nil {
			fmt.Fprintf(env.err, "ptxmc: %v\n", err)
			return exitInput, false
		}
		differ = differ || j.differ() != ""
		for i, q := range j.questions() {
			holds, decided := j.answer(i)
			answer := map[bool]string{true: "Ok", false: "No"}[holds]
			if !decided {
				answer, undecided = "UNDECIDED", j.cut(c)
			}
			all = all && holds
			if j.oracle != nil {
				c.picture.offer(j.oracle, &j.oracle.Verdicts[i])
			}
			name := p.Name
			if q.name != "" {
				name += "." + q.name
			}
			lines = append(lines, line{fmt.Sprintf("%s  %s  %s  %s  %s  %.2fs", f.path, name, answer, q.text, j.size(), j.seconds), j, i, name})
		}
	}
	status := "ok   "
	switch {
	case undecided != "":
		status, code = "?    ", exitUndecided
	case differ:
		status, code = "FAIL ", exitRefuted
	case all != (f.expected != "0"):
		status, code = "FAIL ", exitRefuted
		if c.Engine == "machine" && c.Property == "condition" && c.needsLate(env.ctx, f) {
			status, code, byA1 = "A1   ", exitOK, true
		}
	}
	for i, l := range lines {
		fmt.Fprintf(env.out, "%s %s\n", status, l.text)
		for _, n := range l.judged.notes() {
			fmt.Fprintf(env.out, "      note: %s\n", n)
		}
		if c.States && (i == 0 || lines[i-1].judged != l.judged) {
			l.judged.states(env)
		}
		if d := l.judged.differ(); d != "" && (i == 0 || lines[i-1].judged != l.judged) {
			fmt.Fprintf(env.out, "      %s\n", d)
		}
		holds, _ := l.judged.answer(l.number)
		if code == exitRefuted && !differ && holds == (f.expected == "0") {
			l.judged.why(env, l.number)
		}
	}
	if byA1 {
		fmt.Fprintf(env.out, "      the axioms answer as expected, but the execution that decides needs a load, or a read-modify-write, that takes its value later than the machine lets it (docs/memory-model.md, A1)\n")
	}
	if undecided != "" {
		fmt.Fprintf(env.out, "      undecided: %s\n", undecided)
	}
	return code, byA1
}

// why shows what decided a verdict: the execution that reaches the state, or the axiom that forbids it.
func why(env *environment, v *axiomatic.Verdict) {
	switch {
	case v.Witness != nil:
		fmt.Fprintf(env.out, "      why: an execution ends in %s\n", v.Witness.Outcome)
		for _, e := range v.Witness.Events {
			if e.Kind != axiomatic.Init {
				fmt.Fprintf(env.out, "           %s\n", e)
			}
		}
		for _, e := range v.Witness.Edges {
			if !slices.Contains([]string{"po", "rmw", "addr", "data", "ctrl"}, e.Name) {
				fmt.Fprintf(env.out, "           %s: %s -> %s\n", e.Name, v.Witness.Events[e.From], v.Witness.Events[e.To])
			}
		}
	case v.Forbidden != nil:
		fmt.Fprintf(env.out, "      why: %s forbids %s\n", v.Forbidden.Axiom, v.Forbidden.Execution.Outcome)
		fmt.Fprintf(env.out, "           %s\n", v.Forbidden)
	default:
		fmt.Fprintf(env.out, "      why: no choice of values that the loads may return leads there\n")
	}
}

// load reads the model, the list and the tests before anything runs.
func (c *litmusCmd) load() (*cat.Model, []*litmusFile, error) {
	switch {
	case c.Unroll < 1:
		return nil, nil, fmt.Errorf("--unroll %d; expected 1 or more turns", c.Unroll)
	case c.Graph != "" && !strings.EqualFold(filepath.Ext(c.Graph), ".svg"):
		return nil, nil, fmt.Errorf("--graph %s; expected a file whose name ends in .svg", c.Graph)
	case c.Engine == "machine" && (c.Graph != "" || c.Model != ""):
		return nil, nil, errors.New("--engine machine with --model or --graph; expected --engine oracle or both: the machine has one model and draws nothing")
	case c.Property == "termination" && (c.Engine == "both" || c.Graph != "" || c.Model != "" || c.States):
		return nil, nil, errors.New("--property termination with --engine both, --model, --graph or --states; expected none of them: the machine alone judges termination")
	case len(c.Paths) == 0 && c.Expected == "":
		return nil, nil, errors.New("no test given; expected files or folders, or --expected with a list")
	}
	if c.Model == "" {
		c.Model = map[bool]string{true: "ptxmc", false: "ptx-7.5"}[c.Engine == "both"]
	}
	m, err := litmusModel(c.Model)
	if err != nil {
		return nil, nil, err
	}
	files, err := c.files()
	if err != nil {
		return nil, nil, err
	}
	if c.Graph != "" && len(files) != 1 {
		return nil, nil, fmt.Errorf("--graph %s with %d files of tests; expected one, since a drawing shows one execution", c.Graph, len(files))
	}
	var errs []error
	for _, f := range files {
		text, err := os.ReadFile(f.path)
		if err == nil {
			f.programs, err = litmus.Parse(f.path, string(text))
		}
		if err != nil {
			errs = append(errs, err)
		}
	}
	return m, files, errors.Join(errs...)
}

// litmusModel loads a built-in model or a file. A file may include built-in files and its neighbours.
func litmusModel(name string) (*cat.Model, error) {
	if !strings.HasSuffix(name, ".cat") {
		return models.Load(name)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return cat.Parse(name, string(text), func(file string) (string, error) {
		if text, err := os.ReadFile(filepath.Join(filepath.Dir(name), file)); err == nil {
			return string(text), nil
		}
		return models.Text(file)
	})
}

// files finds the tests. With a list, a folder stands for its tests that are on the list.
func (c *litmusCmd) files() ([]*litmusFile, error) {
	var list map[string]string
	var order []string
	if c.Expected != "" {
		var err error
		if list, order, err = expectations(c.Expected); err != nil {
			return nil, err
		}
	}
	paths := c.Paths
	if len(paths) == 0 {
		paths = order
	}
	var out []*litmusFile
	seen := map[string]bool{}
	add := func(path string, named bool) error {
		key, err := filepath.Abs(path)
		if err != nil {
			return err
		}
		verdict, listed := list[key]
		switch {
		case seen[key] || list != nil && !listed && !named:
			return nil
		case list != nil && !listed:
			return fmt.Errorf("%s is not on the list %s; expected one of its tests", path, c.Expected)
		}
		seen[key] = true
		out = append(out, &litmusFile{path: filepath.Clean(path), expected: verdict})
		return nil
	}
	for _, p := range paths {
		info, err := os.Stat(p)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			if err := add(p, true); err != nil {
				return nil, err
			}
			continue
		}
		err = filepath.WalkDir(p, func(path string, d fs.DirEntry, err error) error {
			if ext := filepath.Ext(path); err == nil && !d.IsDir() && (ext == ".litmus" || ext == ".test") {
				return add(path, false)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	if len(out) == 0 {
		return nil, errors.New("no litmus test found in " + strings.Join(c.Paths, ", "))
	}
	return out, nil
}

// expectations reads a list of path,1|0 lines. The paths are relative to the list's folder; list has them
// in absolute form.
func expectations(file string) (list map[string]string, order []string, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	list = map[string]string{}
	s := bufio.NewScanner(f)
	for n := 1; s.Scan(); n++ {
		line := strings.TrimSpace(s.Text())
		if line == "" {
			continue
		}
		path, verdict, ok := strings.Cut(line, ",")
		if verdict = strings.TrimSpace(verdict); !ok || verdict != "0" && verdict != "1" {
			return nil, nil, fmt.Errorf("%s:%d: found %q; expected path,1 or path,0", file, n, line)
		}
		if path = filepath.FromSlash(strings.TrimSpace(path)); !filepath.IsAbs(path) {
			path = filepath.Join(filepath.Dir(file), path)
		}
		key, err := filepath.Abs(path)
		if err != nil {
			return nil, nil, err
		}
		if _, twice := list[key]; twice {
			return nil, nil, fmt.Errorf("%s:%d: %s stands twice; expected one verdict a test", file, n, path)
		}
		list[key] = verdict
		order = append(order, path)
	}
	if err := s.Err(); err != nil {
		return nil, nil, err
	}
	if len(order) == 0 {
		return nil, nil, fmt.Errorf("%s is empty; expected lines path,1 or path,0", file)
	}
	return list, order, nil
}
