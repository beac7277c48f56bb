package graph

// Relation says how the edges of a relation look. The colours are told apart in the usual kinds of colour
// blindness (after the palette of Okabe and Ito, darkened to stand out from white). Dashes alone tell them apart too, but
// for po and rf, of which only rf has a label in every case.
type Relation struct {
	Name    string
	Meaning string // for the legend
	Colour  string
	Dash    string // stroke-dasharray; "" is a whole line
	// plain edges have a label only if they are emphasised.
	plain bool
}

const (
	grey       = "#595959"
	blue       = "#0072B2"
	vermillion = "#B84A00"
	purple     = "#9C3D77"
	green      = "#00704F"
	brown      = "#7A5C00"
)

// Relations are the known relations in the order of the legend. An unknown one is drawn as the last.
var Relations = []Relation{
	{"po", "program order", grey, "", true},
	{"rmw", "read and write of one atomic operation", grey, "7 2", false},
	{"rf", "read from: the read returns the value of the write", blue, "", false},
	{"co", "coherence order of writes to one location", vermillion, "9 3", false},
	{"fr", "from read: the read returns a value that is older than the write", purple, "2 2", false},
	{"sync", "synchronises: release pattern to acquire pattern", green, "18 4", false},
	{"sync_fence", "Fence-SC order of fence.sc", green, "11 3 3 3", false},
	{"sync_barrier", "a barrier synchronises", green, "5 3", false},
	{"obs", "observation, through atomic operations", blue, "12 3 2 3", false},
	{"observation", "observation, through atomic operations", blue, "12 3 2 3", false},
	{"addr", "address dependency", brown, "7 2 2 2", false},
	{"data", "data dependency", brown, "3 2", false},
	{"ctrl", "control dependency of this event and the later ones", brown, "1 3", false},
	{"", "a relation of the model", grey, "1 5", false},
}

// relation returns the look of a relation, and its place in the legend.
func relation(name string) (Relation, int) {
	for i, r := range Relations {
		if r.Name == name {
			return r, i
		}
	}
	last := len(Relations) - 1
	r := Relations[last]
	r.Name = name
	return r, last
}
