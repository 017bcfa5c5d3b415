package optimize

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"saturate/internal/human"
	"saturate/internal/patch"
	"saturate/internal/rule"
	"saturate/internal/stat"
	"saturate/internal/verify"
)

// Rung is a candidate that was tried, with the decision on it.
type Rung struct {
	Candidate
	Decision Decision      `json:"decision"`
	Because  string        `json:"because"`         // why it was kept or dropped
	Before   stat.Number   `json:"before_s_per_it"` // of the best program so far, beside it
	After    stat.Number   `json:"after_s_per_it"`
	Ratio    stat.Number   `json:"ratio"`              // of the times
	Interval stat.Interval `json:"interval"`           // of the ratio
	Pairs    int           `json:"pairs"`              // pairs of runs that count
	Noise    stat.Noise    `json:"noise,omitzero"`     // of the logarithms of their ratios
	Unproven bool          `json:"unproven,omitempty"` // decided by one pair, as --quick asks for
	Short    bool          `json:"short,omitempty"`    // it seemed faster, and its part of the budget allowed no more pairs
	Guard    string        `json:"guard,omitempty"`    // what the accuracy guard says
	// LossChange is how the loss at the end of the runs changed, as a share.
	LossChange stat.Number `json:"loss_change,omitempty"`

	Samples  *verify.SampleGuard `json:"samples,omitempty"`  // what it does to what the model is trained on
	Warnings []string            `json:"warnings,omitempty"` // of the measurement: a busy machine, say

	Tree    string   `json:"tree"`              // folder of the repaired copy
	From    string   `json:"from"`              // the tree that was repaired
	Pass    int      `json:"pass"`              // 1 when it is tried for the first time
	Files   []string `json:"files,omitempty"`   // that it changed or made
	Prepare []string `json:"prepare,omitempty"` // commands that made files for it
	Shared  []string `json:"shared,omitempty"`  // the folders those files are in
	Seconds float64  `json:"took_s,omitempty"`  // to make and measure it
	Effort  Effort   `json:"effort,omitempty"`  // what made that take long
	Bound   string   `json:"bound,omitempty"`   // what the step waited for most when it was tried
	Command []string `json:"command,omitempty"` // that starts the program, where the repair changed it
	Rounded bool     `json:"rounded,omitempty"` // those files hold features of saturate mel, rounded to FP16
	Apart   float64  `json:"apart,omitempty"`   // how far these are from the project's own at most

	Standing *Baseline `json:"standing,omitempty"` // where the time of the repaired program goes, of a kept rung

	keep func(name string, old []byte) // hears of each file before it is changed; may be nil
}

// Decision is the outcome for a candidate.
type Decision string

const (
	Kept       Decision = "kept"
	Superseded Decision = "superseded" // kept at first; another repair of the same findings was better still
	Useless    Decision = "no difference"
	Harmful    Decision = "slower"
	Broken     Decision = "broken"       // it crashed, hung, or could not be made
	Unmeasured Decision = "not measured" // the program failed without it
	Wrong      Decision = "wrong"        // the accuracy guard failed
	NotNeeded  Decision = "not needed"   // another repair settled its findings
)

var errBudget = errors.New("the budget is used up")

// settle records a rung. If it was kept in place of another, it supersedes that one.
func (p *protocol) settle(rung Rung) {
	if rung.Decision == Kept {
		for i, r := range p.state.Rungs {
			if rung.Instead != "" && r.Tree == rung.Instead {
				p.state.Rungs[i].Decision = Superseded
				p.state.Rungs[i].Because = r.Because + "; superseded by " + rung.ID
			}
		}
		if known, ok := p.seen[p.best().dir]; ok && !rung.feeds() {
			p.sees(p.tree(rung.Tree).dir, sight{known.samples, true})
		}
		p.state.Best = rung.Tree
		if rung.Standing != nil {
			p.stands(rung.Tree, rung.Standing)
		}
	}
	rung.Standing = nil
	p.state.Rungs = append(p.state.Rungs, rung)
	p.trying = Rung{}
}

// try repairs a copy of the best program and measures the two side by side.
func (p *protocol) try(ctx context.Context, c Candidate, here *Baseline) (Rung, error) {
	rung := p.rung(c, here)
	if p.expired() {
		return rung, errBudget
	}
	p.tell(Event{Phase: Climbing, Text: c.Title + expected(c)})
	changed, err := p.apply(ctx, &rung, p.best(), p.tree(rung.Tree))
	switch {
	case ctx.Err() != nil:
		return rung, ctx.Err()
	case errors.Is(err, errBudget):
		return rung, errBudget
	case isFull(err): // says nothing about the repair
		return rung, fmt.Errorf("cannot try %s: %w; free disk space and run the same command to continue", c.ID, err)
	case err != nil:
		rung.Decision, rung.Because = Broken, err.Error()
		return rung, nil
	case !changed:
		rung.Decision, rung.Because = NotNeeded, "superseded by an earlier fix"
		return rung, nil
	}
	return p.judge(ctx, rung)
}

