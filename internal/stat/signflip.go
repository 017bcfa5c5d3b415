package stat

import (
	"math"
	"math/rand/v2"
	"slices"
)

// exactPairs is the most pairs for which every assignment of signs is counted: 2^30 of them,
// through the sorted sums of two halves, in some ten milliseconds.
const exactPairs = 30

// seed makes the Monte Carlo tests reproducible for everybody.
const seed = 1

// SignFlipTest is the result of a sign-flip permutation test.
type SignFlipTest struct {
	N         int     `json:"n"`
	P         float64 `json:"p"`         // two-sided
	PLess     float64 `json:"p_less"`    // against a positive effect: small when the differences are negative
	PGreater  float64 `json:"p_greater"` // against a negative effect
	Exact     bool    `json:"exact"`     // every assignment of signs was counted
	Resamples int     `json:"resamples,omitempty"`
}

// SignFlip tests whether paired differences are centred on zero: if they are, each could as well
// have had the other sign. P is the share of all sign assignments whose sum is at least as extreme.
// With n pairs it cannot be smaller than 2/2^n, so fewer than 6 pairs never reach 0.05.
// Up to 30 pairs the test is exact; beyond, it draws signs from a fixed seed.
func SignFlip(differences []float64) (SignFlipTest, error) {
	if err := checkDifferences(differences); err != nil {
		return SignFlipTest{}, err
	}
	return signFlip(differences), nil
}

func signFlip(differences []float64) SignFlipTest {
	test := SignFlipTest{N: len(differences), P: 1, PLess: 1, PGreater: 1, Exact: true}
	d, largest := slices.Clone(differences), 0.0
	for _, v := range d {
		largest = max(largest, math.Abs(v))
	}
	if largest == 0 {
		return test
	}
	var observed, size float64
	for i := range d {
		d[i] /= largest // so that no sum overflows
		observed += d[i]
		size += math.Abs(d[i])
	}

	// Sums that are equal except for rounding count as ties.
	tolerance := 1e-12 * size
	var atLeast, atMost, atLeastAbs float64
	if len(d) <= exactPairs {
		left, right := signedSums(d[:len(d)/2]), signedSums(d[len(d)/2:])
		all := math.Exp2(float64(len(d)))
		below := func(t float64) float64 { return float64(countSums(left, right, t)) / all }
		atMost = below(observed + tolerance)
		atLeast = below(-observed + tolerance) // the sums are symmetric about zero
		atLeastAbs = 2 * below(-math.Abs(observed)+tolerance)
	} else {
		test.Exact = false
		test.Resamples = min(99_999, max(999, 200_000_000/len(d)))
		less, greater, extreme := 1, 1, 1 // the observed signs are one of the assignments
		random := rand.New(rand.NewPCG(seed, 0))
		for range test.Resamples {
			sum := randomSum(d, random)
			if sum <= observed+tolerance {
				less++
			}
			if sum >= observed-tolerance {
				greater++
			}
			if math.Abs(sum) >= math.Abs(observed)-tolerance {
				extreme++
			}
		}
		all := float64(test.Resamples + 1)
		atMost, atLeast, atLeastAbs = float64(less)/all, float64(greater)/all, float64(extreme)/all
	}
	test.P, test.PLess, test.PGreater = min(1, atLeastAbs), min(1, atMost), min(1, atLeast)
	return test
}

// signedSums returns the sorted sums of d under every assignment of signs.
func signedSums(d []float64) []float64 {
	sums := []float64{0}
	for _, v := range d {
		for _, sum := range sums {
			sums = append(sums, sum+v)
		}
		for i := range sums[:len(sums)/2] {
			sums[i] -= v
		}
	}
	slices.Sort(sums)
	return sums
}

// randomSum adds up d with random signs.
func randomSum(d []float64, random *rand.Rand) float64 {
	var sum float64
	var signs uint64
	for i, v := range d {
		if i%64 == 0 {
			signs = random.Uint64()
		}
		if signs&1 == 1 {
			v = -v
		}
		sum += v
		signs >>= 1
	}
	return sum
}
