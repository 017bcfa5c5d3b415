package config

import (
	"fmt"
	"strings"
)

// Nearest is the word a user most likely meant, or "" when none is close:
// at most a third of the letters may differ, and a prefix always counts.
func Nearest(typed string, words []string) string {
	best, bestDistance := "", len(typed)/3+2
	for _, w := range words {
		d := distance(strings.ToLower(typed), strings.ToLower(w))
		if len(typed) >= 2 && strings.HasPrefix(w, typed) {
			d = 1
		}
		if d < bestDistance {
			best, bestDistance = w, d
		}
	}
	return best
}

// Hint is `; did you mean "…"?` for the end of an error, or "" when no word is close.
func Hint(typed string, words []string) string {
	near := Nearest(typed, words)
	if near == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", near)
}

// distance counts insertions, deletions, replacements and swaps of neighbors.
func distance(a, b string) int {
	previous2, previous, row := []int(nil), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range previous {
		previous[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(previous[j]+1, row[j-1]+1, previous[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], previous2[j-2]+1)
			}
		}
		previous2, previous, row = previous, row, make([]int, len(b)+1)
	}
	return previous[len(b)]
}
