package graph

import (
	"cmp"
	"slices"
)

// entry is a line of the legend.
type entry struct {
	relation Relation
	strong   bool
	text     string
}

// legend lists the relations that the graph uses.
func (d *drawing) legend() []entry {
	var names []string
	strong := false
	for _, e := range d.g.Edges {
		if !slices.Contains(names, e.Relation) {
			names = append(names, e.Relation)
		}
		strong = strong || e.Strong
	}
	slices.SortFunc(names, func(a, b string) int {
		_, i := relation(a)
		_, j := relation(b)
		return cmp.Or(cmp.Compare(i, j), cmp.Compare(a, b))
	})
	var out []entry
	for _, n := range names {
		r, _ := relation(n)
		out = append(out, entry{relation: r, text: r.Meaning})
	}
	if strong && d.g.Emphasis != "" {
		out = append(out, entry{relation: Relation{Colour: ink}, strong: true, text: d.g.Emphasis})
	}
	return out
}

// sample draws a line of the legend of a drawing of that width; its top is y.
func (d *drawing) sample(y, width float64, l entry) {
	pts := []point{{margin, y + 10}, {margin + 46, y + 10}}
	size, stroke := 9.0, "1.5"
	if l.strong {
		size, stroke = 13, "3"
	}
	head := arrow(pts, size)
	path := curve(pts)
	if l.strong {
		d.f(`<path d="%s" stroke="%s" stroke-width="11" stroke-linecap="round"/>`, path, highlight)
	}
	dash := ""
	if l.relation.Dash != "" {
		dash = ` stroke-dasharray="` + l.relation.Dash + `"`
	}
	d.f(`<path d="%s" fill="none" stroke="%s" stroke-width="%s"%s/>`, path, l.relation.Colour, stroke, dash)
	d.f(`<path d="%s" fill="%s"/>`, head, l.relation.Colour)
	at := margin + 58
	if !l.strong {
		name := clip(l.relation.Name)
		d.text(at, y+14, textSize, "start", l.relation.Colour, "bold", name)
		at += max(textWidth(name, textSize)+10, 96)
	}
	d.text(at, y+14, textSize, "start", ink, "normal", clipTo(l.text, int((width+margin-at)/textWidth("m", textSize))))
}
