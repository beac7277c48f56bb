package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ptxmc/memmodel/axiomatic"
	"ptxmc/memmodel/models"
	"ptxmc/model/litmus"
)

// TestLitmusGraph holds which events and edges are drawn: "!" marks the emphasised ones, "<->" those that hold both ways.
func TestLitmusGraph(t *testing.T) {
	m, err := models.Load("ptx-7.5")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		// the cycle: fr, po, sync, po; rf of the release beside it
		"mp-release-acquire": `a: init x = 0
b: W x = 1
c: W y = 1
d: R y = 1
e: R x = 0
e -fr-> b!
b -po-> c!
c -sync-> d!
d -po-> e!
a -rf-> e
c -rf-> d
`,
		// one barrier is one edge; the cycle passes it
		"barrier": `a: init x = 0
b: W x = 1
c: barrier
d: barrier
e: R x = 0
e -fr-> b!
b -po-> c!
c <-sync_barrier-> d!
d -po-> e!
a -rf-> e
`,
		// an atomic is two events with rmw in place of po, without the dependency of its own
		"mp-through-rmw": `a: init x = 0
b: W x = 1
c: W y = 1
d: R y = 1
e: W y = 2
f: R y = 2
g: R x = 0
g -fr-> b!
b -po-> c!
c -sync-> f!
f -po-> g!
a -rf-> g
c -rf-> d
d -rmw-> e
e -rf-> f
`,
		// an allowed execution has no emphasis
		"mp-relaxed": `a: init x = 0
b: W x = 1
c: W y = 1
d: R y = 1
e: R x = 0
a -rf-> e
b -po-> c
c -rf-> d
d -po-> e
e -fr-> b
`,
	} {
		t.Run(name, func(t *testing.T) {
			file := litmusData + "/" + name + ".litmus"
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			programs, err := litmus.Parse(file, string(text))
			if err != nil {
				t.Fatal(err)
			}
			r, err := axiomatic.Run(programs[0], m, axiomatic.Options{Context: context.Background()})
			if err != nil {
				t.Fatal(err)
			}
			var p picture
			p.offer(r, &r.Verdicts[0])
			var b strings.Builder
			g := p.graph()
			for _, e := range g.Events {
				fmt.Fprintln(&b, e.Label)
			}
			var edges []string
			for _, e := range g.Edges {
				from, to := g.Events[e.From].Label[:1], g.Events[e.To].Label[:1]
				line := fmt.Sprintf("%s %s-%s-> %s%s", from, map[bool]string{true: "<", false: ""}[e.Both], e.Relation, to, map[bool]string{true: "!", false: ""}[e.Strong])
				edges = append(edges, line)
			}
			strong, weak := split(edges)
			b.WriteString(strings.Join(append(strong, weak...), "\n") + "\n")
			if d := cmp.Diff(want, b.String()); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

// split sorts the emphasised edges from the others.
func split(edges []string) (strong, weak []string) {
	for _, e := range edges {
		if strings.HasSuffix(e, "!") {
			strong = append(strong, e)
		} else {
			weak = append(weak, e)
		}
	}
	slices.Sort(weak)
	return strong, weak
}
