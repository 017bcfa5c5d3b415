package optimize

import (
	"cmp"
	"math"
	"slices"
	"time"

	"saturate/internal/analyze"
	"saturate/internal/finding"
)

// perMinute is the expected gain of a repair per minute of measuring it, as the logarithm of the speedup.
func (p *protocol) perMinute(c Candidate, here *Baseline) float64 {
	gain := -math.Log(1 - min(c.Saves, 0.99))
	return gain / (p.cost(c, here) / 60)
}

// before orders candidates: the most gain per minute of measuring first. If two promise the same, CUDA graphs come
// before compiling alone, which they include.
func (p *protocol) before(here *Baseline) func(a, b Candidate) int {
	return func(a, b Candidate) int {
		switch left, right := p.perMinute(a, here), p.perMinute(b, here); {
		case left > right:
			return -1
		case left < right:
			return 1
		case asksFor(a, askGraphs) && asksFor(b, askCompile):
			return -1
		case asksFor(b, askGraphs) && asksFor(a, askCompile):
			return 1
		}
		return 0
	}
}

const (
	askGraphs  = "launch=graphs"
	askCompile = "launch=compile"
)

// asksFor reports whether a trace is asked this question first about a candidate.
func asksFor(c Candidate, question string) bool {
	asks := asksOf(c)
	return len(asks) > 0 && asks[0] == question
}

// The time of a try beyond the runs of the program, in seconds, until a try of its kind has been timed.
const (
	compiling    = 60.0 // the first run that compiles the model
	layering     = 25.0 // one that compiles a layer for all that are like it
	compiled     = 15.0 // each further one, which finds most of it in a cache
	leastSeconds = 1.0
)

// Effort is what makes trying a repair take longer than the runs of the program.
type Effort string

const (
	Compiles   Effort = "compiles"    // its runs compile the model, because of it or anew
	Layers     Effort = "layers"      // its runs compile layers, because of it or anew
	MakesFiles Effort = "makes files" // for it, before its runs
)

// effort tells what trying a candidate on the best program takes.
func (p *protocol) effort(c Candidate) Effort {
	byCompiling := func(c Candidate) Effort {
		for _, code := range c.Codes {
			switch r := ruleOf(code); {
			case r.Compiles && r.Layers > 0 && c.Fix >= r.Layers:
				return Layers
			case r.Compiles:
				return Compiles
			}
		}
		return ""
	}
	computes := func(code string) bool { return slices.Contains(areasOf(code), finding.ComputeArea) }
	if c.ID == offlineGroup.id || c.ID == builtGroup.id {
		return MakesFiles
	}
	effort := byCompiling(c)
	if effort == "" && slices.ContainsFunc(c.Codes, computes) {
		for _, r := range p.kept() {
			effort = cmp.Or(effort, byCompiling(r.Candidate)) // what the best program has compiled is compiled anew
		}
	}
	return effort
}

// cost is how many seconds it takes to decide about a repair: as many as the last try of its kind took, or roughly what
// its runs take. The first try does not count: it also looked at the original program and waited for imports.
func (p *protocol) cost(c Candidate, here *Baseline) float64 {
	effort := p.effort(c)
	for i, r := range slices.Backward(p.state.Rungs) {
		if i > 0 && r.Pairs > 0 && r.Seconds > 0 && r.Effort == effort {
			return max(leastSeconds, r.Seconds)
		}
	}
	wall := here.WallSeconds
	if p.state.Best == baseTree { // it made all steps, and a run that tries a fix makes fewer
		wall -= float64(p.proofSteps()-p.screenSteps()) * here.SecondsPerStep
	}
	wall = max(leastSeconds, wall)
	pairs := float64(p.fewest())
	seconds := 2 * pairs * wall
	switch effort {
	case Compiles:
		seconds += compiling + (pairs-1)*compiled
	case Layers:
		seconds += layering + (pairs-1)*compiled
	case MakesFiles:
		seconds += wall
	}
	return seconds
}

