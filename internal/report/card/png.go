package card

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// fonts are the regular and the bold one.
var fonts = sync.OnceValue(func() (list [2]*opentype.Font) {
	for i, data := range [][]byte{goregular.TTF, gobold.TTF} {
		parsed, err := opentype.Parse(data)
		if err != nil {
			panic(err) // the fonts are part of the program
		}
		list[i] = parsed
	}
	return list
})

func face(size float64, bold bool) font.Face {
	of := fonts()[0]
	if bold {
		of = fonts()[1]
	}
	f, err := opentype.NewFace(of, &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingNone})
	if err != nil {
		panic(err)
	}
	return f
}

// width is how wide a text is, in pixels.
func width(s string, size float64, bold bool) float64 {
	return float64(font.MeasureString(face(size, bold), s)) / 64
}

// PNG is the card as a whole file, with light or dark colors.
func (c Card) PNG(night bool) ([]byte, error) {
	colors := lightInks
	if night {
		colors = darkInks
	}
	out := image.NewRGBA(image.Rect(0, 0, Width, Height))
	for _, s := range c.shapes() {
		fill := image.NewUniform(rgb(colors[s.ink]))
		if s.text == "" {
			draw.Draw(out, image.Rect(int(s.x), int(s.y), int(s.x+s.w), int(s.y+s.h)), fill, image.Point{}, draw.Src)
			continue
		}
		x := s.x
		if s.right {
			x -= width(s.text, s.size, s.bold)
		}
		d := font.Drawer{Dst: out, Src: fill, Face: face(s.size, s.bold), Dot: fixed.Point26_6{X: fixed.Int26_6(x * 64), Y: fixed.Int26_6(s.y * 64)}}
		d.DrawString(s.text)
	}
	var b bytes.Buffer
	err := png.Encode(&b, out)
	return b.Bytes(), err
}

// rgb reads a color as CSS writes it.
func rgb(hex string) color.RGBA {
	c := color.RGBA{A: 255}
	if _, err := fmt.Sscanf(hex, "#%02x%02x%02x", &c.R, &c.G, &c.B); err != nil {
		panic(err) // the colors are part of the program
	}
	return c
}
