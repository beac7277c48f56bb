package graph

import (
	"cmp"
	"math"
	"slices"
)

type point struct{ X, Y float64 }

// box is a rectangle by its centre.
type box struct{ X, Y, Width, Height float64 }

func (b box) left() float64   { return b.X - b.Width/2 }
func (b box) right() float64  { return b.X + b.Width/2 }
func (b box) top() float64    { return b.Y - b.Height/2 }
func (b box) bottom() float64 { return b.Y + b.Height/2 }

// route is the way of an edge and the place of its label.
type route struct {
	points []point
	label  point
}

// placed is a graph with places. The columns reach from the top to the bottom.
type placed struct {
	width, height float64
	columns       []box // of the groups, and last that of the events without a group
	events        []box
	routes        []route
}

const (
	rowGap   = 40.0 // between events of a column: room for a label
	laneGap  = 12.0
	spread   = 46.0 // between edges side by side
	labelPad = 8.0
)

// placer collects what layout needs.
type placer struct {
	g      *Graph
	column []int // of the groups and of the events without a group: its layer
	width  []float64
	lanes  []float64 // of a column: room right of its boxes for edges that stay in it
	rows   [][]int   // of a column: its events
	row    []int     // of an event
	input  []int     // of an edge between columns: its number in dagre's input; else -1
	up     float64   // from dagre's heights to those of the drawing
	out    *placed
	result *layoutOutput
}

// layout places the events and edges of a graph. Columns are dagre's layers: it orders and spaces what runs
// between them. Edges within a column run straight down, or in a lane beside its boxes.
func (g *Graph) layout() (*placed, error) {
	p := &placer{g: g, out: &placed{routes: make([]route, len(g.Edges))}}
	p.columns()
	in := p.prepare()
	var err error
	if p.result, err = dagre(in); err != nil {
		return nil, err
	}
	p.place(in)
	p.cross(in)
	p.within()
	return p.out, nil
}

// group returns the column of an event.
func (p *placer) group(event int) int {
	if n := p.g.Events[event].Group; n >= 0 {
		return n
	}
	return len(p.g.Groups)
}

// columns distributes the events. Those without a group stand in a column of their own at the left.
func (p *placer) columns() {
	n := len(p.g.Groups) + 1
	p.rows, p.width, p.lanes, p.column = make([][]int, n), make([]float64, n), make([]float64, n), make([]int, n)
	p.row = make([]int, len(p.g.Events))
	for i, e := range p.g.Events {
		c := p.group(i)
		p.row[i] = len(p.rows[c])
		p.rows[c] = append(p.rows[c], i)
		p.width[c] = max(p.width[c], 2*padX+max(textWidth(clip(e.Label), labelSize), textWidth(clip(e.Text), textSize)))
	}
	first := 0
	if len(p.rows[n-1]) > 0 {
		first = 1
		p.width[n-1] = max(p.width[n-1], textWidth(initTitle, textSize))
	}
	for c, g := range p.g.Groups {
		p.column[c] = c + first
		p.width[c] = max(p.width[c], textWidth(clip(g.Name), labelSize), textWidth(clip(g.Place), textSize))
	}
	for _, e := range p.g.Edges {
		if c := p.group(e.From); c == p.group(e.To) && !p.next(e) {
			p.lanes[c] += p.lane(e)
		}
	}
}

// next reports whether an edge leads to the event below or above in its column.
func (p *placer) next(e Edge) bool {
	d := p.row[e.To] - p.row[e.From]
	return p.group(e.From) == p.group(e.To) && (d == 1 || d == -1)
}

// lane is the width of the lane of an edge: its label stands in it.
func (p *placer) lane(e Edge) float64 { return laneGap + p.g.labelWidth(e) }

// labelWidth is the width of the label of an edge; 0: it has none.
func (g *Graph) labelWidth(e Edge) float64 {
	if r, _ := relation(e.Relation); r.plain && !e.Strong {
		return 0
	}
	return textWidth(clip(e.Relation), textSize) + labelPad
}

func (e *Event) height() float64 {
	if e.Text == "" {
		return 2*padY + labelSize
	}
	return 2*padY + labelSize + lineGap + textSize
}

// prepare lists the boxes and the edges from one column to another by size. An edge to the left is turned around.
func (p *placer) prepare() *layoutInput {
	in := &layoutInput{NodeSep: rowGap, EdgeSep: 14, RankSep: 64}
	for i := range p.g.Events {
		c := p.group(i)
		in.Nodes = append(in.Nodes, layoutNode{p.column[c], p.width[c] + p.lanes[c], p.g.Events[i].height()})
	}
	for c, rows := range p.rows[:len(p.g.Groups)] {
		if len(rows) == 0 { // a layer of dagre has a box
			in.Nodes = append(in.Nodes, layoutNode{p.column[c], p.width[c], 1})
		}
	}
	p.input = make([]int, len(p.g.Edges))
	in.Edges = []layoutEdge{}
	for i, e := range p.g.Edges {
		p.input[i] = -1
		a, b := p.column[p.group(e.From)], p.column[p.group(e.To)]
		if a == b {
			continue
		}
		d := layoutEdge{From: e.From, To: e.To}
		if a > b {
			d.From, d.To = d.To, d.From
		}
		if w := p.g.labelWidth(e); w > 0 {
			d.Width, d.Height = w, textSize+labelPad
		}
		p.input[i] = len(in.Edges)
		in.Edges = append(in.Edges, d)
	}
	return in
}

