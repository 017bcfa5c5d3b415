package mel

import (
	"math"
	"strings"
	"testing"
)

// TestImpossibleSamples checks that samples that are no numbers count as silence and are counted,
// wherever they lie, and that nothing of them stays in the extractor.
func TestImpossibleSamples(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	s := pcm("voice", 20000, voice())
	eachLevel(t, Whisper(80), func(t *testing.T, x *Extractor) {
		before, _ := extract(t, x, Samples{Float: s.single}, 20000)
		for _, at := range [][]int{{0}, {1}, {100, 101}, {9999}, {19999}, {2800}, {17300, 19700}, {0, 5000, 10000, 19999}} {
			for name, bad := range map[string]float32{"NaN": nan, "infinity": inf, "minus infinity": -inf, "1e30": 1e30, "-1e30": -1e30} {
				dirty := append([]float32{}, s.single...)
				clean := append([]float32{}, s.single...)
				for _, i := range at {
					dirty[i], clean[i] = bad, 0
					switch {
					case bad == 1e30:
						clean[i] = mostSample
					case bad == -1e30:
						clean[i] = -mostSample
					}
				}
				n := x.Params().Mels * x.Params().Frames(20000)
				got, want := make([]float32, n), make([]float32, n)
				impossible, err := x.Single(got, Samples{Float: dirty}, 20000)
				if err != nil || impossible != len(at) {
					t.Fatalf("%s at %v: %d impossible samples, %v", name, at, impossible, err)
				}
				if n, _ := x.Single(want, Samples{Float: clean}, 20000); n != 0 {
					t.Fatalf("%d impossible samples in a clean clip", n)
				}
				for i := range want {
					if got[i] != want[i] {
						t.Fatalf("%s at %v: value %d is %v, want %v", name, at, i, got[i], want[i])
					}
				}
			}
		}
		after, _ := extract(t, x, Samples{Float: s.single}, 20000)
		for i := range before {
			if before[i] != after[i] {
				t.Fatalf("value %d was %v and is %v after impossible samples", i, before[i], after[i])
			}
		}
	})
}

// TestImpossibleAnywhere puts one at the end of every part of a clip: each engine sees it, however the clip falls into
// its blocks.
func TestImpossibleAnywhere(t *testing.T) {
	s := pcm("voice", 8000, voice())
	eachLevel(t, Whisper(80), func(t *testing.T, x *Extractor) {
		for length := 600; length < 6000; length += 277 {
			out := make([]float32, x.Params().Mels*x.Params().Frames(length))
			for back := 1; back <= 600; back += 11 {
				dirty := append([]float32{}, s.single[:length]...)
				dirty[length-back] = 1e30
				if n, err := x.Single(out, Samples{Float: dirty}, length); err != nil || n != 1 {
					t.Fatalf("sample %d of %d: %d found, %v", length-back, length, n, err)
				}
			}
		}
	})
}

func TestSilenceIsTheFloor(t *testing.T) {
	eachLevel(t, Whisper(80), func(t *testing.T, x *Extractor) {
		for _, n := range []int{0, 1, 100, 16000} {
			single, half := extract(t, x, Samples{PCM: make([]int16, n)}, 16000)
			for i := range single {
				// log10 of 1e-10 is -10, and (-10+4)/4 is -1.5.
				if math.Abs(float64(single[i])+1.5) > 1e-6 || half[i] != Half(-1.5) {
					t.Fatalf("%d samples: value %d of silence is %v and %#x", n, i, single[i], half[i])
				}
			}
		}
	})
}

func TestMistakes(t *testing.T) {
	x, err := New(Whisper(80))
	if err != nil {
		t.Fatal(err)
	}
	room := make([]uint16, 80*10)
	for name, call := range map[string]func() error{
		"the buffer has 800 values": func() error { _, err := x.Half(room, Samples{PCM: make([]int16, 1600)}, 1760); return err },
		"the buffer has 0 values":   func() error { _, err := x.Half(nil, Samples{PCM: make([]int16, 1600)}, 1600); return err },
		"-5 samples":                func() error { _, err := x.Half(nil, Samples{}, -5); return err },
		"use only one kind": func() error {
			_, err := x.Half(room, Samples{PCM: make([]int16, 9), Float: make([]float32, 9)}, 1600)
			return err
		},
		`does not support "sse9"`:  func() error { _, err := NewAt(Whisper(80), "sse9"); return err },
		"sample rate of 0 Hz":      func() error { p := Whisper(80); p.SampleRate = 0; _, err := New(p); return err },
		"n_fft":                    func() error { p := Whisper(80); p.NFFT = 1; _, err := New(p); return err },
		"hop 0 is not possible":    func() error { p := Whisper(80); p.Hop = 0; _, err := New(p); return err },
		"n_mels 0 is not possible": func() error { _, err := New(Whisper(0)); return err },
		"fmin < fmax <= 8000":      func() error { p := Whisper(80); p.FMax = 8001; _, err := New(p); return err },
		"from NaN":                 func() error { p := Whisper(80); p.FMin = math.NaN(); _, err := New(p); return err },
		"power 0":                  func() error { p := Whisper(80); p.Power = 0; _, err := New(p); return err },
		`unknown scaling "bel"`:    func() error { p := Whisper(80); p.Scaling = "bel"; _, err := New(p); return err },
		"db_mult 0":                func() error { p := Whisper(80); p.Scaling, p.DBMult = DB, 0; _, err := New(p); return err },
		`unknown window "kaiser"`:  func() error { p := Whisper(80); p.Window = "kaiser"; _, err := New(p); return err },
	} {
		if err := call(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// TestNothingIsAllocated holds for clips of any length and kind, padded or not.
func TestNothingIsAllocated(t *testing.T) {
	s := pcm("voice", 30000, voice())
	other := Whisper(40)
	other.NFFT, other.Hop = 509, 128
	for _, p := range []Params{Whisper(80), other} {
		eachLevel(t, p, func(t *testing.T, x *Extractor) {
			half := make([]uint16, p.Mels*p.Frames(48000))
			for _, n := range []int{0, 1, 500, 30000} {
				for form, in := range s.forms() {
					in = in.slice(0, n)
					if a := testing.AllocsPerRun(2, func() {
						if _, err := x.Half(half, in, 48000); err != nil {
							t.Fatal(err)
						}
					}); a != 0 {
						t.Errorf("%d %s samples: %v allocations", n, form, a)
					}
				}
			}
		})
	}
}
