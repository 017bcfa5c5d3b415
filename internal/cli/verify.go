package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"saturate/internal/device"
	"saturate/internal/human"
	"saturate/internal/probe"
	"saturate/internal/report"
	"saturate/internal/run"
	"saturate/internal/verify"
	"saturate/internal/view"
)

type verifyOptions struct {
	before, after       string
	beforeEnv, afterEnv []string
	plan                verify.Plan
	threshold, margin   share
	gate                share
	numerics, measure   string
	samples             string
	fresh               bool
	writable            []string
}

var verifyCommand = command{
	name: "verify", group: prove, args: "--before REF|DIR|PATCH --after REF|DIR|PATCH -- COMMAND…", min: 0, max: -1,
	short: "Prove that a change makes training faster and keeps the results right",
	long: `Prove that a change makes training faster and keeps the results right.

saturate runs both variants in pairs of processes, in random order, and compares the step times pair by pair, leaving
out warm-up steps. The answer is one word:

  FASTER, SLOWER   the whole interval of the ratio is beyond the threshold, and p is at most 0.05
  SAME             the difference is within the threshold
  INCONCLUSIVE     neither is shown; the report says how many pairs would decide
  INVALID          a variant crashed, did different work or broke the results, or the machine was disturbed

A variant is a git ref (checked out into its own folder), a folder (used in place), or a patch file (applied to a
copy of the current tree, with uncommitted changes). Files that git ignores (datasets, environments) are linked.

On Linux your files are safe: the program writes to a temporary copy that is discarded when it ends. Only caches are
written as usual. To keep a folder's output, name it with --writable. On other systems, saturate only names the files
that the program changed.

saturate compares the loss of both variants step by step. With --numerics same (the default), the change may differ
from the baseline only as much as the baseline differs between its own runs. With --numerics changed (bf16, TF32,
8-bit), the loss must not change by more than --margin. A short run of each variant shows what it trains on: with
--samples same (the default), every sample must be the same, in the same order, except for rounding. Random
augmentation is seeded for this check.

In COMMAND, {seed} is replaced by a seed that is the same for both runs of a pair. {steps} is for programs whose
steps saturate cannot see, such as those not in Python. It is replaced by the path of a file to which the program writes
its steps, one JSON object per line, such as {"step": 1, "s": 0.41, "loss": 2.3}. It is not the number of --steps.

Exit codes: 0 FASTER or SAME; 1 SLOWER, or INVALID because the change breaks the results, does different work or
crashes; 3 INCONCLUSIVE, or INVALID for another reason, such as a disturbed machine. With --gate 5%: 0 if a slowdown of
more than 5% is ruled out; 1 if it is shown, or if the change is at fault; 3 otherwise.`,
	example: `  saturate verify --before HEAD --after . -- python train.py
  saturate verify --before main --after faster-loader --pairs 10 -- python train.py --steps 200
  saturate verify --before . --after bf16.patch --numerics changed --margin 0.5% -- python train.py --seed {seed}
  saturate verify --before origin/main --after HEAD --gate 5% -- python train.py
  saturate verify --before . --after . --after-env OMP_NUM_THREADS=4 -- python train.py`,
	formats: report.Formats(),
	judges:  "exit with 0 instead of 1: for SLOWER, a failed --gate, or a change that is at fault",
	data:    view.VerifyData{},
	prepare: with(func(fs *pflag.FlagSet, o *verifyOptions) {
		o.threshold, o.margin = verify.DefaultThreshold, verify.DefaultMargin
		section(fs, "Variants", func() {
			fs.StringVar(&o.before, "before", "", "baseline: a git `REF`, a folder, or a patch file")
			fs.StringVar(&o.after, "after", "", "change: a git `REF`, a folder, or a patch file")
			fs.StringArrayVar(&o.beforeEnv, "before-env", nil, "environment variable for the baseline only: `NAME=VALUE`")
			fs.StringArrayVar(&o.afterEnv, "after-env", nil, "environment variable for the change only: `NAME=VALUE`")
		})
		section(fs, "Runs", func() {
			fs.IntVar(&o.plan.Steps, "steps", verify.DefaultSteps, "steps per run, including warm-up; 0 for no limit")
			fs.IntVar(&o.plan.Pairs, "pairs", verify.DefaultPairs, "pairs of runs; fewer than 6 cannot reach significance")
			fs.IntVar(&o.plan.Calibration, "calibrate", verify.DefaultCalibration,
				"pairs of the baseline against itself, to measure noise")
			fs.Uint64Var(&o.plan.Seed, "seed", 1, "random seed for the order of runs, and for programs that set none")
			fs.DurationVar(&o.plan.Timeout, "timeout", verify.DefaultTimeout, "maximum time per run")
			fs.DurationVar(&o.plan.Budget, "budget", 0, "start no new runs after this time; 0 for no limit")
			fs.StringArrayVar(&o.writable, "writable", nil, "`DIR` whose output is kept; what the program writes elsewhere is discarded")
			fs.BoolVar(&o.fresh, "fresh", false, "start over, even if an unfinished experiment exists")
		})
		section(fs, "Verdict", func() {
			fs.Var(&o.threshold, "threshold", "smallest change that matters")
			fs.Var(&o.gate, "gate", "fail if the change is slower by more than `SHARE`, such as 5% (default: no gate)")
			fs.Lookup("gate").DefValue = "0" // so that the help does not call 0% the default
			fs.StringVar(&o.numerics, "numerics", "same", "what may happen to the loss: same, changed, or unchecked")
			fs.Var(&o.margin, "margin", "how much the loss may change with --numerics changed")
			fs.StringVar(&o.samples, "samples", "same",
				"what may happen to the samples: same, regrouped (different batches), or unchecked")
			fs.StringVar(&o.measure, "measure", "step", "compare the time per step, or per sample if the batch size changes")
		})
		onCommandLineOnly(fs, "before", "after", "before-env", "after-env", "fresh", "writable")
		forUserOnly(fs, "samples") // a project does not switch its own guard off
	}, runVerify),
}

