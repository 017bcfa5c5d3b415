package stat

import (
	"fmt"
	"math"
	"slices"

	"golang.org/x/perf/benchmath"

	"saturate/internal/human"
)

// Summary describes one series. Values that are NaN or infinite are left out and counted;
// with no value left every figure is NaN.
type Summary struct {
	Name     string   `json:"name"`               // of the series
	Unit     string   `json:"unit"`               // of the values
	N        int      `json:"n"`                  // number of values
	LeftOut  int      `json:"left_out,omitempty"` // NaN or infinite
	Median   Number   `json:"median"`
	Interval Interval `json:"interval"` // of the median, for any distribution
	Mean     Number   `json:"mean"`
	SD       Number   `json:"sd"` // NaN for a single value
	Min      Number   `json:"min"`
	Max      Number   `json:"max"`
	P5       Number   `json:"p5"`
	P95      Number   `json:"p95"`
	Outliers Outliers `json:"outliers"`           // values beyond Tukey's fences
	Warnings []string `json:"warnings,omitempty"` // about the values
}

// Summarize describes a series.
func Summarize(s Series) Summary {
	values := finite(s.Values)
	sum := Summary{Name: s.Name, Unit: s.Unit, N: len(values), LeftOut: len(s.Values) - len(values)}
	if sum.N == 0 {
		nan := Number(math.NaN())
		sum.Median, sum.Mean, sum.SD, sum.Min, sum.Max, sum.P5, sum.P95 = nan, nan, nan, nan, nan, nan, nan
		sum.Interval = undefined()
		sum.Warnings = sum.warnings(values)
		return sum
	}

	mean, sd := moments(values)
	sorted := slices.Sorted(slices.Values(values))
	median := benchmath.AssumeNothing.Summary(sample(sorted), Confidence)
	sum.Median = Number(median.Center)
	sum.Interval = Interval{Number(median.Lo), Number(median.Hi), median.Confidence}
	sum.Mean, sum.SD = Number(mean), Number(sd)
	sum.Min, sum.Max = Number(sorted[0]), Number(sorted[len(sorted)-1])
	sum.P5, sum.P95 = Number(quantile(sorted, 0.05)), Number(quantile(sorted, 0.95))
	sum.Outliers = classify(sorted)
	sum.Warnings = sum.warnings(values)
	return sum
}

// warnings says what makes the summary less than it seems, and what to do about it.
func (s Summary) warnings(values []float64) []string {
	var w []string
	if s.LeftOut > 0 {
		w = append(w, fmt.Sprintf("%d of %d values %s NaN or infinite and left out; find out why before you trust the rest",
			s.LeftOut, s.N+s.LeftOut, human.Choose(s.LeftOut, "is", "are")))
	}
	switch {
	case s.N == 0:
		return append(w, "no samples")
	case math.IsInf(float64(s.Interval.Lo), 0) || math.IsInf(float64(s.Interval.Hi), 0):
		// The widest interval, from the smallest to the largest value, misses the median with probability 2/2^n.
		need := int(math.Ceil(1 - math.Log2(1-Confidence)))
		w = append(w, fmt.Sprintf("%s too few for a %g%% interval of the median; take at least %d",
			human.Plural(s.N, "sample")+human.Choose(s.N, " is", " are"), 100*Confidence, need))
	case s.Min == s.Max && isTime(s.Unit):
		w = append(w, fmt.Sprintf("all %d times are equal: the clock is too coarse, or the values are not measurements", s.N))
	}
	if severe := s.Outliers.Severe(); severe*20 > s.N {
		w = append(w, fmt.Sprintf("%d of %d values %s; check for evaluation, checkpoints and other programs", severe, s.N,
			human.Choose(severe, "is a severe outlier", "are severe outliers")))
	}
	if r := autocorrelation(values); s.N >= 20 && r > 0.3 && r > 2.576/math.Sqrt(float64(s.N)) {
		w = append(w, fmt.Sprintf("consecutive values are correlated (%.2f), so the interval is too narrow; compare "+
			"several processes, not only steps", r))
	}
	return w
}

// sample wraps sorted values for benchmath, which sorts what it is given in place.
func sample(sorted []float64) *benchmath.Sample {
	thresholds := benchmath.DefaultThresholds
	thresholds.CompareAlpha = Alpha
	return benchmath.NewSample(sorted, &thresholds)
}

// moments returns the mean and the standard deviation (n-1), by Welford's update.
func moments(values []float64) (mean, sd float64) {
	var squares float64
	for i, v := range values {
		delta := v - mean
		mean += delta / float64(i+1)
		squares += delta * (v - mean)
	}
	return mean, math.Sqrt(squares / float64(len(values)-1))
}

// autocorrelation is the correlation of each value with the next one; 0 when it is not defined.
func autocorrelation(values []float64) float64 {
	if len(values) < 3 {
		return 0
	}
	mean, _ := moments(values)
	var with, all float64
	for i, v := range values {
		all += (v - mean) * (v - mean)
		if i > 0 {
			with += (v - mean) * (values[i-1] - mean)
		}
	}
	if r := with / all; isFinite(r) {
		return r
	}
	return 0
}
