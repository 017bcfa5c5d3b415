package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"saturate/internal/device"
	"saturate/internal/files"
	"saturate/internal/optimize"
	"saturate/internal/probe"
	"saturate/internal/progress"
	"saturate/internal/report"
	"saturate/internal/rule"
	"saturate/internal/verify"
	"saturate/internal/version"
	"saturate/internal/view"
)

type optimizeOptions struct {
	optimize.Options
	allow        string
	only, except []string
}

var optimizeCommand = command{
	name: "optimize", group: allOf, args: "[DIR] -- COMMAND…", min: 0, max: -1,
	short: "From a slow training program to a proven patch: scan, measure, repair, prove",
	long: `From a slow training program to a proven patch.

The project in DIR (the current folder by default) is copied, scanned, and run once under the probe to see where its time
goes. Then the repairs are tried, the most promising first: each is made in a copy of the best program so far and
measured beside it, in as many pairs of runs as it takes to decide. What helps, leaves the loss as it should be and trains on
the same samples is kept; what makes it slower, crashes, hangs, diverges, changes the samples or makes no difference is dropped,
with the reason. At the end the program as it was and as it is are measured side by
side with all pairs, on fresh runs. The result is a patch, the ladder, and a report.

Your files are never changed: everything happens in copies below the folder of runs. The command runs in the copy of
DIR; what it writes elsewhere is lost when it ends, except in caches and in folders that --writable names. Stop it at any moment; the same command goes on, and nothing that was measured is measured again.

  --plan          shows what would be tried and why, after one run of the program as it is
  --allow safe    tries only repairs that compute the same; by default all are tried, for all are measured
  --budget 20m    begins no measurement after that time`,
	example: `  saturate optimize . -- python train.py
  saturate optimize examples/whisper-tts -- python train.py --size tiny
  saturate optimize . --plan -- python train.py
  saturate optimize . --budget 20m --pairs 8 -- python train.py --epochs 1`,
	formats: report.Formats(),
	data:    view.OptimizeData{},
	prepare: with(func(fs *pflag.FlagSet, o *optimizeOptions) {
		fs.BoolVar(&o.PlanOnly, "plan", false, "show what would be tried, and change nothing")
		fs.IntVar(&o.Steps, "steps", optimize.DefaultSteps, "steps of each run, warm-up included")
		fs.IntVar(&o.Pairs, "pairs", verify.DefaultPairs, "pairs of runs of the final proof")
		fs.IntVar(&o.LadderPairs, "ladder-pairs", optimize.DefaultLadderPairs, "pairs of runs for each repair, at least; more are added until it is decided")
		fs.BoolVar(&o.Quick, "quick", false, "judge each repair by one pair of runs: fast and unproven")
		fs.DurationVar(&o.Budget, "budget", 0, "begin no measurement after this time; 0 for no limit")
		fs.DurationVar(&o.Timeout, "timeout", verify.DefaultTimeout, "most time for one run")
		fs.StringVar(&o.allow, "allow", "unsafe", "which repairs to try: safe, or unsafe for all of them")
		fs.StringSliceVar(&o.only, "only", nil, "only these rules: codes, names, or beginnings of codes (SAT2)")
		fs.StringSliceVar(&o.except, "except", nil, "rules to leave alone")
		fs.StringArrayVar(&o.Writable, "writable", nil, "a `DIR` outside of the copy that the program may write to; elsewhere its writes are lost")
		fs.StringVar(&o.State, "state", "", "the `FOLDER` for copies and measurements (default: in the folder of runs)")
		onCommandLineOnly(fs, "plan", "state", "writable")
	}, runOptimize),
}

func runOptimize(ctx context.Context, env *Env, o optimizeOptions, args []string) (report.Report, error) {
	if err := o.settle(env, args); err != nil {
		return report.Report{}, err
	}
	if !o.PlanOnly {
		env.tooFew(o.Pairs)
	}
	face := &ladderFace{env: env}
	o.Tell = face.tell
	result, err := optimize.Run(ctx, o.Options)
	face.done()
	switch {
	case errors.Is(err, optimize.ErrNothing):
		return view.OfOptimize(result, false), nil
	case errors.Is(err, probe.ErrMissing):
		return report.Report{}, exitError{exitMissing, err}
	case errors.Is(err, optimize.ErrForeign):
		return report.Report{}, exitError{exitUndecided, err}
	case err != nil && ctx.Err() != nil:
		return report.Report{}, exitError{exitStopped, errors.New("stopped; what is measured is kept, and the same command goes on from there")}
	case err != nil:
		return report.Report{}, err
	}
	result.Dir, result.State, result.Patch = env.shown(result.Dir), env.shown(result.State), env.shown(result.Patch)
	r := view.OfOptimize(result, o.PlanOnly)
	if len(result.Ladder) > 0 && !o.PlanOnly { // also where nothing was kept: why not is worth keeping
		if err := attach(env, o.State, r); err != nil {
			r.Warnings = append(r.Warnings, err.Error())
		}
	}
	return r, nil
}