// share is a part of one that is typed as 5% or 0.05.
type share float64

func (s *share) String() string { return strconv.FormatFloat(100*float64(*s), 'g', 6, 64) + "%" }
func (s *share) Type() string   { return "share" }

func (s *share) Set(text string) error {
	number, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	v, err := strconv.ParseFloat(number, 64)
	if percent {
		v /= 100
	}
	if err != nil || !(v >= 0 && v < 1) {
		return fmt.Errorf("use 5%% or 0.05")
	}
	*s = share(v)
	return nil
}

func runVerify(ctx context.Context, env *Env, o verifyOptions, args []string) (report.Report, error) {
	if err := o.check(args); err != nil {
		return report.Report{}, err
	}
	o.plan.Threshold, o.plan.Margin = float64(o.threshold), float64(o.margin)
	o.plan.Numerics, o.plan.Measure = verify.Numerics(o.numerics), verify.Measure(o.measure)
	o.plan.Samples = verify.SampleMode(o.samples)
	state := filepath.Join(env.path(env.Config.Get("runs").Value), ".verify-"+o.key(env.Dir, args))
	plan, err := o.resume(ctx, env, state, args)
	if err != nil {
		return report.Report{}, err
	}
	result, err := o.measureBoth(ctx, env, state, plan)
	if err != nil {
		return report.Report{}, err
	}
	kept, err := verify.Keep(env.path(env.Config.Get("runs").Value), result, run.Options{
		Command: args, Config: []byte(o.before + "\x00" + o.after), Environment: run.Capture(ctx, env.Dir, env.Vars),
	})
	if err != nil {
		result.Warnings = append(result.Warnings, err.Error())
	}
	result.Dir, result.Log = env.shown(kept), env.shown(result.Log)
	return view.OfVerify(result, float64(o.gate)), nil
}

// check refuses what is missing or out of range.
func (o verifyOptions) check(args []string) error {
	switch {
	case o.before == "" || o.after == "":
		return usage("verify needs --before and --after; try: saturate verify --before HEAD --after . -- python train.py")
	case len(args) == 0:
		return usage("verify needs a command after --; try: saturate verify --before %s --after %s -- python train.py",
			o.before, o.after)
	case o.plan.Pairs < 1 || o.threshold == 0 || o.margin == 0 || o.plan.Timeout <= 0:
		return usage("--pairs, --threshold, --margin and --timeout must be greater than 0")
	}
	return nil
}

