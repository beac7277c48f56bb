package counterexample

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestKeys: every key of a trace file is written in small letters, as those of Trace and TraceStep.
func TestKeys(t *testing.T) {
	b, err := json.Marshal(torn())
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	var walk func(path string, v any)
	walk = func(path string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for k, x := range v {
				if k != strings.ToLower(k) {
					t.Errorf("key %s.%s", path, k)
				}
				walk(path+"."+k, x)
			}
		case []any:
			for _, x := range v {
				walk(path+"[]", x)
			}
		}
	}
	walk("", v)
}
