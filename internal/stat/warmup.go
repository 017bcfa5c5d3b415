package stat

import (
	"math"
	"slices"
)

// fewestSteps is how many values it takes to tell warm-up from noise.
const fewestSteps = 6

// WarmUp finds how many values at the start of a series are not yet like the rest. It is the
// MSER rule (White 1997): leave out the d values that make the standard error of what remains
// the smallest, that is, minimise Σ(x-mean)²/(n-d)² over the first half.
//
// Two additions make it fit for step times. A value beyond Tukey's inner fences of the second half whose neighbors lie
// within them is pulled back to the fence, so that a lone spike in the middle does not pass for the end of the warm-up;
// the first value has no neighbors and stays, since a slow first step is what is looked for. And each value is granted
// a jitter of half a per cent, so that differences below that are not warm-up.
//
// settled is false when the best cut is half of the series: then it was still changing.
func WarmUp(values []float64) (d int, settled bool) {
	n := len(values)
	if n < fewestSteps || len(finite(values)) < n {
		return 0, true
	}
	half := slices.Sorted(slices.Values(values[n/2:]))
	q1, median, q3 := quantile(half, 0.25), quantile(half, 0.5), quantile(half, 0.75)
	jitter := 0.005 * math.Abs(median)
	margin := 1.5 * max(q3-q1, 1.349*jitter) // 1.349 standard deviations lie between the quartiles
	lo, hi := q1-margin, q3+margin

	// From the back: the sum of squares of the values from i on, by Welford's update.
	best := math.Inf(1)
	var mean, squares float64
	for i := n - 1; i >= 0; i-- {
		x := values[i]
		if around := runningMedian(values, i); lo <= around && around <= hi {
			x = min(max(x, lo), hi)
		}
		count := float64(n - i)
		delta := x - mean
		mean += delta / count
		squares += delta * (x - mean)
		if score := (squares + count*jitter*jitter) / (count * count); i <= n/2 && score <= best {
			best, d = score, i
		}
	}
	return d, d < n/2
}

// runningMedian is the median of the value at i and up to two neighbors on either side, as many as both sides have.
func runningMedian(values []float64, i int) float64 {
	reach := min(2, i, len(values)-1-i)
	var window [5]float64
	n := copy(window[:], values[i-reach:i+reach+1])
	slices.Sort(window[:n])
	return window[n/2]
}
