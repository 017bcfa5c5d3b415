package optimize

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"saturate/internal/analyze"
	"saturate/internal/run"
	"saturate/internal/verify"
	"saturate/internal/whatif"
)

// standing is where the time of the best program so far goes. Its steps are known from the measurement that kept it.
// With a GPU, a trace shows the rest and predicts each repair; until a new trace is recorded, the last one counts.
func (p *protocol) standing(ctx context.Context) *Baseline {
	best := p.best()
	if best == p.base() {
		return p.state.Baseline
	}
	here := p.state.Standings[best.name]
	if here == nil { // nothing was told of its steps
		copied := *p.state.Baseline
		here = &copied
		p.stands(best.name, here)
	}
	if here.GPU && !here.Looked && len(here.Forecasts) == 0 {
		p.carry(ctx, here)
	}
	return here
}

// The predicted savings, as shares of a step, from which a fix is tried on the trace of an earlier program: below them, a
// new trace takes less time than a useless try.
const (
	sure  = 0.2
	surer = 0.25 // of a fix that takes long to try
)

// unsure reports whether the best program has to be looked at before a decision: nothing seems worth trying, or the
// prediction for what is next is a guess.
func (p *protocol) unsure(here *Baseline, next Candidate, found bool) bool {
	if p.state.Best == baseTree || !here.GPU || here.Looked || p.late() {
		return false
	}
	return !found || p.guessed(next)
}

// guessed reports whether little or nothing is predicted of a candidate, if its prediction is of an earlier program.
func (p *protocol) guessed(c Candidate) bool {
	least := sure
	if p.effort(c) != "" {
		least = surer
	}
	return c.Predicted == nil || c.Saves < least
}

// safeBet is the candidate to try before the best program is looked at again.
func (p *protocol) safeBet(list []Candidate, here *Baseline) (c Candidate, found bool) {
	c, found, _ = p.next(slices.DeleteFunc(slices.Clone(list), p.guessed), here)
	return c, found
}

// carry takes over the predictions from the last trace. That trace is asked about each repair on top of those that were
// kept since.
func (p *protocol) carry(ctx context.Context, here *Baseline) {
	last, before := p.madeBy(p.state.Best)
	if before == nil {
		return
	}
	if before.Bottleneck != analyze.ByData && before.Bottleneck != analyze.ByTransfer {
		here.Bottleneck = before.Bottleneck
	}
	given := questionOf(last)
	traced := before
	for !traced.Looked && traced != p.state.Baseline {
		if last, traced = p.madeBy(last.From); traced == nil {
			break
		}
		given = append(questionOf(last), given...)
	}
	if traced != nil {
		if now, list, err := onTop(ctx, traced, given); err == nil && now > 0 {
			for _, f := range list { // they start from what was predicted, not from what was measured
				by := here.SecondsPerStep / now
				here.Forecasts = append(here.Forecasts, Forecast{f.Question, f.Seconds * by, f.Low * by, f.High * by})
			}
			return
		}
	}
	p.carrySeconds(here)
}

// madeBy is the rung that made a tree, and where the time of the program went that it repaired; nil where nothing tells.
func (p *protocol) madeBy(tree string) (Rung, *Baseline) {
	at := slices.IndexFunc(p.state.Rungs, func(r Rung) bool { return r.Tree == tree })
	if at < 0 {
		return Rung{}, nil
	}
	made := p.state.Rungs[at]
	if made.From == baseTree {
		return made, p.state.Baseline
	}
	return made, p.state.Standings[made.From]
}

// questionOf is the question that predicted a rung.
func questionOf(r Rung) []string {
	if r.Predicted == nil {
		return nil
	}
	return []string{r.Predicted.Question}
}

// carrySeconds takes over the predictions for the program before the last repair: a repair saves as many seconds as
// predicted there, but one that leaves the kernels unchanged cannot make a step shorter than the kernels. Predictions
// about what the last repair changed are dropped.
func (p *protocol) carrySeconds(here *Baseline) {
	last, before := p.madeBy(p.state.Best)
	kernels := before.Busy * before.SecondsPerStep
	if slices.ContainsFunc(asksOf(last.Candidate), whatif.ChangesKernels) {
		kernels -= max(0, before.SecondsPerStep-here.SecondsPerStep)
	}
	key := func(question string) string { name, _, _ := strings.Cut(question, "="); return name }
	for _, f := range before.Forecasts {
		if slices.ContainsFunc(asksOf(last.Candidate), func(question string) bool { return key(question) == key(f.Question) }) {
			continue
		}
		saved := func(s float64) float64 {
			least := here.SecondsPerStep / 10
			if !whatif.ChangesKernels(f.Question) {
				least = max(least, min(here.SecondsPerStep, kernels))
			}
			return max(least, here.SecondsPerStep-(before.SecondsPerStep-s))
		}
		here.Forecasts = append(here.Forecasts, Forecast{f.Question, saved(f.Seconds), saved(f.Low), saved(f.High)})
	}
}