// place takes over the boxes. The header of the columns is above them.
func (p *placer) place(in *layoutInput) {
	low, high := math.Inf(1), math.Inf(-1)
	reach := func(y, half float64) { low, high = min(low, y-half), max(high, y+half) }
	for i, n := range p.result.Nodes {
		reach(n.Y, in.Nodes[i].Height/2)
	}
	for i, e := range p.result.Edges {
		if h := in.Edges[i].Height; h > 0 {
			reach(e.Label.Y, h/2)
		}
		for _, at := range e.Points {
			reach(at.Y, 0)
		}
	}
	p.up = headerHeight + columnPad - low
	p.out.columns = make([]box, len(p.rows))
	p.out.width, p.out.height = p.result.Width+2*columnPad, high+p.up+columnPad
	for i, at := range p.result.Nodes {
		n := in.Nodes[i]
		c := slices.Index(p.column, n.Column)
		if i < len(p.g.Events) {
			c = p.group(i)
			p.out.events = append(p.out.events, box{at.X + columnPad - p.lanes[c]/2, at.Y + p.up, p.width[c], n.Height})
		}
		p.out.columns[c] = box{at.X + columnPad, p.out.height / 2, n.Width + 2*columnPad, p.out.height}
	}
}

// port is an end of a route at a side of a box.
type port struct {
	edge  int
	first bool    // the route begins here, else it ends here
	to    float64 // height of the point that comes next
}

// shift turns a place of dagre into one of the drawing.
func (p *placer) shift(at point) point {
	return point{at.X + columnPad, at.Y + p.up}
}

// level makes a route run level where it passes a column and behind its label: the curve only comes near a
// point, but follows three in a row.
func (p *placer) level(route []point, label point, width float64) []point {
	var pts []point
	for k, at := range route {
		x, y, half := p.shift(at).X, p.shift(at).Y, 0.0
		if c := p.at(x); c.Width > 0 {
			x, half = c.X, c.Width/2+8
		} else if at == label && width > 0 {
			half = width / 2
		}
		if k == 0 || k == len(route)-1 || half == 0 {
			pts = append(pts, point{x, y})
			continue
		}
		pts = append(pts, point{x - half, y}, point{x - half + 8, y}, point{x + half - 8, y}, point{x + half, y})
	}
	return pts
}

// at returns the column at x, or an empty one.
func (p *placer) at(x float64) box {
	for _, c := range p.out.columns {
		if c.left() <= x && x <= c.right() {
			return c
		}
	}
	return box{}
}

// cross takes over the routes between columns. Those that end at one side of a box are spread along it.
func (p *placer) cross(in *layoutInput) {
	ports := map[[2]int][]port{}
	for i, e := range p.g.Edges {
		n := p.input[i]
		if n < 0 {
			continue
		}
		p.out.routes[i].label = p.shift(p.result.Edges[n].Label)
		pts := p.level(p.result.Edges[n].Points, p.result.Edges[n].Label, in.Edges[n].Width)
		if in.Edges[n].From != e.From {
			slices.Reverse(pts)
		}
		p.out.routes[i].points = pts
		right := p.column[p.group(e.From)] < p.column[p.group(e.To)]
		out, enter := 0, 1
		if !right {
			out, enter = 1, 0
		}
		ports[[2]int{e.From, 1 - out}] = append(ports[[2]int{e.From, 1 - out}], port{i, true, pts[1].Y})
		ports[[2]int{e.To, 1 - enter}] = append(ports[[2]int{e.To, 1 - enter}], port{i, false, pts[len(pts)-2].Y})
	}
	for at, list := range ports {
		b := p.out.events[at[0]]
		slices.SortFunc(list, func(x, y port) int { return cmp.Or(cmp.Compare(x.to, y.to), cmp.Compare(x.edge, y.edge)) })
		for k, q := range list {
			end := point{b.left(), b.top() + b.Height*float64(k+1)/float64(len(list)+1)}
			c := p.out.columns[p.group(at[0])]
			rim := point{c.left() - 4, end.Y}
			if at[1] == 1 {
				end.X, rim.X = b.right(), c.right()+4
			}
			pts := p.out.routes[q.edge].points
			if q.first {
				pts = append([]point{end, rim}, pts[1:]...)
			} else {
				pts = append(pts[:len(pts)-1], rim, end)
			}
			p.out.routes[q.edge].points = pts
		}
	}
}

// within routes the edges that stay in a column.
func (p *placer) within() {
	beside := map[[2]int][]int{}
	used := make([]float64, len(p.lanes))
	for i, e := range p.g.Edges {
		c := p.group(e.From)
		switch {
		case p.input[i] >= 0:
		case p.next(e):
			key := [2]int{min(e.From, e.To), max(e.From, e.To)}
			beside[key] = append(beside[key], i)
		default:
			a, b := p.out.events[e.From], p.out.events[e.To]
			x := a.right() + used[c] + laneGap + p.g.labelWidth(e)/2
			used[c] += p.lane(e)
			from, to := a.Y+a.Height/4, b.Y-b.Height/4
			if a.Y > b.Y {
				from, to = a.Y-a.Height/4, b.Y+b.Height/4
			}
			p.out.routes[i] = route{[]point{{a.right(), from}, {x, from}, {x, (from + to) / 2}, {x, to}, {b.right(), to}}, point{x, (from + to) / 2}}
		}
	}
	for _, list := range beside {
		for k, i := range list {
			a, b := p.out.events[p.g.Edges[i].From], p.out.events[p.g.Edges[i].To]
			x := a.X + (float64(k)-float64(len(list)-1)/2)*min(spread, a.Width/float64(len(list)))
			from, to := a.bottom(), b.top()
			if a.Y > b.Y {
				from, to = a.top(), b.bottom()
			}
			p.out.routes[i] = route{[]point{{x, from}, {x, to}}, point{x, (from + to) / 2}}
		}
	}
}
