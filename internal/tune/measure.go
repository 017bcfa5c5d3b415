package tune

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"time"

	"saturate/internal/stat"
	"saturate/internal/verify"
)

// Effect is what a setting does to the program's speed: the program with it beside the program without.
type Effect struct {
	Verdict  verify.Verdict    `json:"verdict"`
	Reason   string            `json:"reason"`
	Ratio    stat.Number       `json:"ratio"`    // of the times: with over without
	Interval stat.Interval     `json:"interval"` // of the ratio
	P        float64           `json:"p"`
	Adjusted float64           `json:"p_adjusted"` // after Holm, over all candidates of the contest
	Pairs    int               `json:"pairs"`
	Before   stat.Number       `json:"before_s_per_it"`
	After    stat.Number       `json:"after_s_per_it"`
	Guard    verify.GuardState `json:"guard"`
	Because  string            `json:"guard_reason"`
	Cause    verify.Cause      `json:"cause,omitempty"` // of INVALID
	Warnings []string          `json:"warnings,omitempty"`
}

func effectOf(r verify.Result) *Effect {
	return &Effect{
		Verdict: r.Verdict, Reason: r.Reason, Ratio: r.Ratio, Interval: r.Interval, P: r.P, Adjusted: r.P, Pairs: r.Pairs,
		Before: r.Sides[verify.Before].Median, After: r.Sides[verify.After].Median,
		Guard: r.Guard.State, Because: r.Guard.Reason, Cause: r.Cause,
		Warnings: r.Warnings,
	}
}

// helps tells whether the whole family of tests allows the claim that it is faster.
func (e *Effect) helps() bool {
	return e != nil && e.Verdict == verify.Faster && e.Adjusted <= stat.Alpha
}

// adjust corrects for how many candidates there were. What was not measured counts as not shown.
func adjust(effects []*Effect) {
	p := make([]float64, len(effects))
	for i, e := range effects {
		p[i] = 1
		if e != nil && e.Pairs > 0 {
			p[i] = e.P
		}
	}
	adjusted, err := stat.Holm(p)
	if err != nil {
		return // no P value of ours is outside of 0 to 1
	}
	for i, e := range effects {
		if e != nil {
			e.Adjusted = adjusted[i]
		}
	}
}

// pairsFor is how many pairs of runs the best of some candidates needs to be significant at all: the exact test over
// m pairs gives no less than 2/2^m, and Holm multiplies the smallest by their number.
func pairsFor(candidates int) int {
	return max(confirmPairs, int(math.Ceil(math.Log2(2*float64(max(1, candidates))/stat.Alpha))))
}

// confirmPairs are for the winner, on fresh blocks: one test.
const confirmPairs = 6

// fitting finds which measurements a budget holds, and with how many pairs each: base is how long a run takes without
// anything, walls how long with each candidate. The longest go first where there is no time for all. pairs is 0 where
// their number is to be found.
func fitting(base time.Duration, walls []time.Duration, budget time.Duration, pairs int) (kept []int, of int) {
	for i := range walls {
		kept = append(kept, i)
	}
	for len(kept) > 0 {
		confirm := confirmPairs
		if of = pairs; pairs == 0 {
			of = pairsFor(len(kept))
		} else {
			confirm = pairs
		}
		var total, longest time.Duration
		out := 0
		for at, i := range kept {
			total += time.Duration(of) * (base + walls[i])
			if walls[i] >= longest {
				longest, out = walls[i], at
			}
		}
		if total += time.Duration(confirm) * (base + longest); budget == 0 || total <= budget {
			return kept, of
		}
		kept = slices.Delete(kept, out, out+1)
	}
	return nil, 0
}

// errBudget is a measurement that was not finished in the time it was given.
var errBudget = errors.New("the budget is used up")

// compare measures two ways to run the program. What was measured before is not measured again.
func (t *tuner) compare(ctx context.Context, folder string, before, after variant, pairs int, numerics verify.Numerics) (verify.Result, error) {
	if t.expired() {
		return verify.Result{}, errBudget
	}
	plan := verify.Plan{Pairs: pairs, Steps: t.Steps, Seed: 1, Numerics: numerics, Timeout: t.patience()}
	if !t.deadline.IsZero() {
		plan.Budget = t.deadline.Sub(t.Now())
	}
	for _, side := range []struct {
		into *verify.Variant
		from variant
	}{{&plan.Before, before}, {&plan.After, after}} {
		*side.into = t.sources
		side.into.Name, side.into.Env = side.from.name, side.from.env
	}
	result, err := verify.Run(ctx, plan, verify.Options{
		Dir: filepath.Join(t.State, folder), Execute: t.Execute, System: t.System, Now: t.Now,
		Tell: func(e verify.Event) { t.tell(Event{Measure: &e, Text: after.name}) },
	})
	if err == nil && result.Verdict != verify.Invalid && result.Pairs < pairs && t.expired() {
		err = errBudget
	}
	return result, err
}

// patience is how long one run may take before it counts as hanging: much longer than the first one, for compiling and
// trying algorithms take their time.
func (t *tuner) patience() time.Duration {
	if t.state.Look == nil {
		return t.Timeout
	}
	return min(t.Timeout, 3*time.Minute+time.Duration(4*t.state.Look.WallSeconds*float64(time.Second)))
}

func (t *tuner) expired() bool { return !t.deadline.IsZero() && t.Now().After(t.deadline) }
