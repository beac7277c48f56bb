package launch

import "ptxmc/model"

// Marked reports whether the line at a position of the file carries a mark.
func (c *Case) Marked(pos model.Pos, mark string) bool {
	for _, i := range c.Spec.marks[mark] {
		if c.Spec.Source.Lines[i].Line == pos.Line {
			return true
		}
	}
	return false
}
