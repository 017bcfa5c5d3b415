package mel

import (
	"fmt"
	"math"
	"testing"
)

// halfSteps counts the FP16 values from a to b.
func halfSteps(a, b uint16) int {
	order := func(h uint16) int {
		if h&0x8000 != 0 {
			return -int(h & 0x7fff)
		}
		return int(h)
	}
	d := order(a) - order(b)
	return max(d, -d)
}

// agreement is how far values are from a reference.
type agreement struct {
	worst, mean float64 // float32 values
	share       float64 // of FP16 values that differ
	far         int     // FP16 values more than a step away, and of those near zero more than 2^-16
}

func (a agreement) String() string {
	return fmt.Sprintf("largest error %.2g, mean %.2g, %.3f%% of FP16 values differ, %d by more than a step",
		a.worst, a.mean, 100*a.share, a.far)
}

func compare(single []float32, half []uint16, want []float64) (a agreement) {
	differ := 0
	for i, w := range want {
		d := math.Abs(float64(single[i]) - w)
		if math.IsNaN(d) {
			d = math.Inf(1)
		}
		a.worst = max(a.worst, d)
		a.mean += d / float64(len(want))
		rounded := Half(float32(w))
		if n := halfSteps(half[i], rounded); n > 0 {
			differ++
			if n > 1 && (math.Abs(w) > 1.0/64 || math.Abs(float64(Single(half[i]))-w) > 1.0/(1<<16)) {
				a.far++
			}
		}
	}
	if len(want) > 0 {
		a.share = float64(differ) / float64(len(want))
	}
	return a
}

// extract gives both kinds of output.
func extract(t testing.TB, x *Extractor, in Samples, length int) (single []float32, half []uint16) {
	t.Helper()
	n := x.Params().Mels * x.Params().Frames(length)
	single, half = make([]float32, n), make([]uint16, n)
	fill(single, float32(math.NaN())) // so that what is not written shows
	fill(half, 0x7e00)
	if _, err := x.Single(single, in, length); err != nil {
		t.Fatal(err)
	}
	if _, err := x.Half(half, in, length); err != nil {
		t.Fatal(err)
	}
	return single, half
}

// eachLevel runs f for every engine of this machine.
func eachLevel(t *testing.T, p Params, f func(t *testing.T, x *Extractor)) {
	for _, level := range Levels() {
		x, err := NewAt(p, level)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(string(level), func(t *testing.T) { f(t, x) })
	}
}

func TestEnginesAgreeWithReference(t *testing.T) {
	for _, mels := range []int{80, 128} {
		p := Whisper(mels)
		list := signals()
		if s, ok := speech(t); ok {
			list = append(list, s)
		}
		for _, s := range list {
			// As it is, and padded so that the padding's reflection does and does not reach back.
			lengths := []int{len(s.double)}
			if len(s.double) <= 20000 {
				lengths = append(lengths, len(s.double)+50, len(s.double)+3000)
			}
			for _, length := range lengths {
				want, err := Reference(p, s.double, length)
				if err != nil {
					t.Fatal(err)
				}
				mostShare := 0.002
				if s.periodic {
					mostShare = 0.01
				}
				// A clip of a few hundred values may have two that lie on a rounding boundary.
				mostShare = max(mostShare, 2/float64(len(want)+1))
				for _, level := range Levels() {
					x, err := NewAt(p, level)
					if err != nil {
						t.Fatal(err)
					}
					for form, in := range s.forms() {
						single, half := extract(t, x, in, length)
						a := compare(single, half, want)
						if a.worst > MostError || a.share > mostShare || a.far > 0 {
							t.Errorf("%s, %d samples, %d bands, %s, %s: %v", s.name, length, mels, level, form, a)
						}
					}
				}
			}
		}
	}
}

// TestForms checks that int16 samples and the same as float32 give the same bits.
func TestForms(t *testing.T) {
	s := pcm("voice", 50000, voice())
	eachLevel(t, Whisper(80), func(t *testing.T, x *Extractor) {
		_, a := extract(t, x, Samples{PCM: s.pcm}, 60000)
		_, b := extract(t, x, Samples{Float: s.single}, 60000)
		for i := range a {
			if a[i] != b[i] {
				t.Fatalf("value %d is %#x from int16 and %#x from float32", i, a[i], b[i])
			}
		}
	})
}

// TestVectorWidthsGiveTheSameBits checks that AVX2 and AVX-512 do: a dataset can be continued on
// a machine that has only one of them.
func TestVectorWidthsGiveTheSameBits(t *testing.T) {
	if len(Levels()) < 3 {
		t.Skipf("this machine or this binary has only %v", Levels())
	}
	for _, p := range []Params{Whisper(80), Whisper(128), {
		SampleRate: 16000, NFFT: 400, Hop: 160, Mels: 61, FMin: 50, FMax: 7000, Power: 1, Window: Hamming, Scaling: DB, DBMult: 20,
	}} {
		wide, err := NewAt(p, AVX512)
		if err != nil {
			t.Fatal(err)
		}
		narrow, err := NewAt(p, AVX2)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range signals() {
			for form, in := range s.forms() {
				length := len(s.double) + 500
				a, halfA := extract(t, wide, in, length)
				b, halfB := extract(t, narrow, in, length)
				for i := range a {
					if a[i] != b[i] || halfA[i] != halfB[i] {
						t.Fatalf("%s, %s, %d bands: value %d is %v with AVX-512 and %v with AVX2", s.name, form, p.Mels, i, a[i], b[i])
					}
				}
			}
		}
	}
}

