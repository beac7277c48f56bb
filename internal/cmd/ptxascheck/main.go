// Command ptxascheck assembles every spec and rule file, and each of their variants, with NVIDIA's assembler:
// specs are valid PTX, and what the parser takes the assembler takes too. It installs the assembler into a
// virtual environment of its own (.ptxas) if PTXAS does not name one.
package main

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"ptxmc/model/launch"
)

// wheel is the package that brings ptxas; earlier releases do not know sm_107a.
const wheel = "nvidia-cuda-nvcc>=13.5"

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "ptxas-check:", err)
		os.Exit(1)
	}
}

// job is one case: a file with the edits of one variant.
type job struct {
	name, target, text string
	wrong              bool // the variant is expected to be undefined: the assembler may see it too
	outcome            outcome
	reason             string
}

type outcome int

const (
	assembled outcome = iota
	refused
	skipped
)

func run(folders []string) error {
	if len(folders) == 0 {
		folders = []string{"specs", "testdata/rules"}
	}
	ptxas, err := assembler()
	if err != nil {
		return err
	}
	jobs, err := collect(folders)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "ptxas-check")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var wg sync.WaitGroup
	limit := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, j := range jobs {
		wg.Go(func() {
			limit <- struct{}{}
			j.assemble(ptxas, filepath.Join(dir, fmt.Sprintf("%d.ptx", i)))
			<-limit
		})
	}
	wg.Wait()
	var count [3]int
	for _, j := range jobs {
		count[j.outcome]++
		switch j.outcome {
		case refused:
			fmt.Printf("refused  %s: %s\n", j.name, j.reason)
		case skipped:
			fmt.Printf("skipped  %s: %s\n", j.name, j.reason)
		}
	}
	fmt.Printf("%d assembled, %d refused, %d skipped\n", count[assembled], count[refused], count[skipped])
	if count[refused] > 0 {
		return fmt.Errorf("the assembler refuses %d cases", count[refused])
	}
	return nil
}

// assembler finds ptxas, or installs it.
func assembler() (string, error) {
	if p := os.Getenv("PTXAS"); p != "" {
		return p, nil
	}
	const venv = ".ptxas"
	find := func() string {
		list, _ := filepath.Glob(filepath.Join(venv, "lib", "python3*", "site-packages", "nvidia", "cu13", "bin", "ptxas"))
		if len(list) == 0 {
			return ""
		}
		return list[0]
	}
	if p := find(); p != "" {
		return p, nil
	}
	for _, args := range [][]string{
		{"python3", "-m", "venv", venv},
		{filepath.Join(venv, "bin", "pip"), "install", "--quiet", wheel},
	} {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Stderr = os.Stderr
		if err := cmd.Run(); err != nil {
			return "", fmt.Errorf("%s: %w; expected python3 with venv and access to PyPI, or PTXAS=PATH", strings.Join(args, " "), err)
		}
	}
	if p := find(); p != "" {
		return p, nil
	}
	return "", fmt.Errorf("%s brought no ptxas; set PTXAS to the path of one", wheel)
}

// collect makes all cases of the *.ptx files below the folders.
func collect(folders []string) ([]*job, error) {
	var jobs []*job
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(path) != ".ptx" {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			spec, err := launch.Load(path, string(text))
			if err != nil {
				return err
			}
			for _, v := range append([]string{""}, spec.VariantNames()...) {
				c, err := spec.Case(v, nil)
				if err != nil {
					return err
				}
				name := path
				if v != "" {
					name += " " + v
				}
				jobs = append(jobs, &job{name: name, target: c.Module.Target, text: c.PTX(), wrong: c.Plan.Expect.Property == "defined-behavior"})
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return jobs, nil
}

// unknown are messages of an assembler that is older than the instruction or the target.
var unknown = []string{"is not defined for option 'gpu-name'", "Unsupported .version", "Unknown modifier", "Not a name of any known instruction"}

// scaled is what an assembler says of a protocol that is scaled down: one thread stands for a warp.
const scaled = "Number of threads participating in barrier must be in multiple of warp size"

func (j *job) assemble(ptxas, path string) {
	if err := os.WriteFile(path, []byte(j.text), 0o600); err != nil {
		j.outcome, j.reason = refused, err.Error()
		return
	}
	out, err := exec.Command(ptxas, "-arch="+j.target, "-o", os.DevNull, path).CombinedOutput()
	if err == nil {
		return
	}
	j.outcome = refused
	j.reason, _, _ = strings.Cut(strings.TrimSpace(strings.ReplaceAll(string(out), path, j.name)), "\n")
	for _, u := range unknown {
		if strings.Contains(string(out), u) {
			j.outcome, j.reason = skipped, "this assembler does not know it: "+j.reason
			return
		}
	}
	if strings.Contains(j.reason, scaled) {
		j.outcome, j.reason = skipped, "scaled down: "+j.reason
		return
	}
	if j.wrong {
		j.outcome, j.reason = skipped, "wrong on purpose: "+j.reason
	}
}
