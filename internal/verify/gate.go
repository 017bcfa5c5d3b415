package verify

import (
	"math"

	"saturate/internal/stat"
)

// GateOutcome is what a gate says to a script.
type GateOutcome int

const (
	GatePassed GateOutcome = iota
	GateFailed
	GateUndecided
)

// Gate asks whether after is slower than before by more than limit (0.05 is 5 %). It passes when that is ruled
// out with 95% confidence, fails when after is shown to be slower and the best estimate lies beyond the limit,
// and also when the change itself is at fault: it breaks the results, does other work, or crashes.
func (r Result) Gate(limit float64) GateOutcome {
	if r.Verdict == Invalid {
		if r.Blamed == After {
			return GateFailed
		}
		return GateUndecided
	}
	var d []float64
	for _, b := range r.Blocks {
		if !b.Calibration && b.counts() {
			m := b.measure(r.Plan)
			d = append(d, math.Log(m.typical[1]/m.typical[0]))
		}
	}
	upper, err := stat.HodgesLehmann(d, 1-2*stat.Alpha)
	switch {
	case err != nil || r.Guard.notShown() != "":
		return GateUndecided
	case r.Guard.State == Failed:
		return GateFailed
	case float64(upper.Interval.Hi) < math.Log1p(limit):
		return GatePassed
	case r.Verdict == Slower && float64(r.Ratio) > 1+limit:
		return GateFailed
	}
	return GateUndecided
}
