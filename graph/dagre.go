package graph

import (
	_ "embed" // dagre
	"encoding/json"
	"fmt"

	"github.com/dop251/goja"
)

//go:embed dagre/dagre.min.js
var dagreSource string

//go:embed dagre/layout.js
var layoutSource string

// layoutInput is what dagre places: the boxes of each column from top to bottom, and edges from one column
// to one further right.
type layoutInput struct {
	Nodes   []layoutNode `json:"nodes"`
	Edges   []layoutEdge `json:"edges"`
	NodeSep float64      `json:"nodesep"`
	EdgeSep float64      `json:"edgesep"`
	RankSep float64      `json:"ranksep"`
}

type layoutNode struct {
	Column int     `json:"column"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

type layoutEdge struct {
	From   int     `json:"from"`
	To     int     `json:"to"`
	Width  float64 `json:"width"` // of the label
	Height float64 `json:"height"`
}

// layoutOutput holds centres and routes.
type layoutOutput struct {
	Width float64
	Nodes []point
	Edges []struct {
		Points []point
		Label  point
	}
}

// dagre runs the layout. It starts an interpreter, so a program that draws nothing pays nothing.
func dagre(in *layoutInput) (*layoutOutput, error) {
	arg, err := json.Marshal(in)
	if err != nil {
		return nil, err
	}
	vm := goja.New()
	if err := vm.Set("input", string(arg)); err != nil {
		return nil, fmt.Errorf("layout: %w", err)
	}
	var v goja.Value
	for _, src := range []string{dagreSource, layoutSource, "layout(JSON.parse(input))"} {
		if v, err = vm.RunString(src); err != nil {
			return nil, fmt.Errorf("layout: %w", err)
		}
	}
	var out layoutOutput
	if err := json.Unmarshal([]byte(v.String()), &out); err != nil {
		return nil, fmt.Errorf("layout: %w", err)
	}
	return &out, nil
}
