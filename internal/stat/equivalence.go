package stat

import (
	"fmt"
	"math"

	"saturate/internal/human"
)

// EquivalenceTest says whether paired differences are too small to matter.
// P > Alpha in a test for a difference does not show sameness; this test does.
type EquivalenceTest struct {
	N          int      `json:"n"`
	Margin     float64  `json:"margin"`     // differences within ±Margin do not matter
	PLower     float64  `json:"p_lower"`    // against a centre at or below -Margin
	PUpper     float64  `json:"p_upper"`    // against a centre at or above +Margin
	P          float64  `json:"p"`          // the larger of the two
	Equivalent bool     `json:"equivalent"` // P <= Alpha
	Exact      bool     `json:"exact"`
	Interval   Interval `json:"interval"` // Hodges–Lehmann at 1-2·Alpha: equivalent when it lies within ±Margin
	Warnings   []string `json:"warnings,omitempty"`
}

// Equivalence makes two one-sided tests (TOST): that the centre of the differences lies above -margin,
// and that it lies below +margin. Each is Wilcoxon's signed-rank test, computed by flipping
// the signs of the ranks, so that ties need no correction.
// For log-ratios a margin of log(1.01) means "within one per cent".
func Equivalence(differences []float64, margin float64) (EquivalenceTest, error) {
	if !(margin > 0) || math.IsInf(margin, 0) {
		return EquivalenceTest{}, fmt.Errorf("an equivalence margin of %g is not a positive number", margin)
	}
	centre, err := HodgesLehmann(differences, 1-2*Alpha)
	if err != nil {
		return EquivalenceTest{}, err
	}
	moved := func(by float64) []float64 {
		d := make([]float64, len(differences))
		for i, v := range differences {
			d[i] = v + by
		}
		return signedRanks(d)
	}
	lower, upper := signFlip(moved(margin)), signFlip(moved(-margin))
	test := EquivalenceTest{
		N: len(differences), Margin: margin,
		PLower: lower.PGreater, PUpper: upper.PLess,
		Exact: lower.Exact, Interval: centre.Interval,
	}
	test.P = max(test.PLower, test.PUpper)
	test.Equivalent = test.P <= Alpha
	if need := int(math.Ceil(-math.Log2(Alpha))); test.N < need {
		test.Warnings = append(test.Warnings, fmt.Sprintf("%s cannot show equivalence at %g; run at least %d",
			human.Plural(test.N, "pair"), Alpha, need))
	}
	return test, nil
}
