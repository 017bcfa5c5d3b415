package human

import (
	"regexp"
	"strings"
	"unicode"
)

// steering are terminal sequences, with their parameters: colors, cursor moves, titles, links.
var steering = regexp.MustCompile("(?:\x1b\\[|\u009b)[0-?]*[ " +
	"-/]*[@-~]|\x1b[\\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\\\)?|\x1b[ -/]*[0-~]")

// Data is a string from outside for a reader that may take text for instructions: on one line, without characters that
// steer a display or hide text, and of at most so many characters.
func Data(s string, most int) string {
	s = strip(s, func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		return r
	})
	return cut(strings.Join(strings.Fields(s), " "), most)
}

// DataLines is Data for a text of several lines.
func DataLines(s string, most int) string {
	return cut(strip(s, func(r rune) rune { return r }), most)
}

func strip(s string, space func(rune) rune) string {
	s = steering.ReplaceAllString(strings.ToValidUTF8(s, "?"), "")
	return strings.Map(func(r rune) rune {
		switch r = space(r); {
		case Hidden(r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Co, r), r >= 0xfe00 && r <= 0xfe0f, r >= 0xe0100 &&
			r <= 0xe01ef:
			return -1 // zero width, direction, tags, variation selectors
		}
		return r
	}, s)
}

func cut(s string, most int) string {
	n := 0
	for i := range s {
		if n++; n > most {
			return s[:i] + "…"
		}
	}
	return s
}
