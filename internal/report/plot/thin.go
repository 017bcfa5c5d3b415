package plot

import (
	"math"
	"slices"

	"saturate/internal/human"
)

// mostDots is how many dots of one series are drawn. More cannot be told apart and make the page heavy.
const mostDots = 1500

// largestFinite keeps sums and differences of values from overflowing.
const largestFinite = 1e300

func isFinite(v float64) bool { return math.Abs(v) <= largestFinite }

// finite leaves out NaN and infinities, and counts them.
func finite(values []float64) (kept []float64, left int) {
	kept = make([]float64, 0, len(values))
	for _, v := range values {
		if isFinite(v) {
			kept = append(kept, v)
		}
	}
	return kept, len(values) - len(kept)
}

// sortedFinite is finite in ascending order.
func sortedFinite(values []float64) (kept []float64, left int) {
	kept, left = finite(values)
	slices.Sort(kept)
	return kept, left
}

// thinRanks takes evenly spaced ranks of sorted values, the smallest and the largest among them:
// the distribution stays what it is.
func thinRanks(sorted []float64, most int) []float64 {
	if len(sorted) <= most || most < 2 {
		return sorted
	}
	out := make([]float64, most)
	for i := range out {
		out[i] = sorted[i*(len(sorted)-1)/(most-1)]
	}
	return out
}

// thinExtremes keeps the indices of the smallest and the largest value of each of the buckets:
// every spike stays. Values that are not finite are skipped.
func thinExtremes(values []float64, buckets int) []int {
	if len(values) <= 2*buckets {
		kept := make([]int, 0, len(values))
		for i, v := range values {
			if isFinite(v) {
				kept = append(kept, i)
			}
		}
		return kept
	}
	var kept []int
	for b := range buckets {
		from, to := b*len(values)/buckets, (b+1)*len(values)/buckets
		low, high := -1, -1
		for i := from; i < to; i++ {
			if !isFinite(values[i]) {
				continue
			}
			if low < 0 || values[i] < values[low] {
				low = i
			}
			if high < 0 || values[i] > values[high] {
				high = i
			}
		}
		if low < 0 {
			continue
		}
		kept = append(kept, min(low, high))
		if low != high {
			kept = append(kept, max(low, high))
		}
	}
	return kept
}

func thinnedRemark(drawn, all int, noun string) string {
	if drawn >= all {
		return ""
	}
	return human.Count(drawn) + " of " + human.Plural(all, noun, noun+"s") + " drawn"
}

func leftOutRemark(left int, noun, why string) string {
	if left == 0 {
		return ""
	}
	return "left out: " + human.Plural(left, noun, noun+"s") + " (" + why + ")"
}

// Reasons to leave a value out.
const (
	noNumber     = "not a finite number"
	notPositive  = "not above zero"
	withoutWidth = "negative, or not a finite number"
)

// median of sorted values; there is at least one.
func median(sorted []float64) float64 {
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
