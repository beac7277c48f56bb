package litmus

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ptxmc/memmodel"
)

// load parses a file of testdata.
func load(t *testing.T, name string) []*Program {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	progs, err := Parse(name, string(text))
	if err != nil {
		t.Fatal(err)
	}
	return progs
}

// describe writes an instruction in one line.
func describe(in Instr) string {
	s := in.Op.String()
	for _, part := range []string{in.Dst, operand(in.Addr), in.RMWOp, in.Label, in.Target} {
		if part != "" {
			s += " " + part
		}
	}
	for _, v := range in.Src {
		s += " <- " + operand(v)
	}
	if in.NoReturn {
		s += " noreturn"
	}
	if in.Sem != 0 || in.Scope != 0 || in.Op == Fence {
		s += fmt.Sprintf(" .%v.%v", in.Sem, in.Scope)
	}
	if in.Proxy != Generic {
		s += " " + in.Proxy.String()
	}
	if in.Op == Barrier {
		s += fmt.Sprint(" ", operand(in.BarInst), " ", operand(in.BarID), " ", operand(in.BarCount), " ", in.BarArrive)
	}
	if in.Op >= MBarArrive {
		s += fmt.Sprint(" bar", in.Bar, " tx", in.Tx)
	}
	for _, e := range []Expr{in.Expr, in.Cond} {
		if e != nil {
			s += " " + e.String()
		}
	}
	return s
}

func operand(o Operand) string {
	switch o.Kind {
	case RegOperand:
		return o.Reg
	case ConstOperand:
		return fmt.Sprint(o.Const)
	case LocOperand:
		return fmt.Sprintf("#%d", o.Loc)
	}
	return ""
}

