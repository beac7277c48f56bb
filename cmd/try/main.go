package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"strconv"
	"time"

	"ptxmc/explore"
	"ptxmc/machine"
	"ptxmc/model/launch"
)

func main() {
	variant := flag.String("variant", "", "")
	nored := flag.Bool("nored", false, "")
	target := flag.String("target", "", "")
	set := flag.String("set", "", "")
	brk := flag.String("break", "", "")
	flag.Parse()
	text, err := os.ReadFile(flag.Arg(0))
	if err != nil { panic(err) }
	spec, err := launch.Load(flag.Arg(0), string(text))
	if err != nil { fmt.Println(err); os.Exit(2) }
	sets := map[string]int64{}
	for _, kv := range strings.Fields(*set) {
		k, v, _ := strings.Cut(kv, "=")
		n, _ := strconv.ParseInt(v, 0, 64)
		sets[k] = n
	}
	c, err := spec.Case(*variant, sets)
	if err != nil { fmt.Println(err); os.Exit(2) }
	m, err := machine.New(c, machine.Options{Break: machine.Rule(*brk)})
	if err != nil { fmt.Println(err); os.Exit(2) }
	r := explore.Run(context.Background(), m, explore.Options{NoReduction: *nored, Target: *target, Timeout: 60 * time.Second})
	fmt.Println(r.Verdict, r.States, r.Transitions, r.Depth, r.Elapsed, r.StateBytes, r.Limit, r.Also, "cyclic", r.Cyclic)
	for i, s := range r.Steps {
		if i == r.LoopStart { fmt.Println("--- for ever:") }
		fmt.Printf("%3d %-22s %d: %s\n", i+1, s.Agent, s.Pos.Line, s.Text)
		for _, n := range s.Notes { fmt.Println("        ", n) }
	}
	if r.Violation != nil {
		fmt.Println(r.Violation.Property, r.Violation.Rule, ":", r.Violation.Message)
		for _, s := range r.Violation.Sites { fmt.Println("   at", s.Pos, s.Text, s.Agent, s.Role) }
		fmt.Println("  mend:", r.Violation.Fix)
	}
	for _, u := range r.Unreached { fmt.Println("unreached", u) }
}
