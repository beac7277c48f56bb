package cat

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ptxmc/memmodel"
)

// scText is sequential consistency; tsoText total store order, without its locked instructions.
const (
	scText = `"SC"
(* one order of all accesses (Lamport 1979) *)
let com = rf | co | fr
acyclic po | com as sc`
	tsoText = `"TSO"
// A store waits in a buffer: later loads of its thread overtake it (Owens, Sarkar, Sewell 2009)
let com = rf | co | fr
acyclic po-loc | com as uniproc
let ppo = po \ (W * R)
let fenced = [W]; fencerel(MFENCE); [R]
acyclic ppo | fenced | rfe | co | fr as tso
flag ~empty (W * R) & po & ~fenced as overtaking`
)

// candidate builds an execution from its threads and its communication. Events are W or R with a
// location, or F; they are numbered in the order of the text, initial writes last.
func candidate(threads []string, rf, co string) *Env {
	var kinds, locations []string
	var owner []int
	for n, thread := range threads {
		for _, event := range strings.Fields(thread) {
			kinds, locations, owner = append(kinds, event[:1]), append(locations, event[1:]), append(owner, n)
		}
	}
	for _, x := range []string{"x", "y"} {
		kinds, locations, owner = append(kinds, "W"), append(locations, x), append(owner, -1)
	}
	n := len(kinds)
	env := &Env{N: n, Sets: map[string]*memmodel.Set{}, Rels: map[string]*memmodel.Rel{}}
	for cat, kind := range map[string]string{"W": "W", "R": "R", "MFENCE": "F"} {
		env.Sets[cat] = memmodel.NewSet(n)
		for i := range n {
			if kinds[i] == kind {
				env.Sets[cat].Add(i)
			}
		}
	}
	po, loc := memmodel.NewRel(n), memmodel.NewRel(n)
	env.Rels["rf"], env.Rels["co"] = rel(n, rf), rel(n, co)
	for i := range n {
		for j := range n {
			if owner[i] == owner[j] && owner[i] >= 0 && i < j {
				po.Add(i, j)
			}
			if locations[i] == locations[j] && locations[i] != "" {
				loc.Add(i, j)
			}
			if owner[i] < 0 && owner[j] >= 0 && kinds[j] == "W" && locations[i] == locations[j] {
				env.Rels["co"].Add(i, j)
			}
		}
	}
	env.Rels["po"], env.Rels["loc"] = po, loc
	return env
}

// TestClassicModels judges the usual executions by SC and TSO.
func TestClassicModels(t *testing.T) {
	tests := []struct {
		name    string
		threads []string
		rf, co  string
		sc, tso bool
		cycle   []int // of SC
	}{
		{"SB", []string{"Wx Ry", "Wy Rx"}, "5-1 4-3", "", false, true, []int{0, 1, 2, 3}},
		{"SB in turn", []string{"Wx Ry", "Wy Rx"}, "5-1 0-3", "", true, true, nil},
		{"SB fenced", []string{"Wx F Ry", "Wy F Rx"}, "7-2 6-5", "", false, false, []int{0, 2, 3, 5}},
		{"SB fenced on one side", []string{"Wx F Ry", "Wy Rx"}, "6-2 5-4", "", false, true, []int{0, 2, 3, 4}},
		{"MP", []string{"Wx Wy", "Ry Rx"}, "1-2 4-3", "", false, false, []int{0, 1, 2, 3}},
		{"LB", []string{"Rx Wy", "Ry Wx"}, "3-0 1-2", "", false, false, []int{0, 1, 2, 3}},
		{"2+2W", []string{"Wx Wy", "Wy Wx"}, "", "3-0 1-2", false, false, []int{0, 1, 2, 3}},
		{"CoRR", []string{"Wx", "Rx Rx"}, "0-1 3-2", "", false, false, []int{0, 1, 2}},
		{"forwarding", []string{"Wx Rx Ry", "Wy Ry Rx"}, "0-1 7-2 3-4 6-5", "", false, true, []int{0, 2, 3, 5}},
	}
	sc, err := Parse("sc.cat", scText, nil)
	if err != nil {
		t.Fatal(err)
	}
	tso, err := Parse("tso.cat", tsoText, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			env := candidate(tt.threads, tt.rf, tt.co)
			checks, values, err := sc.Run(env)
			if err != nil {
				t.Fatal(err)
			}
			if checks[0].Holds != tt.sc {
				t.Errorf("SC: %+v, want Holds %v", checks[0], tt.sc)
			}
			if diff := cmp.Diff(tt.cycle, checks[0].Witness); diff != "" {
				t.Errorf("cycle (-want +got):\n%s", diff)
			}
			if values["com"].Rel == nil {
				t.Errorf("the value of com is missing")
			}
			got, err := tso.Consistent(env)
			if err != nil || got != tt.tso {
				t.Errorf("TSO: %v, %v, want %v", got, err, tt.tso)
			}
		})
	}
}

