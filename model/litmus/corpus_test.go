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
