package optimize

import (
	"fmt"
	"math"
	"slices"

	"saturate/internal/human"
	"saturate/internal/stat"
	"saturate/internal/verify"
)

// A rung is decided by a sequential test over its pairs. After each pair, the mean of the log-ratios is tested against
// noise (Student's t, one-sided). The chance of a wrong "faster" is divided among all looks (Bonferroni), so that over
// the whole rung it stays below errorRate (see chanceAt). Pairs are added until the rung is decided, until it is
// hopeless, or until there are mostPairs of them.
//
// A few pairs may agree by luck, and then they show too little noise. The noise is therefore taken from all rungs that
// repaired the same program. A rung whose own pairs vary more than that must pass a second test, against their noise
// alone; beside the first test, leeway times its chance of an error is strict enough.
//
// Student's t assumes that the pairs are independent. But other programs, or the host of a virtual machine, take CPU
// time in bursts that last for several pairs. On such a machine a gain must also pass an exact test of how many pairs,
// with runs in random order, favor one side. That takes disturbedPairs of them, unless the gain is larger than any
// disturbance.
//
// A trace is evidence of its own. If it predicted a large gain, and the first pair shows one on a quiet machine, then one
// pair is enough, provided that the new program also beats what the old one took when it was measured last: otherwise a
// run of the old program was merely held up.
const (
	errorRate = 0.001
	leeway    = 10
	mostPairs = 16
	// worth is the smallest gain for which a repair is kept: less is not worth a line in a patch.
	worth = 0.02
	// disturbedPairs can show a gain at the first look by their signs alone: 1/256 < 0.4 * leeway * errorRate.
	disturbedPairs = 8
	// beyondDisturbance is a ratio of times that a disturbed machine does not produce for two equal programs.
	beyondDisturbance = 0.5
	// pairNoise is how much of a step one pair may be off.
	pairNoise = 0.1
	// foretold is a ratio of times, predicted and measured, that one pair is enough for.
	foretold = 0.75
	// hopeful is the confidence of the lucky estimate by which a rung is given up.
	hopeful = 0.95
)

// answer is what the pairs so far say.
type answer int

const (
	goOn answer = iota
	isFaster
	isSlower
	isUseless
)

// pairs are the measurements of a rung.
type pairs struct {
	ratios    []float64 // logarithms, after to before
	disturbed bool      // other work ran on the machine
	before    float64   // the logarithm of the first ratio to what the old program took before; 0 if not known
}

// ask judges the pairs of a rung.
func (p *protocol) ask(seen pairs) answer {
	d, disturbed := seen.ratios, seen.disturbed
	n, least, most := len(d), p.fewest(), p.most()
	switch {
	case p.Quick && (n == 1 && p.trying.possible(d[0]) || n == most):
		return bySign(d)
	case p.Quick:
		return goOn
	case n == 1 && !disturbed && max(d[0], seen.before) <= math.Log(foretold) && p.trying.foretold():
		return isFaster
	case n < least:
		return goOn
	}
	noise := stat.PairNoise(nil, d)
	mean := meanOf(d)
	part := p.part()
	bound := p.bound(noise, disturbed, n, part*chanceAt(n, least, most))
	gain, loss := math.Log1p(-worth), math.Log1p(worth)
	switch {
	case mean < -bound && mean <= gain && (!disturbed || outlasts(d, mean, part)):
		return isFaster
	case mean >= loss && mean > noise.Bound(float64(n), 1-stat.Alpha): // it is dropped in any case
		return isSlower
	case n >= most || p.hopeless(mean, noise, disturbed, n, part):
		return isUseless
	}
	return goOn
}

// possible reports whether a repair can have brought this ratio of times: not more than the part of a step that it
// shortens, and something for noise. Where it cannot, the pair shows noise, and --quick measures two more.
func (r Rung) possible(ratio float64) bool {
	return r.Share == 0 || 1-math.Exp(ratio) <= r.Share+pairNoise
}

// foretold reports whether a trace predicted that a repair makes steps much shorter.
func (r Rung) foretold() bool { return r.Predicted != nil && 1-r.Saves <= foretold }

// hopeless reports whether a rung would not be kept even if the pairs to come were as good as a lucky estimate from the
// pairs so far: either its gain would not be worth a patch, or the last look would not tell it from noise.
func (p *protocol) hopeless(mean float64, noise stat.Noise, disturbed bool, n int, part float64) bool {
	least, most := p.fewest(), p.most()
	lucky := mean - noise.Bound(float64(n), hopeful)
	atEnd := (float64(n)*mean + float64(most-n)*lucky) / float64(most)
	known := stat.Noise{SD: noise.SD, Freedom: most - 1}
	return atEnd > min(math.Log1p(-worth), -p.bound(known, disturbed, most, part*chanceAt(most, least, most)))
}

// bound is a gain that the mean of n pairs of equal programs exceeds with the given chance.
func (p *protocol) bound(own stat.Noise, disturbed bool, n int, chance float64) float64 {
	alone := own.Bound(float64(n), 1-leeway*chance)
	if disturbed {
		return alone // see outlasts
	}
	all := []stat.Noise{own}
	for _, r := range p.state.Rungs {
		if r.From == p.state.Best {
			all = append(all, r.Noise)
		}
	}
	return max(alone, stat.Pool(all).Bound(float64(n), 1-chance))
}

