package card

import (
	"bytes"
	"encoding/xml"
	"flag"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"saturate/internal/report/picture"
)

var update = flag.Bool("update", false, "rewrite golden files")

var sample = Card{
	Program: "python train.py --size tiny", Headline: "17.6× faster", Tone: "good", Interval: "95% interval 12.5–20.9×", Evidence: "6 pairs of runs in random order, p = 0.031",
	Before: Bar{"1.08 s/step", 1}, After: Bar{"58.7 ms/step", 0.054}, Guards: []string{"Loss: passed", "Samples: passed"},
	Machine: "NVIDIA H200, 16 cores, torch 2.11.0+cu130", Version: "0.2.0",
}

func TestSVG(t *testing.T) {
	golden := filepath.Join("testdata", "card.svg")
	got := sample.SVG()
	if *update {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, _ := os.ReadFile(golden); !bytes.Equal(got, want) {
		t.Errorf("%s is out of date; run with -update and look at it", golden)
	}
}

// Whatever the strings are, the picture is whole, nothing of them is markup, and all texts stay within it.
func TestHostileCard(t *testing.T) {
	evil := "</text><script>alert(1)</script>&\x1b[31m\u202e\x00" + strings.Repeat("W", 500)
	c := Card{evil, evil, "odd", evil, evil, Bar{evil, 7}, Bar{evil, -1}, []string{evil, evil}, evil, evil}
	d := xml.NewDecoder(bytes.NewReader(c.SVG()))
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if start, ok := token.(xml.StartElement); ok && !strings.Contains("svg style rect text", start.Name.Local) {
			t.Errorf("element %s", start.Name.Local)
		}
	}
	for _, s := range c.Picture().Shapes {
		end := s.X + max(s.W, picture.Width(s.Text, s.Size, s.Bold))
		if s.Right {
			end = s.X
		}
		if end > width || s.X < 0 {
			t.Errorf("%+v reaches %g", s, end)
		}
	}
	for _, night := range []bool{false, true} {
		data, err := c.PNG(night)
		if err != nil {
			t.Fatal(err)
		}
		if picture, err := png.Decode(bytes.NewReader(data)); err != nil || picture.Bounds().Dx() != width || picture.Bounds().Dy() != height {
			t.Error(err)
		}
	}
}