// resume is the plan of the experiment, which goes on where an earlier one of the same plan stopped.
func (o verifyOptions) resume(ctx context.Context, env *Env, state string, args []string) (verify.Plan, error) {
	if err := verify.Busy(state); err != nil {
		return verify.Plan{}, err
	}
	if o.fresh {
		os.RemoveAll(state)
	}
	env.tooFew(o.plan.Pairs)
	plan, err := o.variants(ctx, env, state, args)
	if err != nil {
		verify.Clear(state)
		return plan, err
	}
	if done, same := verify.Kept(state, plan); !same {
		os.RemoveAll(filepath.Join(state, "blocks"))
		os.Remove(filepath.Join(state, "plan.json"))
		if env.Verbose >= 0 {
			env.say("files changed since the unfinished experiment; starting over")
		}
	} else if done > 0 && env.Verbose >= 0 {
		env.say("resuming after %s; use --fresh to start over", human.Plural(done, "finished pair"))
	}
	return plan, nil
}

// measureBoth runs both sides in pairs and shows how far it is.
func (o verifyOptions) measureBoth(ctx context.Context, env *Env, state string, plan verify.Plan) (verify.Result, error) {
	confine := &verify.Confine{}
	for _, folder := range o.writable {
		confine.Writable = append(confine.Writable, env.path(folder))
	}
	task := env.Progress.Start("verify", "runs", int64(2*(plan.Pairs+plan.Calibration)))
	result, err := verify.Run(ctx, plan, verify.Options{
		Dir: state, Execute: verify.Programs(env.Vars), Look: verify.Samples(env.Vars, nil), Confine: confine,
		System: device.Host{Env: env.Vars, Dir: env.Dir}, Now: env.Now,
		Tell: func(e verify.Event) {
			if e.Problem != "" {
				env.say("repeating pair %d: %s", e.Block, e.Problem)
				return
			}
			task.Set(int64(e.Runs))
			task.Note(progressNote(e, plan.Steps))
		},
	})
	task.Done()
	if errors.Is(err, verify.ErrChanged) {
		err = fmt.Errorf("%w; use --fresh to start over", err)
	}
	if err != nil {
		verify.Clear(state)
	}
	var stopped *verify.Stopped
	switch {
	case errors.As(err, &stopped):
		return result, exitError{exitStopped, errors.New(stopped.Error())}
	case errors.Is(err, probe.ErrMissing):
		return result, exitError{exitMissing, err}
	}
	return result, err
}

// tooFew says beforehand that an experiment cannot decide. It runs all the same: whether both variants work is worth
// knowing too.
func (env *Env) tooFew(pairs int) {
	if text := verify.TooFew(pairs); text != "" && env.Verbose >= 0 {
		env.say("warning: %s", text)
	}
}

// key tells experiments apart by what was typed, so that the same command finds its unfinished one again.
func (o verifyOptions) key(dir string, args []string) string {
	p := o.plan
	text, _ := json.Marshal([]any{
		dir, o.before, o.after, o.beforeEnv, o.afterEnv, args, p.Steps, p.Pairs, p.Calibration,
		p.Seed, p.Threshold, p.Numerics, p.Margin, p.Measure, p.Samples,
	})
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:4])
}

// variants gives each side its folder.
func (o verifyOptions) variants(ctx context.Context, env *Env, state string, args []string) (verify.Plan, error) {
	plan := o.plan
	for _, side := range []struct {
		variant *verify.Variant
		named   string
		folder  string
		env     []string
	}{{&plan.Before, o.before, "before", o.beforeEnv}, {&plan.After, o.after, "after", o.afterEnv}} {
		v, err := verify.Prepare(ctx, env.Dir, side.named, filepath.Join(state, "variants", side.folder), args)
		if errors.Is(err, verify.ErrNoGit) {
			return plan, exitError{exitMissing, err}
		}
		if err != nil {
			return plan, usage("--%s: %v", side.folder, err)
		}
		for _, entry := range side.env {
			if name, _, ok := strings.Cut(entry, "="); !ok || name == "" {
				return plan, usage("--%s-env cannot be %q: use NAME=VALUE", side.folder, entry)
			}
		}
		v.Env = side.env
		if env.Verbose >= 0 {
			for _, note := range v.Notes {
				env.say("%s", note)
			}
		}
		v.Notes = nil
		*side.variant = v
	}
	return plan, nil
}

func progressNote(e verify.Event, steps int) string {
	what := string(e.Side)
	if e.Calibration {
		what += " vs itself"
	}
	if e.Samples {
		return "the samples of " + what
	}
	note := fmt.Sprintf("pair %d of %d: %s", e.Block, e.Blocks, what)
	switch {
	case e.Step > 0 && steps > 0:
		note += fmt.Sprintf(", step %d of %d", e.Step, steps)
	case e.Step > 0:
		note += fmt.Sprintf(", step %d", e.Step)
	}
	return note
}
