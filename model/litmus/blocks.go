package litmus

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// parseTest parses the .test dialect: a program in blocks, and after a line "$$" a table whose rows
// give the texts of $0, $1 and so on.
func (s *source) parseTest() ([]*Program, error) {
	template, rows, err := s.split()
	if err != nil {
		return nil, err
	}
	name := strings.TrimSuffix(filepath.Base(s.file), ".test")
	if rows == nil {
		for _, t := range template {
			if t.kind == columnToken {
				return nil, s.errAt(t.off, "%s stands for a column of a table, but there is none; expected a line $$ and the rows after it", t.text)
			}
		}
		p, err := s.parseBlocks(name, template)
		if err != nil {
			return nil, err
		}
		return []*Program{p}, nil
	}
	var out []*Program
	total := 0
	for i, row := range rows {
		tokens, err := s.expand(template, row)
		if err != nil {
			return nil, err
		}
		if total += len(tokens); total > maxTokens {
			return nil, s.errAt(row.off, "the rows up to this one make more than %d words; expected a smaller table", maxTokens)
		}
		p, err := s.parseBlocks(name+"#"+strconv.Itoa(i+1), tokens)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// row is a row of the table.
type row struct {
	off    int
	fields [][]token
}

// split reads the tokens of the template and the rows of the table; rows is nil if there is no table.
func (s *source) split() (template []token, rows []row, err error) {
	off, end := 0, -1
	for line := range strings.Lines(s.text) {
		start := off
		off += len(line)
		line = strings.TrimSpace(line)
		switch {
		case end < 0 && line == "$$":
			end = start
		case end < 0 || line == "" || strings.HasPrefix(line, "//"):
		default:
			r, err := s.row(start, off)
			if err != nil {
				return nil, nil, err
			}
			rows = append(rows, r)
		}
	}
	if end >= 0 && rows == nil {
		return nil, nil, s.errAt(end, "the table is empty; expected rows of columns with | between them")
	}
	if end < 0 {
		end = len(s.text)
	}
	template, err = s.lex(0, end)
	return template, rows, err
}

// row splits a line of the table at its bars.
func (s *source) row(off, end int) (row, error) {
	tokens, err := s.lex(off, end)
	if err != nil {
		return row{}, err
	}
	r := row{off: tokens[0].off, fields: [][]token{nil}}
	for _, t := range tokens {
		switch {
		case t.kind == endToken:
		case t.text == "|":
			r.fields = append(r.fields, nil)
		case t.kind == columnToken:
			return row{}, s.errAt(t.off, "found %s inside of the table; expected program text", t.text)
		default:
			last := len(r.fields) - 1
			r.fields[last] = append(r.fields[last], t)
		}
	}
	return r, nil
}

// expand replaces the columns of a template by the fields of a row.
func (s *source) expand(template []token, r row) ([]token, error) {
	var out []token
	used := make([]bool, len(r.fields))
	for i, t := range template {
		field := []token{t}
		if t.kind == columnToken {
			n, err := strconv.Atoi(t.text[1:])
			if err != nil || n >= len(r.fields) {
				return nil, s.errAt(r.off, "the row has %d columns, but line %d uses %s; expected a column $0 to %s", len(r.fields), s.line(t.off), t.text, t.text)
			}
			used[n], field = true, r.fields[n]
		}
		// Parts of a mnemonic join: ld.$0 and $0.cta.
		if i > 0 && len(out) > 0 && len(field) > 0 && template[i-1].end == t.off {
			last := &out[len(out)-1]
			if last.kind == wordToken && field[0].kind == wordToken && (strings.HasSuffix(last.text, ".") || field[0].text[0] == '.') {
				last.text += field[0].text
				field = field[1:]
			}
		}
		out = append(out, field...)
	}
	if n := slices.Index(used, false); n >= 0 {
		return nil, s.errAt(r.off, "nothing above uses column $%d of this row; expected as many columns as the text above uses", n)
	}
	return out, nil
}

// parseBlocks parses one program.
func (s *source) parseBlocks(name string, tokens []token) (*Program, error) {
	p := newParser(s, "test", name, tokens)
	for p.peek().kind == wordToken && p.peek().text[0] == '.' {
		if err := p.declaration(); err != nil {
			return nil, err
		}
	}
	ctas := numbering{}
	for p.peek().kind == wordToken && p.tokens[p.pos+1].text == "{" {
		if err := p.block(ctas); err != nil {
			return nil, err
		}
	}
	if len(p.prog.Threads) == 0 {
		return nil, p.unexpected("a declaration such as .global x; or a thread such as d0.b0.t0 {")
	}
	p.applyPins()
	for p.peek().kind != endToken {
		if err := p.command(); err != nil {
			return nil, err
		}
	}
	if len(p.prog.Conditions) == 0 {
		return nil, p.unexpected("the question of the test: permit, assert or check")
	}
	return p.prog, p.checkUses()
}

// refs are the declarations of references, with their proxies.
var refs = map[string]Proxy{".texref": Texture, ".surfref": Surface, ".conref": Constant}

// declaration parses ".global x;", ".global y physically aliases x;" or ".texref t virtually aliases x;".
func (p *parser) declaration() error {
	kind := p.next()
	proxy, ref := refs[kind.text]
	if !ref && kind.text != ".global" && kind.text != ".shared" {
		return p.unknown(kind, kind.text, "declaration", append(sortedKeys(refs), ".global", ".shared"))
	}
	t, err := p.newLoc()
	if err != nil {
		return err
	}
	how := "physically"
	if ref {
		how = "virtually"
	}
	switch {
	case ref && !p.at(how), p.peek().kind == wordToken && !p.at(how):
		return p.unexpected("\"" + how + " aliases\" and a location")
	case !p.accept(how):
		p.declare(t.text)
		return p.expect(";", "after the declaration")
	}
	if err := p.expect("aliases", "and a location"); err != nil {
		return err
	}
	base, err := p.location()
	if err != nil {
		return err
	}
	p.alias(t.text, proxy, base)
	return p.expect(";", "after the declaration")
}

// block parses a thread: d0.b1.t0 { instructions }.
func (p *parser) block(ctas numbering) error {
	t := p.next()
	parts := strings.Split(t.text, ".")
	var at [3]int
	ok := len(parts) == 3
	for i := 0; ok && i < 3; i++ {
		n, err := strconv.Atoi(strings.TrimPrefix(parts[i], "dbt"[i:i+1]))
		ok = err == nil && n >= 0 && n < 1<<20 && parts[i][0] == "dbt"[i]
		at[i] = n
	}
	if !ok {
		return p.errAt(t.off, "%s is no thread; expected device, block and thread, as in d0.b1.t0", t.text)
	}
	if slices.ContainsFunc(p.prog.Threads, func(o Thread) bool { return o.Name == t.text }) {
		return p.errAt(t.off, "thread %s stands twice; expected another name", t.text)
	}
	cta := ctas.of(at[0], at[1])
	n := len(p.prog.Threads)
	p.prog.Threads = append(p.prog.Threads, Thread{Name: t.text, GPU: at[0], Cluster: cta, CTA: cta, Regs: map[string]int64{}})
	p.pos++
	for !p.accept("}") {
		if err := p.instructions(n); err != nil {
			return err
		}
		if code := p.prog.Threads[n].Code; len(code) > 0 && code[len(code)-1].Op == Label && p.at("}") {
			continue
		}
		if err := p.expect(";", "after an instruction, or } after the last"); err != nil {
			return err
		}
	}
	return nil
}

var commands = map[string]Kind{"permit": Permit, "assert": Assert, "check": Check}

// command parses "assert (condition) as name;".
func (p *parser) command() error {
	t := p.next()
	kind, ok := commands[t.text]
	if !ok {
		return p.unknown(t, t.describe(), "command", sortedKeys(commands))
	}
	c := Condition{Kind: kind, Line: p.line(t.off)}
	if err := p.expect("(", "before the condition"); err != nil {
		return err
	}
	start := p.pos
	e, err := p.condition()
	if err != nil {
		return err
	}
	c.Expr, c.Text = e, squeeze(p.tokens[start:p.pos])
	if err := p.expect(")", "after the condition"); err != nil {
		return err
	}
	if p.accept("as") {
		if c.Name = p.peek().text; p.peek().kind != wordToken {
			return p.unexpected("a name")
		}
		p.pos++
	}
	p.prog.Conditions = append(p.prog.Conditions, c)
	return p.expect(";", "after the command")
}

// pin is a load that is only followed if it returns a value: "ld r0, [x] == 1".
type pin struct {
	thread, index int
	reg           string
	value         int64
}

// pin parses "== value" after a load or a read-modify-write of the .test dialect.
func (p *parser) pin(in *Instr, thread int) error {
	if p.prog.Dialect != "test" || !p.accept("==") {
		return nil
	}
	n, err := p.number()
	p.pins = append(p.pins, pin{thread, len(p.prog.Threads[thread].Code), in.Dst, n})
	return err
}

// applyPins turns the pins into the filter. A register that is written again is copied first.
func (p *parser) applyPins() {
	for _, pin := range slices.Backward(p.pins) {
		code := &p.prog.Threads[pin.thread].Code
		writes := 0
		for _, in := range *code {
			if in.Dst == pin.reg {
				writes++
			}
		}
		if writes > 1 {
			in := (*code)[pin.index]
			keep := pin.reg + "@" + strconv.Itoa(pin.index)
			*code = slices.Insert(*code, pin.index+1, Instr{
				Op: Assign, Line: in.Line, Text: keep + " = " + pin.reg, Dst: keep, Expr: p.regTerm(pin.thread, pin.reg),
			})
			pin.reg = keep
		}
		var e Expr = &Binary{"==", p.regTerm(pin.thread, pin.reg), Const(pin.value)}
		if p.prog.Filter != nil {
			e = &Binary{"&&", e, p.prog.Filter}
		}
		p.prog.Filter = e
	}
}