// settle turns what was typed into the protocol's options.
func (o *optimizeOptions) settle(env *Env, args []string) error {
	dir, command := env.Dir, args
	if at := env.dash; at > 0 {
		dir, command = env.path(args[0]), args[at:]
	}
	switch {
	case env.dash < 0:
		return usage("saturate optimize needs the command to run behind --: `saturate optimize . -- python train.py`")
	case env.dash > 1:
		return usage("name one folder: `saturate optimize DIR -- python train.py`")
	case len(command) == 0:
		return usage("there is no command behind --: `saturate optimize . -- python train.py`")
	case o.allow != "safe" && o.allow != "unsafe":
		return usage("--allow is safe or unsafe, not %q", o.allow)
	case o.Steps < 20 || o.Pairs < 1 || o.LadderPairs < 1:
		return usage("--steps is at least 20, --pairs and --ladder-pairs at least 1")
	}
	if word := fromHere(env, dir, command); word != "" {
		return usage("the command runs in %s: write %s, as seen from there", env.shown(dir), word)
	}
	rules := rule.Selection{Select: o.only, Ignore: o.except}
	if unknown := rules.Unknown(); len(unknown) > 0 {
		return usage("there is no rule %q; `saturate rule` lists them", unknown[0])
	}
	o.Dir, o.Command, o.Rules, o.SafeOnly = filepath.Clean(dir), command, rules, o.allow == "safe"
	runs := env.path(env.Config.Get("runs").Value)
	if o.State == "" {
		key, err := o.Key() // a project that has changed begins anew
		if err != nil {
			return usage("%v", err)
		}
		o.State = filepath.Join(runs, ".optimize-"+key[:8])
	} else {
		o.State = env.path(o.State)
	}
	for i, folder := range o.Writable {
		o.Writable[i] = env.path(folder)
	}
	o.Profile, o.Prepare = optimize.WithProbe(env.Vars, o.Writable), optimize.ByCommand(env.Vars, o.Writable, max(o.Timeout, time.Hour))
	o.Execute, o.Look, o.System, o.Now = verify.Programs(env.Vars), verify.Samples(env.Vars), device.Host{Env: env.Vars, Dir: env.Dir}, env.Now
	return nil
}

// fromHere is how a program's path should have been written that was typed as seen from the current folder, not from the project's.
func fromHere(env *Env, dir string, command []string) string {
	for _, word := range command {
		there, here := filepath.Join(dir, word), env.path(word)
		if filepath.IsAbs(word) || filepath.Ext(word) != ".py" || exists(there) || !exists(here) || !files.Inside(here, dir) {
			continue
		}
		if relative, err := filepath.Rel(dir, here); err == nil {
			return relative
		}
	}
	return ""
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// attach writes the report in the forms that a pull request and a browser want, beside the patch.
func attach(env *Env, state string, r report.Report) error {
	for name, format := range map[string]string{"report.html": "html", "report.md": "markdown", "report.json": "json"} {
		var b bytes.Buffer
		if err := report.Render(&b, r, format, report.Options{Version: version.Version, Width: env.Width}); err != nil {
			return err
		}
		if err := files.Write(filepath.Join(state, name), b.Bytes()); err != nil {
			return fmt.Errorf("the report cannot be written: %w", err)
		}
	}
	return nil
}

// ladderFace shows the protocol while it runs: a line for each decision, and the progress of what is being measured.
type ladderFace struct {
	env   *Env
	task  *progress.Task
	phase optimize.Phase
}

func (f *ladderFace) tell(e optimize.Event) {
	switch {
	case e.Measure != nil:
		if f.task == nil {
			f.task = f.env.Progress.Start(string(e.Phase), "runs", int64(e.Measure.AllRuns))
		}
		f.task.Set(int64(e.Measure.Runs))
		f.task.Note(progressNote(*e.Measure, 0))
	case e.Rung != nil:
		f.say("  %-13s %s", e.Rung.Decision, rungLine(*e.Rung))
	default:
		if e.Phase != f.phase {
			f.phase = e.Phase
			f.say("%s", phaseHeading[e.Phase])
		}
		f.say("  %s", e.Text)
	}
}

var phaseHeading = map[optimize.Phase]string{
	optimize.Scanning: "Scan", optimize.Profiling: "Baseline", optimize.Planning: "Plan",
	optimize.Climbing: "Ladder", optimize.Proving: "Proof",
}

func rungLine(r optimize.Rung) string {
	text := r.ID + ": "
	if r.Pairs > 0 && r.Before.Finite() && r.After.Finite() {
		text += fmt.Sprintf("%.4g to %.4g s/it; ", float64(r.Before), float64(r.After))
	}
	return text + r.Because
}

func (f *ladderFace) say(format string, args ...any) {
	f.done()
	if f.env.Verbose >= 0 {
		fmt.Fprintln(f.env.Stderr, strings.TrimRight(fmt.Sprintf(format, args...), "\n"))
	}
}

func (f *ladderFace) done() {
	if f.task != nil {
		f.task.Done()
		f.task = nil
	}
}
