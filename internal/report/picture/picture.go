// Package picture draws rectangles and texts as SVG, which follows the reader's light or dark colors, and as PNG.
package picture

import (
	"strings"

	"saturate/internal/human"
)

// Picture is what is drawn, in order. Every string may come from anywhere.
type Picture struct {
	Width, Height int
	Label         string // what it shows, for those who cannot see it
	Shapes        []Shape
}

// Shape is a filled rectangle, or a text when it has one. A text's place is the start of its base line.
type Shape struct {
	X, Y, W, H float64
	Ink        Ink
	Text       string
	Size       float64
	Bold       bool
	Right      bool // the text ends at X
}

// Ink is a color by its meaning.
type Ink int

// The inks of pages, then those of the parts of a step.
const (
	Page Ink = iota
	Panel
	Dark
	Soft
	Good
	Bad
	Unsure
	Data
	Copy
	Host
	Launch
	Sync
	Alloc
	Compute
	Compute2
	Comm
	Compile
	Check
	Other
	Idle
	Inside // text on a part
	inks
)

// names are the classes of the colors in SVG.
var names = [inks]string{
	"page", "panel", "ink", "soft", "good", "bad", "unsure", "data", "copy", "host", "launch", "sync", "alloc", "compute", "compute2", "comm", "compile",
	"check", "other", "idle", "inside",
}

// The colors of the HTML report and of the page of `saturate serve`. Parts have the same in light and dark.
var light = [inks]string{
	"#ffffff", "#f0f2f5", "#1f2430", "#565e6c", "#00694d", "#a63d00", "#7a5600", "#d1622b", "#e0962e", "#c9a227", "#7b6fc4", "#b0485c", "#a05a9c",
	"#3b8fd0", "#2f78b7", "#b8659b", "#6d8f3f", "#4d8c7a", "#5f8f8f", "#9aa3b2", "#0c1016",
}

var dark = func() [inks]string {
	list := light
	copy(list[:], []string{"#171a21", "#262c37", "#e7eaf0", "#a9b1be", "#5fd0a8", "#ff9c66", "#e8bd55"})
	return list
}()

// Text is a text that is cut to the room there is. Browsers' fonts are up to a quarter wider than the one that
// measures.
func Text(x, y, size float64, bold bool, color Ink, s string, room float64) Shape {
	s = human.Data(s, 200)
	if Width(s, size, bold) > 0.78*room {
		runes := []rune(s)
		fits, most := 0, len(runes)-1 // by halves: measuring is slow
		for fits < most {
			middle := (fits + most + 1) / 2
			if Width(string(runes[:middle])+"…", size, bold) <= 0.78*room {
				fits = middle
			} else {
				most = middle - 1
			}
		}
		s = strings.TrimSpace(string(runes[:max(1, fits)])) + "…"
	}
	return Shape{X: x, Y: y, Ink: color, Text: s, Size: size, Bold: bold}
}
