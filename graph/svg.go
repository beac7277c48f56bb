package graph

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Colours of boxes and of the emphasis. The emphasis has a width too, and its labels are bold.
const (
	ink       = "#1A1A1A"
	faint     = "#595959"
	paper     = "#FFFFFF"
	columnBG  = "#F3F5F7"
	boxLine   = "#8C8C8C"
	highlight = "#FFD966"
	strongBG  = "#FFF4CC"
)

// SVG draws the graph.
func (g *Graph) SVG() ([]byte, error) {
	for i, e := range g.Events {
		if e.Group < -1 || e.Group >= len(g.Groups) {
			return nil, fmt.Errorf("event %d is in group %d; expected one of %d groups or -1", i, e.Group, len(g.Groups))
		}
	}
	for i, e := range g.Edges {
		if min(e.From, e.To) < 0 || max(e.From, e.To) >= len(g.Events) {
			return nil, fmt.Errorf("edge %d leads from %d to %d; expected two of %d events", i, e.From, e.To, len(g.Events))
		}
	}
	if len(g.Events)+len(g.Groups) == 0 {
		return nil, errors.New("a graph without events and groups; expected something to draw")
	}
	p, err := g.layout()
	if err != nil {
		return nil, err
	}
	d := &drawing{g: g, p: p, strong: make([]bool, len(g.Events))}
	for _, e := range g.Edges {
		if e.Strong {
			d.strong[e.From], d.strong[e.To] = true, true
		}
	}
	return []byte(d.draw()), nil
}

type drawing struct {
	g      *Graph
	p      *placed
	strong []bool // events of emphasised edges
	b      strings.Builder
}

// f writes markup; its arguments are numbers and what escape returned.
func (d *drawing) f(format string, args ...any) { fmt.Fprintf(&d.b, format+"\n", args...) }

// num writes a coordinate to a tenth of a pixel.
func num(x float64) string {
	s := strconv.FormatFloat(math.Round(x*10)/10, 'f', -1, 64)
	if s == "-0" {
		return "0"
	}
	return s
}

// text writes a line; anchor is start or middle. textLength keeps it within its box whatever font there is.
func (d *drawing) text(x, y, size float64, anchor, colour, weight, s string) {
	if s == "" {
		return
	}
	d.f(`<text x="%s" y="%s" font-size="%s" text-anchor="%s" fill="%s" font-weight="%s" textLength="%s" lengthAdjust="spacingAndGlyphs" xml:space="preserve">%s</text>`,
		num(x), num(y), num(size), anchor, colour, weight, num(textWidth(s, size)), escape(s))
}

func (d *drawing) draw() string {
	g, p := d.g, d.p
	width := max(p.width, minWidth)
	title := wrap(g.Title, int(width/textWidth("m", titleSize)))
	var notes []string
	for _, n := range g.Notes {
		notes = append(notes, wrap(n, int(width/textWidth("m", textSize+1)))...)
	}
	top := margin + float64(len(title))*22 + float64(len(notes))*17 + 10
	legend := d.legend()
	height := top + p.height + 14 + float64(len(legend))*20 + margin
	w, h := num(width+2*margin), num(height)
	d.f(`<svg xmlns="http://www.w3.org/2000/svg" role="img" width="%s" height="%s" viewBox="0 0 %s %s" font-family="%s">`, w, h, w, h, escape(font))
	d.f(`<title>%s</title>`, escape(g.Title))
	d.f(`<desc>%s</desc>`, escape(g.Desc))
	d.f(`<rect width="%s" height="%s" fill="%s"/>`, w, h, paper)
	y := margin
	for _, s := range title {
		d.text(margin, y+titleSize, titleSize, "start", ink, "bold", s)
		y += 22
	}
	for _, s := range notes {
		d.text(margin, y+textSize+2, textSize+1, "start", ink, "normal", s)
		y += 17
	}
	d.f(`<g transform="translate(%s %s)">`, num(margin+(width-p.width)/2), num(top))
	for i := range p.columns {
		d.column(i)
	}
	order := make([]int, len(g.Edges)) // emphasised edges above the others
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case g.Edges[a].Strong == g.Edges[b].Strong:
			return 0
		case g.Edges[b].Strong:
			return -1
		}
		return 1
	})
	for _, i := range order {
		d.edge(i)
	}
	for i := range g.Events {
		d.event(i)
	}
	for _, i := range order {
		d.edgeLabel(i)
	}
	d.f(`</g>`)
	y = top + p.height + 14
	for _, l := range legend {
		d.sample(y, width, l)
		y += 20
	}
	d.f(`</svg>`)
	return d.b.String()
}

