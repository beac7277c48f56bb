package litmus

import (
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"

	"ptxmc/internal/spell"
	"ptxmc/model"
)

type tokenKind int

const (
	endToken    tokenKind = iota
	wordToken             // a name or a mnemonic with its qualifiers: letters, digits, "_", "."
	numberToken           // digits, or 0x and hexadecimal digits
	punctToken
	columnToken // $N of a .test template
)

// token is a word of the source; off and end are its place in the file.
type token struct {
	kind     tokenKind
	text     string
	off, end int
}

// source is a file under parsing, to place diagnostics in.
type source struct {
	file, text string
	breaks     []int // the offsets of the line breaks
}

func newSource(file, text string) *source {
	s := &source{file: file, text: text}
	for i := range len(text) {
		if text[i] == '\n' {
			s.breaks = append(s.breaks, i)
		}
	}
	return s
}

// errAt returns a diagnostic at an offset of the file.
func (s *source) errAt(off int, format string, args ...any) error {
	start := strings.LastIndexByte(s.text[:off], '\n') + 1
	line := s.text[start:]
	if end := strings.IndexByte(line, '\n'); end >= 0 {
		line = line[:end]
	}
	return &model.Diagnostic{
		Pos:  model.Pos{File: s.file, Line: s.line(off), Col: off - start + 1},
		Line: strings.TrimSuffix(line, "\r"),
		Msg:  fmt.Sprintf(format, args...),
	}
}

func (s *source) line(off int) int { return sort.SearchInts(s.breaks, off) + 1 }

// puncts are the marks of both dialects, longer ones first. "|" is always alone, since "||" is an
// empty cell in a row of instructions; expressions join two of them.
var puncts = []string{
	"/\\", "\\/", "==", "!=", "<=", ">=", "&&",
	"{", "}", "(", ")", "[", "]", ",", ";", ":", "@", "|", "=", "<", ">", "&", "~", "!", "+", "-", "*", "/", "^",
}

func isLetter(c byte) bool { return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }

// lex splits the part of the file from off to end into tokens, the last of which is an endToken.
func (s *source) lex(off, end int) ([]token, error) {
	var out []token
	for {
		var err error
		if off, err = s.skip(off, end); err != nil {
			return nil, err
		}
		if off >= end {
			return append(out, token{endToken, "", end, end}), nil
		}
		t := token{off: off}
		switch c := s.text[off]; {
		case isLetter(c):
			t.kind, t.end = wordToken, s.span(off, end, true)
		case isDigit(c):
			t.kind, t.end = numberToken, s.span(off, end, false)
		case c == '.' && off+1 < end && isLetter(s.text[off+1]):
			t.kind, t.end = wordToken, s.span(off+1, end, true)
		case c == '$' && off+1 < end && isDigit(s.text[off+1]):
			t.kind, t.end = columnToken, off+1
			for t.end < end && isDigit(s.text[t.end]) {
				t.end++
			}
		default:
			for _, p := range puncts {
				if strings.HasPrefix(s.text[off:end], p) {
					t.kind, t.end = punctToken, off+len(p)
					break
				}
			}
			if t.kind != punctToken {
				r, _ := utf8.DecodeRuneInString(s.text[off:end])
				return nil, s.errAt(off, "found %q, which begins nothing of this language; expected an instruction, a name, a number or a mark", r)
			}
		}
		t.text = s.text[off:t.end]
		out = append(out, t)
		off = t.end
	}
}

// span returns the end of the run of letters and digits from off on.
func (s *source) span(off, end int, dots bool) int {
	for off < end && (isLetter(s.text[off]) || isDigit(s.text[off]) || dots && s.text[off] == '.') {
		off++
	}
	return off
}

// skip passes blanks and comments: (* … *) and // to the end of the line.
func (s *source) skip(off, end int) (int, error) {
	for off < end {
		rest := s.text[off:end]
		switch {
		case strings.IndexByte(" \t\r\n", rest[0]) >= 0:
			off++
		case strings.HasPrefix(rest, "//"):
			n := strings.IndexByte(rest, '\n')
			if n < 0 {
				return end, nil
			}
			off += n
		case strings.HasPrefix(rest, "(*"):
			n := strings.Index(rest, "*)")
			if n < 0 {
				return 0, s.errAt(off, "the comment (* is not closed; expected *) after it")
			}
			off += n + 2
		default:
			return off, nil
		}
	}
	return off, nil
}

// squeeze writes tokens as a line, with the blanks that one would write.
func squeeze(tokens []token) string {
	var b strings.Builder
	for i, t := range tokens {
		glued := i == 0 || strings.Contains(",;:])", t.text) && t.text != "" || strings.Contains("([:&!~@", tokens[i-1].text) ||
			(t.text == "|" || t.kind == numberToken) && strings.Contains("-|", tokens[i-1].text) && tokens[i-1].end == t.off
		if !glued {
			b.WriteByte(' ')
		}
		b.WriteString(t.text)
	}
	return b.String()
}

// describe names a token in a message.
func (t token) describe() string {
	if t.kind == endToken {
		return "the end"
	}
	return fmt.Sprintf("%q", t.text)
}

// parser walks over tokens.
type parser struct {
	*source
	tokens []token
	pos    int
	depth  int // of nested expressions
	prog   *Program
	uses   []use // of registers and labels, to check once everything is known
	pins   []pin // loads that must return a value

	implicit []token     // first uses of the locations that the initial state does not name
	accesses map[int]int // of a location: the number of instructions that name it as their address

	barriers []token // the declarations of Program.Barriers
	barUses  []barUse
}

func newParser(s *source, dialect, name string, tokens []token) *parser {
	prog := &Program{Name: name, File: s.file, Dialect: dialect}
	return &parser{source: s, tokens: tokens, prog: prog, accesses: map[int]int{}}
}

func (p *parser) peek() token { return p.tokens[p.pos] }

func (p *parser) next() token {
	t := p.tokens[p.pos]
	if t.kind != endToken {
		p.pos++
	}
	return t
}

// at reports whether the next token is text.
func (p *parser) at(text string) bool { return p.peek().kind != endToken && p.peek().text == text }

// accept passes the next token if it is text.
func (p *parser) accept(text string) bool {
	if !p.at(text) {
		return false
	}
	p.pos++
	return true
}

// expect passes text or reports what stands there; why says what it is for.
func (p *parser) expect(text, why string) error {
	if p.accept(text) {
		return nil
	}
	return p.errAt(p.peek().off, "found %s; expected %q %s", p.peek().describe(), text, why)
}

// unexpected reports the next token.
func (p *parser) unexpected(want string) error {
	return p.errAt(p.peek().off, "found %s; expected %s", p.peek().describe(), want)
}

// unknown reports a word that is none of the known ones.
func (p *parser) unknown(t token, word, kind string, known []string) error {
	hint := spell.DidYouMean(word, known)
	list := strings.Join(known, ", ")
	if len(known) == 0 {
		list = "none: there are none here"
	}
	return p.errAt(t.off, "%s %s is not known; expected one of %s%s", kind, word, list, hint)
}