// outlasts reports whether a gain is larger than a disturbed machine produces for two equal programs.
func outlasts(d []float64, mean, part float64) bool {
	if mean <= math.Log(beyondDisturbance) {
		return true
	}
	n := len(d)
	if n < disturbedPairs {
		return false
	}
	test, err := stat.SignFlip(d)
	return err == nil && test.PLess <= leeway*part*chanceAt(n, disturbedPairs, max(n, mostPairs))
}

// chanceAt is the chance of a wrong "faster" at the look after n pairs. The first look has two fifths of errorRate, so
// that it sees a large gain in the fewest pairs. The last has three tenths: a gain of the size of the noise is seen then
// or never. The looks between share the rest.
func chanceAt(n, first, last int) float64 {
	switch {
	case first == last:
		return errorRate
	case n == first:
		return 0.4 * errorRate
	case n == last:
		return 0.3 * errorRate
	}
	return 0.3 * errorRate / float64(last-first-1)
}

// bySign decides by the sign of the only pair.
func bySign(d []float64) answer {
	switch mean := meanOf(d); {
	case mean <= math.Log1p(-worth):
		return isFaster
	case mean >= math.Log1p(worth):
		return isSlower
	}
	return isUseless
}

// fewest pairs that a rung is judged by: one has no spread.
func (p *protocol) fewest() int {
	if p.Quick {
		return 1
	}
	return max(2, p.LadderPairs)
}

// most pairs of a rung.
func (p *protocol) most() int {
	switch {
	case p.Quick:
		return 3
	case p.affordable > 0:
		return max(p.fewest(), min(mostPairs, p.affordable))
	}
	return max(mostPairs, p.LadderPairs)
}

// mostSpent is the share of the time before the proof that the pairs of a rung may take of which no large gain is
// expected: it must not take the time of others.
const mostSpent = 0.25

// afford reckons how many pairs the rung at hand may have within the budget. It keeps that number, so that the chance of
// a wrong decision is divided among the looks that it can have.
func (p *protocol) afford(here *Baseline) {
	p.affordable = 0
	if p.deadline.IsZero() || 1-p.trying.Saves <= foretold {
		return
	}
	left, share := p.deadline.Sub(p.Now())-p.reserved(), mostSpent
	if p.alone {
		share = 1
	}
	if p.trying.again > 0 {
		p.affordable = max(1, p.pairsLeft(here))
		return
	}
	p.affordable = max(1, int(share*left.Seconds()/(2*p.runTime(here, p.screenSteps()))))
}

// enough reports whether the measurement of a rung can stop.
func (p *protocol) enough(v verify.Result) bool { return p.ask(p.pairsIn(v)) != goOn }

func (p *protocol) pairsIn(v verify.Result) pairs {
	seen := pairs{ratios: logRatios(v), disturbed: disturbed(v)}
	if after := v.Sides[verify.After].SecondsPerStep; len(after) > 0 && p.here().SecondsPerStep > 0 {
		seen.before = math.Log(after[0] / p.here().SecondsPerStep)
	}
	return seen
}

// disturbed reports whether other work ran on the machine.
func disturbed(v verify.Result) bool { return slices.ContainsFunc(v.Warnings, verify.AboutMachine) }

func logRatios(v verify.Result) (d []float64) {
	before, after := v.Sides[verify.Before].SecondsPerStep, v.Sides[verify.After].SecondsPerStep
	for i := range min(len(before), len(after)) {
		d = append(d, math.Log(after[i]/before[i]))
	}
	return d
}

func meanOf(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// byPairs decides a rung, in words.
func (p *protocol) byPairs(r *Rung, v verify.Result) {
	seen := p.pairsIn(v)
	d, faster, slower := seen.ratios, 0, 0
	if len(d) > 1 {
		r.Noise = stat.PairNoise(nil, d)
	}
	for _, ratio := range d {
		switch {
		case ratio < 0:
			faster++
		case ratio > 0:
			slower++
		}
	}
	proof := ""
	switch {
	case p.Quick:
		proof, r.Unproven = "; unproven (--quick)", true
	case len(d) < p.fewest():
		proof = ", as predicted"
	}
	switch p.ask(seen) {
	case isFaster:
		r.Decision, r.Because = Kept, fmt.Sprintf("faster in %d of %s%s", faster, pairsOf(len(d)), proof)
	case isSlower:
		r.Decision, r.Because = Harmful, fmt.Sprintf("slower in %d of %s%s", slower, pairsOf(len(d)), proof)
	default:
		if p.affordable > 0 && p.affordable < mostPairs && meanOf(d) <= math.Log1p(-worth) { // with all pairs it might be
			proof, r.Short = "; the budget allows too few pairs to show it", true
		}
		r.Decision, r.Because = Useless, fmt.Sprintf("not shown to be %s faster in %s (faster in %d, slower in %d)%s", human.Percent(worth), pairsOf(len(d)), faster, slower, proof)
	}
}
