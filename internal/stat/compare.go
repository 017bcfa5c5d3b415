package stat

import (
	"fmt"
	"math"
	"slices"

	"golang.org/x/perf/benchmath"
)

// Comparison says whether two independent series differ, and by how much.
type Comparison struct {
	Name     string   `json:"name"`               // of the series
	Unit     string   `json:"unit"`               // of the values
	Before   Summary  `json:"before"`             // the first series
	After    Summary  `json:"after"`              // the second series
	Ratio    Number   `json:"ratio"`              // median after divided by median before
	Interval Interval `json:"interval"`           // of the ratio
	P        float64  `json:"p"`                  // Mann-Whitney U test, two-sided
	Alpha    float64  `json:"alpha"`              // level of significance
	Warnings []string `json:"warnings,omitempty"` // of the comparison; the summaries carry their own
}

// Compare compares two series of independent samples of one unit.
//
// The interval of the ratio is the Hodges–Lehmann interval of the shift between the logarithms.
// It inverts the same Mann-Whitney test that gives P, so the two agree; it takes for granted that
// the change scales the values without reshaping their distribution, and a warning says
// when the ratio of the medians contradicts that.
func Compare(before, after Series) Comparison {
	c := Comparison{
		Name: after.Name, Unit: after.Unit, Alpha: Alpha, P: 1,
		Before: Summarize(before), After: Summarize(after),
		Ratio: Number(math.NaN()), Interval: undefined(),
	}
	switch {
	case before.Unit != after.Unit:
		c.warn("cannot compare %s with %s: different units", orNone(before.Unit), orNone(after.Unit))
		return c
	case c.Before.N == 0 || c.After.N == 0:
		c.warn("nothing to compare: one side has no samples")
		return c
	}

	x, y := sample(finite(before.Values)), sample(finite(after.Values))
	test := benchmath.AssumeNothing.Compare(x, y)
	c.P = min(1, test.P)
	for _, w := range test.Warnings {
		c.warn("%s", w)
	}

	if c.Before.Median != 0 {
		c.Ratio = c.After.Median / c.Before.Median
	}
	if x.Values[0] <= 0 || y.Values[0] <= 0 {
		c.warn("the ratio has no interval: some values are zero or negative")
		return c
	}
	shift, err := hodgesLehmannShift(logs(x.Values), logs(y.Values), Confidence)
	if err != nil {
		c.warn("the ratio has no interval: %s", err)
		return c
	}
	c.Interval = shift.Interval.Exp()
	if !c.Interval.Contains(float64(c.Ratio)) {
		c.warn("the ratio of the medians is outside the interval: the distribution changed its shape, so look at the samples")
	}
	return c
}

// Significant reports whether the test rejects that both sides are the same.
func (c Comparison) Significant() bool { return c.P <= c.Alpha }

// Delta is the change of the median as benchstat writes it: "-57.12%", "~" when it is not significant, "?" when it has
// no ratio.
func (c Comparison) Delta() string {
	return benchmath.Comparison{P: c.P, Alpha: c.Alpha}.FormatDelta(float64(c.Before.Median), float64(c.After.Median))
}

func (c *Comparison) warn(format string, args ...any) {
	if w := fmt.Sprintf(format, args...); !slices.Contains(c.Warnings, w) {
		c.Warnings = append(c.Warnings, w)
	}
}

func orNone(unit string) string {
	if unit == "" {
		return "values without a unit"
	}
	return unit
}

func logs(values []float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = math.Log(v)
	}
	return out
}
