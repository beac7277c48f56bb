// Command ptxmc proves or refutes synchronization protocols written in PTX.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/alecthomas/kong"
)

// Exit codes (docs/exit-codes in the README).
const (
	exitOK        = 0
	exitRefuted   = 1
	exitInput     = 2
	exitUndecided = 3
	exitInternal  = 4
)

type cli struct {
	Verify verifyCmd `cmd:"" help:"Check specs and their variants against the verdicts that they expect."`
	Print  printCmd  `cmd:"" help:"Print the PTX of a spec, with the edits of a variant."`
	Litmus litmusCmd `cmd:"" help:"Judge litmus tests by a model of the memory (the axiomatic oracle)."`
	Rules  rulesCmd  `cmd:"" help:"Explain a property, a rule of the semantics or an assumption; without NAME list them all."`
}

func main() {
	debug.SetGCPercent(300) // a search allocates much and keeps little
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run is the whole command with its output and exit code.
func run(args []string, stdout, stderr io.Writer) (code int) {
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(stderr, "ptxmc: internal error: %v\nplease report this with the spec; no verdict was reached\n", p)
			code = exitInternal
		}
	}()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var c cli
	done := -1
	parser, err := kong.New(&c, kong.Name("ptxmc"),
		kong.Description("Model checker for the synchronization protocols of GPU kernels, written in PTX."),
		kong.Writers(stdout, stderr), kong.UsageOnError(),
		kong.Exit(func(n int) { done = n }))
	if err != nil {
		panic(err)
	}
	k, err := parser.Parse(args)
	if done >= 0 {
		return done // --help
	}
	if err != nil {
		fmt.Fprintf(stderr, "ptxmc: %v\n", err)
		return exitInput
	}
	env := &environment{ctx: ctx, out: stdout, err: stderr}
	if err := k.Run(env); err != nil {
		var ex *exitError
		if errors.As(err, &ex) {
			return ex.code
		}
		fmt.Fprintf(stderr, "ptxmc: %v\n", err)
		return exitInput
	}
	return exitOK
}

type environment struct {
	ctx      context.Context
	out, err io.Writer
}

// exitError ends the command with a code; what there is to say has been said.
type exitError struct{ code int }

func (e *exitError) Error() string { return fmt.Sprintf("exit %d", e.code) }
