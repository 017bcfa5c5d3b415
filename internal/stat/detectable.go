package stat

import (
	"fmt"
	"math"

	"github.com/aclements/go-moremath/stats"
)

// Power is the chance with which a detectable effect is found.
const Power = 0.8

// Detectable is the smallest effect that an experiment of so many pairs would find,
// judged by an A/A run: the same program against itself.
type Detectable struct {
	Calibration int      `json:"calibration"` // A/A pairs it was judged by
	Noise       Number   `json:"noise"`       // standard deviation of their differences
	Pairs       int      `json:"pairs"`       // planned
	Effect      Number   `json:"effect"`      // in the unit of the differences; infinite when no effect can be found
	Warnings    []string `json:"warnings,omitempty"`
}

// Ratio is the effect as a ratio, when the differences were log-ratios: 1.02 means 2 % and more can be seen.
func (d Detectable) Ratio() Number { return Number(math.Exp(float64(d.Effect))) }

// MinimumDetectable judges from the differences of an A/A run what an experiment of so many pairs
// can see, at significance Alpha and power Power. A claim smaller than that has to be refused.
func MinimumDetectable(differences []float64, pairs int) (Detectable, error) {
	if err := checkDifferences(differences); err != nil {
		return Detectable{}, err
	}
	if len(differences) < 2 {
		return Detectable{}, fmt.Errorf("one A/A pair does not show how much pairs vary: run at least 2, better 6")
	}
	_, sd := moments(differences)
	d := Detectable{
		Calibration: len(differences), Noise: Number(sd), Pairs: pairs,
		Effect: Number(detectable(sd, pairs)),
	}
	if math.IsInf(float64(d.Effect), 1) {
		d.warn("%d pairs can never be significant at %g: plan at least %d", pairs, Alpha, fewestPairs)
	}
	if len(differences) < fewestPairs {
		d.warn("the noise is known from %d A/A pairs only: run at least %d for a dependable figure", len(differences), fewestPairs)
	}
	if sd == 0 {
		d.warn("all A/A pairs differ by the same amount: the clock is too coarse, or the values are not measurements")
	}
	if signFlip(differences).P <= Alpha {
		d.warn("the program differs from itself: the order of the runs matters here, so randomise it")
	}
	return d, nil
}

// PairsNeeded is how many pairs find an effect of the given size through the given noise,
// both in the unit of the differences. It is 0 when more than a million would not.
func PairsNeeded(effect, noise float64) int {
	if !(math.Abs(effect) > 0) || !(noise >= 0) {
		return 0
	}
	const most = 1 << 20
	lo, hi := fewestPairs, fewestPairs
	for detectable(noise, hi) > math.Abs(effect) {
		if lo, hi = hi+1, 2*hi; hi > most {
			return 0
		}
	}
	for lo < hi {
		if middle := (lo + hi) / 2; detectable(noise, middle) <= math.Abs(effect) {
			hi = middle
		} else {
			lo = middle + 1
		}
	}
	return hi
}

// fewestPairs is how many pairs a sign-flip test needs to reach Alpha: 2/2^n <= Alpha.
var fewestPairs = int(math.Ceil(1 - math.Log2(Alpha)))

// detectable is the effect at which a paired test of n pairs has power Power: the critical value
// plus the quantile of the power, in standard errors.
func detectable(sd float64, pairs int) float64 {
	if pairs < fewestPairs {
		return math.Inf(1)
	}
	quantile := stats.InvCDF(stats.TDist{V: float64(pairs - 1)})
	return (quantile(1-Alpha/2) + quantile(Power)) * sd / math.Sqrt(float64(pairs))
}

func (d *Detectable) warn(format string, args ...any) {
	d.Warnings = append(d.Warnings, fmt.Sprintf(format, args...))
}
