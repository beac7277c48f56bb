package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestGoldenTraces holds whole explanations: the schedule, why, the places, the mend. A change here is
// read before it is taken over.
func TestGoldenTraces(t *testing.T) {
	for name, args := range map[string][]string{
		"torn-chunk":    {"narrow-stores", "../../specs/fine-grained/tile.ptx"},
		"stale-data":    {"no-fence", "../../specs/fine-grained/producer-init.ptx"},
		"race":          {"relaxed-wait", "../../specs/fine-grained/tile.ptx"},
		"overwrite":     {"no-wait", "../../specs/fine-grained/tile.ptx"},
		"deadlock":      {"too-many-bytes", "../../specs/fine-grained/tile.ptx"},
		"lasso":         {"not-canonicalised", "../../specs/fine-grained/tile.ptx"},
		"lost-report":   {"predicate-not-taken", "../../specs/fine-grained/tile.ptx"},
		"mbarrier":      {"parity-not-flipped", "../../specs/fine-grained/tile.ptx"},
		"write-once":    {"partial-value-first", "../../specs/fine-grained/tile.ptx"},
		"lifetime":      {"exit-in-flight", "../../specs/fine-grained/tile.ptx"},
		"proxy-fence":   {"no-fence", "../../testdata/rules/war.ptx"},
		"final":         {"acq-rel", "../../testdata/rules/sb.ptx"},
		"phase-aliased": {"aliasing", "../../testdata/rules/parity.ptx"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out, errs bytes.Buffer
			if code := run([]string{"verify", "--variant", args[0], args[1]}, &out, &errs); code != exitOK {
				t.Fatalf("exit code %d\n%s%s", code, out.String(), errs.String())
			}
			got := regexp.MustCompile(`\d+\.\d\ds`).ReplaceAll(out.Bytes(), []byte("0.00s"))
			got = bytes.ReplaceAll(got, []byte("../../"), nil)
			got = regexp.MustCompile(`(ptx)  +([a-z-]+)  +(REFUTED)`).ReplaceAll(got, []byte("$1  $2  $3"))
			file := filepath.Join("../../testdata/golden", name+".txt")
			if *update {
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, got, 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), string(got)); d != "" {
				t.Errorf("differs from %s (-want +got); -update rewrites it\n%s", file, d)
			}
		})
	}
}
