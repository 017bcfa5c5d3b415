package mel

import (
	"fmt"
	"math"
	"slices"
)

// Params say which features. The zero value is not valid: start from Whisper.
type Params struct {
	SampleRate int     // samples per second
	NFFT       int     // samples per frame
	Hop        int     // samples from one frame to the next
	Mels       int     // bands
	FMin, FMax float64 // Hz, the first filter's lower and the last filter's upper edge
	Power      float64 // what the filters sum: 2 powers, 1 magnitudes
	Window     Window
	Scaling    Scaling
	DBMult     float64 // factor of log10 under DB
}

// Whisper gives the parameters of openai-whisper for 80 or 128 bands.
func Whisper(mels int) Params {
	return Params{
		SampleRate: 16000, NFFT: 400, Hop: 160, Mels: mels, FMin: 0, FMax: 8000,
		Power: 2, Window: Hann, Scaling: WhisperScale, DBMult: 20,
	}
}

// Scaling says what becomes of an energy. Both start with log10 of at least 1e-10.
type Scaling string

const (
	// WhisperScale raises everything to 8 below the clip's largest value, then (x+4)/4.
	WhisperScale Scaling = "whisper"
	// DB multiplies by DBMult and leaves quiet values alone. Decibels are 10·log10 of a power
	// (Power 2) and 20·log10 of a magnitude (Power 1): 20 on powers doubles them.
	DB Scaling = "db"
)

// Window is the shape that a frame is multiplied by, in its periodic form.
type Window string

const (
	Hann        Window = "hann"
	Hamming     Window = "hamming"
	Blackman    Window = "blackman"
	Rectangular Window = "rectangular"
)

// Windows lists every Window.
var Windows = []Window{Hann, Hamming, Blackman, Rectangular}

// values gives the window's n samples.
func (w Window) values(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		angle := 2 * math.Pi * float64(i) / float64(n)
		switch w {
		case Hann:
			out[i] = 0.5 - 0.5*math.Cos(angle)
		case Hamming:
			out[i] = 0.54 - 0.46*math.Cos(angle)
		case Blackman:
			out[i] = 0.42 - 0.5*math.Cos(angle) + 0.08*math.Cos(2*angle)
		case Rectangular:
			out[i] = 1
		}
	}
	return out
}

// Larger values than these are mistakes, and would cost memory before anybody noticed.
const (
	mostNFFT = 1 << 17
	mostHop  = 1 << 20
	mostMels = 1 << 12
)

// Check says what is wrong with the parameters, or nil. A comparison with NaN is false, so conditions state what is
// right.
func (p Params) Check() error {
	switch {
	case p.SampleRate < 1:
		return fmt.Errorf("mel: a sample rate of %d Hz is not possible; use 1 or more", p.SampleRate)
	case p.NFFT < 2 || p.NFFT > mostNFFT:
		return fmt.Errorf("mel: n_fft %d is not possible; use 2 to %d", p.NFFT, mostNFFT)
	case p.Hop < 1 || p.Hop > mostHop:
		return fmt.Errorf("mel: hop %d is not possible; use 1 to %d", p.Hop, mostHop)
	case p.Mels < 1 || p.Mels > mostMels:
		return fmt.Errorf("mel: n_mels %d is not possible; use 1 to %d", p.Mels, mostMels)
	case !(0 <= p.FMin && p.FMin < p.FMax && p.FMax <= float64(p.SampleRate)/2):
		return fmt.Errorf("mel: bands from %g to %g Hz are not possible; use 0 <= fmin < fmax <= %g (half the sample rate)",
			p.FMin, p.FMax, float64(p.SampleRate)/2)
	case !(p.Power > 0 && p.Power <= 8):
		return fmt.Errorf("mel: power %g is not possible; use 2 (power), 1 (magnitude) or another number above 0 and up to 8",
			p.Power)
	case p.Scaling != WhisperScale && p.Scaling != DB:
		return fmt.Errorf("mel: unknown scaling %q; use %q or %q", p.Scaling, WhisperScale, DB)
	case p.Scaling == DB && (!(math.Abs(p.DBMult) <= 1000) || p.DBMult == 0):
		return fmt.Errorf("mel: db_mult %g is not possible; use -1000 to 1000, but not 0", p.DBMult)
	}
	if !slices.Contains(Windows, p.Window) {
		return fmt.Errorf("mel: unknown window %q; use one of %v", p.Window, Windows)
	}
	return nil
}

// Frames is how many frames a clip of so many samples has: those of a centered transform with
// half a frame of reflection at both ends, without the last one.
func (p Params) Frames(samples int) int {
	return max(0, samples-p.NFFT%2) / p.Hop
}

// leastEnergy is what log10 sees at least.
const leastEnergy = 1e-10

// floorBelowPeak is how far under the clip's largest log10 the Whisper scale cuts.
const floorBelowPeak = 8

// affine gives the scaling as factor·log10(energy) + offset.
func (p Params) affine() (factor, offset float64) {
	if p.Scaling == DB {
		return p.DBMult, 0
	}
	return 0.25, 1
}
