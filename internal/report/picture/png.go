package picture

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

// Width is how wide a text is, in pixels.
func Width(s string, size float64, bold bool) float64 {
	return float64(font.MeasureString(face(size, bold), s)) / 64
}

// PNG is the picture as a whole file, with light or dark colors.
func (p Picture) PNG(night bool) ([]byte, error) {
	colors := light
	if night {
		colors = dark
	}
	out := image.NewRGBA(image.Rect(0, 0, p.Width, p.Height))
	for _, s := range p.Shapes {
		fill := image.NewUniform(rgb(colors[s.Ink]))
		if s.Text == "" {
			draw.Draw(out, image.Rect(int(s.X), int(s.Y), int(s.X+s.W), int(s.Y+s.H)), fill, image.Point{}, draw.Src)
			continue
		}
		x := s.X
		if s.Right {
			x -= Width(s.Text, s.Size, s.Bold)
		}
		d := font.Drawer{Dst: out, Src: fill, Face: face(s.Size, s.Bold), Dot: fixed.Point26_6{
			X: fixed.Int26_6(x * 64),
			Y: fixed.Int26_6(s.Y * 64),
		}}
		d.DrawString(s.Text)
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
