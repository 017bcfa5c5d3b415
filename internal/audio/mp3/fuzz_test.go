package mp3

import (
	"bytes"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// FuzzDecode gives the decoder anything: it must come back, with samples that are numbers, in bounded memory.
func FuzzDecode(f *testing.F) {
	files, err := filepath.Glob("testdata/*.mp3")
	if err != nil || len(files) == 0 {
		f.Fatal("no files: ", err)
	}
	random := rand.New(rand.NewPCG(5, 6))
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		data = data[:min(len(data), 2500)]
		f.Add(data)
		f.Add(data[min(len(data), 600):])
		for damage := 1; damage <= 256; damage *= 2 { // headers stay, so that the damage reaches the decoder
			damaged := bytes.Clone(data)
			for range damage {
				if i := random.IntN(len(data) - 4); !bytes.Contains(data[max(0, i-3):i+4], []byte{0xFF}) {
					damaged[i] = byte(random.Uint32())
				}
			}
			f.Add(damaged)
		}
	}
	d := new(Decoder)
	var out [2 * MaxSamples]float32
	f.Fuzz(func(t *testing.T, data []byte) {
		var frames Frames
		frames.Reset(bytes.NewReader(data), int64(len(data)))
		d.Reset()
		total := 0
		for {
			h, frame, at, err := frames.Next()
			if err != nil {
				break
			}
			if total += len(frame); total > len(data) || at+int64(len(frame)) > int64(len(data)) || h.Samples > MaxSamples {
				t.Fatalf("%d bytes of frames in %d, the last at %d: %+v", total, len(data), at, h)
			}
			ReadTag(frame, h)
			channels := 1 + total%2
			d.Decode(h, frame, out[:h.Samples*channels], channels)
			for _, v := range out[:h.Samples*channels] {
				if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
					t.Fatalf("a sample of the frame at %d is %g", at, v)
				}
			}
		}
	})
}
