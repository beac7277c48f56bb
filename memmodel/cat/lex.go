package cat

import "strings"

// kind is what a token is.
type kind uint8

const (
	tokEOF kind = iota
	tokName
	tokKeyword
	tokString
	tokTag  // 'name
	tokMark // punctuation and operators
)

// token is a lexical unit; for a string, text is what the quotes hold.
type token struct {
	kind kind
	text string
	pos  pos
}

// is reports whether t is the given mark or keyword.
func (t token) is(text string) bool {
	return (t.kind == tokMark || t.kind == tokKeyword) && t.text == text
}

// describe names a token in a message.
func (t token) describe() string {
	switch t.kind {
	case tokEOF:
		return "the end of the file"
	case tokString:
		return `the string "` + t.text + `"`
	case tokTag:
		return "the tag '" + t.text
	default:
		return `"` + t.text + `"`
	}
}

// keywords of cat. Those that ptxmc does not support are keywords too, to be named in the error.
var keywords = func() map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(`let rec and in include show unshow as flag acyclic irreflexive
		empty cut with from begin end ` + unsupportedStatements + unsupportedExpressions) {
		set[word] = true
	}
	return set
}()

// The keywords of herd's cat that have no meaning here.
const (
	unsupportedStatements  = ` enum procedure call forall do debug instructions default undefined_unless `
	unsupportedExpressions = ` fun try match if then else when `
)

// marks, longest first.
var marks = []string{"^-1", "^+", "^*", "^?", "++", "->",
	"|", ";", "&", `\`, "*", "+", "?", "~", "!", "(", ")", "[", "]", "{", "}", ",", "=", "0", "_"}

type lexer struct {
	src       *source
	text      string
	at        int
	line, col int
}

// lex splits a model into tokens, the last of which is tokEOF.
func lex(src *source, text string) ([]token, error) {
	l := &lexer{src: src, text: text, line: 1, col: 1}
	var tokens []token
	for {
		if err := l.skipBlank(); err != nil {
			return nil, err
		}
		t, err := l.next()
		if err != nil {
			return nil, err
		}
		tokens = append(tokens, t)
		if t.kind == tokEOF {
			return tokens, nil
		}
	}
}

func (l *lexer) pos() pos     { return pos{l.src, l.line, l.col} }
func (l *lexer) rest() string { return l.text[l.at:] }

func (l *lexer) advance(n int) {
	for _, c := range []byte(l.text[l.at : l.at+n]) {
		l.col++
		if c == '\n' {
			l.line, l.col = l.line+1, 1
		}
	}
	l.at += n
}

// skipBlank skips white space, // comments and (* nested *) comments.
func (l *lexer) skipBlank() error {
	for l.at < len(l.text) {
		switch rest := l.rest(); {
		case strings.ContainsRune(" \t\r\n", rune(rest[0])):
			l.advance(1)
		case strings.HasPrefix(rest, "//"):
			end := strings.IndexByte(rest, '\n')
			if end < 0 {
				end = len(rest)
			}
			l.advance(end)
		case strings.HasPrefix(rest, "(*"):
			if err := l.skipComment(); err != nil {
				return err
			}
		default:
			return nil
		}
	}
	return nil
}

func (l *lexer) skipComment() error {
	start := l.pos()
	for depth := 0; l.at < len(l.text); {
		switch rest := l.rest(); {
		case strings.HasPrefix(rest, "(*"):
			depth++
			l.advance(2)
		case strings.HasPrefix(rest, "*)"):
			l.advance(2)
			if depth--; depth == 0 {
				return nil
			}
		default:
			l.advance(1)
		}
	}
	return start.errorf("this comment has no end; expected a *) for every (*, also for one inside a comment")
}

func (l *lexer) next() (token, error) {
	t := token{pos: l.pos()}
	rest := l.rest()
	switch {
	case rest == "":
		return t, nil
	case rest[0] == '"':
		end := strings.IndexAny(rest[1:], "\"\n")
		if end < 0 || rest[1+end] == '\n' {
			return t, t.pos.errorf("this string has no end; expected a closing quote on the same line")
		}
		t.kind, t.text = tokString, rest[1:1+end]
		l.advance(end + 2)
		return t, nil
	case rest[0] == '\'':
		if n := nameLen(rest[1:]); n > 0 {
			t.kind, t.text = tokTag, rest[1:1+n]
			l.advance(1 + n)
			return t, nil
		}
	}
	if n := nameLen(rest); n > 0 {
		t.kind, t.text = tokName, rest[:n]
		if keywords[t.text] {
			t.kind = tokKeyword
		}
		l.advance(n)
		return t, nil
	}
	for _, mark := range marks {
		if !strings.HasPrefix(rest, mark) {
			continue
		}
		l.advance(len(mark))
		t.kind, t.text = tokMark, mark
		if mark == "!" {
			t.text = "~"
		} else if len(mark) == 2 && mark[0] == '^' {
			t.text = mark[1:] // r^+ is r+
		}
		return t, nil
	}
	if rest[0] == '^' {
		return t, t.pos.errorf(`"^" is followed by nothing known; expected one of ^-1 ^+ ^* ^?`)
	}
	return t, t.pos.errorf("a cat model has no character %q; expected a statement or an expression",
		[]rune(rest)[0])
}

// nameLen returns the length of the name that s starts with, 0 if with none. Names may hold - and .
// as in po-loc.
func nameLen(s string) int {
	n := 0
	for n < len(s) {
		c := s[n]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		inside := c >= '0' && c <= '9' || c == '-' || c == '.'
		if !letter && c != '_' && (n == 0 || !inside) {
			break
		}
		n++
	}
	if s[:n] == "_" {
		return 0 // the set of all events
	}
	return n
}
