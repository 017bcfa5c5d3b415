// Package card draws the result of an experiment as a picture to share: before, after, interval, checks, machine.
package card

import "saturate/internal/report/picture"

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
	width  = 1200
	height = 630
)

// Picture lays the card out.
func (c Card) Picture() picture.Picture {
	const left, right, wide = 72.0, width - 72.0, width - 144.0
	tone := map[string]picture.Ink{"good": picture.Good, "bad": picture.Bad, "unsure": picture.Unsure}[c.Tone]
	if tone == picture.Page {
		tone = picture.Dark
	}
	list := []picture.Shape{
		{W: width, H: height, Ink: picture.Page},
		{W: 16, H: height, Ink: tone},
		picture.Text(left, 92, 28, false, picture.Soft, c.Program, wide),
		picture.Text(left, 206, 104, true, tone, c.Headline, wide),
		picture.Text(left, 262, 30, false, picture.Dark, c.Interval, wide),
		picture.Text(left, 304, 26, false, picture.Soft, c.Evidence, wide),
	}
	const labels, room = 130.0, wide - 130 - 280
	for i, b := range []Bar{c.Before, c.After} {
		y, fill, name := 344+66*float64(i), picture.Soft, "before"
		if i == 1 {
			fill, name = tone, "after"
		}
		length := room * min(1, max(0, b.Share))
		list = append(
			list,
			picture.Text(left, y+34, 26, false, picture.Soft, name, labels),
			picture.Shape{X: left + labels, Y: y, W: room, H: 46, Ink: picture.Panel},
			picture.Shape{X: left + labels, Y: y, W: max(3, length), H: 46, Ink: fill},
			picture.Text(left+labels+room+18, y+34, 28, true, picture.Dark, b.Text, 262),
		)
	}
	at := left
	for _, g := range c.Guards {
		s := picture.Text(at, 522, 26, false, picture.Dark, g, right-at)
		list = append(list, s)
		at += picture.Width(s.Text, s.Size, false) + 44
	}
	list = append(list,
		picture.Shape{X: left, Y: 548, W: wide, H: 2, Ink: picture.Panel},
		picture.Text(left, 590, 24, false, picture.Soft, c.Machine, wide-260),
	)
	version := picture.Text(right, 590, 24, false, picture.Soft, "saturate "+c.Version, 240)
	version.Right = true
	return picture.Picture{
		Width: width, Height: height, Label: c.Program + ": " + c.Headline + ", " + c.Interval,
		Shapes: append(list, version),
	}
}

// SVG is the card as a whole file. It has dark colors where the reader's system has.
func (c Card) SVG() []byte { return c.Picture().SVG() }

// PNG is the card as a whole file, with light or dark colors.
func (c Card) PNG(night bool) ([]byte, error) { return c.Picture().PNG(night) }