func TestEveryInstruction(t *testing.T) {
	p := load(t, "every.litmus")[0]
	if p.Name != "every instruction" || p.Dialect != "litmus" {
		t.Errorf("name %q, dialect %q", p.Name, p.Dialect)
	}
	want := [][]string{
		{
			"load r0 #0", "load r2 #1 .relaxed.cluster", "store #2 <- r0 .release.sys",
			"rmw r3 #0 cas <- r1 <- -2 .acq_rel.gpu", "rmw r4 #0 exch <- 3 .relaxed.gpu",
			"fence .sc.cluster", "fence .acq_rel.sys", "proxy fence texture", "load r5 #5 texture",
			"load r6 #6 .acquire.gpu surface", "barrier 1 r1 2 false", "assign r0 (P0:r0 + 1)", "assign r1 P0:r0",
		},
		{
			"load r0 r9", "load r1 #3 .relaxed.sys", "store #4 <- #0", "rmw #0 add <- 5 noreturn .release.cta",
			"rmw r2 #6 max <- r1 .relaxed.gpu surface", "fence .sc.gpu", "fence .acquire.gpu", "alias fence",
			"load r3 #7 constant", "store #6 <- 4 surface", "barrier 3   true", "assign r4 5",
			"label END", "branch END (P1:r4 != 5)",
		},
		{"label L", "goto L"},
	}
	var got [][]string
	for _, th := range p.Threads {
		var lines []string
		for _, in := range th.Code {
			lines = append(lines, describe(in))
		}
		got = append(got, lines)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	locs := []Loc{
		{"x", 7, 0, 0, Generic}, {"y", -1, 1, 1, Generic}, {"flag", 0, 2, 2, Generic}, {"p", Address(0), 3, 3, Generic},
		{"y2", -1, 1, 4, Generic}, {"t", -1, 1, 4, Texture}, {"s", 7, 0, 0, Surface}, {"c", -1, 1, 1, Constant},
	}
	if d := cmp.Diff(locs, p.Locs); d != "" {
		t.Error(d)
	}
	if n, ok := p.LocOf(p.Threads[1].Regs["r9"]); n != 0 || !ok || p.Threads[0].Regs["r1"] != 16 {
		t.Errorf("registers %v, %v", p.Threads[0].Regs, p.Threads[1].Regs)
	}
	if in := p.Threads[0].Code[3]; in.Line != 16 || in.Text != "atom.acq_rel.gpu.cas r3, x, r1, -2" {
		t.Errorf("line %d: %q", in.Line, in.Text)
	}
	c := p.Conditions[0]
	if c.Kind != NotExists || c.Text != `(0:r0 = 8 /\ ~(P1:r4 == 5 \/ [x] < 2) && y2 >= -1)` || c.Line != 28 {
		t.Errorf("condition %v %q in line %d", c.Kind, c.Text, c.Line)
	}
	if s := c.Expr.String(); s != "(((P0:r0 == 8) && (!((P1:r4 == 5) || (x < 2)))) && (y2 >= -1))" {
		t.Errorf("expression %s", s)
	}
	if p.Filter.String() != "(P0:r0 != 3)" || fmt.Sprint(p.Shown) != "[x P0:r0]" {
		t.Errorf("filter %v, shown %v", p.Filter, p.Shown)
	}
	for i, want := range []memmodel.Scope{memmodel.CTA, memmodel.Sys, memmodel.CTA} {
		if got := p.Place(0).Common(p.Place(i)); got != want {
			t.Errorf("thread %d shares %v with the first; expected %v", i, got, want)
		}
	}
}

// TestAsync looks at the operations of asynchronous copies and mbarrier objects.
func TestAsync(t *testing.T) {
	p := load(t, "async.litmus")[0]
	want := []string{
		"0 proxy fence async", "0 mbarrier arrival .release.cta bar0 tx2", "0 asynchronous copy #1 <- #0 async bar0 tx0", "0 mbarrier wait .acquire.cta bar0 tx0",
		"1 mbarrier arrival .relaxed.cluster bar0 tx0", "1 mbarrier arrival .release.cta bar1 tx0", "1 mbarrier wait .acquire.cta bar1 tx0", "1 mbarrier wait .relaxed.cluster bar1 tx0",
		"2 label L", "2 load r0 #0 .relaxed.cta", "2 branch L (P2:r0 != 1)", "2 asynchronous copy r1 <- #2 .relaxed.gpu async bar0 tx0",
	}
	var got []string
	for i, th := range p.Threads {
		for _, in := range th.Code {
			got = append(got, fmt.Sprint(i, " ", describe(in)))
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]MBarrier{{"b", 2, 0}, {"c", 1, 1}}, p.Barriers); d != "" {
		t.Error(d)
	}
}

func TestTable(t *testing.T) {
	progs := load(t, "table.test")
	if len(progs) != 2 || progs[1].Name != "table#2" {
		t.Fatalf("%d programs, the last %s", len(progs), progs[len(progs)-1].Name)
	}
	var got []string
	for _, th := range progs[1].Threads {
		got = append(got, fmt.Sprintf("%s on %d", th.Name, th.GPU))
		for _, in := range th.Code {
			got = append(got, fmt.Sprintf("%d: %s", in.Line, in.Text))
		}
	}
	want := []string{
		"d0.b0.t0 on 0", "25: atom.add.gpu r0, [x], 1", "25: fence.proxy.surface", "25: fence.proxy.alias", "9: st.release.gpu [x], 2",
		"d1.b0.t3 on 1", "13: ld.acquire.gpu r1, [x] == 2", "13: r1@0 = r1", "25: membar.sys", "15: ld.weak r1, [z]",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	for i, kind := range []Kind{Permit, Assert} {
		p := progs[i]
		c := p.Conditions[0]
		if c.Kind != kind || c.Name != "seen" || c.Expr.String() != "((!(d1.b0.t3:r1 == 2)) || (d0.b0.t0:r0 != 0))" || p.Conditions[1].Kind != Check {
			t.Errorf("row %d: %v %s %v", i+1, c.Kind, c.Name, c.Expr)
		}
		if p.Filter.String() != "(d1.b0.t3:r1@0 == 2)" {
			t.Errorf("row %d: filter %v", i+1, p.Filter)
		}
		if d := cmp.Diff([]Loc{{"x", 0, 0, 0, Generic}, {"z", 0, 0, 1, Generic}, {"s", 0, 0, 1, Surface}}, p.Locs); d != "" {
			t.Error(d)
		}
	}
}

func TestRMWValue(t *testing.T) {
	for _, c := range []struct {
		op     string
		old    int64
		src    []int64
		want   int64
		writes bool
	}{
		{"add", 1, []int64{2}, 3, true}, {"sub", 1, []int64{2}, -1, true}, {"mul", 3, []int64{2}, 6, true}, {"div", 7, []int64{2}, 3, true},
		{"div", 7, []int64{0}, 0, true}, {"and", 6, []int64{3}, 2, true}, {"or", 6, []int64{3}, 7, true}, {"xor", 6, []int64{3}, 5, true},
		{"min", -1, []int64{2}, -1, true}, {"max", -1, []int64{2}, 2, true}, {"exch", 1, []int64{2}, 2, true},
		{"inc", 2, []int64{2}, 0, true}, {"inc", 1, []int64{2}, 2, true}, {"dec", 0, []int64{2}, 2, true}, {"dec", 2, []int64{2}, 1, true},
		{"dec", 3, []int64{2}, 2, true}, {"cas", 1, []int64{1, 5}, 5, true}, {"cas", 2, []int64{1, 5}, 2, false},
	} {
		if got, writes := RMWValue(c.op, c.old, c.src...); got != c.want || writes != c.writes {
			t.Errorf("%s of %d with %v: %d, %t; expected %d, %t", c.op, c.old, c.src, got, writes, c.want, c.writes)
		}
	}
}

func TestEval(t *testing.T) {
	env := func(tm Term) int64 { return map[string]int64{"x": 4, "P0:r0": -3}[tm.Name] }
	for text, want := range map[string]int64{
		"x == 4 /\\ P0:r0 == -3": 1, "x = 4 /\\ 0:r0 != -3": 0, "not x == 3": 1, "~x == 4 \\/ true": 1, "!(x < 4)": 1,
		"x + P0:r0 * 2 - 1": -3, "x / 0": 0, "(x - 2) / 2 >= 1 && false": 0, "x <= 4 || x > 9": 1, "[x] == 0x4": 1, "x == &x": 0, "0==0": 1,
		"1 == 2 and 1 == 1 or 1 == 1": 1,
	} {
		progs, err := Parse("t.litmus", "PTX t\n{x=0; P0:r0=0;}\nP0@cta 0,gpu 0;\nexists "+text)
		if err != nil {
			t.Error(err)
			continue
		}
		if got := Eval(progs[0].Conditions[0].Expr, env); got != want {
			t.Errorf("%s: %d; expected %d", text, got, want)
		}
	}
}

func TestHolds(t *testing.T) {
	for kind, want := range map[Kind]string{
		Exists: "0011", Permit: "0011", Check: "0011", NotExists: "1100", Forall: "1010", Assert: "1010",
	} {
		var got strings.Builder
		for _, some := range []bool{false, true} {
			for _, someNot := range []bool{false, true} {
				fmt.Fprint(&got, truth(kind.Holds(some, someNot)))
			}
		}
		if got.String() != want {
			t.Errorf("%v: %s; expected %s", kind, got.String(), want)
		}
	}
}