// TestFramesDoNotDependOnBlocks checks that a frame has the same bits wherever in a block it is
// computed: outputs must not depend on how work is cut.
func TestFramesDoNotDependOnBlocks(t *testing.T) {
	p := Whisper(80)
	p.Scaling = DB // no peak of the clip in the values
	s := pcm("voice", 48000, voice())
	eachLevel(t, p, func(t *testing.T, x *Extractor) {
		whole, _ := extract(t, x, Samples{PCM: s.pcm}, len(s.pcm))
		frames := p.Frames(len(s.pcm))
		for _, skip := range []int{1, 3, 8, 21, 130} {
			part, _ := extract(t, x, Samples{PCM: s.pcm[skip*p.Hop:]}, len(s.pcm)-skip*p.Hop)
			n := frames - skip
			for m := range p.Mels {
				for f := 2; f < n; f++ { // the first two see the reflection
					if a, b := whole[m*frames+skip+f], part[m*n+f]; a != b {
						t.Fatalf("frame %d, band %d: %v, and %v when the clip starts %d frames later", f, m, a, b, skip)
					}
				}
			}
		}
	})
}

// TestPaddingIsSilence checks that frames of padding, which are not computed, are what computing
// silence gives.
func TestPaddingIsSilence(t *testing.T) {
	s := pcm("voice", 30000, voice())
	padded := append(append([]int16{}, s.pcm...), make([]int16, 90000)...)
	for _, scaling := range []Scaling{WhisperScale, DB} {
		p := Whisper(80)
		p.Scaling = scaling
		eachLevel(t, p, func(t *testing.T, x *Extractor) {
			for _, cut := range []int{0, 1, 150, 12000, 30000} {
				_, a := extract(t, x, Samples{PCM: s.pcm[:cut]}, 120000)
				_, b := extract(t, x, Samples{PCM: append(append([]int16{}, s.pcm[:cut]...), padded[30000:]...)}, cut+90000)
				frames, other := p.Frames(120000), p.Frames(cut+90000)
				for m := range p.Mels {
					for f := range min(frames, other) - 2 {
						if a[m*frames+f] != b[m*other+f] {
							t.Fatalf("%s, %d samples: band %d of frame %d is %#x when padded and %#x when silent",
								scaling, cut, m, f, a[m*frames+f], b[m*other+f])
						}
					}
				}
			}
		})
	}
}

// TestDecibels checks the other scaling, without and with magnitudes, and other windows: values
// where float32 still holds them, energies everywhere.
func TestDecibels(t *testing.T) {
	voiced := pcm("voice", 12000, voice())
	for _, power := range []float64{1, 2, 1.5} {
		for _, window := range Windows {
			p := Whisper(80)
			p.Scaling, p.Power, p.Window, p.DBMult = DB, power, window, 20
			want, err := Reference(p, voiced.double, len(voiced.double))
			if err != nil {
				t.Fatal(err)
			}
			peak := math.Inf(-1)
			for _, w := range want {
				peak = max(peak, w)
			}
			eachLevel(t, p, func(t *testing.T, x *Extractor) {
				for form, in := range voiced.forms() {
					got, _ := extract(t, x, in, len(voiced.double))
					for i, w := range want {
						if d := math.Abs(float64(got[i]) - w); w > peak-40*power && d > 20*4*MostError {
							t.Fatalf("power %g, %s, %s: value %d is %g, want %g", power, window, form, i, got[i], w)
						}
						a, b := math.Pow(10, float64(got[i])/20), math.Pow(10, w/20)
						if math.Abs(a-b) > 1e-3*b+1e-10*math.Pow(10, peak/20)+1e-10 {
							t.Fatalf("power %g, %s, %s: energy %d is %g, want %g", power, window, form, i, a, b)
						}
					}
				}
			})
		}
	}
}

// TestAnyParameters checks frames of other sizes: powers of two, odd, mixed, prime and large primes.
func TestAnyParameters(t *testing.T) {
	s := pcm("voice", 9000, voice())
	for _, c := range []struct{ rate, nfft, hop, mels int }{
		{16000, 512, 160, 80},
		{16000, 400, 200, 64},
		{16000, 400, 160, 23},
		{16000, 400, 160, 174},
		{16000, 400, 160, 175},
		{22050, 1024, 256, 80},
		{8000, 200, 80, 40},
		{16000, 401, 100, 40},
		{16000, 397, 1000, 40},
		{44100, 2048, 441, 128},
		{16000, 2 * 3 * 5 * 7 * 11, 511, 100},
		{16000, 1021, 333, 30},
		{16000, 37, 5, 4},
		{16000, 2, 1, 1},
	} {
		for _, scaling := range []Scaling{WhisperScale, DB} {
			p := Whisper(c.mels)
			p.SampleRate, p.NFFT, p.Hop, p.Scaling = c.rate, c.nfft, c.hop, scaling
			p.FMin, p.FMax = 20, min(7600, float64(c.rate)/2)
			n := min(len(s.double), 12*c.hop+c.nfft)
			length := n
			if scaling == DB {
				length += c.nfft + 2*c.hop // some of it only padding
			}
			want, err := Reference(p, s.double[:n], length)
			if err != nil {
				t.Fatal(err)
			}
			most := MostError
			if scaling == DB {
				most *= 4 * p.DBMult
			}
			for _, level := range Levels() {
				x, err := NewAt(p, level)
				if err != nil {
					t.Fatal(err)
				}
				got, _ := extract(t, x, Samples{PCM: s.pcm[:n]}, length)
				for i, w := range want {
					if d := math.Abs(float64(got[i]) - w); d > most {
						t.Fatalf("%+v, %s, %s: value %d is %g, want %g", c, scaling, level, i, got[i], w)
					}
				}
			}
		}
	}
}
