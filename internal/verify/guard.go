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
	Numerics Numerics      `json:"numerics"`       // what was really checked, which may be less than what was asked for
	Margin   float64       `json:"margin"`         // what was said beforehand
	Reason   string        `json:"reason"`         // of the state, in a sentence
	Steps    int           `json:"steps"`          // whose loss both sides tell, in each run
	Distance stat.Number   `json:"distance"`       // of after from before, step by step (root of the mean square)
	Self     stat.Number   `json:"self"`           // the largest of the baseline from itself
	Allowed  stat.Number   `json:"allowed"`        // distance up to which after is the baseline
	Movement stat.Number   `json:"movement"`       // of the baseline's loss around its mean: what a wrong program could change
	Change   stat.Number   `json:"change"`         // of the loss over the last quarter of the steps; above 0 is worse
	Interval stat.Interval `json:"interval"`       // of that change
	Part     int           `json:"part,omitempty"` // first step at which the losses of most pairs differ
	Samples  SampleGuard   `json:"samples"`
	Warnings []string      `json:"warnings,omitempty"` // about the check
}

const (
	// lossTolerance is how much losses may always differ, even if the baseline's do not: other kernels round differently, and
	// training carries rounding on.
	lossTolerance = 1e-3
	// movementShare of the loss's movement is what rounding may make of it. A loss near ln(classes) hardly moves: a
	// thousandth of its value would hide everything that the data does to it.
	movementShare = 0.02
	// leastTolerance is rounding alone, where the loss does not move at all.
	leastTolerance = 2e-5
	// selfFactor: after may be so many times as far from the baseline as the baseline is from itself, as
	// torch._dynamo grants a compiled graph twice the error of the original.
	selfFactor = 2
	// mostAllowed bounds that: a baseline whose loss differs from itself by more of its movement cannot tell right from
	// wrong.
	mostAllowed = 0.5
	// unrepeatable is how far a baseline may be from itself before the comparison step by step says little.
	unrepeatable = 0.02
	// alarm is the chance with which the mean of a right variant's loss is called wrong.
	alarm = 0.01
)

// guard judges the losses of all blocks that count.
func guard(p Plan, blocks []Block) Guard {
	g := Guard{Numerics: p.Numerics, Margin: p.Margin, State: NotChecked}
	nan := stat.Number(math.NaN())
	g.Distance, g.Self, g.Allowed, g.Change, g.Movement = nan, nan, nan, nan, nan
	g.Interval = stat.Interval{Lo: nan, Hi: nan}
	if p.Numerics == Unchecked {
		g.Reason = "turned off by --numerics unchecked"
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
		g.Reason = "no pair is finished"
		return g
	}
	for i, pair := range pairs {
		n := len(commonLosses(pair[0], pair[1]))
		if i == 0 || n < g.Steps {
			g.Steps = n
		}
	}
	if g.lost(pairs) {
		return g
	}
	g.Movement = stat.Number(mean(mapped(baseline, curve.movement)))
	g.changes(p, pairs)
	switch {
	case p.Numerics == Changed:
		g.notInferior(pairs, false)
	case p.Measure == PerSample && !sameBatches(blocks):
		g.Numerics = Changed
		g.Warnings = append(g.Warnings, "the batch size changes, so the losses cannot be compared step by step: they are "+
			"compared after the same number of samples, within --margin")
		g.notInferior(pairs, true)
	default:
		g.sameCurve(pairs, baseline)
	}
	return g
}

// notShown is what could not be shown of the results: by the loss, or by the samples.
func (g Guard) notShown() string {
	switch {
	case g.State == NotShown:
		return g.Reason
	case g.Samples.State == NotShown:
		return g.Samples.Reason
	}
	return ""
}

// lost says so where the losses cannot be compared. A loss that one variant shows and the other hides is not a pass.
func (g *Guard) lost(pairs [][2]curve) bool {
	var before, after int
	for _, pair := range pairs {
		before, after = max(before, len(pair[0].loss)), max(after, len(pair[1].loss))
	}
	switch {
	case before == 0 && after == 0:
		g.Reason = "the program shows no loss"
		return true
	case g.Steps >= max(1, min(before, after)/2) && 2*after >= before && 2*before >= after:
		return false
	}
	g.State = NotShown
	g.Reason = fmt.Sprintf("the baseline reports its loss in %s, the change in %d; only %d steps have both",
		human.Plural(before, "step"), after, g.Steps)
	return true
}

