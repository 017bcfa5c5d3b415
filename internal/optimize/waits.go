package optimize

import (
	"slices"

	"saturate/internal/finding"
	"saturate/internal/run"
	"saturate/internal/verify"
)

// waitsFor is how much of a step the program that was tried waits for its data and copies it; nil where its steps do not tell.
func waitsFor(v verify.Result) *float64 {
	var steps []run.Step
	for _, b := range v.Blocks {
		if !b.Calibration {
			steps = append(steps, run.Steady(b.Outcomes[1].Steps).Steps...)
		}
	}
	if slices.ContainsFunc(steps, func(s run.Step) bool { return len(s.Parts) == 0 }) {
		return nil
	}
	var waits, whole float64
	for _, p := range run.MeanParts(steps) {
		whole += p.Seconds
		if p.Name == "data" || p.Name == "h2d" {
			waits += p.Seconds
		}
	}
	if whole == 0 {
		return nil
	}
	share := waits / whole
	return &share
}

// waits is the same of the best program so far. Where the model computes on the cores that load its data, nobody can tell
// what waits for what: it is 1 then, as where it is not known.
func (p *protocol) waits() float64 {
	if !p.state.Baseline.GPU {
		return 1
	}
	for _, r := range p.state.Rungs {
		if r.Tree == p.state.Best && r.Decision == Kept && r.Waits != nil {
			return *r.Waits
		}
	}
	return 1
}

// waiting tells whether the program was seen to wait for its data, as it was found.
func (p *protocol) waiting() bool {
	b := p.state.Baseline
	return b != nil && len(b.Parts) > 0 && b.Shares.Data >= longWait
}

// longWait is the share of a step that is worth asking why.
const longWait = 0.1

// onlyData tells whether all that a repair shortens is the wait for data.
func (c Candidate) onlyData() bool {
	return !slices.ContainsFunc(c.Codes, func(code string) bool {
		return slices.ContainsFunc(areasOf(code), func(a finding.Area) bool {
			return a == finding.HostArea || a == finding.ComputeArea || a == finding.OptimizerArea
		})
	})
}
