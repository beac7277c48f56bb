package spell

import (
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	long := strings.Repeat("x", 128)
	tests := []struct {
		name       string
		word       string
		candidates string // separated by spaces
		want       string
	}{
		{"substitution", "relaxad", "acquire relaxed release", "relaxed"},
		{"insertion", "relaaxed", "relaxed", "relaxed"},
		{"deletion", "relaxd", "relaxed", "relaxed"},
		{"transposition counts once", "cat", "cta", "cta"},
		{"at the start", "xacquire", "acquire", "acquire"},
		{"two transpositions", "erlaxde", "relaxed", "relaxed"},
		{"nothing near", "barrier", "cta gpu sys", ""},
		{"a short word allows one edit", "gpx", "gpu", "gpu"},
		{"but not two", "gxx", "gpu", ""},
		{"six letters allow two", "gpuxyz", "gpux", "gpux"},
		{"but not three", "gpuxyz", "gpu", ""},
		{"nearer beats earlier", "shared", "shaaed shaaad shareb", "shaaed"},
		{"the nearest wins over the first", "cluster", "alustar clustex", "clustex"},
		{"ties go to the alphabet", "aab", "aad aac", "aac"},
		{"ties in any order", "aab", "aac aad", "aac"},
		{"itself is no suggestion", "cta", "cta", ""},
		{"itself is passed over", "cta", "cta ctb", "ctb"},
		{"no candidates", "cta", "", ""},
		{"length alone is too far", "ab", "abcdef", ""},
		{"128 letters", long[1:], long, long},
		{"more letters than it looks at", long + "y", long + "z", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			candidates := strings.Fields(tt.candidates)
			if got := Nearest(tt.word, candidates); got != tt.want {
				t.Errorf("Nearest(%q, %q) = %q, want %q", tt.word, candidates, got, tt.want)
			}
			want := ""
			if tt.want != "" {
				want = "; did you mean " + tt.want + "?"
			}
			if got := DidYouMean(tt.word, candidates); got != want {
				t.Errorf("DidYouMean = %q, want %q", got, want)
			}
			if strings.Join(candidates, " ") != tt.candidates {
				t.Errorf("the candidates became %q", candidates)
			}
		})
	}
	if got := Nearest("a", []string{""}); got != "" {
		t.Errorf("suggests %q", got)
	}
}

func TestDistance(t *testing.T) {
	tests := []struct {
		a, b  string
		limit int
		want  int
	}{
		{"", "", 0, 0},
		{"", "abc", 3, 3},
		{"abc", "", 3, 3},
		{"", "abc", 2, 3}, // gives up: limit+1
		{"same", "same", 0, 0},
		{"same", "sane", 0, 1},
		{"kitten", "sitting", 5, 3},
		{"kitten", "sitting", 3, 3},
		{"kitten", "sitting", 2, 3},
		{"ab", "ba", 2, 1},
		{"abcd", "badc", 4, 2},
		{"ca", "abc", 5, 3}, // optimal string alignment: a transposed pair is not edited again
		{"abcdef", "uvwxyz", 6, 6},
		{"abcdef", "uvwxyz", 3, 4},
	}
	for _, tt := range tests {
		for _, p := range [][2]string{{tt.a, tt.b}, {tt.b, tt.a}} {
			if got := distance(p[0], p[1], tt.limit); got != tt.want {
				t.Errorf("distance(%q, %q, %d) = %d, want %d", p[0], p[1], tt.limit, got, tt.want)
			}
		}
	}
}
