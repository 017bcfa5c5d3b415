package melcuda

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"saturate/internal/mel"
)

// clip is a test's clip with the length that it is cut or padded to.
type clip struct {
	name    string
	samples mel.Samples
	length  int
}

// clips are of all kinds and lengths, short enough for the reference: they go through in one batch.
func testClips() []clip {
	r := rand.New(rand.NewPCG(5, 6))
	noise := func(size float64) func(int) float64 {
		return func(int) float64 { return size * r.NormFloat64() }
	}
	pcm := func(n int, at func(i int) float64) mel.Samples {
		out := make([]int16, n)
		for i := range out {
			out[i] = int16(math.RoundToEven(max(-32768, min(32767, at(i)))))
		}
		return mel.Samples{PCM: out}
	}
	voice := func(i int) float64 {
		t := float64(i) / 16000
		loud := max(0, math.Sin(2*math.Pi*1.3*t))
		v := 0.0
		for h := 1.0; h < 24; h++ {
			v += math.Sin(2*math.Pi*h*(140*t+10*math.Sin(3*t))) / h
		}
		return 9000*loud*v + 20*r.NormFloat64()*(0.05+loud)
	}
	floats := func(n int, at func(i int) float64) mel.Samples {
		out := make([]float32, n)
		for i := range out {
			out[i] = float32(at(i))
		}
		return mel.Samples{Float: out}
	}
	list := []clip{
		{"voice", pcm(33000, voice), 33000},
		{"voice, padded", pcm(9000, voice), 30000},
		{"voice, padded by less than a frame", pcm(9000, voice), 9050},
		{"voice, cut", pcm(9000, voice), 5000},
		{"noise", pcm(12000, noise(6000)), 12000},
		{"faint noise", pcm(12000, noise(2)), 12000},
		{"silence", pcm(8000, func(int) float64 { return 0 }), 8000},
		{"nothing, padded", mel.Samples{PCM: []int16{}}, 8000},
		{"full scale", pcm(6000, func(int) float64 { return float64(65535*r.IntN(2) - 32768) }), 6000},
		{"click", pcm(8000, func(i int) float64 { return float64(i / 4000 * (4001 - i) / 4001 * 32767) }), 8000},
		{"floats", floats(9000, noise(0.1)), 9000},
		{"floats, padded", floats(7000, noise(0.1)), 20000},
		{"quiet floats", floats(7000, noise(1e-6)), 7000},
		{"loud floats", floats(7000, noise(30000)), 7000},
	}
	for _, n := range []int{159, 160, 161, 199, 200, 201, 320, 400, 5119, 5120, 5121, 5279, 5320, 5321, 5360, 5480} {
		list = append(list, clip{fmt.Sprintf("noise of %d", n), pcm(n, noise(5000)), n})
	}
	return list
}

// reference is the definition's values.
func reference(t *testing.T, p mel.Params, c clip) []float64 {
	t.Helper()
	double := make([]float64, c.samples.Len())
	for i, v := range c.samples.PCM {
		double[i] = float64(v) / 32768
	}
	for i, v := range c.samples.Float {
		double[i] = float64(v)
	}
	want, err := mel.Reference(p, double, c.length)
	if err != nil {
		t.Fatal(err)
	}
	return want
}

// agree runs all clips through compute as one batch, and holds them to the bounds of package mel.
func agree(t *testing.T, p mel.Params, compute func(t *testing.T, p mel.Params, clips []Clip)) {
	t.Helper()
	list := testClips()
	clips := make([]Clip, len(list))
	for i, c := range list {
		dst := make([]uint16, p.Mels*p.Frames(c.length))
		for j := range dst {
			dst[j] = 0x7e00 // so that what is not written shows
		}
		clips[i] = Clip{Samples: c.samples, Length: c.length, Dst: dst}
	}
	compute(t, p, clips)
	var all Agreement
	for i, c := range list {
		want := reference(t, p, c)
		if p.Scaling == mel.WhisperScale {
			var one Agreement
			one.Add(clips[i].Dst, want)
			if one.Far > 0 || one.Differ > 2+len(want)/100 {
				t.Errorf("%s: %v", c.name, one)
			}
			all.Add(clips[i].Dst, want)
			continue
		}
		energies(t, p, c.name, clips[i].Dst, want)
	}
	if p.Scaling == mel.WhisperScale {
		t.Logf("%d bands, power %g: %v", p.Mels, p.Power, all)
		if all.Share() > 0.002 {
			t.Errorf("more than 0.2%% of the values differ: %v", all)
		}
	}
}

// energies compares values on the scale of energies: what lies far under the loudest band holds
// only float32's own rounding. FP16 itself rounds values by 2^-11 of their size.
func energies(t *testing.T, p mel.Params, name string, got []uint16, want []float64) {
	t.Helper()
	peak := math.Inf(-1)
	for _, w := range want {
		peak = max(peak, w)
	}
	linear := func(v float64) float64 { return math.Pow(10, v/p.DBMult) }
	for i, w := range want {
		v := float64(mel.Single(got[i]))
		rounding := math.Pow(10, math.Abs(w)/2048/p.DBMult) - 1
		if d := math.Abs(linear(v) - linear(w)); !(d <= (1e-3+rounding)*linear(w)+1e-10*linear(peak)+1e-10) {
			t.Fatalf("%s: value %d is %g, want %g (the peak is %g)", name, i, v, w, peak)
		}
	}
}
