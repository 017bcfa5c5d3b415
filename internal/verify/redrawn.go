package verify

import (
	"fmt"
	"math"

	"saturate/internal/stat"
)

// Worker processes draw their own random numbers, so an augmentation draws others than in the training process, and the
// loss differs by chance. Where the samples were shown to be the same with chance pinned, that alone does not speak
// against the change: the loss has to be as close as its own steps vary.
const (
	// mostByChance is the most of the loss that chance may explain, however much its steps vary.
	mostByChance = 0.1
	// fewestByChance are the steps that tell how much they vary.
	fewestByChance = 6
)

// redrawn judges a loss again that differs by more than the margin, where the change may draw other random numbers.
func (g *Guard) redrawn(p Plan, blocks []Block) {
	beyond := g.State == Failed || math.Abs(float64(g.Change)) > g.Margin
	if !p.Redraws || g.State == Passed || g.State == NotChecked || !beyond || !g.Samples.exact() {
		return
	}
	var pairs [][2]curve
	for _, b := range blocks {
		switch {
		case b.Cause == ByAccuracy:
			return // a loss that is not finite is not chance
		case b.counts() && !b.Calibration:
			pairs = append(pairs, [2]curve{curveOf(b, 0, p), curveOf(b, 1, p)})
		}
	}
	d := apart(pairs)
	if len(d) < fewestByChance {
		return
	}
	shift, bound := mean(d), stat.PairNoise(nil, d).Bound(independent(d), 1-alarm/2)
	known := fmt.Sprintf("over the second half of the steps the loss differs by %s; the "+
		"random draws differ, and its steps vary by %s", signed(shift, 2), small(min(bound, 9.99)))
	switch {
	case math.Abs(shift) > mostByChance:
		g.State, g.Reason = Failed, known+fmt.Sprintf(": more than chance may explain (%.0f%%)", 100*mostByChance)
	case math.Abs(shift) > bound+g.Margin:
		g.State, g.Reason = Failed, known
	default:
		g.State, g.Reason = Passed, known+"; with the draws pinned, all samples are equal"
		g.Warnings = append(g.Warnings, "random augmentation draws differ after the change, "+
			"so the loss is compared by its mean, not step by step")
	}
}

// exact reports whether every sample that was compared was found to be equal, chance pinned.
func (s SampleGuard) exact() bool {
	return s.State == Passed && s.By != "distribution" && s.Checked > 0 && s.Equal == s.Checked
}

// apart is how far the losses of after are from those of before, as shares, step by step over the second half; the mean
// of the pairs, for programs that seed themselves repeat each other.
func apart(pairs [][2]curve) []float64 {
	var steps []int
	sums, counts := map[int]float64{}, map[int]float64{}
	for _, pair := range pairs {
		size, at := pair[0].size(), pair[1].byStep()
		for i, step := range pair[0].steps {
			other, ok := at[step]
			if !ok || 2*i < len(pair[0].steps) {
				continue
			}
			if counts[step] == 0 {
				steps = append(steps, step)
			}
			sums[step], counts[step] = sums[step]+(other-pair[0].loss[i])/size, counts[step]+1
		}
	}
	var d []float64
	for _, step := range steps {
		d = append(d, sums[step]/counts[step])
	}
	return d
}

// independent is how many independent values would show as much as these correlated ones.
func independent(d []float64) float64 {
	centre, all, next := mean(d), 0.0, 0.0
	for i, v := range d {
		all += (v - centre) * (v - centre)
		if i > 0 {
			next += (v - centre) * (d[i-1] - centre)
		}
	}
	if all == 0 {
		return float64(len(d))
	}
	alike := min(0.9, max(0, next/all))
	return max(2, float64(len(d))*(1-alike)/(1+alike))
}
