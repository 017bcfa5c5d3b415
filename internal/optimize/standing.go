package optimize

import (
	"context"
	"slices"

	"saturate/internal/analyze"
	"saturate/internal/run"
	"saturate/internal/verify"
)

// standing is where the time of the best program so far goes. What was kept last was measured, so its steps are known; where a GPU is
// used a trace tells the rest, and what each repair would bring now.
func (p *protocol) standing(ctx context.Context) (*Baseline, error) {
	best := p.best()
	if best == p.base() {
		return p.state.Baseline, nil
	}
	here := p.state.Standings[best.name]
	if here == nil { // nothing was told of its steps
		copied := *p.state.Baseline
		here = &copied
		p.stands(best.name, here)
	}
	if !here.GPU || here.Looked || p.late() {
		return here, nil
	}
	p.tell(Event{Phase: Climbing, Text: "looking at the fixed program"})
	seen, err := p.profile(ctx, best, "looks/"+best.name)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		p.result.Notes = append(p.result.Notes, "cannot profile the fixed program: "+err.Error())
	default:
		here.takeTrace(seen)
	}
	here.Looked = true
	return here, p.save()
}

// takeTrace adds what a trace told to what the steps of many runs told.
func (b *Baseline) takeTrace(seen *Baseline) {
	b.Bottleneck, b.Sentence, b.Run, b.WallSeconds = seen.Bottleneck, seen.Sentence, seen.Run, seen.WallSeconds
	b.Busy = seen.Busy
	if seen.Busy > 0 {
		b.Shares.Compute, b.Shares.Host = seen.Shares.Compute, max(0, 1-seen.Shares.Compute-b.Shares.Data)
	}
	b.Forecasts = slices.Clone(seen.Forecasts)
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
	wall, runs := 0.0, 0.0
	for _, b := range v.Blocks {
		if !b.Calibration {
			chosen := run.Steady(b.Outcomes[1].Steps)
			steps = append(append(steps, chosen.Steps...), chosen.Again...)
			wall, runs = wall+b.Outcomes[1].Run.WallSeconds, runs+1
		}
	}
	if len(steps) == 0 {
		return nil
	}
	was := p.state.Baseline
	b := stepsOf(steps)
	b.GPU, b.Workers, b.Cores, b.Making, b.WallSeconds = was.GPU, was.Workers, was.Cores, was.Making, wall/max(1, runs)
	if len(b.Parts) == 0 { // nothing but the time is known
		b.Shares = p.here().Shares
	}
	for _, r := range append(p.kept(), p.trying) {
		switch {
		case r.ID == offlineGroup.id:
			b.Making = 0 // samples are loaded now, and what that costs is not known
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
