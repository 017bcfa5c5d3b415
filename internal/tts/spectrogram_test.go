package tts

import (
	"context"
	"flag"
	"image"
	"image/color"
	"image/png"
	"math"
	"math/cmplx"
	"os"
	"path/filepath"
	"testing"

	"saturate/internal/audio"
)

var update = flag.Bool("update", false, "draw the spectrograms of docs/images again (needs espeak-ng)")

// Ten sentences of the Harvard list (IEEE 1969), phonetically balanced.
var harvard = []string{
	"The birch canoe slid on the smooth planks.",
	"Glue the sheet to the dark blue background.",
	"It's easy to tell the depth of a well.",
	"These days a chicken leg is a rare dish.",
	"Rice is often served in round bowls.",
	"The juice of lemons makes fine punch.",
	"The box was thrown beside the parked truck.",
	"The hogs were fed chopped corn and garbage.",
	"Four hours of steady work faced us.",
	"A large size in stockings is hard to sell.",
}

// TestSpectrograms draws what engines say: time to the right, 0 to 8 kHz upwards, 60 dB from black to white.
func TestSpectrograms(t *testing.T) {
	if !*update {
		t.Skip("only with -update")
	}
	espeak, err := newEspeak(Config{})
	if err != nil {
		t.Fatal(err)
	}
	for file, e := range map[string]struct {
		engine Engine
		voice  string
	}{"speech-formant.png": {formantEngine{}, "m1"}, "speech-espeak-ng.png": {espeak, "en-us"}} {
		const width, height, gap = 270, 110, 4 // of one sentence
		picture := image.NewGray(image.Rect(0, 0, 2*width+gap, 5*(height+gap)-gap))
		for i := range picture.Pix {
			picture.Pix[i] = 255
		}
		for i, text := range harvard {
			samples, err := speak(context.Background(), e.engine, Request{Text: text, Voice: e.voice, Speed: 1, Pitch: 1}, Options{Rate: 16000})
			if err != nil {
				t.Fatal(err)
			}
			draw(picture, i%2*(width+gap), i/2*(height+gap), width, height, audio.Clip{PCM: samples}.Float32(nil))
		}
		out, err := os.Create(filepath.Join("..", "..", "docs", "images", file))
		if err != nil {
			t.Fatal(err)
		}
		if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(out, picture); err != nil {
			t.Fatal(err)
		}
		if err := out.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// draw puts one spectrogram at a place: 10 ms a column.
func draw(picture *image.Gray, left, top, width, height int, samples []float32) {
	const size, hop = 512, 160
	levels := make([][]float64, width)
	loudest := math.Inf(-1)
	for x := range levels {
		piece := make([]complex128, size)
		for i := range 320 {
			if at := x*hop + i; at > 0 && at < len(samples) {
				w := 0.5 - 0.5*math.Cos(2*math.Pi*float64(i)/320)
				piece[i] = complex((float64(samples[at])-0.9*float64(samples[at-1]))*w, 0)
			}
		}
		levels[x] = make([]float64, height)
		for bin, z := range fft(piece)[:size/2] {
			y := height - 1 - bin*height/(size/2)
			levels[x][y] = max(levels[x][y], cmplx.Abs(z))
		}
		for _, v := range levels[x] {
			loudest = max(loudest, v)
		}
	}
	for x, column := range levels {
		for y, v := range column {
			db := 20 * math.Log10(v/loudest+1e-9)
			shade := 255 * min(max(-db/60, 0), 1)
			picture.SetGray(left+x, top+y, color.Gray{Y: uint8(shade) &^ 7}) // 32 shades keep the file small
		}
	}
}

// fft is the plain recursion; the length is a power of two.
func fft(x []complex128) []complex128 {
	n := len(x)
	if n == 1 {
		return x
	}
	even, odd := make([]complex128, n/2), make([]complex128, n/2)
	for i := range even {
		even[i], odd[i] = x[2*i], x[2*i+1]
	}
	even, odd = fft(even), fft(odd)
	out := make([]complex128, n)
	for k := range even {
		turned := cmplx.Exp(complex(0, -2*math.Pi*float64(k)/float64(n))) * odd[k]
		out[k], out[k+n/2] = even[k]+turned, even[k]-turned
	}
	return out
}
