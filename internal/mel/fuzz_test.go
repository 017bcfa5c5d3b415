package mel

import (
	"encoding/binary"
	"math"
	"testing"
)

// mostBetweenEngines is how far apart two engines may be on any input at all, down to 80 decibels
// under the loudest band: there the rounding of float32 is that much of the Whisper scale. Below,
// where only magnitudes go, there is nothing to compare.
const mostBetweenEngines = 5e-3

// FuzzEngines gives the same clip to every engine: samples of any kind and bits, any length, any
// padding, one of a few parameters. Those in assembly must agree to the bit.
func FuzzEngines(f *testing.F) {
	voiced := pcm("voice", 4000, voice())
	text, err := binary.Append(nil, binary.LittleEndian, voiced.pcm)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text, false, uint16(0), uint8(0))
	f.Add(text[:700], false, uint16(300), uint8(1))
	text, err = binary.Append(nil, binary.LittleEndian, voiced.single)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text, true, uint16(5000), uint8(2))
	f.Add([]byte{0, 0, 0xc0, 0x7f, 1, 0, 0, 0, 0, 0, 0x80, 0xff, 0xff, 0xff, 0x7f, 0x7f}, true, uint16(700), uint8(0))
	all := [3][]*Extractor{}
	for i, mels := range []int{80, 128, 40} {
		for _, level := range Levels() {
			p := Whisper(mels)
			if mels == 40 {
				p.Power, p.Window, p.FMin, p.FMax = 1, Blackman, 100, 5000
			}
			x, err := NewAt(p, level)
			if err != nil {
				f.Fatal(err)
			}
			all[i] = append(all[i], x)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, float bool, padding uint16, which uint8) {
		data = data[:min(len(data), 1<<16)]
		var in Samples
		if float {
			in.Float = make([]float32, len(data)/4)
			for i := range in.Float {
				in.Float[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
			}
		} else {
			in.PCM = make([]int16, len(data)/2)
			for i := range in.PCM {
				in.PCM[i] = int16(binary.LittleEndian.Uint16(data[2*i:]))
			}
		}
		length := in.Len() + int(padding)
		if padding%3 == 1 {
			length = in.Len() * 2 / 3 // cut instead
		}
		engines := all[int(which)%len(all)]
		p := engines[0].Params()
		n := p.Mels * p.Frames(length)
		results := make([][]float32, len(engines))
		impossible := make([]int, len(engines))
		half := make([]uint16, n)
		peak, rounding := float32(math.Inf(-1)), roundingOf(in, p)
		for i, x := range engines {
			results[i] = make([]float32, n)
			var err error
			if impossible[i], err = x.Single(results[i], in, length); err != nil {
				t.Fatal(err)
			}
			if _, err = x.Half(half, in, length); err != nil {
				t.Fatal(err)
			}
			if impossible[i] != impossible[0] {
				t.Errorf("%s found %d impossible samples, %s %d", x.Level(), impossible[i], engines[0].Level(), impossible[0])
			}
			for _, v := range results[0] {
				peak = max(peak, v)
			}
			for j, v := range results[i] {
				if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
					t.Fatalf("%s: value %d is %v", x.Level(), j, v)
				}
				d := math.Abs(float64(v - results[0][j]))
				if d > 0 && x.Level() != Go || d > mostBetweenEngines && max(v, results[0][j]) > max(rounding, peak-float32(p.Power)) {
					t.Fatalf("value %d is %v with %s and %v with %s", j, v, x.Level(), results[0][j], engines[0].Level())
				}
				if Half(v) != half[j] {
					t.Fatalf("%s: value %d is %v, which is FP16 %#x, and came as %#x", x.Level(), j, v, Half(v), half[j])
				}
			}
		}
	})
}

// roundingOf is the value that rounding alone can give a filter: a constant signal has all its energy below the lowest
// one, and what the filters then show is what the additions of the transform left over.
func roundingOf(in Samples, p Params) float32 {
	loudest := 0.0
	for _, x := range in.Float {
		if v := math.Abs(float64(x)); v <= math.MaxFloat32 { // no number and no end count as silence
			loudest = max(loudest, min(v, mostSample))
		}
	}
	for _, x := range in.PCM {
		loudest = max(loudest, math.Abs(float64(x))/32768)
	}
	const most, unit = 400, 1.0 / (1 << 24)
	return float32((p.Power*math.Log10(loudest*most*unit) + 4) / 4)
}
