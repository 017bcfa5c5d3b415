package verify

import (
	"fmt"
	"math"
	"slices"

	"saturate/internal/human"
	"saturate/internal/stat"
)

// GuardState is whether the results are still right.
type GuardState string

const (
	Passed     GuardState = "passed"
	Failed     GuardState = "failed"
	NotShown   GuardState = "not shown" // neither right nor wrong could be shown
	NotChecked GuardState = "unchecked" // there was nothing to look at, or nobody wanted to
)

// Guard is the judgement over the results of the variants, by their loss. All differences are shares of
// the baseline's typical loss.
type Guard struct {
	State    GuardState    `json:"state"`
	Numerics Numerics      `json:"numerics"`
	Margin   float64       `json:"margin"` // what was said beforehand
	Reason   string        `json:"reason"`
	Steps    int           `json:"steps"`    // whose loss both sides tell, in each run
	Distance stat.Number   `json:"distance"` // of after from before, step by step (root of the mean square)
	Self     stat.Number   `json:"self"`     // the largest of the baseline from itself
	Allowed  stat.Number   `json:"allowed"`  // distance up to which after is the baseline
	Change   stat.Number   `json:"change"`   // of the loss over the last quarter of the steps; above 0 is worse
	Interval stat.Interval `json:"interval"` // of that change
	Part     int           `json:"part,omitempty"`
	Warnings []string      `json:"warnings,omitempty"`
}

const (
	// lossTolerance is the least by which losses may differ: other kernels round otherwise, and training carries rounding on.
	lossTolerance = 1e-3
	// selfFactor: after may be so many times as far from the baseline as the baseline is from itself, as
	// torch._dynamo grants a compiled graph twice the error of the original.
	selfFactor = 2
	// unrepeatable is how far a baseline may be from itself before the comparison step by step says little.
	unrepeatable = 0.02
	// alarm is the chance with which the mean of a right variant's loss is called wrong.
	alarm = 0.01
)

// guard judges the losses of all blocks that count.
func guard(p Plan, blocks []Block) Guard {
	g := Guard{Numerics: p.Numerics, Margin: p.Margin, State: NotChecked}
	nan := stat.Number(math.NaN())
	g.Distance, g.Self, g.Allowed, g.Change = nan, nan, nan, nan
	g.Interval = stat.Interval{Lo: nan, Hi: nan}
	if p.Numerics == Unchecked {
		g.Reason = "nobody asked for it"
		return g
	}
	for _, b := range blocks {
		if b.Cause == ByAccuracy {
			g.State, g.Reason = Failed, b.Fatal
			return g
		}
	}
	var pairs [][2]curve
	var baseline []curve
	for _, b := range blocks {
		if !b.counts() {
			continue
		}
		x, y := curveOf(b, 0, p), curveOf(b, 1, p)
		baseline = append(baseline, x)
		if b.Calibration {
			baseline = append(baseline, y)
		} else {
			pairs = append(pairs, [2]curve{x, y})
		}
	}
	if len(pairs) == 0 {
		g.Reason = "there is no pair yet"
		return g
	}
	for i, pair := range pairs {
		n := len(commonLosses(pair[0], pair[1]))
		if i == 0 || n < g.Steps {
			g.Steps = n
		}
	}
	if g.Steps == 0 {
		g.Reason = "no loss was seen in both variants"
		return g
	}
	g.changes(p, pairs)
	if p.Numerics == Changed || p.Measure == PerSample {
		g.notInferior(pairs)
	} else {
		g.sameCurve(pairs, baseline)
	}
	return g
}

// changes finds how the loss at the end differs, pair by pair.
func (g *Guard) changes(p Plan, pairs [][2]curve) {
	var d []float64
	for _, pair := range pairs {
		d = append(d, endChange(p, pair))
	}
	if estimate, err := stat.HodgesLehmann(d, 1-2*stat.Alpha); err == nil {
		g.Change, g.Interval = estimate.Value, estimate.Interval
	}
}

// endChange compares the ends of two curves: at the same step, or at the same number of samples.
func endChange(p Plan, pair [2]curve) float64 {
	a, b := pair[0], pair[1]
	samples := 0.0
	if p.Measure == PerSample && len(a.samples) > 0 && len(b.samples) > 0 {
		samples = min(a.samples[len(a.samples)-1], b.samples[len(b.samples)-1])
	}
	return (b.end(samples) - a.end(samples)) / a.size()
}

// notInferior asks whether the loss surely got worse by less than the margin.
func (g *Guard) notInferior(pairs [][2]curve) {
	hi, lo := float64(g.Interval.Hi), float64(g.Interval.Lo)
	known := "over the last quarter of the steps the loss changes by " + signed(float64(g.Change), 2)
	if g.Interval.Lo.Finite() && g.Interval.Hi.Finite() {
		known += fmt.Sprintf(" (%.0f%% interval %s to %s)", 100*g.Interval.Confidence, signed(lo, 2), signed(hi, 2))
	}
	known += "; the margin is " + human.Percent(g.Margin)
	switch {
	case math.IsNaN(hi):
		g.State, g.Reason = NotChecked, "no loss was seen in both variants"
	case hi < g.Margin:
		g.State, g.Reason = Passed, known
	case lo > g.Margin:
		g.State, g.Reason = Failed, known
	default:
		g.State, g.Reason = NotShown, known+fmt.Sprintf(": too few pairs (%d) to show that it is not exceeded", len(pairs))
	}
}

