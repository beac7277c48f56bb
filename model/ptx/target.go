package ptx

import (
	"fmt"
	"strconv"
	"strings"
)

// target is a parsed .target architecture (PTX ISA 11.1): sm_90, sm_90a, sm_107f.
type target struct {
	name   string
	sm     int
	suffix byte // 'a', 'f' or 0
}

// parseTarget reads sm_NN, sm_NNa or sm_NNf.
func parseTarget(name string) (target, bool) {
	digits, ok := strings.CutPrefix(name, "sm_")
	if !ok || digits == "" {
		return target{}, false
	}
	t := target{name: name}
	if c := digits[len(digits)-1]; c == 'a' || c == 'f' {
		t.suffix, digits = c, digits[:len(digits)-1]
	}
	n, err := strconv.Atoi(digits)
	if err != nil || n < 10 || n > 999 {
		return target{}, false
	}
	t.sm = n
	return t, true
}

// arch is a target requirement that a minimal number cannot express.
type arch struct {
	text string
	ok   func(target) bool
}

// The named requirements of the tables (Target ISA Notes of the instructions).
var archs = map[string]arch{
	// cp.async.bulk with .relaxed: sm_90a, and the families of sm_100f and sm_110f.
	"bulk128": {"sm_90a, sm_100f, sm_110f or a later member of these families", func(t target) bool {
		return t.sm == 90 && t.suffix == 'a' || t.sm >= 100 && t.sm < 120 && t.suffix != 0
	}},
	// wgmma.
	"90a": {"sm_90a", func(t target) bool { return t.sm == 90 && t.suffix == 'a' }},
	// tcgen05.
	"100a": {"sm_100a, sm_100f or a later member of these families below sm_120", func(t target) bool {
		return t.sm >= 100 && t.sm < 120 && t.suffix != 0
	}},
	// Instructions of single architectures and families: setmaxnreg.
	"a": {"sm_90a or a target of a family, such as sm_100a or sm_100f", func(t target) bool {
		return t.sm >= 90 && t.suffix != 0
	}},
	// .cta_group.
	"100f": {"sm_100a, sm_100f, sm_110a or a later member of these families", func(t target) bool {
		return t.sm >= 100 && t.sm < 120 && t.suffix != 0
	}},
	// .mbarrier::report::…, 32-bit masks, cvt.pzo.
	"107f": {"sm_107f, sm_107a or a later member of the family", func(t target) bool {
		return t.sm >= 107 && t.sm < 110 && t.suffix != 0
	}},
}

// need is what a form or a qualifier asks of the header of the module.
type need struct {
	ptx  int    // 10·major + minor of the PTX ISA, 0: any
	sm   int    // smallest sm number, 0: any
	arch string // key of archs, "": none
}

// parseNeed reads "86", "86,90" or "94,107f".
func parseNeed(s string) (need, error) {
	var n need
	ptx, sm, both := strings.Cut(s, ",")
	v, err := strconv.Atoi(ptx)
	if err != nil {
		return n, fmt.Errorf("bad PTX ISA version %q", ptx)
	}
	n.ptx = v
	if both {
		if _, ok := archs[sm]; ok {
			n.arch = sm
		} else if n.sm, err = strconv.Atoi(sm); err != nil {
			return n, fmt.Errorf("bad target %q", sm)
		}
	}
	return n, nil
}

// checkNeed reports an instruction or qualifier that the header of the module does not allow.
func (p *parser) checkNeed(t token, what string, n need) error {
	if n.ptx > p.version {
		return p.errorf(t, "%s needs PTX ISA %d.%d; the module says .version %s; raise .version",
			what, n.ptx/10, n.ptx%10, p.mod.Version)
	}
	if n.sm > p.target.sm {
		return p.errorf(t, "%s needs sm_%d or later; the module says .target %s; raise .target",
			what, n.sm, p.target.name)
	}
	if a, ok := archs[n.arch]; ok && !a.ok(p.target) {
		return p.errorf(t, "%s needs %s; the module says .target %s; change .target",
			what, a.text, p.target.name)
	}
	return nil
}
