package whatif

import (
	"math"
	"testing"
)

func TestRecord(t *testing.T) {
	for _, tt := range []struct {
		predicted int64
		measured  []int64
		want      float64
	}{
		{100, []int64{90, 110, 105}, 0},
		{120, []int64{90, 110, 100}, 120.0/110 - 1},
		{45, []int64{90, 110, 100}, -0.5},
	} {
		r, ok := NewRecord(Prediction{StepNS: tt.predicted}, tt.measured...)
		if got := r.Error(); !ok || math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("%d beside %v: %g, want %g", tt.predicted, tt.measured, got, tt.want)
		}
	}
	if _, ok := NewRecord(Prediction{}, 1); ok {
		t.Error("a record without a figure")
	}
	if _, ok := NewRecord(Prediction{StepNS: 1}); ok {
		t.Error("a record without a measurement")
	}
}
