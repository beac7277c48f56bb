package launch

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"ptxmc/model"
)

// TestPage holds the examples of docs/launch-plan.md to the code.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/launch-plan.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(page), "```\n")
	if len(blocks) != 13 {
		t.Fatalf("the page has %d blocks of examples, want 6: adapt this test", len(blocks)/2)
	}
	first, buffers, maps, launches, finals, variant := blocks[1], blocks[3], blocks[5], blocks[7], blocks[9], blocks[11]
	params := func(types ...model.Type) []model.Param {
		var out []model.Param
		for i, typ := range types {
			out = append(out, model.Param{Name: fmt.Sprint("p", i), Type: typ, Offset: 8 * i, Size: typ.Bytes()})
		}
		return out
	}
	entry := func(name string, types ...model.Type) *model.Entry {
		return &model.Entry{Name: name, ParamBytes: 32, Params: params(types...)}
	}
	rest := "//@ param chunks = 2\n" + buffers + maps + launches + finals + "//@ expect verified\n" +
		"ret; //@ mark store-chunk\nret; //@ mark fence\n" + variant
	for _, tt := range []struct {
		text    string
		entries []*model.Entry
	}{
		{first, []*model.Entry{entry("producer", model.U64, model.U64), entry("consumer", model.U64, model.U64, model.U32)}},
		{rest, []*model.Entry{entry("init", model.U64, model.U32), entry("consumer", model.U64, model.U64, model.F32)}},
	} {
		spec, err := Load("page.ptx", tt.text)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range append([]string{""}, spec.VariantNames()...) {
			if _, err := spec.caseBy(func(*model.Source) (*model.Module, error) {
				return &model.Module{Entries: tt.entries}, nil
			}, v, nil); err != nil {
				t.Error(err)
			}
		}
	}
	for _, w := range slices.Concat(baseWords, variantWords, launchWords, tensorWords, reserved, propertyNames()) {
		if !strings.Contains(string(page), w) {
			t.Errorf("the page does not explain %s", w)
		}
	}
}
