package tune

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"saturate/internal/stat"
	"saturate/internal/verify"
)

// Effect is what a setting does to the program's speed: the program with it beside the program without.
type Effect struct {
	Verdict  verify.Verdict    `json:"verdict"`
	Reason   string            `json:"reason"`     // of the verdict, in a sentence
	Ratio    stat.Number       `json:"ratio"`      // of the times: with over without
	Interval stat.Interval     `json:"interval"`   // of the ratio
	P        float64           `json:"p"`          // of the paired test
	Adjusted float64           `json:"p_adjusted"` // after Holm, over all candidates of the contest
	Pairs    int               `json:"pairs"`      // pairs of runs that count
	Before   stat.Number       `json:"before_s_per_it"`
	After    stat.Number       `json:"after_s_per_it"`
	Guard    verify.GuardState `json:"guard"`
	Because  string            `json:"guard_reason"` // why the accuracy guard says so

	Samples  verify.SampleGuard `json:"samples"`            // whether the model is trained on the same
	Cause    verify.Cause       `json:"cause,omitempty"`    // of INVALID
	Warnings []string           `json:"warnings,omitempty"` // about the measurement
}

func effectOf(r verify.Result) *Effect {
	return &Effect{
		Verdict: r.Verdict, Reason: r.Reason, Ratio: r.Ratio, Interval: r.Interval, P: r.P, Adjusted: r.P, Pairs: r.Pairs,
		Before: r.Sides[verify.Before].Median, After: r.Sides[verify.After].Median,
		Guard: r.Guard.State, Because: r.Guard.Reason, Samples: r.Guard.Samples, Cause: r.Cause,
		Warnings: r.Warnings,
	}
}

// helps reports whether the whole family of tests allows the claim that it is faster.
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

func (t *tuner) confirmPairs() int {
	if t.Pairs > 0 {
		return t.Pairs
	}
	return confirmPairs
}

// slack is by how much a run in a measurement may take longer than one before: the machine is looked at around it.
const slack = 1.1

// left is what is left of the budget, at least a moment; 0 where there is none.
func (t *tuner) left() time.Duration {
	if t.deadline.IsZero() {
		return 0
	}
	return max(1, t.deadline.Sub(t.Now()))
}

// fitting finds which measurements a budget holds, and with how many pairs each: base is how long a run takes without
// anything, which they share, walls how long with each candidate. With apart the first is measured before the others,
// beside runs of its own. The longest go first where there is no time for all. pairs is 0 where their number is to be
// found.
func fitting(base time.Duration, walls []time.Duration, apart bool, budget time.Duration, pairs int) (kept []int, of int) {
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
		total, longest, out := time.Duration(of)*base, time.Duration(0), 0
		for at, i := range kept {
			total += time.Duration(of) * walls[i]
			if walls[i] >= longest {
				longest, out = walls[i], at
			}
		}
		if apart && kept[0] == 0 && len(kept) > 1 {
			total += time.Duration(of) * base
		}
		total += time.Duration(confirm) * (base + longest)
		if budget == 0 || time.Duration(slack*float64(total)) <= budget {
			return kept, of
		}
		kept = slices.Delete(kept, out, out+1)
	}
	return nil, 0
}

// errBudget is a measurement that was not finished in the time it was given.
var errBudget = errors.New("the budget is used up")

// compare carries experiments out together. What was measured before is not measured again.
func (t *tuner) compare(ctx context.Context, parts []verify.Part, budget time.Duration) ([]verify.Result, error) {
	if t.expired() {
		return nil, errBudget
	}
	for i := range parts {
		parts[i].Plan.Budget = budget
	}
	results, err := verify.Together(ctx, parts, verify.Options{
		Execute: t.Execute, Look: t.Look, System: t.System, Now: t.Now,
		Tell: func(e verify.Event) { t.tell(Event{Measure: &e, Text: parts[0].Plan.After.Name}) },
	})
	for i, r := range results {
		if r.Verdict != verify.Invalid && r.Pairs < parts[i].Plan.Pairs {
			err = errBudget
		}
	}
	return results, err
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
