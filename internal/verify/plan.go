package verify

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"saturate/internal/human"
)

// Numerics says what the change may do to the results.
type Numerics string

const (
	Same      Numerics = "same"      // the loss must stay within the spread of the baseline with itself
	Changed   Numerics = "changed"   // bf16, TF32, 8-bit: the loss must not get worse by more than the Margin
	Unchecked Numerics = "unchecked" // nobody looks at the loss, and the result says so
)

// Measure is what is compared.
type Measure string

const (
	PerStep   Measure = "step"   // seconds per step; both variants do the same work in each
	PerSample Measure = "sample" // seconds per sample, where the batch size changes on purpose
)

// Plan is an experiment, fixed before its first run.
type Plan struct {
	Before      Variant  `json:"before"`
	After       Variant  `json:"after"`
	Pairs       int      `json:"pairs"`       // of before and after; fewer than 6 cannot be significant
	Calibration int      `json:"calibration"` // A/A pairs, which run before twice
	Steps       int      `json:"steps"`       // of each run, its warm-up included; 0: as many as the program makes
	Seed        uint64   `json:"seed"`        // of the order of the runs, and of {seed} in the command
	Threshold   float64  `json:"threshold"`   // a smaller change does not matter: 0.01 is one per cent
	Measure     Measure  `json:"measure"`
	Whole       bool     `json:"whole,omitempty"` // steps that recur count too, as often as they come: first ones of an epoch, checkpoints, evaluations
	Numerics    Numerics `json:"numerics"`        // what the change may do to results
	Margin      float64  `json:"margin"`          // of the loss, relative: for Changed

	Samples         SampleMode `json:"samples,omitempty"`          // how the samples are compared
	SampleTolerance float64    `json:"sample_tolerance,omitempty"` // for rounding, as a share of the values; 0: by Numerics
	Passes          []string   `json:"passes,omitempty"`           // arguments of the model that a repair makes from the others
	Pads            bool       `json:"pads,omitempty"`             // the change may append labels that the loss leaves out

	// LookSteps are the steps of a look at the samples. It sees two epochs of half as many batches and the beginning of a
	// third.
	LookSteps int `json:"look_steps,omitempty"`

	// Redraws: the change may make random augmentation draw differently, as worker processes do.
	Redraws bool `json:"redraws,omitempty"`

	Timeout time.Duration `json:"timeout_ns"`          // of one run
	Budget  time.Duration `json:"budget_ns,omitempty"` // no pair starts after it; 0: no limit
}

// Defaults fills in what was left empty. Calibration stays: none is a choice.
func (p Plan) Defaults() Plan {
	if p.Pairs == 0 {
		p.Pairs = DefaultPairs
	}
	if p.Threshold == 0 {
		p.Threshold = DefaultThreshold
	}
	if p.Measure == "" {
		p.Measure = PerStep
	}
	if p.Numerics == "" {
		p.Numerics = Same
	}
	if p.Margin == 0 {
		p.Margin = DefaultMargin
	}
	if p.Samples == "" {
		p.Samples = SameSamples
	}
	if p.LookSteps == 0 {
		p.LookSteps = LookSteps
	}
	if p.Timeout == 0 {
		p.Timeout = DefaultTimeout
	}
	return p
}

const (
	DefaultPairs       = 6
	DefaultCalibration = 3
	DefaultSteps       = 50
	DefaultThreshold   = 0.01
	DefaultMargin      = 0.01
	DefaultTimeout     = 30 * time.Minute
)

// TooFew says what so few pairs cannot show, before any of them is run; nothing where they are enough. They still tell
// whether the variants run and compute the same.
func TooFew(pairs int) string {
	if pairs < 1 || pairs >= fewestPairs {
		return ""
	}
	return fmt.Sprintf("%s cannot reach significance, so this only checks that both variants "+
		"run and compute the same; use --pairs %d or more", human.Plural(pairs, "pair"), fewestPairs)
}

// check refuses a plan that cannot be carried out.
func (p Plan) check() error {
	switch {
	case len(p.Before.Command) == 0 || len(p.After.Command) == 0:
		return errors.New("the command is missing; write it after --, as in `-- python train.py`")
	case p.Pairs < 1 || p.Pairs > 1000 || p.Calibration < 0 || p.Calibration > 1000:
		return errors.New("--pairs must be 1 to 1000 and --calibrate 0 to 1000")
	case p.Steps < 0 || p.Steps > 0 && p.Steps < fewestSteps:
		return fmt.Errorf("--steps must be at least %[2]d, not %[1]d: fewer cannot separate warm-up from speed", p.Steps,
			fewestSteps)
	case !(p.Threshold > 0 && p.Threshold < 1) || !(p.Margin > 0 && p.Margin < 1):
		return errors.New("--threshold and --margin must be between 0% and 100%")
	case !slices.Contains([]Measure{PerStep, PerSample}, p.Measure):
		return fmt.Errorf("--measure cannot be %q: use step or sample", p.Measure)
	case !slices.Contains([]Numerics{Same, Changed, Unchecked}, p.Numerics):
		return fmt.Errorf("--numerics cannot be %q: use same, changed or unchecked", p.Numerics)
	case !slices.Contains([]SampleMode{SameSamples, Regrouped, UncheckedSamples}, p.Samples):
		return fmt.Errorf("--samples cannot be %q: use same, regrouped or unchecked", p.Samples)
	}
	return nil
}
