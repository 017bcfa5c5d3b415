package whatif

import (
	"math"
	"testing"
)

func TestRecord(t *testing.T) {
	for _, tt := range []struct {
		predicted, low, high int64
		want                 float64
	}{
		{100, 90, 110, 0},
		{120, 90, 110, 120.0/110 - 1},
		{45, 90, 110, -0.5},
		{45, 0, 0, 0},
	} {
		r := Record{PredictedNS: tt.predicted, MeasuredNS: (tt.low + tt.high) / 2, LowNS: tt.low, HighNS: tt.high}
		if got := r.Error(); math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("%d beside %d to %d: %g, want %g", tt.predicted, tt.low, tt.high, got, tt.want)
		}
	}
}
