package human

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Clean makes a string from outside fit to be shown: control characters, overrides of the
// writing direction and invisible tags become visible escapes. Newlines and tabs stay.
func Clean(s string) string {
	if isClean(s) {
		return s
	}
	s = strings.ReplaceAll(s, "\r\n", "\n")
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\u2028' || r == '\u2029':
			b.WriteByte(' ')
		case !Hidden(r):
			b.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	return b.String()
}

// Line is Clean on a single line: newlines and tabs become spaces.
func Line(s string) string {
	s = Clean(s)
	if !strings.ContainsAny(s, "\n\t") {
		return s
	}
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\t' }), " ")
}

// Hidden reports whether a character steers the display instead of showing something.
func Hidden(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < 0x20, 0x7f <= r && r <= 0x9f: // C0, DEL, C1
		return true
	case 0x202a <= r && r <= 0x202e, 0x2066 <= r && r <= 0x2069: // bidirectional embeddings, overrides, isolates
		return true
	case r == 0x2028 || r == 0x2029, r == 0xfeff, r == 0xfffe, r == 0xffff, 0xfff9 <= r && r <= 0xfffb:
		return true
	case 0xe0000 <= r && r <= 0xe007f: // tags: text that nobody sees
		return true
	}
	return false
}

func isClean(s string) bool {
	if !utf8.ValidString(s) {
		return false
	}
	for _, r := range s {
		if Hidden(r) {
			return false
		}
	}
	return true
}
