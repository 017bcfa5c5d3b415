package stat

import (
	"slices"
	"testing"
)

func TestWarmUp(t *testing.T) {
	for _, test := range []struct {
		name    string
		values  []float64
		d       int
		settled bool
	}{
		{"nothing", nil, 0, true},
		{"too few to tell", []float64{9, 1, 1, 1, 1}, 0, true},
		{"first step", append([]float64{9}, repeat(1, 20)...), 1, true},
		{"three of ten", []float64{5, 3, 2, 1, 1.01, 0.99, 1, 1.02, 0.98, 1}, 3, true},
		{"faster first, a turbo clock", append(repeat(0.8, 10), repeat(1, 40)...), 10, true},
		{"below the jitter", append(repeat(1.002, 10), repeat(1, 40)...), 0, true},
		{"NaN", append([]float64{nan}, repeat(1, 20)...), 0, true},
		{"a spike late", append(append(repeat(1, 30), 50), repeat(1, 29)...), 0, true},
		{"still slow at half", append(repeat(2, 30), repeat(1, 25)...), 27, false},
	} {
		if d, settled := WarmUp(test.values); d != test.d || settled != test.settled {
			t.Errorf("%s: %d (settled %t), want %d (%t)", test.name, d, settled, test.d, test.settled)
		}
	}
}

// Without warm-up, the rule leaves little out.
func TestWarmUpOfNoise(t *testing.T) {
	var left, unsettled int
	const series, steps = 400, 50
	for i := range series {
		d, settled := WarmUp(normal(uint64(i), steps, 1, 0.05))
		left += d
		if !settled {
			unsettled++
		}
	}
	t.Logf("%.1f%% of the steps left out, %d of %d series not settled", 100*float64(left)/series/steps, unsettled, series)
	if left > series*steps/10 || unsettled > series/20 {
		t.Errorf("%d of %d steps left out, %d of %d series not settled", left, series*steps, unsettled, series)
	}
}

func TestWarmUpFindsSlowStart(t *testing.T) {
	found := 0
	for i := range 200 {
		values := normal(uint64(i), 50, 1, 0.05)
		for k := range 5 {
			values[k] += 1.5 / float64(k+1)
		}
		if d, _ := WarmUp(values); slices.Contains([]int{5, 6, 7, 8}, d) {
			found++
		}
	}
	if found < 150 {
		t.Errorf("the end of a warm-up of 5 steps was found to within 3 steps in %d of 200 series", found)
	}
}
