package ptx

import (
	"strings"

	"ptxmc/model"
)

type tokenKind uint8

const (
	tokEOF   tokenKind = iota
	tokWord            // identifier with its qualifiers: ld.global.u32, %tid.x, $L__BB0_1, _
	tokDot             // directive or qualifier: .reg, .shared::cta
	tokNum             // literal as written
	tokStr             // "..." with its quotes
	tokPunct           // operator or bracket
	tokBad             // no token of PTX; text is the complaint
)

// token is a lexical element (PTX ISA 4.3). Line indexes Source.Lines, col is a byte offset.
type token struct {
	kind  tokenKind
	text  string
	line  int
	col   int
	space bool // white space or a comment stands before it
}

func (t token) is(punct string) bool { return t.kind == tokPunct && t.text == punct }

// describe names the token in a message.
func (t token) describe() string {
	switch t.kind {
	case tokEOF:
		return "the end of the file"
	case tokStr:
		return "the string " + t.text
	case tokBad:
		return "bad text"
	default:
		return `"` + t.text + `"`
	}
}

// lexer turns the lines of a source into tokens.
type lexer struct {
	lines []model.SourceLine
	toks  []token
	space bool
}

// lex splits the source. What is no token becomes tokBad, so that errors are reported in the
// order of the text and skipped sections (.section) may hold anything.
func lex(src *model.Source) []token {
	lx := &lexer{lines: src.Lines}
	open := token{line: -1} // start of an unfinished block comment
	for n, l := range src.Lines {
		lx.space = true
		s := l.Text
		for i := 0; i < len(s); {
			if open.line >= 0 {
				end := strings.Index(s[i:], "*/")
				if end < 0 {
					break
				}
				open.line, i = -1, i+end+2
				continue
			}
			if strings.HasPrefix(s[i:], "//") {
				break
			}
			if strings.HasPrefix(s[i:], "/*") {
				open = token{line: n, col: i}
				lx.space, i = true, i+2
				continue
			}
			i = lx.scan(s, n, i)
		}
	}
	if open.line >= 0 {
		lx.toks = append(lx.toks, token{kind: tokBad, line: open.line, col: open.col,
			text: `comment is not ended; expected "*/"; close it`})
	}
	last, col := max(0, len(src.Lines)-1), 0
	if len(src.Lines) > 0 {
		col = len(src.Lines[last].Text)
	}
	lx.toks = append(lx.toks, token{kind: tokEOF, line: last, col: col, space: true})
	return lx.toks
}

func (lx *lexer) add(kind tokenKind, text string, line, col int) {
	lx.toks = append(lx.toks, token{kind, text, line, col, lx.space})
	lx.space = false
}

// scan reads one token of s at i and returns the offset behind it.
func (lx *lexer) scan(s string, line, i int) int {
	c := s[i]
	switch {
	case c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v':
		lx.space = true
		return i + 1
	case isWordStart(c) || c == '%' && i+1 < len(s) && isWord(s[i+1]):
		end := word(s, i+1)
		for end+1 < len(s) && s[end] == '.' && isWord(s[end+1]) {
			end = qualifier(s, end+1)
		}
		lx.add(tokWord, s[i:end], line, i)
		return end
	case c == '.' && i+1 < len(s) && isWord(s[i+1]):
		end := qualifier(s, i+1)
		lx.add(tokDot, s[i:end], line, i)
		return end
	case c >= '0' && c <= '9':
		end := number(s, i)
		lx.add(tokNum, s[i:end], line, i)
		return end
	case c == '"':
		end := i + 1
		for end < len(s) && s[end] != '"' {
			if s[end] == '\\' && end+1 < len(s) {
				end++
			}
			end++
		}
		if end >= len(s) {
			lx.add(tokBad, `string is not ended; expected '"'; close it on the same line`, line, i)
			return len(s)
		}
		lx.add(tokStr, s[i:end+1], line, i)
		return end + 1
	case strings.HasPrefix(s[i:], "<<") || strings.HasPrefix(s[i:], ">>"):
		lx.add(tokPunct, s[i:i+2], line, i)
		return i + 2
	case strings.IndexByte("{}()[],;:@!|+-*/%~&^<>=?", c) >= 0:
		lx.add(tokPunct, s[i:i+1], line, i)
		return i + 1
	case c == '#':
		lx.add(tokBad, "preprocessor lines are not part of a PTX module; expected a directive or an instruction; remove the line", line, i)
		return len(s)
	}
	end := i + 1
	for end < len(s) && s[end] >= 0x80 { // one complaint for a run of non-ASCII bytes
		end++
	}
	lx.add(tokBad, "character "+quote(s[i:end])+" has no meaning in PTX; expected a name, a number or punctuation; remove it", line, i)
	return end
}

func isWordStart(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$'
}

func isWord(c byte) bool { return isWordStart(c) || c >= '0' && c <= '9' }

func word(s string, i int) int {
	for i < len(s) && isWord(s[i]) {
		i++
	}
	return i
}

// qualifier reads name{::name}.
func qualifier(s string, i int) int {
	i = word(s, i)
	for i+2 < len(s) && s[i] == ':' && s[i+1] == ':' && isWord(s[i+2]) {
		i = word(s, i+2)
	}
	return i
}

// number reads a literal: letters belong to it (0x1F, 0f3F800000, 12U), and so do a fraction and
// a signed decimal exponent.
func number(s string, i int) int {
	start := i
	i = word(s, i)
	prefixed := i-start > 1 && s[start] == '0' && isWordStart(s[start+1]) && s[start+1] != 'e' && s[start+1] != 'E'
	if prefixed {
		return i
	}
	if i < len(s) && s[i] == '.' {
		i = word(s, i+1)
	}
	if (s[i-1] == 'e' || s[i-1] == 'E') && i+1 < len(s) && (s[i] == '+' || s[i] == '-') && s[i+1] >= '0' && s[i+1] <= '9' {
		i = word(s, i+1)
	}
	return i
}

func quote(s string) string {
	if len(s) > 16 {
		s = s[:16]
	}
	return strings.ToValidUTF8(`"`+s+`"`, "?")
}
