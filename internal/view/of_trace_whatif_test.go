package view

import (
	"slices"
	"testing"

	"saturate/internal/human"
	"saturate/internal/whatif"
)

// A prediction without a figure has a range where that says something, and nothing where there is none.
func TestUnknownPredictions(t *testing.T) {
	for _, tt := range []struct {
		interval [2]int64
		want     []string
	}{
		{[2]int64{}, []string{human.Missing, human.Missing}},
		{[2]int64{1e6, 2e6}, []string{unknownStep, "1.00 ms – 2.00 ms"}},
		{[2]int64{1e6, 9e6}, []string{unknownStep, human.Missing}},
	} {
		row := traceView{}.helpRow("TRC112", whatif.Prediction{IntervalNS: tt.interval}, "")
		if got := row[1:3]; !slices.Equal(got, tt.want) {
			t.Errorf("%v: %q, want %q", tt.interval, got, tt.want)
		}
	}
}
