package stat

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"saturate/internal/human"
)

// Estimate is a location with its interval.
type Estimate struct {
	N        int      `json:"n"` // samples, of both sides together when there are two
	Value    Number   `json:"value"`
	Interval Interval `json:"interval"`
	Exact    bool     `json:"exact"` // the interval comes from the exact distribution, not from the normal one
	Warnings []string `json:"warnings,omitempty"`
}

// Exp turns the estimate of a log-ratio into that of the ratio.
func (e Estimate) Exp() Estimate {
	e.Value, e.Interval = Number(math.Exp(float64(e.Value))), e.Interval.Exp()
	return e
}

// HodgesLehmann estimates the centre of paired differences: the median of the means of all pairs
// of them, each with itself included. Its interval inverts Wilcoxon's signed-rank test.
// Given log-ratios, Exp of the result is the typical ratio.
func HodgesLehmann(differences []float64, confidence float64) (Estimate, error) {
	if err := errors.Join(checkDifferences(differences), checkConfidence(confidence)); err != nil {
		return Estimate{}, err
	}
	x := slices.Sorted(slices.Values(differences))
	n := len(x)
	k, p := signedRankBound(n, (1-confidence)/2)
	e := estimate(n*(n+1)/2, k, p, x[0], x[n-1], func(t float64) int { return countMeans(x, t) })
	e.N, e.Exact = n, n <= exactSignedRank
	if k == 0 {
		need := int(math.Ceil(1 - math.Log2(1-confidence)))
		e.Warnings = append(e.Warnings, fmt.Sprintf("%s too few for a %g%% interval; run at least %d",
			human.Plural(n, "pair")+human.Choose(n, " is", " are"), 100*confidence, need))
	}
	return e, nil
}

// hodgesLehmannShift estimates by how much after lies above before: the median of all differences
// between one value of each. Its interval inverts the Mann-Whitney test.
func hodgesLehmannShift(before, after []float64, confidence float64) (Estimate, error) {
	if err := errors.Join(checkSamples("before", before), checkSamples("after", after),
		checkConfidence(confidence)); err != nil {
		return Estimate{}, err
	}
	minus := make([]float64, len(before))
	for i, v := range before {
		minus[i] = -v
	}
	slices.Sort(minus)
	y := slices.Sorted(slices.Values(after))
	n, m := len(minus), len(y)
	k, p := mannWhitneyBound(n, m, (1-confidence)/2)
	e := estimate(n*m, k, p, minus[0]+y[0], minus[n-1]+y[m-1], func(t float64) int { return countSums(minus, y, t) })
	e.N, e.Exact = n+m, n <= exactMannWhitney && m <= exactMannWhitney
	if k == 0 {
		e.Warnings = append(e.Warnings, fmt.Sprintf("%d and %s are too few for a %g%% interval; take more of both", n,
			human.Plural(m, "sample"), 100*confidence))
	}
	return e, nil
}

// estimate takes the median of total values that count counts, and as bounds the k-th from below and from above.
func estimate(total, k int, p, lo, hi float64, count func(t float64) int) Estimate {
	rank := func(k int) float64 { return smallestWith(k, lo, hi, count) }
	e := Estimate{
		Value:    Number(rank((total+1)/2)/2 + rank(total/2+1)/2),
		Interval: Interval{Number(math.Inf(-1)), Number(math.Inf(1)), 1},
	}
	if k > 0 {
		e.Interval = Interval{Number(rank(k)), Number(rank(total + 1 - k)), 1 - 2*p}
	}
	return e
}

func checkSamples(side string, values []float64) error {
	if len(values) == 0 {
		return fmt.Errorf("no samples %s", side)
	}
	for i, v := range values {
		if !isFinite(v) {
			return fmt.Errorf("sample %d %s is %g; drop it or measure it again", i+1, side, v)
		}
	}
	return nil
}

func checkConfidence(confidence float64) error {
	if !(confidence > 0 && confidence < 1) {
		return fmt.Errorf("a confidence of %g is not between 0 and 1", confidence)
	}
	return nil
}
