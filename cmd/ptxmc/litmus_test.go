package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// runLitmus runs the command and returns its output and exit code.
func runLitmus(t *testing.T, c litmusCmd) (out, errs string, code int) {
	t.Helper()
	if c.Model == "" {
		c.Model = "ptx-7.5"
	}
	if c.Unroll == 0 {
		c.Unroll = 3
	}
	var stdout, stderr bytes.Buffer
	err := c.Run(&environment{ctx: context.Background(), out: &stdout, err: &stderr})
	var exit *exitError
	switch {
	case errors.As(err, &exit):
		code = exit.code
	case err != nil:
		t.Fatal(err)
	}
	return stdout.String(), stderr.String(), code
}

const litmusData = "../../testdata/litmus/ptx"

func TestLitmus(t *testing.T) {
	write := func(name, text string) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	mp := litmusData + "/mp-release-acquire.litmus"
	loop := write("loop.litmus", "PTX loop\n{ x=0; }\n P0@cta 0,gpu 0 ;\n L0: ;\n atom.relaxed.gpu.add r0, x, 1 ;\n bne r0, 3, L0 ;\n~exists (x == 3)\n")
	absent, err := filepath.Abs(mp)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(litmusData + "/../ptx-7.5.csv")
	if err != nil {
		t.Fatal(err)
	}
	listed := fmt.Sprintf("%d passed, 0 failed", strings.Count(string(text), "\n"))
	for name, c := range map[string]struct {
		cmd    litmusCmd
		code   int
		want   []string // in either stream
		passed string
	}{
		"all":         {litmusCmd{Expected: litmusData + "/../ptx-7.5.csv"}, exitOK, nil, listed},
		"folder":      {litmusCmd{Paths: []string{litmusData}}, exitOK, nil, listed},
		"states":      {litmusCmd{Paths: []string{mp}, States: true}, exitOK, []string{"States 3", ":>P1:r0=1; P1:r1=1;"}, "1 passed, 0 failed"},
		"wrong":       {litmusCmd{Paths: []string{mp}, Expected: write("wrong.csv", absent+",0\n")}, exitRefuted, []string{"Causality forbids P1:r0=1; P1:r1=0;", "-fr->", "-sync->"}, "0 passed, 1 failed"},
		"undecided":   {litmusCmd{Paths: []string{loop}}, exitUndecided, []string{"UNDECIDED", "more than 3 turns"}, "0 passed, 1 failed"},
		"unrolled":    {litmusCmd{Paths: []string{loop}, Unroll: 4}, exitOK, []string{"Ok"}, "1 passed, 0 failed"},
		"missing":     {litmusCmd{Paths: []string{"missing.litmus"}}, exitInput, []string{"missing.litmus"}, "0 passed, 1 failed"},
		"nothing":     {litmusCmd{}, exitInput, []string{"no test given"}, "0 passed, 1 failed"},
		"model":       {litmusCmd{Paths: []string{mp}, Model: "ptx-9"}, exitInput, []string{"ptx-7.5"}, "0 passed, 1 failed"},
		"list":        {litmusCmd{Expected: write("bad.csv", "a.litmus,2\n")}, exitInput, []string{"bad.csv:1:", "expected path,1 or path,0"}, "0 passed, 1 failed"},
		"not listed":  {litmusCmd{Paths: []string{loop}, Expected: litmusData + "/../ptx-7.5.csv"}, exitInput, []string{"not on the list"}, "0 passed, 1 failed"},
		"model file":  {litmusCmd{Paths: []string{mp}, Model: write("all.cat", "\"all\"\ninclude \"ptx-7.5.cat\"\n")}, exitOK, []string{"Ok"}, "1 passed, 0 failed"},
		"model weak":  {litmusCmd{Paths: []string{mp}, Model: write("none.cat", "\"none\"\nempty 0 as Nothing\n")}, exitRefuted, []string{"No", "an execution ends in P1:r0=1; P1:r1=0;"}, "0 passed, 1 failed"},
		"empty model": {litmusCmd{Paths: []string{mp}, Model: write("bad.cat", "\"bad\"\nempty nonsense\n")}, exitInput, []string{"nonsense"}, "0 passed, 1 failed"},
	} {
		t.Run(name, func(t *testing.T) {
			out, errs, code := runLitmus(t, c.cmd)
			if code != c.code || !strings.HasSuffix(out, c.passed+"\n") {
				t.Errorf("exit %d, expected %d and %q:\n%s%s", code, c.code, c.passed, out, errs)
			}
			for _, w := range c.want {
				if !strings.Contains(out+errs, w) {
					t.Errorf("no %q in\n%s%s", w, out, errs)
				}
			}
		})
	}
}
