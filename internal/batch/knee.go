package batch

import (
	"cmp"
	"math"
	"slices"
)

// nearBest is the share of the best samples/s that a batch has to reach to be as fast.
const nearBest = 0.97

// Knee is the smallest measured batch that is as fast as the best.
func Knee(trials []Measured) (knee Measured, best float64, found bool) {
	trials = timed(trials)
	for _, m := range trials {
		best = max(best, m.Rate)
	}
	for _, m := range trials {
		if m.Rate >= nearBest*best {
			return m, best, true
		}
	}
	return Measured{}, 0, false
}

// timed are the trials with a speed, by batch size; of several with one size, the fastest: a pause of the machine makes
// a run slower, nothing makes it faster.
func timed(trials []Measured) []Measured {
	var kept []Measured
	for _, m := range trials {
		if m.Fault == Fits && m.Rate > 0 && m.Purpose != Weighing {
			kept = append(kept, m)
		}
	}
	slices.SortStableFunc(kept, func(a, b Measured) int {
		return cmp.Or(cmp.Compare(a.Batch, b.Batch), cmp.Compare(b.Rate, a.Rate))
	})
	return slices.CompactFunc(kept, func(a, b Measured) bool { return a.Batch == b.Batch })
}

// earlier is a batch size below the knee that is probably as fast, and so worth a trial; 0 where there is none. A step
// takes a fixed time and a time per sample, which the two trials around it tell.
func earlier(trials []Measured) int {
	const margin = 0.98 // of the best: the trial is not to miss by noise
	const worth = 0.8   // of the knee: less is not worth a trial
	knee, best, found := Knee(trials)
	list := timed(trials)
	at := slices.IndexFunc(list, func(m Measured) bool { return m.Batch == knee.Batch })
	if !found || at <= 0 {
		return 0
	}
	below := list[at-1]
	tb, tk := float64(below.Batch)/below.Rate, float64(knee.Batch)/knee.Rate
	each := (tk - tb) / float64(knee.Batch-below.Batch)
	fixed := tk - each*float64(knee.Batch)
	if each <= 0 || fixed <= 0 {
		return 0
	}
	for b := below.Batch + 1; b < int(worth*float64(knee.Batch)); b++ {
		if float64(b)/(fixed+each*float64(b)) >= margin*best {
			up := roundUp(b)
			if float64(up) < worth*float64(knee.Batch) && math.Abs(float64(up-below.Batch)) > 0.1*float64(below.Batch) {
				return up
			}
			return 0
		}
	}
	return 0
}

func roundUp(batch int) int {
	for _, to := range []struct{ from, multiple int }{{128, 16}, {32, 8}, {8, 4}} {
		if batch >= to.from {
			return (batch + to.multiple - 1) / to.multiple * to.multiple
		}
	}
	return batch
}
