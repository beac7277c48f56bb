// Package graph draws event graphs of executions as SVG: a column for each thread, the events in program
// order from top to bottom, the relations between them as edges (the orders of PTX ISA 8.8 to 8.10 and what
// they are made of), and a legend.
//
// It knows no litmus test and no machine: an adapter says what the events and edges are. The places of the
// boxes and the routes of the edges come from dagre (MIT, in the folder dagre), run by the interpreter goja;
// SVG draws them. Equal graphs give equal bytes. All text is data: it is escaped, clipped to its box, and
// never reaches the layout, which sees only sizes.
package graph

// Graph is what a drawing shows.
type Graph struct {
	Title    string   // first line, and the name of the picture for screen readers
	Notes    []string // lines below the title; long ones are broken
	Desc     string   // the picture in words, for screen readers
	Groups   []Group  // columns from left to right
	Events   []Event  // those of a group in the order of its column
	Edges    []Edge
	Emphasis string // what the emphasised edges are, for the legend
}

// Group is a column: a thread or an agent.
type Group struct {
	Name  string
	Place string // second line, such as "gpu 0, cta 1"
}

// Event is a box. Its text is clipped to maxText characters; the whole of it is in the tooltip.
type Event struct {
	Group int    // index of the column; -1: above the columns (initial writes)
	Label string // first line, such as "a: W x = 1"
	Text  string // second line, such as the instruction; may be empty
}

// Edge relates two events.
type Edge struct {
	From, To int
	Relation string // its name; Relations knows how the usual ones look
	Both     bool   // an arrow at either end: the relation holds both ways
	Strong   bool   // emphasised, with both its events
}

// maxText is the number of characters of a line in a box.
const maxText = 44