// sameCurve asks whether after is as close to the baseline as the baseline is to itself.
func (g *Guard) sameCurve(pairs [][2]curve, baseline []curve) {
	self := 0.0
	repeated := false
	for i, a := range baseline {
		for _, b := range baseline[:i] {
			if d := distance(b, a); a.seed == b.seed && !math.IsNaN(d) {
				self, repeated = max(self, d), true
			}
		}
	}
	var distances []float64
	for _, p := range pairs {
		distances = append(distances, distance(p[0], p[1]))
	}
	typical := float64(stat.Summarize(stat.Series{Values: distances}).Median)
	allowed := selfFactor*self + lossTolerance
	g.Distance, g.Self, g.Allowed = stat.Number(typical), stat.Number(self), stat.Number(allowed)
	if !repeated {
		g.Warnings = append(g.Warnings, "the baseline ran only once with each seed: how far it is from itself is not known")
	}
	if self > unrepeatable {
		g.Warnings = append(g.Warnings, fmt.Sprintf("the baseline's loss differs from itself by %s from run to run: seed the program and its data order, or small changes of the loss stay hidden", human.Percent(self)))
	}

	// The mean over many steps shows what the noise of single steps hides.
	shift, bound := endShift(pairs, baseline)
	switch {
	case typical > allowed:
		g.State, g.Part = Failed, firstApart(pairs, allowed)
		g.Reason = fmt.Sprintf("the losses of the variants differ by %s%s%s", small(typical), at(g.Part), ownSpread(self, repeated))
		if diverged(pairs) {
			g.Reason = "the loss of after diverges: " + g.Reason
		}
	case math.Abs(shift) > bound+lossTolerance:
		g.State = Failed
		g.Reason = fmt.Sprintf("over the last quarter of the steps the loss of after differs by %s, the baseline's from itself by less than %s", signed(shift, 2), small(bound+lossTolerance))
	default:
		g.State = Passed
		g.Reason = fmt.Sprintf("over %d steps the losses of the variants differ by %s%s", g.Steps, small(typical), ownSpread(self, repeated))
	}
}

// endShift is how far the mean loss of the last quarter moved, and how far it moves by chance.
func endShift(pairs [][2]curve, baseline []curve) (shift, bound float64) {
	var before, after []float64
	size := mean(mapped(baseline, curve.size))
	// Runs of several seeds differ by their seed: only the pairs, of one seed each, can be compared then.
	if slices.ContainsFunc(baseline, func(c curve) bool { return c.seed != baseline[0].seed }) {
		var d []float64
		for _, p := range pairs {
			d = append(d, (p[1].end(0)-p[0].end(0))/size)
		}
		return mean(d), stat.PairNoise(nil, d).Bound(float64(len(d)), 1-alarm/2)
	}
	for _, c := range baseline {
		before = append(before, c.end(0)/size)
	}
	for _, p := range pairs {
		after = append(after, p[1].end(0)/size)
	}
	together := 1 / (1/float64(len(before)) + 1/float64(len(after)))
	noise := stat.PairNoise(nil, before)
	if noise.Freedom == 0 {
		return 0, 0
	}
	return mean(after) - mean(before), noise.Bound(together, 1-alarm/2)
}

func mapped(curves []curve, f func(curve) float64) []float64 {
	out := make([]float64, len(curves))
	for i, c := range curves {
		out[i] = f(c)
	}
	return out
}

// firstApart is the first step at which most pairs are further apart than allowed.
func firstApart(pairs [][2]curve, allowed float64) int {
	counts := map[int]int{}
	for _, p := range pairs {
		size := p[0].size()
		for i, step := range p[0].steps {
			if j, ok := slices.BinarySearch(p[1].steps, step); ok && math.Abs(p[1].loss[j]-p[0].loss[i]) > allowed*size {
				counts[step]++
			}
		}
	}
	first := -1
	for step, n := range counts {
		if 2*n >= len(pairs) && (first < 0 || step < first) {
			first = step
		}
	}
	return max(first, 0)
}

// diverged tells whether after's loss ends far above where it began, and before's does not.
func diverged(pairs [][2]curve) bool {
	grows := func(c curve) bool {
		head := mean(c.loss[:max(1, len(c.loss)/4)])
		return c.end(0) > head+math.Abs(head)
	}
	n := 0
	for _, p := range pairs {
		if grows(p[1]) && !grows(p[0]) {
			n++
		}
	}
	return 2*n > len(pairs)
}

func at(step int) string {
	if step == 0 {
		return ""
	}
	return fmt.Sprintf(", first at step %d", step)
}

// ownSpread says how far the baseline is from itself, where it ran more than once with one seed.
func ownSpread(self float64, repeated bool) string {
	switch {
	case !repeated:
		return ""
	case self == 0:
		return "; the baseline's are the same in every run"
	}
	return "; the baseline's from run to run by up to " + small(self)
}

// small writes a share that may be tiny.
func small(share float64) string {
	switch {
	case share == 0:
		return "nothing"
	case share < 1e-4:
		return fmt.Sprintf("%.0e of their value", share)
	}
	return fmt.Sprintf("%.2g%%", 100*share)
}
