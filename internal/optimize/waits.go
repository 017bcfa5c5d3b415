package optimize

import (
	"slices"

	"saturate/internal/finding"
	"saturate/internal/run"
	"saturate/internal/verify"
)

// waitsFor is the share of a step that the tried program spends on waiting for data and copying it; nil where its steps do not tell.
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

// waits is that share for the best program so far. Where the model computes on the cores that load its data, nobody can tell
// what waits for what: the share is 1 then, as where it is not known.
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

// waiting tells whether the program waited for its data before any repair.
func (p *protocol) waiting() bool {
	b := p.state.Baseline
	return b != nil && len(b.Parts) > 0 && b.Shares.Data >= longWait
}

// longWait is the share of a step that is worth asking why.
const longWait = 0.1

// onlyData tells whether a repair shortens nothing but the wait for data and its copies.
func (c Candidate) onlyData() bool {
	loads := []finding.Area{finding.DataArea, finding.TransferArea, finding.WorkersArea}
	return !slices.ContainsFunc(c.Codes, func(code string) bool {
		return slices.ContainsFunc(areasOf(code), func(a finding.Area) bool { return !slices.Contains(loads, a) })
	})
}
