package cat

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestParseErrors checks place and text of what is wrong with a model.
func TestParseErrors(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"open comment", "let a = b\n(* (* *)", "m.cat:2:1: this comment has no end"},
		{"open string", `"model`, "m.cat:1:1: this string has no end"},
		{"strange character", "let a = b $ c", `m.cat:1:11: a cat model has no character '$'`},
		{"strange exponent", "let a = b^2", `m.cat:1:10: "^" is followed by nothing known; expected one of ^-1 ^+ ^* ^?`},
		{"no statement", "M\nlet a = b\nacylic a", `m.cat:3:1: "acylic" does not start a statement; expected one of let, include, show, unshow, flag, acyclic, irreflexive, empty; did you mean "acyclic"?`},
		{"mistyped statement", "M\nlet a = (b)\ninclud \"x\"", `m.cat:3:1: "includ" does not start a statement; expected one of let, include, show, unshow, flag, acyclic, irreflexive, empty; did you mean "include"?`},
		{"operator missing its right side", "let a = b |", "m.cat:1:12: unexpected the end of the file; expected a set or a relation: a name, _, {}, [S] or ( … )"},
		{"operator missing its left side", "let a = & b", `m.cat:1:9: unexpected "&"; expected a set or a relation`},
		{"open parenthesis", "let a = (b ; c\nlet d = e", `m.cat:2:1: unexpected "let"; expected ")" or an operator`},
		{"open bracket", "let a = [b ; c", `m.cat:1:15: unexpected the end of the file; expected "]" or an operator`},
		{"let without a name", "let = a", `m.cat:1:5: unexpected "="; expected the name that let defines`},
		{"let of a keyword", "let flag = a", `m.cat:1:5: "flag" is a keyword of cat; expected the name that let defines; choose another name`},
		{"let of a pattern", "let (a, b) = c", "m.cat:1:5: let binds a pattern here; expected one name"},
		{"let without =", "let a b | c", `m.cat:1:9: unexpected "|"; expected "=" after the name that let defines`},
		{"parameter twice", "let f(a, a) = a", `m.cat:1:10: f has two parameters "a"; expected different names`},
		{"recursive function", "let rec f(a) = f(a)", `m.cat:1:9: the function "f" is defined by let rec; expected a set or a relation`},
		{"let rec when", "let rec a = b when empty a", "m.cat:1:15: ptxmc does not support when after let rec"},
		{"let … in without in", "let a = let b = c | b", `m.cat:1:22: unexpected the end of the file; expected "in" after a let inside an expression`},
		{"flag of nothing", "flag let a = b", `m.cat:1:6: unexpected "let"; expected acyclic, irreflexive or empty`},
		{"check without a name", "empty a as", "m.cat:1:11: unexpected the end of the file; expected the name of the check"},
		{"include of no string", "include basic.cat", `m.cat:1:9: unexpected "basic.cat"; expected the name of a file in quotes`},
		{"include of a missing file", `include "none.cat"`, `m.cat:1:9: cannot include "none.cat": no such file; expected a readable file`},
		{"include of itself", `include "self.cat"`, "self.cat:1:9: include is nested 32 deep; expected an end; does the file include itself?"},
		{"mistake in an included file", `include "bad.cat"`, `bad.cat:2:9: unexpected "|"`},
		{"procedure", "procedure p() = end", `m.cat:1:1: ptxmc does not support "procedure"`},
		{"fun", "let f = fun x -> x", `m.cat:1:9: ptxmc does not support "fun"; expected a set or a relation; define functions by let f(x) = …`},
		{"explicit set", "let a = {b}", "m.cat:1:10: ptxmc does not support sets of sets"},
		{"++", "let a = b ++ c", "m.cat:1:11: ptxmc does not support ++"},
		{"two products", "let a = B * C * D", "m.cat:1:15: A*B*C is no relation between events"},
		{"function as a value", "let f(x) = x\nlet a = f | b", `m.cat:2:9: "f" is a function; expected a set or a relation; give its arguments, as in f(x)`},
		{"built-in function as a value", "let a = domain | b", `m.cat:1:9: "domain" is a function`},
		{"too few arguments", "let f(x, y) = x\nlet a = f(b)", `m.cat:2:9: f is given 1 argument; expected 2: f(x, y)`},
		{"too many arguments", "let a = domain(b, c)", `m.cat:1:9: domain is given 2 arguments; expected 1`},
		{"call of a relation", "let a = po rf", `m.cat:1:9: "po" is no function but is given 1 argument`},
		{"mistyped function", "let a = fencerl(F)", `m.cat:1:9: "fencerl" is no function but is given 1 argument; expected a function or, between two relations, an operator; did you mean "fencerel"?`},
		{"endless parentheses", "let a = " + strings.Repeat("(", 1e5), "this expression is nested too deep"},
		{"endless complements", "let a = " + strings.Repeat("~", 1e5), "this expression is nested too deep"},
		{"functions that explode", explosion(20), "functions expanded"},
		{"function of a function", "let f(x) = x\nlet a = f(f)", `m.cat:2:11: "f" is a function`},
	}
	files := map[string]string{"self.cat": `include "self.cat"`, "bad.cat": "let a = b\nlet c = | d"}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse("m.cat", tt.text, includeFrom(files))
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("Parse = %v, want an *Error", err)
			}
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error:\n%v\nwant it to hold:\n%s", err, tt.want)
			}
		})
	}
}

