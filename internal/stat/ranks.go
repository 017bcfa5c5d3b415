package stat

import (
	"math"
	"slices"
	"sort"

	"github.com/aclements/go-moremath/stats"
)

// Up to these sizes the null distributions are computed exactly, beyond by their normal approximation.
const (
	exactSignedRank  = 200
	exactMannWhitney = 50
)

// signedRankBound returns the largest k with P(W < k) <= tail, and that probability, where W is
// Wilcoxon's signed-rank statistic of n values. 0 means that no k is.
func signedRankBound(n int, tail float64) (k int, p float64) {
	if n > exactSignedRank {
		return normalBound(float64(n)*float64(n+1)/4, float64(n)*float64(n+1)*float64(2*n+1)/24, tail)
	}
	// Each rank is in W or not, with equal chance: adding rank r mixes the distribution with itself moved by r.
	probability := make([]float64, n*(n+1)/2+1)
	probability[0] = 1
	for r := 1; r <= n; r++ {
		for w := r * (r + 1) / 2; w >= 0; w-- {
			moved := 0.0
			if w >= r {
				moved = probability[w-r]
			}
			probability[w] = (probability[w] + moved) / 2
		}
	}
	for sum := probability[0]; sum <= tail; sum += probability[k] {
		k, p = k+1, sum
	}
	return k, p
}

// mannWhitneyBound is signedRankBound for the Mann-Whitney U statistic of n and m values.
func mannWhitneyBound(n, m int, tail float64) (k int, p float64) {
	if n > exactMannWhitney || m > exactMannWhitney {
		nm := float64(n) * float64(m)
		return normalBound(nm/2, nm*float64(n+m+1)/12, tail)
	}
	dist := stats.UDist{N1: n, N2: m}
	k = sort.Search(n*m, func(u int) bool { return dist.CDF(float64(u)) > tail })
	if k == 0 {
		return 0, 0
	}
	return k, dist.CDF(float64(k - 1))
}

// normalBound approximates a bound from mean and variance, with continuity correction.
func normalBound(mean, variance, tail float64) (k int, p float64) {
	sd := math.Sqrt(variance)
	k = max(0, int(math.Floor(mean+0.5+sd*stats.StdNormal.InvCDF(tail))))
	return k, stats.StdNormal.CDF((float64(k) - 0.5 - mean) / sd)
}

// signedRanks replaces each value by the rank of its size, with the value's sign. Equal sizes share their mean rank.
func signedRanks(d []float64) []float64 {
	order := make([]int, len(d))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		switch a, b := math.Abs(d[i]), math.Abs(d[j]); {
		case a < b:
			return -1
		case a > b:
			return 1
		}
		return 0
	})
	ranks := make([]float64, len(d))
	for from := 0; from < len(order); {
		to := from
		for to < len(order) && math.Abs(d[order[to]]) == math.Abs(d[order[from]]) {
			to++
		}
		for _, i := range order[from:to] {
			switch rank := float64(from+1+to) / 2; {
			case d[i] > 0:
				ranks[i] = rank
			case d[i] < 0:
				ranks[i] = -rank
			}
		}
		from = to
	}
	return ranks
}