// rung is a candidate that is about to be tried.
func (p *protocol) rung(c Candidate, here *Baseline) Rung {
	rung := Rung{Candidate: c, Pass: 1, Tree: fmt.Sprintf("%02d", len(p.state.Rungs)+1), From: p.state.Best, Bound: here.bound(), Effort: p.effort(c)}
	for _, r := range p.state.Rungs {
		if r.ID == c.ID {
			rung.Pass = r.Pass + 1
		}
	}
	return rung
}

// judge measures the tree of a rung beside the best one.
func (p *protocol) judge(ctx context.Context, rung Rung) (Rung, error) {
	best, candidate := p.best(), p.tree(rung.Tree)
	p.trying = rung
	p.afford(p.here())
	folder := filepath.Join("rungs", rung.Tree+"-"+strings.ReplaceAll(rung.ID, "/", "-"))
	result, err := p.measure(ctx, Climbing, folder, best, candidate, p.between(rung))
	switch {
	case errors.Is(err, verify.ErrChanged):
		rung.Decision, rung.Because = Broken, err.Error()
		return rung, nil
	case err != nil:
		return rung, err
	}
	if result.Verdict == verify.Invalid && saysFull(result.Reason) {
		err := fmt.Errorf("cannot measure %s: %s; free disk space and run the same command to continue", rung.ID, result.Reason)
		return rung, errors.Join(err, os.RemoveAll(p.path(folder)))
	}
	if start := startOf(result, 0); start > 0 && rung.From == baseTree {
		p.state.Start = start
	}
	p.take(&rung, result)
	if size := candidate.size(rung.Shared); size > 0 {
		rung.Because += "; cache " + human.Bytes(size)
	}
	if rung.Rounded {
		rung.Because += fmt.Sprintf("; values within %.2g of your own", rung.Apart)
	}
	return rung, nil
}

// take decides by a measurement. Repairs that break the results are dropped first; see keep.go for the rest.
func (p *protocol) take(r *Rung, v verify.Result) {
	r.Before, r.After = v.Sides[verify.Before].Median, v.Sides[verify.After].Median
	r.Ratio, r.Interval, r.Pairs, r.Guard = v.Ratio, v.Interval, v.Pairs, string(v.Guard.State)
	r.Samples, r.Warnings, r.LossChange = &v.Guard.Samples, v.Warnings, v.Guard.Change
	switch {
	case v.Cause == verify.BySamples:
		r.Decision, r.Because, r.Guard = Wrong, v.Reason, string(verify.Failed)
	case v.Verdict == verify.Invalid && v.Cause == verify.ByAccuracy || v.Guard.State == verify.Failed:
		r.Decision, r.Because = Wrong, v.Reason
		if v.Guard.State == verify.Failed {
			r.Because = v.Guard.Reason
		}
	case v.Cause == verify.ByProgram && v.Blamed == verify.Before:
		r.Decision, r.Because = Unmeasured, v.Reason
	case v.Verdict == verify.Invalid:
		r.Decision, r.Because = Broken, v.Reason
	case len(v.Unloaded()) > 0:
		r.Decision, r.Because = Useless, "the program imports none of the changed files"
	case float64(v.Guard.Change) > v.Guard.Margin && v.Guard.State != verify.Passed:
		r.Decision, r.Because = Wrong, fmt.Sprintf("the loss is %.2g%% worse", 100*float64(v.Guard.Change))
	case v.Guard.Samples.State == verify.NotShown:
		r.Decision, r.Because = Wrong, v.Guard.Samples.Reason
	default:
		p.byPairs(r, v)
	}
	if r.Decision == Kept {
		r.Standing = p.measured(v)
	}
}

// expected is the predicted gain of a candidate, shown after its title.
func expected(c Candidate) string {
	if c.Predicted == nil {
		return ""
	}
	return fmt.Sprintf(" (predicted %s/it)", human.Seconds(c.Predicted.Seconds))
}

func pairsOf(n int) string { return human.Plural(n, "pair") }

