package stat

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
)

func TestCompare(t *testing.T) {
	slow := []float64{1.40, 1.42, 1.45, 1.39, 1.43, 1.41}
	fast := []float64{0.61, 0.60, 0.63, 0.62, 0.59, 0.64}
	for _, test := range []struct {
		name          string
		before, after []float64
		delta         string
		warning       string
	}{
		{"faster", slow, fast, "-56.54%", ""},
		{"the same", slow, slow, "~", ""},
		{"no samples", slow, nil, "~", "nothing to compare"},
		{"all NaN", []float64{nan}, fast, "~", "nothing to compare"},
		{"too few", slow[:3], fast[:3], "~", "need >= 4 samples"},
		{"one each", slow[:1], fast[:1], "~", "need >= 4 samples"},
		{"all equal", repeat(1, 6), repeat(1, 6), "~", "all samples are equal"},
		{"equal within, different between", repeat(2, 6), repeat(1, 6), "-50.00%", ""},
		{"NaN among them", append([]float64{nan, inf}, slow...), fast, "-56.54%", ""},
		{"zeros", repeat(0, 6), fast, "?", "zero or negative"},
		{"negative", []float64{-1, -2, -3, -4}, []float64{1, 2, 3, 4}, "-200.00%", "zero or negative"},
		{"reshaped", []float64{1, 1.01, 1.02, 1.03, 1.04, 1.05, 1.06, 1.07}, []float64{0.5, 0.51, 0.52, 9, 9.1, 9.2, 9.3, 9.4}, "~", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := Compare(Series{Unit: "s/it", Values: test.before}, Series{Unit: "s/it", Values: test.after})
			if got.Delta() != test.delta {
				t.Errorf("delta %s (p %g), want %s", got.Delta(), got.P, test.delta)
			}
			all := strings.Join(got.Warnings, "\n")
			if (test.warning == "") != (all == "") || !strings.Contains(all, test.warning) {
				t.Errorf("warnings %q, want %q", all, test.warning)
			}
			if !(got.P >= 0 && got.P <= 1) {
				t.Errorf("p is %g", got.P)
			}
			if _, err := json.Marshal(got); err != nil {
				t.Errorf("cannot be written as JSON: %v", err)
			}
		})
	}
}

func TestCompareUnits(t *testing.T) {
	got := Compare(Series{Unit: "s/it", Values: []float64{1}}, Series{Unit: "samples/s", Values: []float64{1}})
	if got.Significant() || len(got.Warnings) != 1 || !strings.Contains(got.Warnings[0], "different units") {
		t.Errorf("%+v", got)
	}
}

// Two speeds, of which the other one becomes the more frequent: the median doubles, most values stay.
func TestCompareReshaped(t *testing.T) {
	mixed := func(seed uint64, slow int) Series {
		return Series{Values: append(normal(seed, 100-slow, 1, 0.01), normal(seed+1, slow, 2, 0.01)...)}
	}
	got := Compare(mixed(1, 45), mixed(3, 55))
	if got.Ratio < 1.9 || len(got.Warnings) != 1 || !strings.Contains(got.Warnings[0], "changed its shape") {
		t.Errorf("ratio %v in %+v, %q", got.Ratio, got.Interval, got.Warnings)
	}
}

func TestCompareRatioInterval(t *testing.T) {
	before := []float64{1.00, 1.01, 1.02, 1.03, 1.04, 1.05, 1.06, 1.07}
	after := make([]float64, len(before))
	for i, v := range before {
		after[i] = v / 2
	}
	got := Compare(Series{Values: before}, Series{Values: after})
	if math.Abs(float64(got.Ratio)-0.5) > 1e-12 || !got.Interval.Contains(0.5) || !got.Interval.Within(0.45, 0.55) || got.Interval.Confidence < Confidence {
		t.Errorf("ratio %v in %+v", got.Ratio, got.Interval)
	}
}
