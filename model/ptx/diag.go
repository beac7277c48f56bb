package ptx

import (
	"fmt"
	"strings"

	"ptxmc/model"
)

// pos maps a token to its place in the file.
func (p *parser) pos(t token) model.Pos {
	pos := model.Pos{File: p.src.File, Line: 1, Col: 1}
	if t.line < len(p.src.Lines) {
		l := p.src.Lines[t.line]
		pos.Line, pos.Col = l.Line, l.Col+t.col
	}
	return pos
}

// errorf makes a Diagnostic at a token. The text follows "what is wrong; what was expected; how
// to mend it".
func (p *parser) errorf(t token, format string, args ...any) error {
	d := &model.Diagnostic{Pos: p.pos(t), Msg: fmt.Sprintf(format, args...)}
	if t.line < len(p.src.Lines) {
		l := p.src.Lines[t.line]
		// The caret counts columns of the file; an edit's text starts inside its line.
		d.Line = strings.Repeat(" ", max(0, l.Col-1)) + l.Text
	}
	return d
}

// list joins words as "a, b or c".
func list(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

// plural returns "1 operand", "2 operands".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
