package stat

import (
	"errors"
	"fmt"
	"math"
)

// checkDifferences refuses differences that no test is defined for.
func checkDifferences(d []float64) error {
	if len(d) == 0 {
		return errors.New("no pairs; run at least one")
	}
	for i, v := range d {
		if !isFinite(v) {
			return fmt.Errorf("the difference of pair %d is %g; repeat that pair", i+1, v)
		}
	}
	return nil
}

// countSums counts the pairs with a[i]+b[j] <= t. Both slices are sorted.
func countSums(a, b []float64, t float64) int {
	count, j := 0, len(b)
	for _, v := range a {
		for j > 0 && v+b[j-1] > t {
			j--
		}
		count += j
	}
	return count
}

// countMeans counts the pairs i <= j with the mean of x[i] and x[j] <= t. x is sorted.
func countMeans(x []float64, t float64) int {
	count, j := 0, len(x)
	for i, v := range x {
		for j > i && v/2+x[j-1]/2 > t {
			j--
		}
		if j <= i {
			break
		}
		count += j - i
	}
	return count
}

// smallestWith finds the smallest float in [lo, hi] with count(t) >= k, that is the k-th smallest
// of the values that count counts. It bisects the floats themselves, so the answer is exact
// and the values, which may be many millions, are never listed.
func smallestWith(k int, lo, hi float64, count func(t float64) int) float64 {
	first, last := ordered(lo), ordered(hi)
	for first < last {
		middle := first + (last-first)/2
		if count(unordered(middle)) >= k {
			last = middle
		} else {
			first = middle + 1
		}
	}
	return unordered(first)
}

// ordered maps floats to integers of the same order; unordered is its inverse.
func ordered(f float64) uint64 {
	bits := math.Float64bits(f)
	if bits>>63 == 1 {
		return ^bits
	}
	return bits | 1<<63
}

func unordered(u uint64) float64 {
	if u>>63 == 1 {
		return math.Float64frombits(u &^ (1 << 63))
	}
	return math.Float64frombits(^u)
}
