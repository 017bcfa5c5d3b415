package optimize

import (
	"math"
	"slices"

	"saturate/internal/analyze"
)

// perMinute is the expected gain of a repair per minute of measuring it, as the logarithm of the speedup.
func (p *protocol) perMinute(c Candidate, here *Baseline) float64 {
	return gain(c) / (p.cost(c, here) / 60)
}

// gain is how much faster a repair is expected to make the program, in the logarithm.
func gain(c Candidate) float64 { return -math.Log(1 - min(c.Saves, 0.99)) }

// before orders candidates: the most gain per minute of measuring first. If two promise the same, CUDA graphs come
// before compiling alone, which they include.
func (p *protocol) before(here *Baseline) func(a, b Candidate) int {
	return func(a, b Candidate) int {
		switch left, right := p.perMinute(a, here), p.perMinute(b, here); {
		case left > right:
			return -1
		case left < right:
			return 1
		case records(a) && asksFor(b, askCompile):
			return -1
		case records(b) && asksFor(a, askCompile):
			return 1
		}
		return 0
	}
}

const (
	askGraphs  = "launch=graphs"
	askStep    = "launch=step"
	askCompile = "launch=compile"
)

// records reports a candidate that records CUDA graphs.
func records(c Candidate) bool { return asksFor(c, askGraphs) || asksFor(c, askStep) }

// asksFor reports whether a trace is asked this question first about a candidate.
func asksFor(c Candidate, question string) bool {
	asks := asksOf(c)
	return len(asks) > 0 && asks[0] == question
}

// next is the candidate to try now. short is set if there are candidates but none can be decided in the time before the
// proof.
func (p *protocol) next(list []Candidate, here *Baseline) (c Candidate, found, short bool) {
	var first *Candidate
	for i, c := range list {
		if c.Saves < worth || !p.ready(c, here) || p.waits(c, list, here) {
			continue
		}
		if p.fits(c, here) && !p.small(c, first, here) {
			return c, true, false
		}
		if first == nil {
			first = &list[i]
		}
	}
	switch {
	case first == nil:
		return Candidate{}, false, false
	case p.state.Best == baseTree && !p.expired(): // nothing is there to be proven, and the next call goes on
		return *first, true, false
	}
	return Candidate{}, false, true
}

// small reports whether a candidate is not worth the time that another needs, which promises more than twice as much and
// leaves too little time for the whole proof: as long as nothing was kept, there is nothing to prove.
func (p *protocol) small(c Candidate, first *Candidate, here *Baseline) bool {
	return first != nil && p.state.Best == baseTree && 2*gain(c) < gain(*first) && !p.Now().Add(inSeconds(p.cost(*first, here))).After(p.deadline)
}

// waits reports whether a candidate is postponed: what compiles, while something cheaper is left to try, a safe fix until
// all of them were tried at once, and compiling alone. If launches bound the step, CUDA graphs remove more of them than compiling, and they compile as well; it is tried when all of
// those have failed.
func (p *protocol) waits(c Candidate, list []Candidate, here *Baseline) bool {
	if p.cheaperFirst(c, list, here) || p.covered(c, list, here) {
		return true
	}
	if !asksFor(c, askCompile) {
		return false
	}
	for _, r := range p.kept() {
		if r.Choice == c.Choice && records(r.Candidate) {
			return true
		}
	}
	return here.bound() == string(analyze.ByLaunch) && slices.ContainsFunc(list, func(x Candidate) bool {
		return x.Choice == c.Choice && records(x) && x.Saves >= worth && p.ready(x, here)
	})
}

// cheaperFirst reports whether a candidate that compiles waits for others that do not: once it is kept, each run of each
// later try compiles, too. It does not wait where too little time would be left for the best that compiles.
func (p *protocol) cheaperFirst(c Candidate, list []Candidate, here *Baseline) bool {
	if !p.effort(c).compiles() {
		return false
	}
	left := math.Inf(1)
	if !p.deadline.IsZero() {
		best := slices.IndexFunc(list, func(x Candidate) bool { return p.effort(x).compiles() && p.ready(x, here) })
		left = (p.deadline.Sub(p.Now()) - p.proofTime(here, compiled)).Seconds() - patient*p.cost(list[max(0, best)], here)
	}
	return slices.ContainsFunc(list, func(x Candidate) bool {
		return x.Saves >= worth && p.effort(x) == "" && p.ready(x, here) && p.cost(x, here) < left
	})
}

// patient is how many times the expected time of a try that compiles is kept for it: how long a compiler takes is not known before.
const patient = 2