// explosion is a model whose functions double their body n times.
func explosion(n int) string {
	text := "let f0(x) = x;r\n"
	for k := 1; k <= n; k++ {
		text += fmt.Sprintf("let f%d(x) = f%d(f%d(x))\n", k, k-1, k-1)
	}
	return text + fmt.Sprintf("let a = f%d(q)", n)
}

func includeFrom(files map[string]string) func(string) (string, error) {
	return func(file string) (string, error) {
		if text, ok := files[file]; ok {
			return text, nil
		}
		return "", errors.New("no such file")
	}
}

// TestErrorText checks that an error shows its line and a caret.
func TestErrorText(t *testing.T) {
	_, err := Parse("m.cat", "M\n\tlet a = b |\n", nil)
	if err == nil {
		t.Fatal("no error")
	}
	_, err = Parse("m.cat", "M\n\tlet a = b && c", nil)
	want := `m.cat:2:13: unexpected "&"; expected a set or a relation: a name, _, {}, [S] or ( … )` +
		"\n     let a = b && c\n                ^"
	if got := fmt.Sprint(err); got != want {
		t.Errorf("error:\n%s\nwant:\n%s", got, want)
	}
}

// TestNames checks names of models, free names and check names.
func TestNames(t *testing.T) {
	tests := []struct {
		name, text   string
		title        string
		free, checks []string
	}{
		{"empty", "", "m.cat", nil, nil},
		{"a string", `"The model"`, "The model", nil, nil},
		{"a word", "PTX\nlet a = b", "PTX", []string{"b"}, nil},
		{"a word and a string", `PTX "The model"` + "\nlet a = b", "The model", []string{"b"}, nil},
		{"two words", "PTX v7\nlet a = b", "v7", []string{"b"}, nil},
		{"no header", "let a = b & c", "m.cat", []string{"b", "c"}, nil},
		{"shadowed", "let a = a | b let b = a", "m.cat", []string{"a", "b"}, nil},
		{"parameters are not free", "let f(x) = x;r let a = f(q)", "m.cat", []string{"q", "r"}, nil},
		{"an unused function needs nothing", "let f(x) = x;r", "m.cat", nil, nil},
		{"the prelude is expanded", "acyclic po-loc | fr as C empty 0", "m.cat",
			[]string{"R", "W", "co", "loc", "po", "rf"}, []string{"C", "empty at line 1"}},
		{"built in", "let a = id | _*_ | [emptyset]", "m.cat", nil, nil},
		{"shown names are not needed", "let a = b show c, d as e unshow f", "m.cat", []string{"b"}, nil},
		{"with … from", "with co from generate_cos(co0) let a = co", "m.cat", []string{"co"}, nil},
		{"tags", "let a = [W & 'release]", "m.cat", []string{"W", "release"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m, err := Parse("m.cat", tt.text, nil)
			if err != nil {
				t.Fatal(err)
			}
			if m.Name != tt.title {
				t.Errorf("Name = %q, want %q", m.Name, tt.title)
			}
			if diff := cmp.Diff(tt.free, m.Names()); diff != "" {
				t.Errorf("Names (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.checks, m.CheckNames()); diff != "" {
				t.Errorf("CheckNames (-want +got):\n%s", diff)
			}
		})
	}
}

// TestPrecedence checks how operators bind: both sides must be the same expression.
func TestPrecedence(t *testing.T) {
	tests := []struct{ loose, strict string }{
		{"a | b ; c", "a | (b ; c)"},
		{`a ; b \ c`, `a ; (b \ c)`},
		{`a \ b & c`, `a \ (b & c)`},
		{`a \ b \ c`, `(a \ b) \ c`},
		{"a & B * C", "a & (B * C)"},
		{"a ; b ; c", "a ; (b ; c)"},
		{"~a & b", "(~a) & b"},
		{"~a+", "~(a+)"},
		{"!a", "~a"},
		{"a ; b^-1+", "a ; ((b^-1)+)"},
		{"a ; b* ; c", "a ; (b*) ; c"},
		{"a* | b*", "(a*) | (b*)"},
		{"(a)*", "a*"},
		{"a^+ ; b^* ; c^?", "a+ ; b* ; c?"},
		{"A * ~B", "A * (~B)"},
		{"A * _", "A * (_)"},
		{"fencerel F", "fencerel(F)"},
		{"domain r | A", "domain(r) | A"},
		{"begin a | b end ; c", "(a | b) ; c"},
		{"let x = a & b in x ; x", "(a & b) ; (a & b)"},
		{"a (* (* nested *) *) ; // to the end of the line\nb", "a;b"},
	}
	for _, tt := range tests {
		t.Run(tt.loose, func(t *testing.T) {
			m, err := Parse("m.cat", "let x = "+tt.loose+"\nlet y = "+tt.strict, nil)
			if err != nil {
				t.Fatal(err)
			}
			if m.lets[0].node != m.lets[1].node { // equal expressions are one node
				t.Errorf("%s is not read as %s", tt.loose, tt.strict)
			}
		})
	}
}

// TestPostfixStarBeforeCheck checks that a closure at the end of a statement is no product with the
// check that follows.
func TestPostfixStarBeforeCheck(t *testing.T) {
	m, err := Parse("m.cat", "let a = r*\n~empty a as A\nlet b = r*\nflag ~empty b as B", nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"A", "B"}, m.CheckNames()); diff != "" {
		t.Errorf("checks (-want +got):\n%s", diff)
	}
}

