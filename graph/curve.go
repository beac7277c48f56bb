package graph

import (
	"math"
	"strings"
)

// arrow returns the head at the end of a line and shortens the line by it.
func arrow(pts []point, size float64) string {
	n := len(pts)
	tip := pts[n-1]
	dx, dy := tip.X-pts[n-2].X, tip.Y-pts[n-2].Y
	length := math.Hypot(dx, dy)
	if length < 0.1 {
		return ""
	}
	dx, dy = dx/length, dy/length
	size = min(size, length)
	base := point{tip.X - dx*size, tip.Y - dy*size}
	pts[n-1] = base
	side := size * 0.4
	return "M" + xy(tip) + "L" + xy(point{base.X - dy*side, base.Y + dx*side}) + "L" + xy(point{base.X + dy*side, base.Y - dx*side}) + "Z"
}

// curve is a smooth line near the points: a uniform cubic B-spline from the first to the last.
func curve(pts []point) string {
	var b strings.Builder
	n := len(pts)
	b.WriteString("M" + xy(pts[0]) + "L" + xy(mix(pts[0], pts[1], 1.0/6)))
	for i := 1; i < n; i++ {
		p, q, r := pts[i-1], pts[i], pts[min(i+1, n-1)]
		end := point{(p.X + 4*q.X + r.X) / 6, (p.Y + 4*q.Y + r.Y) / 6}
		b.WriteString("C" + xy(mix(p, q, 1.0/3)) + " " + xy(mix(p, q, 2.0/3)) + " " + xy(end))
	}
	b.WriteString("L" + xy(pts[n-1]))
	return b.String()
}

func mix(p, q point, t float64) point { return point{p.X + (q.X-p.X)*t, p.Y + (q.Y-p.Y)*t} }

func xy(p point) string { return num(p.X) + " " + num(p.Y) }
