package model

import "strings"

// Source is the text of a PTX file, line by line, after a variant's edits. Every line knows the
// place it came from, so a diagnostic or a trace names a line that the user can open.
type Source struct {
	File  string
	Lines []SourceLine
}

// SourceLine is one line of a Source.
type SourceLine struct {
	Text string // without its line break
	Line int    // line in the file, from 1
	Col  int    // column in the file of the first byte of Text, from 1 (an edit's text starts inside its line)
}

// NewSource splits text into lines.
func NewSource(file, text string) *Source {
	s := &Source{File: file}
	for i, l := range strings.Split(text, "\n") {
		s.Lines = append(s.Lines, SourceLine{Text: strings.TrimSuffix(l, "\r"), Line: i + 1, Col: 1})
	}
	return s
}

// Diagnostic is an error in an input file.
type Diagnostic struct {
	Pos  Pos
	Line string // the source line
	Msg  string // what is wrong; what was expected; how to mend it
}

// Error returns "file:line:col: message", the source line and a caret under the column.
func (d *Diagnostic) Error() string {
	var b strings.Builder
	b.WriteString(d.Pos.String() + ": " + d.Msg)
	if d.Line != "" {
		b.WriteString("\n    " + strings.ReplaceAll(d.Line, "\t", " ") + "\n    ")
		if d.Pos.Col >= 1 && d.Pos.Col <= len(d.Line)+1 {
			b.WriteString(strings.Repeat(" ", d.Pos.Col-1) + "^")
		}
	}
	return strings.TrimRight(b.String(), " \n")
}
