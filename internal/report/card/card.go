// Package card draws the result of an experiment as a picture to share: before, after, interval, guards, machine.
//
//	card.go  what is on it, and where
//	svg.go   as SVG, which follows the reader's light or dark colors
//	png.go   as PNG
package card

import "saturate/internal/human"

// Card is a result at a glance. Every string may come from anywhere.
type Card struct {
	Program  string // what was measured
	Headline string // "17.6× faster"
	Tone     string // good, bad, unsure or ""
	Interval string // "95% interval 12.5–20.9×"
	Evidence string // "6 interleaved pairs, p = 0.031"
	Before   Bar
	After    Bar
	Guards   []string // "Loss: passed"
	Machine  string
	Version  string
}

// Bar is a time with its length.
type Bar struct {
	Text  string  // "1.08 s/it"
	Share float64 // of the longer one
}

// Size of the picture, in pixels: what link previews use.
const (
	Width  = 1200
	Height = 630
)

// ink is a color by its meaning.
type ink int

const (
	page ink = iota
	panel
	dark
	soft
	good
	bad
	unsure
	inks
)

// The colors of the HTML report.
var (
	lightInks = [inks]string{"#ffffff", "#f0f2f5", "#1f2430", "#565e6c", "#00694d", "#a63d00", "#7a5600"}
	darkInks  = [inks]string{"#171a21", "#262c37", "#e7eaf0", "#a9b1be", "#5fd0a8", "#ff9c66", "#e8bd55"}
)

// names are the classes of the colors in SVG.
var names = [inks]string{"page", "panel", "ink", "soft", "good", "bad", "unsure"}

// shape is a filled rectangle, or a text when it has one.
type shape struct {
	x, y, w, h float64
	ink        ink
	text       string
	size       float64
	bold       bool
	right      bool // the text ends at x
}

// shapes lays the card out.
func (c Card) shapes() []shape {
	const left, right, wide = 72.0, Width - 72.0, Width - 144.0
	tone := map[string]ink{"good": good, "bad": bad, "unsure": unsure}[c.Tone]
	if tone == page {
		tone = dark
	}
	list := []shape{
		{w: Width, h: Height, ink: page},
		{w: 16, h: Height, ink: tone},
		text(left, 92, 28, false, soft, c.Program, wide),
		text(left, 206, 104, true, tone, c.Headline, wide),
		text(left, 262, 30, false, dark, c.Interval, wide),
		text(left, 304, 26, false, soft, c.Evidence, wide),
	}
	const labels, room = 130.0, wide - 130 - 280
	for i, b := range []Bar{c.Before, c.After} {
		y, fill, name := 344+66*float64(i), soft, "before"
		if i == 1 {
			fill, name = tone, "after"
		}
		length := room * min(1, max(0, b.Share))
		list = append(
			list,
			text(left, y+34, 26, false, soft, name, labels),
			shape{x: left + labels, y: y, w: room, h: 46, ink: panel},
			shape{x: left + labels, y: y, w: max(3, length), h: 46, ink: fill},
			text(left+labels+room+18, y+34, 28, true, dark, b.Text, 262),
		)
	}
	at := left
	for _, g := range c.Guards {
		s := text(at, 522, 26, false, dark, g, right-at)
		list = append(list, s)
		at += width(s.text, s.size, false) + 44
	}
	list = append(list,
		shape{x: left, y: 548, w: wide, h: 2, ink: panel},
		text(left, 590, 24, false, soft, c.Machine, wide-260),
	)
	version := text(right, 590, 24, false, soft, "saturate "+c.Version, 240)
	version.right = true
	return append(list, version)
}

// text is a text that is cut to the room there is. Browsers' fonts are up to a quarter wider than the one that measures.
func text(x, y, size float64, bold bool, color ink, s string, room float64) shape {
	s = human.Data(s, 200)
	for runes := []rune(s); len(runes) > 1 && width(s, size, bold) > 0.78*room; {
		runes = runes[:len(runes)-1]
		s = string(runes) + "…"
	}
	return shape{x: x, y: y, ink: color, text: s, size: size, bold: bold}
}