// lookAgain has the best program traced.
func (p *protocol) lookAgain(ctx context.Context, here *Baseline) error {
	best := p.best()
	p.tell(Event{Phase: Climbing, Text: "looking at the fixed program"})
	seen, err := p.profile(ctx, best, "looks/"+best.name, cmp.Or(p.Steps, fewestSteps)) // its steps were measured before
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		p.result.Notes = append(p.result.Notes, "cannot profile the fixed program: "+err.Error())
	default:
		here.takeTrace(seen)
		p.state.After, p.state.AfterOf = seen, best.name // should it be the last
	}
	here.Looked = true
	delete(p.plans, best.name) // it was made without
	return p.save()
}

// takeTrace adds the results of a trace to those from the steps of many runs.
func (b *Baseline) takeTrace(seen *Baseline) {
	b.Run = seen.Run
	if seen.Busy == 0 && len(seen.Forecasts) == 0 { // there was none, and what an earlier one told is better than nothing
		return
	}
	b.Bottleneck, b.Sentence, b.Busy = seen.Bottleneck, seen.Sentence, seen.Busy
	if seen.Busy > 0 {
		b.Shares.Compute, b.Shares.Host = seen.Shares.Compute, max(0, 1-seen.Shares.Compute-b.Shares.Data)
	}
	b.Forecasts, b.Traces = slices.Clone(seen.Forecasts), seen.Traces
	if seen.SecondsPerStep > 0 { // forecasts start from the steps of that very run
		for i := range b.Forecasts {
			f, by := &b.Forecasts[i], b.SecondsPerStep/seen.SecondsPerStep
			f.Seconds, f.Low, f.High = f.Seconds*by, f.Low*by, f.High*by
		}
	}
}

// stands remembers where the time of a tree's program goes.
func (p *protocol) stands(name string, b *Baseline) {
	if p.state.Standings == nil {
		p.state.Standings = map[string]*Baseline{}
	}
	p.state.Standings[name] = b
}

// measured is where the time of a tried program goes, by the steps of its runs; nil where they do not tell.
func (p *protocol) measured(v verify.Result) *Baseline {
	var steps []run.Step
	for _, b := range v.Blocks {
		if !b.Calibration {
			chosen := run.Steady(b.Outcomes[1].Steps)
			steps = append(append(steps, chosen.Steps...), chosen.Again...)
		}
	}
	if len(steps) == 0 {
		return nil
	}
	was := p.state.Baseline
	b := stepsOf(steps)
	b.GPU, b.Workers, b.Cores, b.Making, b.WallSeconds = was.GPU, was.Workers, was.Cores, was.Making, was.WallSeconds
	b.StartSeconds = startOf(v, 1)
	b.Costs = was.Costs
	if len(b.Parts) == 0 { // nothing but the time is known
		b.Shares = p.here().Shares
	}
	for _, r := range append(p.kept(), p.trying) {
		switch {
		case r.ID == offlineGroup.id:
			b.Making, b.Costs = 0, nil // samples are loaded now, and what that costs is not known
		case r.Choice == loaderGroup.id && b.Workers == 0:
			b.Workers = max(1, r.Workers)
		}
	}
	if b.Workers > 0 && b.Making > 0 {
		b.countWorkers()
	}
	b.describe()
	return b
}

// here is the standing as far as it is known without a look.
func (p *protocol) here() *Baseline {
	if b := p.state.Standings[p.state.Best]; b != nil {
		return b
	}
	return p.state.Baseline
}

// bound names what a step of the program waits for most.
func (b *Baseline) bound() string {
	if b.Bottleneck != "" && b.Bottleneck != analyze.ByNothing {
		return string(b.Bottleneck)
	}
	name, most := "unknown", 0.0
	for _, s := range []struct {
		name  string
		share float64
	}{
		{string(analyze.ByData), b.Shares.Data},
		{string(analyze.ByTransfer), b.Shares.Transfer},
		{string(analyze.ByHost), b.Shares.Host},
		{string(analyze.ByCompute), b.Shares.Compute},
		{"data_workers", b.Shares.Workers},
	} {
		if s.share > most {
			name, most = s.name, s.share
		}
	}
	return name
}