// TestFlagDoesNotForbid checks that a raised flag leaves an execution consistent.
func TestFlagDoesNotForbid(t *testing.T) {
	m, err := Parse("tso.cat", tsoText, nil)
	if err != nil {
		t.Fatal(err)
	}
	env := candidate([]string{"Wx Ry", "Wy Rx"}, "5-1 4-3", "")
	checks, _, err := m.Run(env)
	if err != nil {
		t.Fatal(err)
	}
	last := checks[len(checks)-1]
	want := Check{Name: "overtaking", Kind: "empty", Flag: true, Negated: true, Holds: true, Witness: []int{0, 1}}
	if diff := cmp.Diff(want, last); diff != "" {
		t.Errorf("flag (-want +got):\n%s", diff)
	}
}

// TestSession checks that a session sees what varies, also through the prelude and fixpoints, and
// nothing else.
func TestSession(t *testing.T) {
	m, err := Parse("m.cat", `
let still = po;po
let rec reach = rf | still | (reach; (reach | po))
let rec fixed = po | (fixed; fixed)
let before = fr | reach
empty reach & fixed & rf as A
acyclic before as B`, nil)
	if err != nil {
		t.Fatal(err)
	}
	env := candidate([]string{"Wx Ry", "Wy Rx"}, "", "")
	s := m.Session(env, "rf", "co")
	for _, rf := range []string{"5-1 4-3", "5-1 0-3", "2-1 0-3", "2-1 4-3", "0-1", ""} {
		env.Rels["rf"] = rel(env.N, rf)
		wantChecks, wantValues, err := m.Run(env)
		if err != nil {
			t.Fatal(err)
		}
		checks, values, err := s.Run()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(wantChecks, checks); diff != "" {
			t.Errorf("rf %s: checks (-fresh +session):\n%s", rf, diff)
		}
		for name, want := range wantValues {
			if got := values[name].String(); got != want.String() {
				t.Errorf("rf %s: %s = %s in a session, %s fresh", rf, name, got, want)
			}
		}
		fresh, err := m.Consistent(env)
		again, err2 := s.Consistent()
		if err != nil || err2 != nil || fresh != again {
			t.Errorf("rf %s: Consistent = %v, %v in a session, %v, %v fresh", rf, again, err2, fresh, err)
		}
	}
}

// ExampleParse judges the store-buffering outcome by sequential consistency.
func ExampleParse() {
	model, err := Parse("sc.cat", `"SC" let com = rf | co | fr acyclic po | com as sc`, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("needs", model.Names())
	checks, values, err := model.Run(candidate([]string{"Wx Ry", "Wy Rx"}, "5-1 4-3", ""))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("com =", values["com"].Rel)
	fmt.Println(checks[0].Name, checks[0].Holds, checks[0].Witness)
	// Output:
	// needs [R W co loc po rf]
	// com = {1→2 3→0 4→0 4→3 5→1 5→2}
	// sc false [0 1 2 3]
}
