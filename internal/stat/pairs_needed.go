package stat

import "math"

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

// detectable is the smallest effect that so many pairs find if their noise is estimated from them alone.
func detectable(sd float64, pairs int) float64 {
	return Noise{Number(sd), pairs - 1}.Detectable(pairs)
}