// column draws the ground of a group; the last is that of the events without a group.
func (d *drawing) column(i int) {
	c := d.p.columns[i]
	if c.Width == 0 {
		return
	}
	name, place, fill := "", initTitle, paper
	if i < len(d.g.Groups) {
		name, place, fill = clip(d.g.Groups[i].Name), clip(d.g.Groups[i].Place), columnBG
	}
	d.f(`<rect x="%s" y="%s" width="%s" height="%s" rx="6" fill="%s"/>`, num(c.left()), num(c.top()), num(c.Width), num(c.Height), fill)
	d.text(c.X, c.top()+labelSize+5, labelSize, "middle", ink, "bold", name)
	d.text(c.X, c.top()+labelSize+textSize+9, textSize, "middle", faint, "normal", place)
}

func (d *drawing) event(i int) {
	e, n := d.g.Events[i], d.p.events[i]
	fill, line, width := paper, boxLine, "1"
	if d.strong[i] {
		fill, line, width = strongBG, ink, "2.2"
	}
	dash := ""
	if e.Group < 0 {
		dash = ` stroke-dasharray="4 2"`
	}
	d.f(`<g><title>%s</title>`, escape(strings.TrimSpace(e.Label+"  "+e.Text)))
	d.f(`<rect x="%s" y="%s" width="%s" height="%s" rx="4" fill="%s" stroke="%s" stroke-width="%s"%s/>`,
		num(n.left()), num(n.top()), num(n.Width), num(n.Height), fill, line, width, dash)
	y := n.top() + padY + labelSize - 2
	d.text(n.X, y, labelSize, "middle", ink, "bold", clip(e.Label))
	d.text(n.X, y+lineGap+textSize, textSize, "middle", ink, "normal", clip(e.Text))
	d.f(`</g>`)
}

func (d *drawing) edge(i int) {
	e := d.g.Edges[i]
	r, _ := relation(e.Relation)
	pts := slices.Clone(d.p.routes[i].points)
	width, head := 1.5, 9.0
	if e.Strong {
		width, head = 3, 13
	}
	if r.plain && !e.Strong {
		width, head = 1, 7
	}
	heads := arrow(pts, head)
	if e.Both {
		slices.Reverse(pts)
		heads += " " + arrow(pts, head)
		slices.Reverse(pts)
	}
	path := curve(pts)
	d.f(`<g fill="none"><title>%s</title>`, escape(e.Relation+": "+d.g.Events[e.From].Label+" → "+d.g.Events[e.To].Label))
	if e.Strong {
		d.f(`<path d="%s" stroke="%s" stroke-width="11" stroke-linecap="round"/>`, path, highlight)
	}
	dash := ""
	if r.Dash != "" {
		dash = ` stroke-dasharray="` + r.Dash + `"`
	}
	d.f(`<path d="%s" stroke="%s" stroke-width="%s"%s/>`, path, r.Colour, num(width), dash)
	d.f(`<path d="%s" fill="%s"/></g>`, heads, r.Colour)
}

func (d *drawing) edgeLabel(i int) {
	e := d.g.Edges[i]
	at := d.p.routes[i].label
	if d.g.labelWidth(e) == 0 {
		return
	}
	r, _ := relation(e.Relation)
	weight, fill := "normal", paper
	if e.Strong {
		weight, fill = "bold", highlight
	}
	s := clip(e.Relation)
	w := textWidth(s, textSize) + 6
	d.f(`<rect x="%s" y="%s" width="%s" height="%s" rx="3" fill="%s" fill-opacity="0.9"/>`, num(at.X-w/2), num(at.Y-textSize/2-2), num(w), num(textSize+4), fill)
	d.text(at.X, at.Y+4, textSize, "middle", r.Colour, weight, s)
}
