package human

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Plural writes a count with its noun: "1 file", "2,000 files". A noun that does not take an s brings its own plural.
func Plural[N Integer](n N, noun string, plural ...string) string {
	many := noun + "s"
	if len(plural) > 0 {
		many = plural[0]
	}
	return Count(n) + " " + Choose(int(n), noun, many)
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
	// on one line, and visible
	if strings.ContainsFunc(text, func(r rune) bool { return r == '\n' || r == '\t' || Hidden(r) }) || !utf8.ValidString(text) {
		quoted := strconv.Quote(text)
		return "$'" + strings.ReplaceAll(quoted[1:len(quoted)-1], "'", `\'`) + "'"
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
