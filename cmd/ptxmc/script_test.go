package main

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"ptxmc": func() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) },
	})
}

// TestScripts runs the command line as users do: output and exit codes.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           "../../testdata/script",
		UpdateScripts: os.Getenv("PTXMC_UPDATE") != "",
		Setup: func(env *testscript.Env) error {
			wd, err := os.Getwd()
			env.Setenv("SPECS", wd+"/../../specs")
			return err
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"code": code,
		},
	})
}

// code runs ptxmc and checks its exit code: code N ARGS...
func code(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N ARGS...")
	}
	err := ts.Exec("sh", append([]string{"-c", `"$@"; got=$?; [ "$got" = "` + args[0] + `" ] || { echo "exit code $got, expected ` + args[0] + `" >&2; exit 1; }`, "sh", "ptxmc"}, args[1:]...)...)
	if err != nil {
		ts.Fatalf("%v", err)
	}
}
