package verify

import (
	"context"
	"fmt"
	"slices"

	"saturate/internal/human"
	"saturate/internal/probe"
)

// SampleMode says what the change may do to what the model is trained on.
type SampleMode string

const (
	SameSamples      SampleMode = "same"      // the same samples in the same order
	Regrouped        SampleMode = "regrouped" // the same samples in other batches: bucketing, padding, another batch size
	UncheckedSamples SampleMode = "unchecked" // it may change everything, and the result says so
)

// SampleGuard is the judgement over what the model is trained on, beside that over the loss.
type SampleGuard struct {
	State          GuardState        `json:"state"`
	Reason         string            `json:"reason"`                // of the state, in a sentence
	By             string            `json:"compared_by,omitempty"` // batch, index, input, or distribution where chance cannot be pinned
	Tolerance      float64           `json:"tolerance"`             // for rounding, as a share of the values
	Checked        int               `json:"checked"`               // samples that were compared
	Equal          int               `json:"equal"`                 // of them, equal
	DistinctBefore int               `json:"distinct_before"`       // different samples before
	DistinctAfter  int               `json:"distinct_after"`        // different samples after
	First          *SampleDifference `json:"first_difference,omitempty"`
}

// SampleDifference is the first place where the variants train on something else.
type SampleDifference struct {
	Index  any    `json:"index"`  // of the data set, else the number of the batch or call
	Field  string `json:"field"`  // of the sample or batch
	Before string `json:"before"` // its value before
	After  string `json:"after"`  // its value after
}

func (d SampleDifference) String() string {
	at := "field " + d.Field
	if d.Field == "" {
		at = "the sample"
	}
	return fmt.Sprintf("index %v, %s: %s before, %s after", d.Index, at, d.Before, d.After)
}

// Look runs a program briefly and tells what it trains on.
type Look func(ctx context.Context, t Trial) (probe.Samples, error)

const (
	// LookSteps is the default of Plan.LookSteps.
	LookSteps   = 13
	lookBatches = 60 // at most, where a step takes many
	// FP16 and bfloat16 round in the third digit.
	lowPrecision = 1e-2
)

// Rounding is how far other code for the same arithmetic may be off, as a share of the values: it rounds in the last
// digits.
const Rounding = 1e-5

// tolerance is how far values may be rounded otherwise.
func (p Plan) tolerance() float64 {
	switch {
	case p.SampleTolerance > 0:
		return p.SampleTolerance
	case p.Numerics == Changed:
		return lowPrecision
	}
	return Rounding
}

// look compares what the variants train on. What was seen once need not be looked at again.
func (e *experiment) look(ctx context.Context) error {
	if e.samples != nil || e.opt.Look == nil {
		return nil
	}
	if e.plan.Samples == UncheckedSamples {
		e.samples = &SampleGuard{State: NotChecked, Reason: "turned off by --samples unchecked"}
		return nil
	}
	see := func(v Variant, side Side) (probe.Samples, error) {
		e.tell(Event{Side: side, Samples: true})
		return e.seen(ctx, v, side)
	}
	before, err := see(e.plan.Before, Before)
	if err == nil && count(before) == 0 {
		err = fmt.Errorf("no DataLoader and no model call was detected")
	}
	if err != nil {
		return e.looked(ctx, SampleGuard{State: NotChecked, Reason: "the baseline's samples cannot be read: " + err.Error()})
	}
	after, err := see(e.plan.After, After)
	if err != nil {
		return e.looked(ctx, SampleGuard{State: NotShown, Reason: "the samples of the change cannot be read: " + err.Error()})
	}
	g := compareSamples(before, after, e.plan, func() (probe.Samples, error) { return see(e.plan.Before, Before) })
	return e.looked(ctx, g)
}

func (e *experiment) looked(ctx context.Context, g SampleGuard) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	e.samples = &g
	return e.store.saveSamples(g)
}

// seen runs a variant briefly.
func (e *experiment) seen(ctx context.Context, v Variant, side Side) (probe.Samples, error) {
	limited, cancel := context.WithTimeout(ctx, e.plan.Timeout)
	defer cancel()
	found, err := e.opt.Look(limited, Trial{
		Name: "samples-" + string(side), Side: side, Dir: v.Dir, Command: fill(v.Command, seedWord,
			fmt.Sprint(e.plan.Seed)), Env: v.Env,
		Home: e.plan.home(v), Steps: e.plan.LookSteps, Seed: int64(e.plan.Seed), Own: e.opt.own(v, ""),
	})
	if err == nil && limited.Err() != nil {
		err = fmt.Errorf("the program had not finished after %v", e.plan.Timeout)
	}
	return found, err
}

// compareSamples finds out whether two variants train on the same. again runs the baseline once more: where it differs
// from itself, chance could not be pinned.
func compareSamples(before, after probe.Samples, p Plan, again func() (probe.Samples, error)) SampleGuard {
	c := comparison{before: before, after: after, tolerance: p.tolerance(), regrouped: p.Samples == Regrouped ||
		p.Measure == PerSample, passes: p.Passes, pads: p.Pads}
	g := SampleGuard{Tolerance: c.tolerance}
	g.DistinctBefore, g.DistinctAfter = distinct(before), distinct(after)
	first := c.run(&g)
	if first == nil {
		g.State = Passed
		g.Reason = human.Count(g.Checked) + " compared " + comparedAt(g.By)
		if g.Checked == 0 {
			g.State, g.Reason = NotShown, "the variants have no sample in common that could be compared"
		}
		return g
	}
	if self, err := again(); err == nil {
		own := comparison{before: before, after: self, tolerance: c.tolerance, regrouped: c.regrouped}
		if own.run(&SampleGuard{}) != nil {
			return c.withoutOrder(&own, g)
		}
	}
	g.State, g.First = Failed, first
	g.Reason = "the change trains on different samples: " + first.String()
	return g
}

// comparedAt says how a sample was found in both variants.
func comparedAt(by string) string {
	if by == "input" {
		return "at the model's input"
	}
	return "by " + by
}

// withoutOrder compares what the baseline itself repeats exactly, and the rest by its distribution.
func (c comparison) withoutOrder(own *comparison, g SampleGuard) SampleGuard {
	c.loose, c.first, c.differing = own.differing, nil, nil
	if slices.Contains(own.differing, orderField) {
		c.regrouped = true
	}
	g.Checked, g.Equal = 0, 0
	first := c.run(&g)
	if first == nil {
		first = c.distribution(g)
	}
	g.By = "distribution"
	if first != nil {
		g.State, g.First = Failed, first
		g.Reason = "the change trains on different samples: " + first.String()
		return g
	}
	g.State = Passed
	g.Reason = fmt.Sprintf("%s compared by their distribution: the baseline's %s differ from run to run, so they "+
		"cannot be compared one by one", human.Plural(g.Checked, "sample"), human.And(own.differing))
	return g
}
