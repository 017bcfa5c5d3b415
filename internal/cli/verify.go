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
	fresh               bool
}

var verifyCommand = command{
	name: "verify", group: prove, args: "--before REF|DIR|PATCH --after REF|DIR|PATCH -- COMMAND…", min: 0, max: -1,
	short: "Prove that a change makes training faster, and that its results are still right",
	long: `Prove that a change makes training faster, and that its results are still right.

Both variants are run in turn, in pairs of processes, in random order. The time of a step, its warm-up left out, is
compared pair by pair. The answer is one word:

  FASTER, SLOWER   the whole interval of the ratio lies beyond the threshold, and p is at most 0.05
  SAME             shown to be within the threshold
  INCONCLUSIVE     neither; it says how many pairs would decide
  INVALID          the variants do different work, break the results, crash, or the machine was disturbed

A variant is a git ref (its files are written into a folder of their own), a folder (used as it is), or a patch file
(applied to a copy of the current tree, uncommitted changes included). Your own files are never changed, and what git
ignores (data sets, environments) is linked.

The loss of both variants is compared step by step. With --numerics same, the default, it has to stay as close to the
baseline as the baseline is to itself; with --numerics changed (bf16, TF32, 8-bit) it must not get worse by more
than --margin. In the command, {seed} stands for a seed of each block, and {steps} for a file that the
program writes its own steps to, one JSON object a line.

Exit codes: 0 FASTER or SAME; 1 SLOWER, or the change breaks the results, does other work or crashes; 3 not decided.
With --gate 5%: 0 when a slow-down by more than 5% is ruled out, 1 when it is shown, 3 otherwise.`,
	example: `  saturate verify --before HEAD --after . -- python train.py
  saturate verify --before main --after faster-loader --pairs 10 -- python train.py --steps 200
  saturate verify --before . --after bf16.patch --numerics changed --margin 0.5% -- python train.py --seed {seed}
  saturate verify --before origin/main --after HEAD --gate 5% -- python train.py
  saturate verify --before . --after . --after-env OMP_NUM_THREADS=4 -- python train.py`,
	formats: report.Formats(),
	data:    view.VerifyData{},
	prepare: with(func(fs *pflag.FlagSet, o *verifyOptions) {
		o.threshold, o.margin = verify.DefaultThreshold, verify.DefaultMargin
		fs.StringVar(&o.before, "before", "", "the baseline: a git `REF`, a folder, or a patch file")
		fs.StringVar(&o.after, "after", "", "the change: a git `REF`, a folder, or a patch file")
		fs.StringArrayVar(&o.beforeEnv, "before-env", nil, "a variable for the baseline alone: `NAME=VALUE`")
		fs.StringArrayVar(&o.afterEnv, "after-env", nil, "a variable for the change alone: `NAME=VALUE`")
		fs.IntVar(&o.plan.Steps, "steps", verify.DefaultSteps, "steps of each run, warm-up included; 0 lets the program end by itself")
		fs.IntVar(&o.plan.Pairs, "pairs", verify.DefaultPairs, "pairs of runs; fewer than 6 cannot decide")
		fs.IntVar(&o.plan.Calibration, "calibrate", verify.DefaultCalibration, "pairs of the baseline with itself, to know the machine's noise")
		fs.Uint64Var(&o.plan.Seed, "seed", 1, "of the order of the runs, and for programs that set no seed themselves")
		fs.Var(&o.threshold, "threshold", "a smaller change does not matter")
		fs.Var(&o.gate, "gate", "fail when it is slower by more than `SHARE`, such as 5%")
		fs.StringVar(&o.numerics, "numerics", "same", "what the change may do to the loss: same, changed, or unchecked")
		fs.Var(&o.margin, "margin", "how much worse the loss may get with --numerics changed")
		fs.StringVar(&o.measure, "measure", "step", "compare the time of a step, or of a sample where the batch size changes")
		fs.DurationVar(&o.plan.Timeout, "timeout", verify.DefaultTimeout, "most time for one run")
		fs.DurationVar(&o.plan.Budget, "budget", 0, "begin no further block after this time; 0 for no limit")
		fs.BoolVar(&o.fresh, "fresh", false, "begin anew though an unfinished experiment is there")
		onCommandLineOnly(fs, "before", "after", "before-env", "after-env", "fresh")
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
		return fmt.Errorf("write it as 5%% or 0.05")
	}
	*s = share(v)
	return nil
}

func runVerify(ctx context.Context, env *Env, o verifyOptions, args []string) (report.Report, error) {
	switch {
	case o.before == "" || o.after == "":
		return report.Report{}, usage("name both variants: `saturate verify --before HEAD --after . -- python train.py`")
	case len(args) == 0:
		return report.Report{}, usage("saturate verify needs the command to run behind --: `saturate verify --before %s --after %s -- python train.py`", o.before, o.after)
	case o.plan.Pairs < 1 || o.threshold == 0 || o.margin == 0 || o.plan.Timeout <= 0:
		return report.Report{}, usage("--pairs, --threshold, --margin and --timeout have to be more than 0")
	}
	o.plan.Threshold, o.plan.Margin = float64(o.threshold), float64(o.margin)
	o.plan.Numerics, o.plan.Measure = verify.Numerics(o.numerics), verify.Measure(o.measure)

	state := filepath.Join(env.path(env.Config.Get("runs").Value), ".verify-"+o.key(env.Dir, args))
	if err := verify.Busy(state); err != nil {
		return report.Report{}, err
	}
	if o.fresh {
		os.RemoveAll(state)
	}
	env.tooFew(o.plan.Pairs)
	plan, err := o.variants(ctx, env, state, args)
	if err != nil {
		verify.Clear(state)
		return report.Report{}, err
	}
	if done, same := verify.Kept(state, plan); !same {
		os.RemoveAll(filepath.Join(state, "blocks"))
		os.Remove(filepath.Join(state, "plan.json"))
		if env.Verbose >= 0 {
			env.say("the files have changed since the unfinished experiment: it begins anew")
		}
	} else if done > 0 && env.Verbose >= 0 {
		env.say("going on after %s that %s finished before; --fresh begins anew", human.Plural(done, "block"), wasWere(done))
	}

	task := env.Progress.Start("verify", "runs", int64(2*(plan.Pairs+plan.Calibration)))
	result, err := verify.Run(ctx, plan, verify.Options{
		Dir: state, Execute: verify.Programs(env.Vars), System: device.Host{Env: env.Vars, Dir: env.Dir}, Now: env.Now,
		Tell: func(e verify.Event) {
			if e.Problem != "" {
				env.say("block %d is repeated: %s", e.Block, e.Problem)
				return
			}
			task.Set(int64(e.Runs))
			task.Note(progressNote(e, plan.Steps))
		},
	})
	task.Done()
	if err != nil {
		verify.Clear(state)
	}
	var stopped *verify.Stopped
	switch {
	case errors.As(err, &stopped):
		return report.Report{}, exitError{exitStopped, errors.New(stopped.Error())}
	case errors.Is(err, probe.ErrMissing):
		return report.Report{}, exitError{exitMissing, err}
	case err != nil:
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

// tooFew says beforehand that an experiment cannot decide. It runs all the same: whether both variants work is worth knowing too.
func (env *Env) tooFew(pairs int) {
	if text := verify.TooFew(pairs); text != "" && env.Verbose >= 0 {
		env.say("%s", text)
	}
}

// key tells experiments apart by what was typed, so that the same command finds its unfinished one again.
func (o verifyOptions) key(dir string, args []string) string {
	p := o.plan
	text, _ := json.Marshal([]any{dir, o.before, o.after, o.beforeEnv, o.afterEnv, args, p.Steps, p.Pairs, p.Calibration, p.Seed, p.Threshold, p.Numerics, p.Margin, p.Measure})
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
				return plan, usage("--%s-env takes NAME=VALUE, not %q", side.folder, entry)
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
		what += " against itself"
	}
	note := fmt.Sprintf("block %d of %d: %s", e.Block, e.Blocks, what)
	switch {
	case e.Step > 0 && steps > 0:
		note += fmt.Sprintf(", step %d of %d", e.Step, steps)
	case e.Step > 0:
		note += fmt.Sprintf(", step %d", e.Step)
	}
	return note
}

func wasWere(n int) string {
	if n == 1 {
		return "was"
	}
	return "were"
}