// The steps of a run that tries a repair take about this long, and are at least this many. A run of the proof has all
// requested steps.
const (
	screenSeconds    = 10.0
	fewestScreenings = 16
)

// screenSteps is how many steps a run that tries a repair of the best program makes.
func (p *protocol) screenSteps() int {
	return min(p.proofSteps(), stepsWithin(screenSeconds, fewestScreenings, p.here()))
}

// If the user gives no number of steps, the steps of a run take about this long, and are at least this many: the
// profiler records eleven of them, and ten more are ordinary ones.
const (
	longSteps   = 15.0
	fewestSteps = 24
)

// proofSteps is how many steps a run of the proof makes.
func (p *protocol) proofSteps() int {
	if p.Steps > 0 {
		return p.Steps
	}
	return min(DefaultSteps, stepsWithin(longSteps, fewestSteps, p.state.Baseline))
}

// stepsWithin is how many steps of a program fit into the given seconds, at least the given minimum.
func stepsWithin(seconds float64, fewest int, b *Baseline) int {
	if b == nil || b.SecondsPerStep <= 0 {
		return math.MaxInt32
	}
	return max(fewest, int(seconds/b.SecondsPerStep))
}

// next is the candidate to try now. short is set if there are candidates but none can be decided in the time before the
// proof.
func (p *protocol) next(list []Candidate, here *Baseline) (c Candidate, found, short bool) {
	var first *Candidate
	for i, c := range list {
		if c.Saves < worth || !p.ready(c, here) || p.waits(c, list, here) {
			continue
		}
		if p.fits(c, here) {
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

// waits reports whether compiling alone is postponed: if launches bound the step, CUDA graphs remove more of them, and
// they compile as well. It is tried when all of those have failed.
func (p *protocol) waits(c Candidate, list []Candidate, here *Baseline) bool {
	if !asksFor(c, askCompile) {
		return false
	}
	for _, r := range p.kept() {
		if r.Choice == c.Choice && asksFor(r.Candidate, askGraphs) {
			return true
		}
	}
	return here.bound() == string(analyze.ByLaunch) && slices.ContainsFunc(list, func(x Candidate) bool {
		return x.Choice == c.Choice && asksFor(x, askGraphs) && x.Saves >= worth && p.ready(x, here)
	})
}

// fits reports whether there is time to decide on a candidate and then for the proof.
func (p *protocol) fits(c Candidate, here *Baseline) bool {
	if p.deadline.IsZero() {
		return true
	}
	more := 0.0
	if effort := p.effort(c); effort == Compiles || effort == Layers {
		more = compiled
	}
	return !p.Now().Add(inSeconds(p.cost(c, here)) + p.proofTime(here.WallSeconds, more)).After(p.deadline)
}

func inSeconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// mostReserved is the share of a budget that is kept for the proof.
const mostReserved = 0.4

// proofTime is how long the proof of a program takes, from the time of its runs in the ladder, at most a share of the
// budget. Forked runs took less time than those of the proof, in which the runs of a pair import at the same time.
func (p *protocol) proofTime(wall, more float64) time.Duration {
	fresh := p.state.Baseline.WallSeconds
	if p.Forked == nil || p.Forked() == 0 {
		wall = max(wall, fresh)
	}
	const looks = 2 // at the samples and at the trace
	need := inSeconds(float64(p.Pairs)*(fresh+wall+more) + looks*wall)
	return min(need, time.Duration(mostReserved*float64(p.Budget)))
}

// reserved is the time that the proof of the best program needs: no fix is tried in it, because a patch without a proof
// is worth little.
func (p *protocol) reserved() time.Duration {
	if p.Budget == 0 || p.state.Best == baseTree {
		return 0
	}
	return p.proofTime(p.here().WallSeconds, 0)
}

// late reports whether it is time for the proof.
func (p *protocol) late() bool {
	if p.Search > 0 && p.Now().Sub(p.began) > p.Search {
		return true
	}
	return !p.deadline.IsZero() && p.Now().Add(p.reserved()).After(p.deadline)
}
