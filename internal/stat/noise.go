package stat

import (
	"math"
	"slices"

	"github.com/aclements/go-moremath/stats"
)

// power is the chance with which a detectable effect is found.
const power = 0.8

// Noise is how much the differences of pairs vary although nothing changed between the pairs.
type Noise struct {
	SD      Number `json:"sd"`      // in the unit of the differences; NaN when nothing was measured
	Freedom int    `json:"freedom"` // degrees of freedom that SD is known from
}

// PairNoise pools what an experiment tells about its noise: A/A pairs vary about zero, since both
// of their runs are the same program; the pairs that are compared vary about their own centre.
func PairNoise(calibration, differences []float64) Noise {
	known := []Noise{}
	for _, d := range calibration {
		known = append(known, Noise{Number(d), 1})
	}
	if len(differences) > 1 {
		_, sd := moments(differences)
		known = append(known, Noise{Number(sd), len(differences) - 1})
	}
	return Pool(known)
}

// Pool is the noise of several experiments of the same kind.
func Pool(list []Noise) Noise {
	var squares float64
	freedom := 0
	for _, n := range list {
		if n.Freedom > 0 {
			squares += float64(n.SD) * float64(n.SD) * float64(n.Freedom)
			freedom += n.Freedom
		}
	}
	if freedom == 0 {
		return Noise{SD: Number(math.NaN())}
	}
	return Noise{Number(math.Sqrt(squares / float64(freedom))), freedom}
}

// Critical is the difference that so many pairs have to exceed before it is more than noise at Alpha.
func (n Noise) Critical(pairs int) float64 { return n.Bound(float64(pairs), 1-Alpha/2) }

// Detectable is the difference that so many pairs find with probability Power: the critical value
// plus the quantile of the power. A claim smaller than that has to be refused.
func (n Noise) Detectable(pairs int) float64 {
	if pairs < fewestPairs {
		return math.Inf(1)
	}
	return n.Critical(pairs) + n.Bound(float64(pairs), power)
}

// Bound is what the mean of so many differences stays below with the given probability when there is only noise.
func (n Noise) Bound(differences, probability float64) float64 {
	if n.Freedom == 0 || !(differences > 0) {
		return math.Inf(1)
	}
	return stats.InvCDF(stats.TDist{V: float64(n.Freedom)})(probability) * float64(n.SD) / math.Sqrt(differences)
}

// Winsorized is the mean after some of the largest and of the smallest values, 9% at either end, are replaced by
// the nearest of the rest. Unlike the median it counts a slow step in every eight, such as a loader with eight
// workers makes: fewer than that are ever replaced. Unlike the mean it does not follow the few steps
// that the machine stumbled over.
func Winsorized(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(finite(values)))
	n := len(sorted)
	if n == 0 {
		return math.NaN()
	}
	cut := max(0, min(n*9/100, n/8-1))
	for i := range cut {
		sorted[i], sorted[n-1-i] = sorted[cut], sorted[n-1-cut]
	}
	mean, _ := moments(sorted)
	return mean
}
