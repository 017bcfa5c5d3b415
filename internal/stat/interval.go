package stat

import "math"

// Interval is where a quantity lies with the given confidence. A bound is infinite
// where there are too few samples to bound it, and NaN where it is not defined.
type Interval struct {
	Lo         Number  `json:"lo"`
	Hi         Number  `json:"hi"`
	Confidence float64 `json:"confidence"` // what the interval reaches, at least what was asked for
}

// Contains reports whether x lies in the interval, its ends included.
func (i Interval) Contains(x float64) bool { return float64(i.Lo) <= x && x <= float64(i.Hi) }

// Within reports whether the whole interval lies strictly between lo and hi.
func (i Interval) Within(lo, hi float64) bool { return lo < float64(i.Lo) && float64(i.Hi) < hi }

// Exp turns an interval of a log-ratio into one of the ratio.
func (i Interval) Exp() Interval {
	return Interval{Number(math.Exp(float64(i.Lo))), Number(math.Exp(float64(i.Hi))), i.Confidence}
}

// undefined is the interval of something that could not be estimated.
func undefined() Interval { return Interval{Number(math.NaN()), Number(math.NaN()), 0} }