// sameBatches reports whether the steps of both variants have as many samples.
func sameBatches(blocks []Block) bool {
	for _, b := range blocks {
		if !b.counts() || b.Calibration {
			continue
		}
		before, after := b.Outcomes[0].Steps, b.Outcomes[1].Steps
		for i := range min(len(before), len(after)) {
			if before[i].Samples != after[i].Samples {
				return false
			}
		}
	}
	return true
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

// notInferior asks whether the loss surely changed by less than the margin. Rounding makes no model better: a loss that
// falls by more shows that it sees something else. With other batches it may fall faster, and then nothing is shown.
func (g *Guard) notInferior(pairs [][2]curve, otherBatches bool) {
	hi, lo := float64(g.Interval.Hi), float64(g.Interval.Lo)
	known := "over the last quarter of the steps the loss changes by " + signed(float64(g.Change), 2)
	if g.Interval.Lo.Finite() && g.Interval.Hi.Finite() {
		known += fmt.Sprintf(" (%.0f%% interval %s to %s)", 100*g.Interval.Confidence, signed(lo, 2), signed(hi, 2))
	}
	known += "; the margin is " + human.Percent(g.Margin)
	if float64(g.Movement) < g.Margin {
		g.Warnings = append(g.Warnings, fmt.Sprintf("the loss changes by only %s during the run, less than the margin of "+
			"%s, so it cannot show whether the results are unchanged", small(float64(g.Movement)), human.Percent(g.Margin)))
	}
	switch {
	case math.IsNaN(hi):
		g.State, g.Reason = NotShown, "the losses have no steps in common"
	case lo > g.Margin:
		g.State, g.Reason = Failed, known
	case hi < -g.Margin && otherBatches:
		g.State, g.Reason = NotShown, known+": a faster step does not explain such a gain"
	case hi < -g.Margin:
		g.State, g.Reason = Failed, known+": rounding does not improve a loss this much, so the model may see other data"
	case hi < g.Margin && lo > -g.Margin:
		g.State, g.Reason = Passed, known
	default:
		g.State, g.Reason = NotShown, known+fmt.Sprintf(": too few pairs (%d) to show that it is unchanged", len(pairs))
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
	tolerance := min(lossTolerance, max(leastTolerance, movementShare*float64(g.Movement)))
	allowed := selfFactor*self + tolerance
	g.Distance, g.Self, g.Allowed = stat.Number(typical), stat.Number(self), stat.Number(allowed)
	if !repeated {
		g.Warnings = append(g.Warnings, "the baseline ran only once with each seed, so its own spread is not known")
	}
	if self > unrepeatable {
		g.Warnings = append(g.Warnings, fmt.Sprintf("the baseline's own loss varies by %s from run to run, which hides "+
			"small changes; seed the program and its data order", human.Percent(self)))
	}

	// The mean over many steps shows what the noise of single steps hides.
	shift, bound := endShift(pairs, baseline)
	switch {
	case typical > allowed:
		g.State, g.Part = Failed, firstApart(pairs, allowed)
		g.Reason = fmt.Sprintf("the losses of the variants differ by %s%s%s", small(typical), at(g.Part),
			ownSpread(self, repeated))
		if diverged(pairs) {
			g.Reason = "the loss diverges after the change: " + g.Reason
		}
	case math.Abs(shift) > bound+tolerance:
		g.State = Failed
		g.Reason = fmt.Sprintf("over the last quarter of the steps, the loss differs by %s from the baseline; the "+
			"baseline varies by less than %s", signed(shift, 2), small(bound+tolerance))
	case selfFactor*self > max(tolerance, mostAllowed*float64(g.Movement)):
		g.State = NotShown
		g.Reason = fmt.Sprintf("the baseline's loss varies by %s from run to run and changes by only %s during the run, "+
			"so it cannot show that the results are unchanged; seed the program", small(self), small(float64(g.Movement)))
	default:
		g.State = Passed
		g.Reason = fmt.Sprintf("over %d steps the losses of the variants differ by %s%s", g.Steps, small(typical),
			ownSpread(self, repeated))
		if typical == 0 {
			g.Reason = fmt.Sprintf("over %d steps both variants have the same losses%s", g.Steps, ownSpread(self, repeated))
		}
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

// diverged reports whether after's loss ends far above where it began, and before's does not.
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
		return "; the baseline's losses are the same in every run"
	}
	return "; the baseline's vary by up to " + small(self) + " from run to run"
}

// small writes a share that may be tiny.
func small(share float64) string {
	switch {
	case share == 0:
		return "nothing"
	case share < 1e-4:
		return fmt.Sprintf("%.0e of the value", share)
	}
	return fmt.Sprintf("%.2g%%", 100*share)
}
