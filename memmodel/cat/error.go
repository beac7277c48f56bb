package cat

import (
	"fmt"
	"sort"
	"strings"
)

// Error is a mistake in a model, or a model and an environment that do not fit. Its text has the
// form of every diagnostic of ptxmc: place, what is wrong, what was expected, how to mend it, then
// the source line with a caret.
type Error struct {
	File      string
	Line, Col int
	Source    string // the source line
	Msg       string
}

// Error returns "file:line:col: message", the source line and a caret under the column.
func (e *Error) Error() string {
	text := fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Col, e.Msg)
	if strings.TrimSpace(e.Source) == "" {
		return text
	}
	line := strings.ReplaceAll(e.Source, "\t", " ")
	text += "\n    " + line
	if e.Col >= 1 && e.Col <= len(line)+1 {
		text += "\n    " + strings.Repeat(" ", e.Col-1) + "^"
	}
	return text
}

// source is one file of a model.
type source struct {
	name  string
	lines []string
}

func newSource(name, text string) *source {
	return &source{name: name, lines: strings.Split(text, "\n")}
}

// pos is a place in a source, counted from 1.
type pos struct {
	src       *source
	line, col int
}

func (p pos) errorf(format string, args ...any) *Error {
	e := &Error{Line: p.line, Col: p.col, Msg: fmt.Sprintf(format, args...)}
	if p.src != nil {
		e.File = p.src.name
		if p.line >= 1 && p.line <= len(p.src.lines) {
			e.Source = strings.TrimRight(p.src.lines[p.line-1], "\r")
		}
	}
	return e
}

func (p pos) String() string {
	if p.src == nil {
		return "?"
	}
	return fmt.Sprintf("%s:%d:%d", p.src.name, p.line, p.col)
}

// didYouMean returns a hint at the known name nearest to a mistyped one, or "".
func didYouMean(name string, known []string) string {
	known = append([]string(nil), known...)
	sort.Strings(known)
	best, bestAt := "", 1+len(name)/3
	for _, k := range known {
		if d := distance(name, k); d <= bestAt && d < len(k) && k != name {
			if best == "" || d < bestAt {
				best, bestAt = k, d
			}
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

// distance is the edit distance of two names, letter case costing nothing.
func distance(a, b string) int {
	a, b = strings.ToLower(a), strings.ToLower(b)
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diagonal
			if a[i-1] != b[j-1] {
				cost++
			}
			diagonal = row[j]
			row[j] = min(cost, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}
