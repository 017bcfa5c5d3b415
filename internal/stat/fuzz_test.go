package stat

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"slices"
	"testing"
)

// FuzzStatistics feeds any floats to everything: nothing may panic or hang, and every P value is one.
func FuzzStatistics(f *testing.F) {
	encode := func(values ...float64) []byte {
		var data []byte
		for _, v := range values {
			data = binary.LittleEndian.AppendUint64(data, math.Float64bits(v))
		}
		return data
	}
	f.Add([]byte{}, uint8(0))
	f.Add(encode(1, 2, 3, 4, 5, 6, 7), uint8(3))
	f.Add(encode(nan, inf, -inf, 0, -1), uint8(2))
	f.Add(encode(repeat(0.1, 31)...), uint8(9))
	f.Add(encode(math.MaxFloat64, -math.MaxFloat64, 5e-324, 1), uint8(2))
	f.Fuzz(func(t *testing.T, data []byte, cut uint8) {
		var values []float64
		for len(data) >= 8 && len(values) < exactPairs {
			values = append(values, math.Float64frombits(binary.LittleEndian.Uint64(data)))
			data = data[8:]
		}
		at := min(int(cut), len(values))
		checkP := func(what string, p float64) {
			if !(p >= 0 && p <= 1) {
				t.Errorf("%s of %v: p = %g", what, values, p)
			}
		}
		comparison := Compare(Series{Values: values[:at]}, Series{Values: values[at:]})
		checkP("comparison", comparison.P)
		if _, err := json.Marshal(comparison); err != nil {
			t.Errorf("%v: %v", values, err)
		}
		if test, err := SignFlip(values); err == nil {
			checkP("sign flip", test.P)
			checkP("sign flip", test.PLess)
			checkP("sign flip", test.PGreater)
		}
		if test, err := Equivalence(values, 0.01); err == nil {
			checkP("equivalence", test.P)
		}
		if estimate, err := HodgesLehmann(finite(values), 0.9); err == nil && len(values) > 0 && estimate.Interval.Lo > estimate.Interval.Hi {
			t.Errorf("%v: %+v", values, estimate)
		}
		if d, _ := WarmUp(values); d < 0 || d > len(values)/2 {
			t.Errorf("%v: warm-up of %d", values, d)
		}
		if noise := PairNoise(values[:at], values[at:]); noise.Detectable(6) < 0 {
			t.Errorf("%v: %+v detects %g", values, noise, noise.Detectable(6))
		}
		if w, f := Winsorized(values), finite(values); len(f) > 0 && isFinite(w) && (w < slices.Min(f) || w > slices.Max(f)) {
			t.Errorf("%v: Winsorized mean %g", values, w)
		}
		if adjusted, err := Holm(values); err == nil {
			for i, p := range adjusted {
				checkP("Holm", p)
				if p < values[i] {
					t.Errorf("Holm made %g of %g", p, values[i])
				}
			}
		}
	})
}
