package melcuda

import (
	"fmt"
	"math"

	"saturate/internal/mel"
)

// Agreement is how FP16 values lie to mel.Reference on the Whisper scale.
type Agreement struct {
	Values       int     `json:"values"`        // that were compared
	Differ       int     `json:"differ"`        // from the reference rounded to FP16
	Far          int     `json:"far"`           // by more than a step, and by more than 2^-16 under 1/64
	LargestError float64 `json:"largest_error"` // half a step of FP16 is unavoidable: 2^-11 from 1 to 2
}

// Share is the part of the values that differ.
func (a Agreement) Share() float64 { return float64(a.Differ) / float64(max(1, a.Values)) }

func (a Agreement) String() string {
	return fmt.Sprintf("%d values, largest error %.3g, %.3f%% differ by one FP16 step, %d by more", a.Values,
		a.LargestError, 100*a.Share(), a.Far)
}

// Add compares. Under 1/64 the steps of FP16 become finer than float32's own error: values there
// may differ by more than a step, up to 2^-16, as in package mel.
func (a *Agreement) Add(got []uint16, want []float64) {
	for i, w := range want {
		a.Values++
		d := math.Abs(float64(mel.Single(got[i])) - w)
		if math.IsNaN(d) {
			d = math.Inf(1)
		}
		a.LargestError = max(a.LargestError, d)
		if n := steps(got[i], mel.Half(float32(w))); n > 0 {
			a.Differ++
			if n > 1 && (math.Abs(w) > 1.0/64 || d > 1.0/(1<<16)) {
				a.Far++
			}
		}
	}
}

// steps counts the FP16 values from a to b.
func steps(a, b uint16) int {
	order := func(h uint16) int {
		if h&0x8000 != 0 {
			return -int(h & 0x7fff)
		}
		return int(h)
	}
	d := order(a) - order(b)
	return max(d, -d)
}
