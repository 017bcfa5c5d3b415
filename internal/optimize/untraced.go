package optimize

import (
	"math"

	"saturate/internal/run"
	"saturate/internal/whatif"
)

// fewSteps say little about the speed of a program.
const fewSteps = 3

// Untraced is what the ordinary steps of a Run took, in which the profiler was off; nil where there are too few.
func Untraced(r run.Run) *whatif.Untraced {
	steps := run.Steady(r.Steps).Steps
	if len(steps) < fewSteps {
		return nil
	}
	u := &whatif.Untraced{DataNS: -1}
	n := float64(len(steps))
	var data, squares float64
	parts := false
	for _, s := range steps {
		u.StepNS += s.Seconds * 1e9 / n
		for _, p := range s.Parts {
			if p.Name == "data" {
				data, parts = data+p.Seconds*1e9/n, true
			}
		}
	}
	for _, s := range steps {
		squares += (s.Seconds*1e9 - u.StepNS) * (s.Seconds*1e9 - u.StepNS)
	}
	if parts {
		u.DataNS = data
	}
	spread := 2 * math.Sqrt(squares/(n-1)) / math.Sqrt(n)
	u.LowNS, u.HighNS = u.StepNS-spread, u.StepNS+spread
	return u
}
