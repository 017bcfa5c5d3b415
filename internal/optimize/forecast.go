package optimize

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"saturate/internal/analyze"
	"saturate/internal/human"
	"saturate/internal/run"
	"saturate/internal/whatif"
)

// Forecast is a trace's prediction for a repair: the mean step after it, and the range.
type Forecast struct {
	Question string  `json:"question"`      // as `analyze --what-if` takes it
	Seconds  float64 `json:"s_per_it"`      // mean step afterwards
	Low      float64 `json:"low_s_per_it"`  // lower end of the interval
	High     float64 `json:"high_s_per_it"` // upper end of the interval
}

// freeLoader is the question for a loader that is never waited for.
const freeLoader = "loader=free"

// questions are the questions to a trace, in the order of whatif's own list.
func questions() (list []whatif.Repair) {
	words := []string{
		freeLoader, "sync=none", "sync=scalar", "sync=shape", "sync=result", "sync=device", "precision=tf32", "precision=bf16",
		"optimizer=foreach", "optimizer=fused", "launch=compile", "launch=graphs", "launch=step", "copies=pinned", "copies=async",
	}
	for _, n := range workerCounts(1, runtime.NumCPU()) {
		words = append(words, fmt.Sprintf("loader=%d", n))
	}
	for _, word := range words {
		set, err := whatif.Ask(word)
		if err != nil {
			panic(err) // a test asks them all
		}
		list = append(list, set...)
	}
	return list
}

// forecastsOf are the answers that have a figure.
func forecastsOf(a *analyze.Analysis) (list []Forecast) {
	if a == nil {
		return nil
	}
	for _, p := range a.Answers {
		if p.Known() {
			list = append(list, Forecast{p.Repairs[len(p.Repairs)-1], float64(p.StepNS) / 1e9, float64(p.IntervalNS[0]) / 1e9, float64(p.IntervalNS[1]) / 1e9})
		}
	}
	return list
}

// onTop asks the trace of a program about each fix on top of given ones, and how long a step takes with those alone.
func onTop(ctx context.Context, traced *Baseline, given []string) (now float64, list []Forecast, err error) {
	r, err := run.Read(traced.Run)
	if err != nil {
		return 0, nil, err
	}
	var ask []whatif.Repair
	for _, word := range given {
		set, err := whatif.Ask(word)
		if err != nil {
			return 0, nil, err
		}
		ask = append(slices.DeleteFunc(ask, func(x whatif.Repair) bool { return x.Key == set[0].Key }), set...)
	}
	a, err := explained(ctx, r, traced.Traces, ask)
	if err != nil {
		return 0, nil, err
	}
	now = traced.SecondsPerStep
	if at := slices.IndexFunc(a.WhatIf, func(p whatif.Prediction) bool { return p.Asked }); at >= 0 {
		if !a.WhatIf[at].Known() {
			return 0, nil, errors.New(a.WhatIf[at].Note)
		}
		now = float64(a.WhatIf[at].StepNS) / 1e9
	}
	return now, forecastsOf(a), nil
}

// asksOf are the questions about a repair. Where a trace can answer several of them, the first counts.
func asksOf(c Candidate) []string {
	switch c.ID {
	case offlineGroup.id, builtGroup.id:
		return []string{freeLoader}
	}
	if c.Choice == loaderGroup.id {
		asks := []string{freeLoader}
		if c.Workers > 0 {
			asks = nil
			for n := c.Workers; n > 0; n-- { // not every count was asked about, and fewer bring no more
				asks = append(asks, fmt.Sprintf("loader=%d", n))
			}
		}
		return append(asks, "copies=pinned")
	}
	if len(c.Asks) > 0 {
		return c.Asks
	}
	for _, code := range c.Codes {
		if list := ruleOf(code).Asks; len(list) > 0 {
			return list[min(c.Fix, len(list)-1)]
		}
	}
	return nil
}

// forecast is the prediction for a repair from the trace of a program; nil if there is none.
func (b *Baseline) forecast(c Candidate) *Forecast {
	for _, question := range asksOf(c) {
		if i := slices.IndexFunc(b.Forecasts, func(f Forecast) bool { return f.Question == question }); i >= 0 {
			return &b.Forecasts[i]
		}
	}
	return nil
}

// estimate fills in the share of a step that a repair is expected to save: from the forecast if there is one, otherwise
// the typical saving of its rule, at most the share of the part that it shortens.
func (b *Baseline) estimate(c *Candidate) {
	f := b.forecast(*c)
	if f == nil || b.SecondsPerStep <= 0 {
		return
	}
	c.Predicted = f
	c.Saves = min(1, max(0, 1-f.Seconds/b.SecondsPerStep))
	c.Reason = fmt.Sprintf("predicted %s/it, now %s/it", human.Seconds(f.Seconds), human.Seconds(b.SecondsPerStep))
}
