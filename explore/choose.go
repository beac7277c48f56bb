package explore

// chooser replays a prefix of decisions and takes the first alternative of every later one, so that
// a depth-first walk over prefixes tries every combination.
type chooser struct {
	taken []uint32
	arity []uint32
	pos   int
}

// Choose implements causal.Chooser.
func (c *chooser) Choose(n int) int {
	if n <= 1 {
		return 0
	}
	if c.pos == len(c.taken) {
		c.taken = append(c.taken, 0)
		c.arity = append(c.arity, uint32(n))
	}
	k := c.taken[c.pos]
	c.pos++
	return int(k)
}

// next moves to the next combination; it returns false after the last one.
func (c *chooser) next() bool {
	c.pos = 0
	for i := len(c.taken) - 1; i >= 0; i-- {
		if c.taken[i]+1 < c.arity[i] {
			c.taken[i]++
			c.taken, c.arity = c.taken[:i+1], c.arity[:i+1]
			return true
		}
	}
	c.taken, c.arity = c.taken[:0], c.arity[:0]
	return false
}
