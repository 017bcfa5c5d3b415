package human

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// wide are the blocks whose characters take two columns on a terminal
// (East Asian Wide and Fullwidth, and emoji shown as pictures).
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x1100, 0x115f, 1},
		{0x231a, 0x231b, 1},
		{0x2329, 0x232a, 1},
		{0x23e9, 0x23ec, 1},
		{0x23f0, 0x23f3, 3},
		{0x25fd, 0x25fe, 1},
		{0x2614, 0x2615, 1},
		{0x2648, 0x2653, 1},
		{0x267f, 0x2693, 20},
		{0x26a1, 0x26aa, 9},
		{0x26ab, 0x26bd, 18},
		{0x26be, 0x26c4, 6},
		{0x26c5, 0x26ce, 9},
		{0x26d4, 0x26ea, 22},
		{0x26f2, 0x26f3, 1},
		{0x26f5, 0x26fa, 5},
		{0x26fd, 0x2705, 8},
		{0x270a, 0x270b, 1},
		{0x2728, 0x274c, 36},
		{0x274e, 0x2753, 5},
		{0x2754, 0x2755, 1},
		{0x2757, 0x2795, 62},
		{0x2796, 0x2797, 1},
		{0x27b0, 0x27bf, 15},
		{0x2b1b, 0x2b1c, 1},
		{0x2b50, 0x2b55, 5},
		{0x2e80, 0x303e, 1},
		{0x3041, 0x33ff, 1},
		{0x3400, 0x4dbf, 1},
		{0x4e00, 0xa4cf, 1},
		{0xa960, 0xa97f, 1},
		{0xac00, 0xd7a3, 1},
		{0xf900, 0xfaff, 1},
		{0xfe10, 0xfe19, 1},
		{0xfe30, 0xfe6f, 1},
		{0xff00, 0xff60, 1},
		{0xffe0, 0xffe6, 1},
	},
	R32: []unicode.Range32{
		{0x16fe0, 0x18d8f, 1},
		{0x1b000, 0x1b2ff, 1},
		{0x1f004, 0x1f0cf, 203},
		{0x1f18e, 0x1f191, 3},
		{0x1f192, 0x1f19a, 1},
		{0x1f200, 0x1f265, 1},
		{0x1f300, 0x1f320, 1},
		{0x1f32d, 0x1f335, 1},
		{0x1f337, 0x1f37c, 1},
		{0x1f37e, 0x1f393, 1},
		{0x1f3a0, 0x1f3ca, 1},
		{0x1f3cf, 0x1f3d3, 1},
		{0x1f3e0, 0x1f3f0, 1},
		{0x1f3f4, 0x1f3f8, 4},
		{0x1f3f9, 0x1f43e, 1},
		{0x1f440, 0x1f442, 2},
		{0x1f443, 0x1f4fc, 1},
		{0x1f4ff, 0x1f53d, 1},
		{0x1f54b, 0x1f54e, 1},
		{0x1f550, 0x1f567, 1},
		{0x1f57a, 0x1f595, 27},
		{0x1f596, 0x1f5a4, 14},
		{0x1f5fb, 0x1f64f, 1},
		{0x1f680, 0x1f6c5, 1},
		{0x1f6cc, 0x1f6d0, 4},
		{0x1f6d1, 0x1f6d2, 1},
		{0x1f6d5, 0x1f6d7, 1},
		{0x1f6dc, 0x1f6df, 1},
		{0x1f6eb, 0x1f6ec, 1},
		{0x1f6f4, 0x1f6fc, 1},
		{0x1f7e0, 0x1f7eb, 1},
		{0x1f90c, 0x1f93a, 1},
		{0x1f93c, 0x1f945, 1},
		{0x1f947, 0x1f9ff, 1},
		{0x1fa70, 0x1faff, 1},
		{0x20000, 0x3fffd, 1},
	},
}

// RuneWidth is how many terminal columns a character takes: 0, 1 or 2.
func RuneWidth(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf), 0x1160 <= r && r <= 0x11ff:
		return 0
	case unicode.Is(wide, r):
		return 2
	}
	return 1
}

// Width is how many terminal columns a string takes.
func Width(s string) int {
	n := 0
	for _, r := range s {
		n += RuneWidth(r)
	}
	return n
}

// PadRight fills s with spaces up to width columns.
func PadRight(s string, width int) string {
	return s + strings.Repeat(" ", max(width-Width(s), 0))
}

// PadLeft puts spaces in front of s up to width columns.
func PadLeft(s string, width int) string {
	return strings.Repeat(" ", max(width-Width(s), 0)) + s
}

// Clip cuts s to at most width columns, with an ellipsis where something was cut.
func Clip(s string, width int) string {
	if Width(s) <= width {
		return s
	}
	switch {
	case width < 1:
		return ""
	case width == 1:
		return "…"
	}
	cut, _ := split(s, width-1)
	if Width(cut) >= width {
		cut = "" // its first character alone is too wide
	}
	return cut + "…"
}

// Wrap breaks s into lines of at most width columns, at spaces where it can.
// A word that is longer than a line is broken. Without a width only newlines break.
func Wrap(s string, width int) []string {
	var lines []string
	for paragraph := range strings.SplitSeq(s, "\n") {
		if width <= 0 || Width(paragraph) <= width {
			lines = append(lines, strings.TrimRight(paragraph, " "))
			continue
		}
		lines = append(lines, wrapParagraph(paragraph, width)...)
	}
	return lines
}

func wrapParagraph(s string, width int) []string {
	var lines []string
	line, used := "", 0
	for _, word := range strings.Fields(s) {
		w := Width(word)
		if used > 0 && used+1+w <= width {
			line, used = line+" "+word, used+1+w
			continue
		}
		if used > 0 {
			lines = append(lines, line)
		}
		for w > width {
			var head string
			head, word = split(word, width)
			lines, w = append(lines, head), w-Width(head)
		}
		line, used = word, w
	}
	if used > 0 || len(lines) == 0 {
		lines = append(lines, line)
	}
	return lines
}

// split cuts s after as many characters as fit into width columns, at least one.
func split(s string, width int) (head, tail string) {
	used := 0
	for i, r := range s {
		used += RuneWidth(r)
		if used > width && i > 0 {
			return s[:i], s[i:]
		}
		if used > width {
			n := utf8.RuneLen(r)
			if n < 0 {
				n = 1
			}
			return s[:n], s[n:]
		}
	}
	return s, ""
}
