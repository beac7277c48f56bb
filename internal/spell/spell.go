// Package spell finds the word that was probably meant.
package spell

import "sort"

// Nearest returns the candidate with the smallest edit distance to name, or "" if none is near
// enough to be a likely misspelling. Ties go to the first in alphabetical order.
func Nearest(name string, candidates []string) string {
	limit := max(1, len(name)/3)
	sorted := append([]string(nil), candidates...)
	sort.Strings(sorted)
	best := ""
	for _, c := range sorted {
		if c == name || c == "" {
			continue
		}
		if d := distance(name, c, limit); d <= limit {
			best, limit = c, d-1
		}
		if limit < 1 {
			break
		}
	}
	return best
}

// DidYouMean returns "; did you mean X?" or "".
func DidYouMean(name string, candidates []string) string {
	if n := Nearest(name, candidates); n != "" {
		return "; did you mean " + n + "?"
	}
	return ""
}

// distance is the Damerau-Levenshtein distance (adjacent transpositions count once); it gives up
// beyond limit and then returns limit+1.
func distance(a, b string, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit || len(a) > 128 || len(b) > 128 {
		return limit + 1
	}
	before := make([]int, len(b)+1) // two rows up
	prev := make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur := make([]int, len(b)+1)
		cur[0] = i
		least := i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], before[j-2]+1)
			}
			least = min(least, cur[j])
		}
		if least > limit {
			return limit + 1
		}
		before, prev = prev, cur
	}
	return prev[len(b)]
}
