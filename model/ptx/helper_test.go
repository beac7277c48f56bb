package ptx

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"ptxmc/model"
)

const header = ".version 9.4\n.target sm_107a\n.address_size 64\n"

// prelude opens a kernel with registers of every kind.
const prelude = header + `.global .align 16 .b8 gv[64];
.const .align 4 .u32 cv = 3;
.extern .shared .align 32 .b8 dyn[];
.shared .align 8 .b64 bar;
.entry k(.param .u64 a, .param .u32 b)
{
	.reg .pred p, q;
	.reg .b8 v;
	.reg .b16 h<4>;
	.reg .b32 r<8>;
	.reg .b64 d<8>;
	.reg .b128 x<4>;
	.reg .f32 f<4>;
	.reg .f64 g<4>;
	.shared .align 16 .b8 tile[64];
`

// parseOne parses one instruction in a kernel.
func parseOne(text string) (*model.Entry, model.Instr, error) {
	mod, err := Parse(model.NewSource("t.ptx", prelude+text+"\nL:\n}\n"))
	if err != nil {
		return nil, model.Instr{}, err
	}
	e := mod.Entries[0]
	return e, e.Code[len(e.Code)-1], nil
}

// diagnostic asserts the documented type of an error.
func diagnostic(t *testing.T, err error) *model.Diagnostic {
	t.Helper()
	var d *model.Diagnostic
	if !errors.As(err, &d) {
		t.Fatalf("error is %T, want *model.Diagnostic", err)
	}
	return d
}

// show renders an operand for comparison.
func show(e *model.Entry, o model.Operand) string {
	switch o.Kind {
	case model.RegOperand:
		s := e.RegNames[o.Reg]
		if o.Neg {
			s = "!" + s
		}
		return s
	case model.ImmOperand:
		if o.Imm.Hi != 0 {
			return fmt.Sprintf("%#x:%#x", o.Imm.Hi, o.Imm.Lo)
		}
		return fmt.Sprintf("%#x", o.Imm.Lo)
	case model.SpecialOperand:
		return fmt.Sprintf("special%d", o.Special)
	case model.SymbolOperand:
		s := fmt.Sprintf("%s#%d", o.Space, o.Imm.Lo)
		if o.Off != 0 {
			s += fmt.Sprintf("%+d", o.Off)
		}
		return s
	}
	return "_"
}

// shows renders all operands: "dst <- src @ addresses".
func shows(e *model.Entry, in model.Instr) string {
	group := func(os []model.Operand) string {
		var w []string
		for _, o := range os {
			w = append(w, show(e, o))
		}
		return strings.Join(w, " ")
	}
	var addrs []string
	for _, a := range in.Addrs {
		s := show(e, a.Base)
		if a.Off != 0 {
			s += fmt.Sprintf("%+d", a.Off)
		}
		addrs = append(addrs, "["+s+"]")
	}
	return strings.TrimSpace(group(in.Dst) + " <- " + strings.TrimSpace(group(in.Src)+" "+strings.Join(addrs, " ")))
}

// qualifiers returns the instruction without place, text and operands.
func qualifiers(in model.Instr) model.Instr {
	in.Pos, in.Text = model.Pos{}, ""
	in.Dst, in.Src, in.Addrs = nil, nil, nil
	in.Pred, in.PredNeg = 0, false
	return in
}

type instrCase struct {
	text     string
	operands string
	want     model.Instr
}

func checkInstrs(t *testing.T, cases []instrCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.text, func(t *testing.T) {
			e, in, err := parseOne(c.text)
			if err != nil {
				t.Fatal(err)
			}
			if got := shows(e, in); got != c.operands {
				t.Errorf("operands %q, want %q", got, c.operands)
			}
			got := qualifiers(in)
			if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", c.want) {
				t.Errorf("decoded\n  %+v, want\n  %+v", got, c.want)
			}
		})
	}
}