// TestInclude checks that definitions of an included file are seen after it.
func TestInclude(t *testing.T) {
	files := map[string]string{"outer.cat": "\"outer\"\ninclude \"inner.cat\"\nlet b = a;a", "inner.cat": "let a = po"}
	m, err := Parse("m.cat", "\"main\"\ninclude \"outer.cat\"\nacyclic b as B", includeFrom(files))
	if err != nil {
		t.Fatal(err)
	}
	if m.Name != "main" {
		t.Errorf("Name = %q, want main", m.Name)
	}
	if diff := cmp.Diff([]string{"po"}, m.Names()); diff != "" {
		t.Errorf("Names (-want +got):\n%s", diff)
	}
	if _, err := Parse("m.cat", `include "x"`, nil); err == nil || !strings.Contains(err.Error(), "this model is loaded alone") {
		t.Errorf("include without files: %v", err)
	}
}

// FuzzParse checks that no text makes the parser panic.
func FuzzParse(f *testing.F) {
	f.Add("M\nlet rec a = b | a;a\nflag ~empty domain(a) * [B] as C")
	f.Add(preludeText)
	f.Fuzz(func(t *testing.T, text string) {
		_, err := Parse("m.cat", text, nil)
		var e *Error
		if err != nil && !errors.As(err, &e) {
			t.Errorf("error %v is no *Error", err)
		}
	})
}
