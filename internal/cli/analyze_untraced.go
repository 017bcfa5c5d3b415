package cli

import (
	"math"
	"os"
	"path/filepath"

	"saturate/internal/run"
	"saturate/internal/whatif"
)

// untracedOf is what a Run measured without the profiler, where a trace, a folder of traces or a Run's name belongs to one; nil where none
// does, or it has too few steps that were not recorded.
func untracedOf(env *Env, typed string) *whatif.Untraced {
	path := env.path(typed)
	if _, err := os.Stat(path); err != nil {
		r, err := findRun(env, typed)
		if err != nil {
			return nil
		}
		return untracedSteps(r)
	}
	for range 3 { // the Run's folder, its profiler_traces, a trace in there
		if _, err := os.Stat(filepath.Join(path, "run.json")); err == nil {
			r, err := run.Read(path)
			if err != nil {
				return nil
			}
			return untracedSteps(r)
		}
		path = filepath.Dir(path)
	}
	return nil
}

// fewSteps say little about the speed of a program.
const fewSteps = 3

// untracedSteps are the ordinary steps of a Run: the profiler was off in them.
func untracedSteps(r run.Run) *whatif.Untraced {
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
