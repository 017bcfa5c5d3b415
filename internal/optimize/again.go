package optimize

import (
	"slices"

	"saturate/internal/verify"
)

// again is a repair that seemed faster and ran out of pairs, because others were to have their part of the budget. When
// nothing else is left to try, it is measured once more with all the time before the proof, on fresh runs.
func (p *protocol) again(list []Candidate, here *Baseline) (c Candidate, found bool) {
	best := 1.0
	for _, r := range p.state.Rungs {
		at := slices.IndexFunc(list, func(x Candidate) bool { return x.ID == r.ID })
		if !r.Short || at < 0 || r.From != p.state.Best || float64(r.Ratio) >= best || p.tries(r.ID) > 1 || p.pairsLeft(here) < pairsFor(r) {
			continue
		}
		c, found, best = list[at], true, float64(r.Ratio)
		if c.again = 0.5; isDisturbed(r) && r.Pairs < disturbedPairs {
			c.again = 1
		}
	}
	return c, found
}

// tries is how often a repair was tried.
func (p *protocol) tries(id string) (n int) {
	for _, r := range p.state.Rungs {
		if r.ID == id {
			n++
		}
	}
	return n
}

// pairsFor is how many pairs a second measurement has to have: more than the first, and enough to tell on a machine that
// other work disturbs.
func pairsFor(r Rung) int {
	if isDisturbed(r) {
		return max(r.Pairs+1, disturbedPairs)
	}
	return r.Pairs + 1
}

func isDisturbed(r Rung) bool { return slices.ContainsFunc(r.Warnings, verify.AboutMachine) }

// pairsLeft is how many pairs of runs fit into the time before the proof of a program like the current one.
func (p *protocol) pairsLeft(here *Baseline) int {
	left := p.deadline.Sub(p.Now()) - p.proofTime(here, 0)
	return int(left.Seconds() / (2 * p.runTime(here, p.screenSteps())))
}

// part is the share of errorRate that the rung at hand has: half of it if its pairs are limited, because it may be
// measured again, and the other half then. Few pairs on a disturbed machine show no gain at all, and use up nothing.
func (p *protocol) part() float64 {
	switch {
	case p.trying.again > 0:
		return p.trying.again
	case p.affordable > 0 && p.affordable < mostPairs:
		return 0.5
	}
	return 1
}
