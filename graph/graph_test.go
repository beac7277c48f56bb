package graph

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const hostile = `</text><script>alert("1")</script> & 'x' ]]> ` + "\x00\x1b\u2028"

// graphs are the drawings of the golden files.
var graphs = map[string]*Graph{
	"message-passing": {
		Title: "Message passing", Notes: []string{"forbidden"}, Desc: "A cycle.", Emphasis: "the cycle",
		Groups: []Group{{"P0", "gpu 0, cta 0"}, {"P1", "gpu 0, cta 1"}},
		Events: []Event{{-1, "a: init x = 0", ""}, {0, "b: W x = 1", "st.weak x, 1"}, {0, "c: W y = 1", "st.release.gpu y, 1"},
			{1, "d: R y = 1", "ld.acquire.gpu r0, y"}, {1, "e: R x = 0", "ld.weak r1, x"}},
		Edges: []Edge{{1, 2, "po", false, true}, {2, 3, "sync", false, true}, {2, 3, "rf", false, false}, {3, 4, "po", false, true},
			{4, 1, "fr", false, true}, {0, 4, "rf", false, false}},
	},
	// an empty column, edges within a column, several side by side, across a column, both ways, to itself,
	// an unknown relation, long and hostile text
	"everything": {
		Title: hostile, Notes: []string{strings.Repeat("long ", 60), strings.Repeat("x", 300)}, Desc: hostile, Emphasis: hostile,
		Groups: []Group{{"P0", hostile}, {hostile, "no events"}, {"P2", strings.Repeat("wide ", 20)}},
		Events: []Event{{0, "a", "ld"}, {0, hostile, hostile}, {0, "c", strings.Repeat("界", 60)}, {2, "d", ""}, {2, "e", "st"}, {0, "f", "late"}},
		Edges: []Edge{{0, 1, "po", false, false}, {0, 1, "data", false, false}, {0, 1, "ctrl", false, false}, {2, 0, "fr", false, true},
			{0, 5, "addr", false, false}, {1, 4, "rf", false, false}, {3, 2, "sync_barrier", true, false}, {4, 0, hostile, false, false},
			{3, 3, "co", false, false}, {4, 3, "rmw", false, false}},
	},
}

func TestGolden(t *testing.T) {
	for name, g := range graphs {
		t.Run(name, func(t *testing.T) {
			got, err := g.SVG()
			if err != nil {
				t.Fatal(err)
			}
			for range 5 {
				if again, err := g.SVG(); err != nil || !bytes.Equal(got, again) {
					t.Fatalf("the same graph gives another drawing (%v)", err)
				}
			}
			wellFormed(t, got)
			file := filepath.Join("testdata", name+".svg")
			if *update {
				if err := os.MkdirAll("testdata", 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), string(got)); d != "" {
				t.Errorf("differs from %s (-want +got); -update rewrites it\n%s", file, d)
			}
		})
	}
}

type fataler interface {
	Helper()
	Fatalf(string, ...any)
}

// wellFormed checks that a drawing is XML of the elements and attributes that we write.
func wellFormed(t fataler, svg []byte) {
	t.Helper()
	known := map[string]bool{"svg": true, "title": true, "desc": true, "rect": true, "text": true, "g": true, "path": true}
	d := xml.NewDecoder(bytes.NewReader(svg))
	for n := 0; ; n++ {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("no XML: %v", err)
		}
		e, ok := tok.(xml.StartElement)
		if !ok {
			continue
		}
		if !known[e.Name.Local] {
			t.Fatalf("element %s in the drawing", e.Name.Local)
		}
		role := false
		for _, a := range e.Attr {
			if strings.HasPrefix(a.Name.Local, "on") || strings.HasSuffix(a.Name.Local, "href") {
				t.Fatalf("attribute %s in the drawing", a.Name.Local)
			}
			role = role || a.Name.Local == "role" && a.Value == "img"
		}
		if n == 0 && (e.Name.Local != "svg" || !role) {
			t.Fatalf("the drawing begins with %s; expected svg with role img", e.Name.Local)
		}
	}
}

