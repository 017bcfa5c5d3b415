package optimize

import (
	"cmp"
	"math"
	"slices"
	"time"

	"saturate/internal/finding"
	"saturate/internal/run"
	"saturate/internal/verify"
)

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

func (e Effort) compiles() bool { return e == Compiles || e == Layers }

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
// its runs take.
func (p *protocol) cost(c Candidate, here *Baseline) float64 {
	effort := p.effort(c)
	if took := p.took(effort); took > 0 {
		return max(leastSeconds, took)
	}
	pairs, one := float64(p.fewest()), p.runTime(here, p.screenSteps())
	seconds := 2 * pairs * one
	if (Rung{Candidate: c}).feeds() {
		seconds += p.runTime(here, p.lookSteps())
	}
	switch effort {
	case Compiles:
		seconds += compiling + (pairs-1)*compiled
	case Layers:
		seconds += layering + (pairs-1)*compiled
	case MakesFiles:
		seconds += one
	}
	return max(leastSeconds, seconds)
}

// took is how many seconds the last try of a kind took; 0 where there was none. Where layers were compiled, a whole model
// takes as many times longer as it does elsewhere, and the other way round. The first try does not count: it also looked
// at the original program and waited for imports.
func (p *protocol) took(effort Effort) float64 {
	last := func(effort Effort) float64 {
		for i, r := range slices.Backward(p.state.Rungs) {
			if i > 0 && r.Pairs > 0 && r.Seconds > 0 && r.Effort == effort {
				return r.Seconds
			}
		}
		return 0
	}
	switch took := last(effort); {
	case took == 0 && effort == Compiles:
		return last(Layers) * compiling / layering
	case took == 0 && effort == Layers:
		return last(Compiles) * layering / compiling
	default:
		return took
	}
}

// runTime is what a run of a program takes that makes so many steps.
func (p *protocol) runTime(b *Baseline, steps int) float64 {
	start := b.StartSeconds
	if b == p.state.Baseline {
		start = p.state.Start
	}
	if start == 0 { // not known
		start = max(0, b.WallSeconds-float64(p.proofSteps())*b.SecondsPerStep)
	}
	return max(leastSeconds, start+float64(steps)*b.SecondsPerStep)
}

// startOf is what the runs of one side took beside their steps, on average; 0 where that is not known.
func startOf(v verify.Result, side int) (seconds float64) {
	runs := 0
	for _, b := range v.Blocks {
		if o := b.Outcomes[side]; len(run.Steady(o.Steps).Steps) > 0 {
			ordinary := run.Steady(o.Steps).Steps // not the first, which waits for whatever starts with it
			rest := o.Run.WallSeconds - float64(len(o.Steps))*stepsOf(ordinary).SecondsPerStep
			seconds, runs = seconds+max(0, rest), runs+1
		}
	}
	return seconds / float64(max(1, runs))
}

// The steps of a run that tries a repair take about this long, and are at least this many. A run of the proof has all
// requested steps.
const (
	screenSeconds    = 10.0
	fewestScreenings = 12
)

// screenSteps is how many steps a run that tries a repair of the best program makes.
func (p *protocol) screenSteps() int {
	return min(p.proofSteps(), stepsWithin(screenSeconds, fewestScreenings, p.here()))
}

// If the user gives no number of steps, the steps of a run take about this long, and are at least this many: the
// profiler records eleven of them, and ten more are ordinary ones.
const (
	longSteps   = 15.0
	fewestSteps = 21
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

// fits reports whether there is time to decide on a candidate and then for the proof.
func (p *protocol) fits(c Candidate, here *Baseline) bool {
	if p.deadline.IsZero() {
		return true
	}
	more := 0.0
	if p.effort(c).compiles() && !slices.ContainsFunc(p.kept(), func(r Rung) bool { return r.Effort.compiles() }) {
		more = compiled // the runs of the best program do not compile yet
	}
	return !p.Now().Add(inSeconds(p.cost(c, here)) + p.proofTime(here, more)).After(p.deadline)
}

func inSeconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// mostReserved is the share of a budget that is kept for the proof.
const mostReserved = 0.4

// careful is by how much more time is kept for the proof than its runs are expected to take.
const careful = 1.15

// proofTime is what the proof takes of a program whose runs start as they did in the ladder, and take more in it, at
// most a share of the budget. Where runs of the ladder were forked, those of the proof wait for their imports once: they
// import together.
func (p *protocol) proofTime(here *Baseline, more float64) time.Duration {
	steps := p.proofSteps()
	before, after := p.runTime(p.state.Baseline, steps), p.runTime(here, steps)
	need := float64(p.Pairs)*(before+after+more) + max(0, p.state.Baseline.WallSeconds-before)
	if !here.Looked {
		need += after + more
	}
	if known, ok := p.seen[p.best().dir]; p.Look != nil && (!ok || known.assumed) {
		need += p.runTime(here, p.lookSteps())
	}
	return min(inSeconds(careful*need), time.Duration(mostReserved*float64(p.Budget)))
}

// reserved is the time that the proof of the best program needs: no fix is tried in it, because a patch without a proof
// is worth little.
func (p *protocol) reserved() time.Duration {
	if p.Budget == 0 || p.state.Best == baseTree {
		return 0
	}
	return p.proofTime(p.here(), 0)
}

// late reports whether it is time for the proof.
func (p *protocol) late() bool {
	if p.Search > 0 && p.Now().Sub(p.began) > p.Search {
		return true
	}
	return !p.deadline.IsZero() && p.Now().Add(p.reserved()).After(p.deadline)
}
