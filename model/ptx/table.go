package ptx

import (
	"fmt"
	"strings"
	"sync"

	"ptxmc/model"
)

// form is one line of the instruction tables: a spelling of an instruction with its qualifiers
// and operands. Several forms may share a name; the first whose slots take all written
// qualifiers is the one meant.
//
// slots lists the qualifiers, one slot a word: name=SET, where SET is a key of sets or the
// alternatives themselves, separated by '|'; "name" alone means name=name; a '?' at the end makes
// the slot optional. An alternative may carry @PTX or @PTX,SM: the PTX ISA version (without its
// dot) and the target that it needs.
//
// shape lists the operands, one a word; a '?' at the end makes it optional. The letter says what
// it is, and after ':' stands its type: a type of PTX, or the name of a slot that holds one, or
// "wide" (twice the width of .type); without ':' it is the type in slot "type".
//
//	d  destination        d_  destination or the sink _     dp  predicate p or pair p|q
//	s  source             i   immediate source              m   address [a]
//	dv, sv  destination or source, a {vector} if there is a .v2, .v4 or .v8
//	dq  destination d or pair d|p with a predicate p
//	x  checked, without effect in the model (cache policies)
//	t  tensor map and coordinates [map, {c0, …}]
//	mov, elect, wait, label, mma, tensor  operands of mov, elect.sync, the mbarrier waits, bra, wgmma, tcgen05
type form struct {
	name  string // mnemonic with its fixed qualifiers; the longest that fits is taken
	op    model.Op
	slots string
	shape string
	need  string // what the form itself needs: "80,90"
	wide  bool   // registers may be wider than the type (PTX ISA 9.4.1)

	why   string            // not empty: known to PTX, not modelled; the reason
	notes map[string]string // why a qualifier that one might expect is not there
	pre   func(*context) error
	fin   func(*context) error

	compiled struct {
		slots []slot
		shape []operandSpec
		need  need
	}
}

// slot is a place for one qualifier.
type slot struct {
	name     string
	options  []option
	optional bool
}

type option struct {
	text string
	need need
}

// operandSpec is a compiled word of a shape.
type operandSpec struct {
	kind     string
	typ      string // type, slot, "wide" or ""
	optional bool
}

// sets are the qualifier sets that several forms share.
var sets = map[string]string{
	"int":    "u16|u32|u64|s16|s32|s64",
	"bits":   "b16|b32|b64",
	"plain":  "b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64",
	"memory": "b8|b16|b32|b64|b128@83,70|u8|u16|u32|u64|s8|s16|s32|s64|f32|f64",
	"number": "u8|u16|u32|u64|s8|s16|s32|s64|f16|bf16@78,80|f32|f64",
	"half":   "f16|f16x2|bf16@78,80|bf16x2@78,80",
	"ptr":    "u32|u64",

	"frnd": "rn|rz|rm|rp",
	"crnd": "rn|rz|rm|rp|rni|rzi|rmi|rpi",
	"cmp":  "eq|ne|lt|le|gt|ge|lo|ls|hi|hs|equ|neu|ltu|leu|gtu|geu|num|nan",
	"bool": "and|or|xor",
	"ftz":  "ftz",
	"sat":  "sat",
	"nan":  "NaN@70,80",

	"scope":   "cta|cluster@78,90|gpu|sys",
	"mscope":  "cta|cluster@80,90",
	"space":   "global|shared|shared::cta@78|shared::cluster@78,90",
	"ldspace": "global|shared|shared::cta@78|shared::cluster@78,90|param|param::entry|const",
	"ownsm":   "shared|shared::cta@78",
	"anysm":   "shared|shared::cta@78|shared::cluster@80,90",
	"l1":      "L1::evict_normal@74,70|L1::evict_unchanged@74,70|L1::evict_first@74,70|L1::evict_last@74,70|L1::no_allocate@74,70",
	"l2":      "L2::evict_normal@88,100|L2::evict_first@88,100|L2::evict_last@88,100",
	"hint":    "L2::cache_hint@74,80",
	"fetch":   "L2::64B@74,75|L2::128B@74,75|L2::256B@74,80",
	"vec":     "v2|v4|v8@88,100",
	"redop":   "and|or|xor|add|inc|dec|min|max",
	"dim":     "1d|2d|3d|4d|5d",
	"cast":    "multicast::cluster|multicast::cluster::16b@94|multicast::cluster::32b@94,107f",
	"report": "mbarrier::report::disabled@94,107f|" +
		"mbarrier::report::validity::per_16bytes::80000000@94,107f|" +
		"mbarrier::report::validity::per_16bytes::8000@94,107f|" +
		"mbarrier::report::validity::per_16bytes::80@94,107f|" +
		"mbarrier::report::validity::per_16bytes::8@94,107f|" +
		"mbarrier::report::validity::per_element::ff@94,107f",
}

// table is all forms, compiled, by name.
var table = sync.OnceValue(func() map[string][]*form {
	t := map[string][]*form{}
	for _, part := range [][]form{aluForms, floatForms, memForms, copyForms, syncForms, warpForms, mbarrierForms, clusterForms, mmaForms(), tensorForms, unmodelledForms()} {
		for i := range part {
			f := &part[i]
			f.compile()
			t[f.name] = append(t[f.name], f)
		}
	}
	return t
})

// compile reads the small languages of a form. A mistake there is one of this package's source;
// the tests compile every form.
func (f *form) compile() {
	fail := func(what string, err error) { panic(fmt.Sprintf("ptx table, form %s: %s: %v", f.name, what, err)) }
	for _, w := range strings.Fields(f.slots) {
		w, optional := strings.CutSuffix(w, "?")
		name, set, named := strings.Cut(w, "=")
		if !named {
			set = name
		}
		if s, ok := sets[set]; ok {
			set = s
		}
		s := slot{name: name, optional: optional}
		for _, o := range strings.Split(set, "|") {
			text, what, _ := strings.Cut(o, "@")
			opt := option{text: text}
			if what != "" {
				n, err := parseNeed(what)
				if err != nil {
					fail(o, err)
				}
				opt.need = n
			}
			s.options = append(s.options, opt)
		}
		f.compiled.slots = append(f.compiled.slots, s)
	}
	if f.need != "" {
		n, err := parseNeed(f.need)
		if err != nil {
			fail("need", err)
		}
		f.compiled.need = n
	}
	f.compiled.shape = parseShape(f.shape)
}

func parseShape(shape string) []operandSpec {
	var specs []operandSpec
	for _, w := range strings.Fields(shape) {
		w, optional := strings.CutSuffix(w, "?")
		kind, typ, _ := strings.Cut(w, ":")
		specs = append(specs, operandSpec{kind, typ, optional})
	}
	return specs
}