// TestReadable draws random graphs: columns read downwards, nothing lies on anything else, text is in its box.
func TestReadable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := &Graph{Title: "random"}
		for range rapid.IntRange(1, 4).Draw(t, "groups") {
			g.Groups = append(g.Groups, Group{"P", rapid.StringN(0, 60, -1).Draw(t, "place")})
		}
		for range rapid.IntRange(1, 14).Draw(t, "events") {
			g.Events = append(g.Events, Event{rapid.IntRange(-1, len(g.Groups)-1).Draw(t, "group"), rapid.String().Draw(t, "label"),
				rapid.SampledFrom([]string{"", "ld.acquire.gpu r0, x", strings.Repeat("w", 80)}).Draw(t, "text")})
		}
		event := rapid.IntRange(0, len(g.Events)-1)
		for range rapid.IntRange(0, 16).Draw(t, "edges") {
			g.Edges = append(g.Edges, Edge{event.Draw(t, "from"), event.Draw(t, "to"),
				rapid.SampledFrom([]string{"po", "rf", "co", "fr", "sync_barrier", "data"}).Draw(t, "relation"), rapid.Bool().Draw(t, "both"), rapid.Bool().Draw(t, "strong")})
		}
		p, err := g.layout()
		if err != nil {
			t.Fatal(err)
		}
		var boxes []box
		low := map[int]float64{}
		for i, e := range g.Events {
			b := p.events[i]
			if was, ok := low[e.Group]; ok && b.top() < was+10 {
				t.Fatalf("event %d is not below the one before it in its column", i)
			}
			low[e.Group] = b.bottom()
			for _, s := range []float64{textWidth(clip(e.Label), labelSize), textWidth(clip(e.Text), textSize)} {
				if s > b.Width {
					t.Fatalf("text of event %d is %g wide, its box %g", i, s, b.Width)
				}
			}
			c := p.columns[len(p.columns)-1]
			if e.Group >= 0 {
				c = p.columns[e.Group]
			}
			if b.left() < c.left() || b.right() > c.right() || b.top() < c.top()+headerHeight || b.bottom() > c.bottom() {
				t.Fatalf("event %d at %v is outside of its column %v", i, b, c)
			}
			boxes = append(boxes, b)
		}
		for i, e := range g.Edges {
			r := p.routes[i]
			if len(r.points) < 2 {
				t.Fatalf("edge %d has no route", i)
			}
			for _, q := range r.points {
				if q.X < 0 || q.X > p.width || q.Y < 0 || q.Y > p.height {
					t.Fatalf("edge %d leaves the drawing at %v", i, q)
				}
			}
			if w := g.labelWidth(e); w > 0 && g.Events[e.From].Group != g.Events[e.To].Group {
				boxes = append(boxes, box{r.label.X, r.label.Y, w, textSize})
			}
		}
		for i, a := range boxes {
			for _, b := range boxes[:i] {
				if a.left() < b.right()-0.01 && b.left() < a.right()-0.01 && a.top() < b.bottom()-0.01 && b.top() < a.bottom()-0.01 {
					t.Fatalf("%v lies on %v", a, b)
				}
			}
		}
		svg, err := g.SVG()
		if err != nil {
			t.Fatal(err)
		}
		wellFormed(t, svg)
	})
}

func TestErrors(t *testing.T) {
	for name, g := range map[string]*Graph{
		"expected one of 0 groups":   {Events: []Event{{0, "a", ""}}},
		"expected two of 1 events":   {Events: []Event{{-1, "a", ""}}, Edges: []Edge{{From: 0, To: 1}}},
		"expected something to draw": {},
	} {
		if _, err := g.SVG(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("got %v, expected %q", err, name)
		}
	}
}

// TestRelations checks that no two relations look alike without colour. Only rf of the whole lines has a label.
func TestRelations(t *testing.T) {
	seen := map[string]string{}
	for _, r := range Relations {
		if other, twice := seen[r.Dash]; twice && r.Name != "observation" && !(r.Name == "rf" && other == "po") {
			t.Errorf("%s looks like %s", r.Name, other)
		}
		seen[r.Dash] = r.Name
	}
}
