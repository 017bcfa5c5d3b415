// Package spell writes numbers within sentences, for the packages that stand below internal/report and its figures.
package spell

import (
	"strconv"
	"strings"
)

// Plural is a count with its noun: "1 file", "2,000 files".
func Plural(n int, noun string) string {
	return Grouped(int64(n)) + " " + noun + Choose(n, "", "s")
}

// Choose is the word that goes with a count: "is" or "are", "it" or "them".
func Choose(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// Or lists the choices there are: ".txt, .json or .md".
func Or(words []string) string { return listed(words, " or ") }

// And lists things in a sentence: "a, b and c".
func And(words []string) string { return listed(words, " and ") }

func listed(words []string, last string) string {
	n := len(words) - 1
	if n < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:n], ", ") + last + words[n]
}

// Shell is a text as one word that is typed into a shell.
func Shell(text string) string {
	const plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./:,=+@%"
	if text != "" && strings.Trim(text, plain) == "" {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// Grouped writes 1204331 as 1,204,331.
func Grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
