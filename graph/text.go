package graph

import (
	"encoding/xml"
	"strings"
)

// Sizes in pixels. The font is of fixed width, so text has a known one.
const (
	titleSize    = 16.0
	labelSize    = 13.0
	textSize     = 11.0
	lineGap      = 5.0
	padX         = 10.0
	padY         = 7.0
	headerHeight = 36.0
	margin       = 18.0
	columnPad    = 9.0
	minWidth     = 620.0
)

// initTitle is above the events without a group.
const initTitle = "initial writes"

const font = `ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace`

// cells counts the cells that text takes in a font of fixed width; most characters from Hangul on take two.
func cells(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r >= 0x1100 {
			n++
		}
	}
	return n
}

// textWidth is the width of text in a font of fixed width, whose characters are 0.6 of its size.
func textWidth(s string, size float64) float64 { return float64(cells(s)) * size * 0.602 }

// clip cuts the text of a box to maxText cells.
func clip(s string) string { return clipTo(s, maxText) }

func clipTo(s string, most int) string {
	if cells(s) <= most {
		return s
	}
	var b strings.Builder
	n := 0
	for _, r := range s {
		if n += cells(string(r)); n > most-1 {
			break
		}
		b.WriteRune(r)
	}
	return b.String() + "…"
}

// wrap breaks text at blanks, or anywhere in words that are too long, into lines of at most n cells.
func wrap(s string, n int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		if line != "" && cells(line)+1+cells(word) <= n {
			line += " " + word
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		for line = ""; cells(word) > n; {
			at, c := 0, 0
			for i, r := range word {
				if c += cells(string(r)); c > n {
					break
				}
				at = i + len(string(r))
			}
			lines, word = append(lines, word[:at]), word[at:]
		}
		line = word
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// escape makes text safe in XML; what XML cannot hold becomes U+FFFD.
func escape(s string) string {
	var b strings.Builder
	if err := xml.EscapeText(&b, []byte(s)); err != nil {
		panic(err) // a Builder takes everything
	}
	return b.String()
}