// measure compares two trees, as strictly as the repairs between them demand. Finished measurements are not repeated.
func (p *protocol) measure(ctx context.Context, phase Phase, folder string, before, after tree, repairs []Rung) (verify.Result, error) {
	if p.expired() {
		return verify.Result{}, errBudget
	}
	plan := verify.Plan{Pairs: p.Pairs, Steps: p.proofSteps(), Seed: 1, Timeout: p.patience(), Whole: true, LookSteps: p.lookSteps()}
	demand(&plan, repairs)
	allow(&plan, append(p.kept(), repairs...))
	var enough func(verify.Result) bool
	if phase == Climbing {
		plan.Pairs, plan.Steps, enough = p.most(), p.screenSteps(), p.enough
	}
	if !p.deadline.IsZero() {
		plan.Budget = p.deadline.Sub(p.Now())
		if phase == Climbing {
			plan.Budget = max(time.Millisecond, plan.Budget-p.reserved())
		}
	}
	var err error
	p.clean(before.dir)
	p.clean(after.dir)
	if plan.Before, err = p.variant(before); err != nil {
		return verify.Result{}, err
	}
	if plan.After, err = p.variant(after); err != nil {
		return verify.Result{}, err
	}
	options := verify.Options{
		Dir: p.path(folder), Execute: p.execute(phase), Look: p.look(phase, repairs), Confine: &verify.Confine{Writable: p.Writable}, Enough: enough, System: p.System, Now: p.Now,
		Tell: func(e verify.Event) { p.tell(Event{Phase: phase, Measure: &e}) },
	}
	result, err := verify.Run(ctx, plan, options)
	if errors.Is(err, verify.ErrOther) { // of an earlier call, by another version or with another budget
		if err = os.RemoveAll(p.path(folder)); err == nil {
			result, err = verify.Run(ctx, plan, options)
		}
	}
	if err == nil && result.Verdict != verify.Invalid && result.Pairs < plan.Pairs && (enough == nil || !enough(result)) && (p.expired() || phase == Climbing && p.late()) {
		err = errBudget
	}
	return result, err
}

// patience is how long one run may take before it counts as hanging: much longer than the baseline's, because compiling
// is slow.
func (p *protocol) patience() time.Duration {
	if p.state.Baseline == nil || p.state.Baseline.WallSeconds == 0 {
		return p.Timeout
	}
	return min(p.Timeout, 3*time.Minute+inSeconds(4*p.state.Baseline.WallSeconds))
}

func (p *protocol) expired() bool { return !p.deadline.IsZero() && p.Now().After(p.deadline) }

// numericsOf says how strictly the loss is checked. Values that the project's own code makes offline are the same bit
// for bit, and a safe repair computes the same; the others may round differently.
func numericsOf(r Rung) verify.Numerics {
	if r.ID == offlineGroup.id && !r.Rounded || r.Safety == patch.Safe {
		return verify.Same
	}
	return verify.Changed
}

// between are the repairs by which a candidate differs from the best program, including the one that it replaces.
func (p *protocol) between(rung Rung) []Rung {
	list := []Rung{rung}
	for _, r := range p.state.Rungs {
		if rung.Instead != "" && r.Tree == rung.Instead {
			list = append(list, r)
		}
	}
	return list
}

// kept are the repairs of the best program.
func (p *protocol) kept() (list []Rung) {
	for _, r := range p.state.Rungs {
		if r.Decision == Kept {
			list = append(list, r)
		}
	}
	return list
}

// melTolerance is how far features of saturate mel may be from the project's own, as a share of their size: they are
// kept as FP16, and computed in another order.
const melTolerance = 0.01

// demand says what a set of repairs may do to the loss and to the samples: as much as the boldest of them. A repair
// that only loads data must load the same values, whatever the model's precision.
func demand(plan *verify.Plan, repairs []Rung) {
	plan.Numerics, plan.Samples = verify.Same, verify.SameSamples
	if !slices.ContainsFunc(repairs, func(r Rung) bool { return !r.onlyData() }) {
		plan.SampleTolerance = verify.Rounding
	}
	for _, r := range repairs {
		if numericsOf(r) == verify.Changed {
			plan.Numerics = verify.Changed
		}
		for _, code := range r.Codes {
			switch found := rule.Find(code); {
			case found == nil:
			case found.SetsWorkers:
				plan.Redraws = true
			case found.Reshapes:
				plan.Samples = verify.UncheckedSamples
			case found.Regroups && plan.Samples == verify.SameSamples:
				plan.Samples = verify.Regrouped
			}
		}
		if r.Rounded {
			plan.SampleTolerance = melTolerance
		}
	}
}

// allow says what only some of the compared programs give to the model, though they train on the same samples.
func allow(plan *verify.Plan, repairs []Rung) {
	for _, r := range repairs {
		for _, code := range r.Codes {
			found := ruleOf(code)
			plan.Pads = plan.Pads || found.Pads
			if found.Passes != "" && !slices.Contains(plan.Passes, found.Passes) {
				plan.Passes = append(plan.Passes, found.Passes)
			}
		}
	}
}
