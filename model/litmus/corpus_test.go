package litmus

import (
	"bufio"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ptxmc/memmodel"
)

const corpus = "../../../shared/corpus"

// corpusFiles returns the files below a folder of the corpus with the extension, or skips.
func corpusFiles(t *testing.T, dir, ext string) []string {
	t.Helper()
	root := filepath.Join(corpus, dir)
	if _, err := os.Stat(root); err != nil {
		t.Skipf("the corpus is absent: %v", err)
	}
	var out []string
	err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if filepath.Ext(path) == ext {
			out = append(out, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func parseFile(t *testing.T, path string) []*Program {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	progs, err := Parse(path, string(text))
	if err != nil {
		t.Error(err)
	}
	return progs
}

func TestCorpusColumns(t *testing.T) {
	files := corpusFiles(t, "dat3m", ".litmus")
	kinds := map[Kind]int{}
	ops := map[Op]int{}
	for _, f := range files {
		for _, p := range parseFile(t, f) {
			if len(p.Conditions) != 1 {
				t.Errorf("%s: %d conditions", f, len(p.Conditions))
				continue
			}
			kinds[p.Conditions[0].Kind]++
			for _, th := range p.Threads {
				for _, in := range th.Code {
					ops[in.Op]++
				}
			}
			checkExecutable(t, p)
		}
	}
	if len(files) != 268 || kinds[Exists] != 199 || kinds[NotExists] != 43 || kinds[Forall] != 26 {
		t.Errorf("%d files, %v; expected 268 files with 199 exists, 43 ~exists, 26 forall", len(files), kinds)
	}
	for op := Load; op <= Label; op++ {
		if ops[op] == 0 {
			t.Errorf("no %v in the corpus", op)
		}
	}
}

func TestCorpusLists(t *testing.T) {
	lists := corpusFiles(t, "dat3m", ".csv")
	entries := 0
	for _, list := range lists {
		f, err := os.Open(list)
		if err != nil {
			t.Fatal(err)
		}
		for s := bufio.NewScanner(f); s.Scan(); entries++ {
			path, verdict, _ := strings.Cut(s.Text(), ",")
			if verdict != "0" && verdict != "1" {
				t.Errorf("%s: verdict %q", list, verdict)
			}
			parseFile(t, filepath.Join(corpus, "dat3m", path))
		}
		f.Close()
	}
	if len(lists) != 4 || entries != 465 {
		t.Errorf("%d lists with %d entries; expected 4 with 465", len(lists), entries)
	}
}

func TestCorpusBlocks(t *testing.T) {
	files := corpusFiles(t, "nvlabs", ".test")
	rows := 0
	for _, f := range files {
		for _, p := range parseFile(t, f) {
			rows++
			checkExecutable(t, p)
		}
	}
	if len(files) != 11 || rows != 128 {
		t.Errorf("%d files with %d programs; expected 11 with 128", len(files), rows)
	}
}

// checkExecutable checks what an engine relies on.
func checkExecutable(t *testing.T, p *Program) {
	t.Helper()
	for i, th := range p.Threads {
		labels := map[string]bool{}
		for _, in := range th.Code {
			labels[in.Label] = true
		}
		for _, in := range th.Code {
			access := in.Op == Load || in.Op == Store || in.Op == RMW
			switch {
			case access && in.Addr.Kind == NoOperand, (in.Op == Branch || in.Op == Goto) && !labels[in.Target],
				in.Op == Branch && in.Cond == nil, in.Op == Assign && in.Expr == nil,
				access && in.Sem.Strong() != (in.Scope != memmodel.ScopeNone), in.Op == RMW && len(in.Src) == 0,
				in.Op == Fence && in.Scope == memmodel.ScopeNone, in.Line == 0, in.Text == "":
				t.Errorf("%s: thread %d: incomplete %v: %+v", p.File, i, in.Op, in)
			}
		}
	}
	for _, l := range p.Locs {
		if p.Locs[l.Phys].Phys != l.Phys || p.Locs[l.Virt].Virt != l.Virt || p.Locs[l.Virt].Phys != l.Phys || p.Locs[l.Virt].Proxy != Generic {
			t.Errorf("%s: location %+v", p.File, l)
		}
	}
	for _, c := range p.Conditions {
		Eval(c.Expr, func(Term) int64 { return 0 })
	}
}

// TestCorpusDetails looks at single tests of the corpus.
func TestCorpusDetails(t *testing.T) {
	corpusFiles(t, "dat3m", ".litmus")
	corpusFiles(t, "nvlabs", ".test")
	for _, c := range []struct {
		file                   string
		program, thread, instr int
		want                   string
	}{
		{"dat3m/Barrier/quorum1-hang.litmus", 0, 0, 1, "barrier 1 1 4 false"},
		{"dat3m/Manual/SB+named-bar-reg-diff.litmus", 0, 1, 1, "barrier 1 r3  false"},
		{"dat3m/Manual/PC-bar-sync-arrive.litmus", 0, 1, 0, "barrier 1   true"},
		{"dat3m/Manual/MP-dlb-no-fence-2.litmus", 0, 0, 3, "assign r2 (P0:r2 + 1)"},
		{"dat3m/Manual/MP-dlb-no-fence-2.litmus", 0, 1, 1, "branch LC00 (P1:r0 == P1:r3)"},
		{"dat3m/Manual/Atom-minus-location_.litmus", 0, 1, 0, "rmw r0 #0 sub <- 1 .acq_rel.sys"},
		{"dat3m/Manual/Red-plus-location_.litmus", 0, 0, 0, "rmw #0 add <- 1 noreturn .acq_rel.sys"},
		{"dat3m/Manual/SL-cas-minus.litmus", 0, 1, 0, "rmw r1 #1 cas <- 0 <- 1 .relaxed.gpu"},
		{"dat3m/Manual/proxy/Proxy-SingleThread-rf-surW-surF-conF-conR.litmus", 0, 0, 3, "load r3 #1 constant"},
		{"nvlabs/MP_gpu_synonym.test", 2, 0, 0, "store #2 <- 2 surface"},
		{"nvlabs/CoMP_volatile.test", 0, 1, 1, "load r1 #0 .relaxed.sys"},
		{"nvlabs/SB_rmw.test", 0, 1, 1, "rmw r4 #0 add <- 1 .acq_rel.gpu"},
	} {
		p := parseFile(t, filepath.Join(corpus, c.file))[c.program]
		if got := describe(p.Threads[c.thread].Code[c.instr]); got != c.want {
			t.Errorf("%s: %s; expected %s", c.file, got, c.want)
		}
	}
	p := parseFile(t, filepath.Join(corpus, "nvlabs/CoMP_volatile.test"))[0]
	if c := p.Conditions[0]; p.Filter.String() != "(d0.b1.t0:r0 == 2)" || c.Kind != Permit || c.Name != "check_r1" {
		t.Errorf("%s: filter %v, condition %+v", p.File, p.Filter, c)
	}
	p = parseFile(t, filepath.Join(corpus, "nvlabs/MP_cta_synonym.test"))[0]
	if x, s := p.Locs[0], p.Locs[3]; s.Phys != x.Phys || s.Virt != 1 || s.Proxy != Surface || x.Virt != 0 {
		t.Errorf("%s: locations %+v", p.File, p.Locs)
	}
}
