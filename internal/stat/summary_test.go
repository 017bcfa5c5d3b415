package stat

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
)

var (
	nan = math.NaN()
	inf = math.Inf(1)
)

func repeat(v float64, n int) []float64 { return slices.Repeat([]float64{v}, n) }

func TestSummarizeBadInput(t *testing.T) {
	ramp := make([]float64, 40)
	for i := range ramp {
		ramp[i] = 1 + float64(i)/40
	}
	for _, test := range []struct {
		name    string
		unit    string
		values  []float64
		n       int
		median  float64
		warning string // in one of the warnings; "" means that there is none
	}{
		{"no samples", "s/it", nil, 0, nan, "no samples"},
		{"only NaN", "s/it", []float64{nan, nan}, 0, nan, "2 of 2 values are NaN"},
		{"some NaN", "s/it", []float64{nan, 1, 2, 3, 4, 5, 6, inf, -inf}, 6, 3.5, "3 of 9 values are NaN or infinite"},
		{"one sample", "s/it", []float64{2}, 1, 2, "take at least 6"},
		{"five samples", "s/it", []float64{1, 2, 3, 4, 5}, 5, 3, "take at least 6"},
		{"six samples", "s/it", []float64{1, 2, 3, 4, 5, 6}, 6, 3.5, ""},
		{"all times equal", "s/it", repeat(0.5, 10), 10, 0.5, "clock is too coarse"},
		{"all counts equal", "samples/s", repeat(16, 10), 10, 16, ""},
		{"severe outliers", "s/it", []float64{1, 1.1, 1.2, 1.05, 1.15, 1, 1.1, 9, 1.2, 9}, 10, 1.125, "2 of 10 values are severe outliers"},
		{"drift", "s/it", ramp, 40, 1.4875, "are correlated"},
		{"huge", "", []float64{-math.MaxFloat64, math.MaxFloat64, 0, 0, 0, 0}, 6, 0, "2 of 6 values are severe outliers"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := Summarize(Series{Name: "x", Unit: test.unit, Values: test.values})
			if got.N != test.n || float64(got.Median) != test.median && !(math.IsNaN(float64(got.Median)) && math.IsNaN(test.median)) {
				t.Errorf("n %d, median %v; want %d, %v", got.N, got.Median, test.n, test.median)
			}
			all := strings.Join(got.Warnings, "\n")
			if (test.warning == "") != (all == "") || !strings.Contains(all, test.warning) {
				t.Errorf("warnings %q, want %q", all, test.warning)
			}
			if _, err := json.Marshal(got); err != nil {
				t.Errorf("cannot be written as JSON: %v", err)
			}
		})
	}
}

func TestSummarizeKeepsTheSeries(t *testing.T) {
	s := Series{Values: []float64{3, 1, nan, 2}}
	Summarize(s)
	Compare(s, s)
	if s.Values[0] != 3 || s.Values[1] != 1 || !math.IsNaN(s.Values[2]) || s.Values[3] != 2 {
		t.Errorf("the values were changed: %v", s.Values)
	}
}
