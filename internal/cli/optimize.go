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
	"saturate/internal/human"
	"saturate/internal/optimize"
	"saturate/internal/optimize/offline"
	"saturate/internal/probe"
	"saturate/internal/progress"
	"saturate/internal/report"
	"saturate/internal/rule"
	"saturate/internal/run"
	"saturate/internal/stat"
	"saturate/internal/verify"
	"saturate/internal/version"
	"saturate/internal/view"
)

type optimizeOptions struct {
	optimize.Options
	allow        string
	only, except []string
	commits      bool
	agent        string
	agentLimit   time.Duration
	grow         bool
	forks        *probe.Forks // of the runs that try fixes
	ahead        *probe.Forks // of the proof
}

var optimizeCommand = command{
	name: "optimize", group: allOf, args: "[DIR] -- COMMAND…", min: 0, max: -1,
	short: "Make a training program faster: scan, measure, fix, and prove the result",
	long: `Make a training program faster, and prove it. The result is a patch and a report.

saturate copies the project in DIR (default: the current folder), scans it, and profiles one run. Then it tries the
fixes, the most promising first: it applies each to a copy of the best version so far and measures both, in as many
pairs of runs as it takes to decide. It keeps a fix that helps, leaves the loss intact and trains on the same samples.
It drops a fix that is slower, crashes, hangs, diverges, changes the samples or makes no difference, and says why. At
the end it measures the original against the result on fresh runs.

Your files are safe: saturate works on copies in runs/, and COMMAND runs in the copy of DIR. What it writes
elsewhere is discarded when it ends (on Linux); only caches are written as usual. To keep a folder's output, name it
with --writable. You can stop at any time. The same command resumes and repeats no finished measurement.

  --plan          profile once, then show what would be tried and why
  --allow safe    try only fixes that keep results the same; by default all are tried, because all are measured
  --budget 20m    start no measurement after this time
  --agent COMMAND ask your coding agent for further edits; each is measured and checked like any other fix`,
	example: `  saturate optimize . -- python train.py
  saturate optimize examples/whisper-tts -- python train.py --size tiny
  saturate optimize . --plan -- python train.py
  saturate optimize . --budget 20m --pairs 8 -- python train.py --epochs 1
  saturate optimize . --agent 'claude -p --permission-mode acceptEdits' -- python train.py`,
	formats: report.Formats(),
	data:    view.OptimizeData{},
	prepare: with(func(fs *pflag.FlagSet, o *optimizeOptions) {
		fs.BoolVar(&o.PlanOnly, "plan", false, "show what would be tried, and stop there")
		fs.IntVar(&o.Steps, "steps", 0, "steps per run, including warm-up; at least 20 (default 50, or 21 where they are slow)")
		fs.IntVar(&o.Pairs, "pairs", verify.DefaultPairs, "pairs of runs for the final proof")
		fs.IntVar(&o.LadderPairs, "ladder-pairs", optimize.DefaultLadderPairs,
			"pairs of runs for each fix that is tried; more are added until the result is clear")
		fs.BoolVar(&o.Quick, "quick", false, "judge each fix by one pair of runs: fast and unproven")
		fs.DurationVar(&o.Budget, "budget", 0, "start no measurement after this time; 0 for no limit")
		fs.DurationVar(&o.Timeout, "timeout", verify.DefaultTimeout, "maximum time per run")
		fs.StringVar(&o.allow, "allow", "unsafe", "fixes to try: safe, or unsafe (all)")
		fs.StringSliceVar(&o.only, "only", nil, "only these rules: codes, names, or prefixes of codes (SAT2)")
		fs.StringSliceVar(&o.except, "except", nil, "skip these rules: `CODES`, as for --only")
		fs.StringArrayVar(&o.Writable, "writable", nil, "`DIR` outside the copy whose output is kept; what the program writes elsewhere is discarded")
		fs.StringVar(&o.State, "state", "", "`FOLDER` for copies and measurements (default: in runs/)")
		fs.BoolVar(&o.Vendor, "vendor", false,
			"write the code that the patch needs into the project; by default it imports saturate_gpu (pip install saturate-gpu)")
		fs.BoolVar(&o.commits, "commits", false,
			"make a git branch with one commit for each kept fix; your files are not changed")
		fs.BoolVar(&o.grow, "grow", false, "at the end, also find the smallest batch that is "+
			"fast, and write it as a separate patch")
		fs.StringVar(&o.agent, "agent", "", "after the known fixes, ask this `COMMAND` for edits; it gets a task on stdin and edits a copy")
		fs.DurationVar(&o.agentLimit, "agent-limit", 20*time.Minute, "maximum time for one edit of --agent")
		onCommandLineOnly(fs, "plan", "commits", "state", "writable", "agent", "agent-limit")
		takeRules(fs, "only", "except")
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
	o.forks.Close()
	o.ahead.Close()
	if _, obstacle := o.forks.Count(); obstacle != "" {
		result.Notes = append(result.Notes, "fixes were tried in fresh processes, which takes longer: "+obstacle)
	}
	if errors.Is(err, optimize.ErrNothing) {
		return view.OfOptimize(result, false), nil
	}
	if err != nil {
		return report.Report{}, optimizeError(ctx, err)
	}
	if o.commits && !o.PlanOnly && len(result.Pieces) > 0 {
		if result.Branch, err = optimize.Commit(ctx, env.Vars, result); err != nil {
			result.Notes = append(result.Notes, err.Error())
		}
	}
	if _, err := result.KeepPredictions(); err != nil {
		result.Notes = append(result.Notes, err.Error())
	}
	if result.Final != nil && !o.PlanOnly {
		if err := keepCard(o.State, *result.Final); err != nil {
			result.Notes = append(result.Notes, err.Error())
		}
	}
	result.Dir, result.State, result.Patch = env.shown(result.Dir), env.shown(result.State), env.shown(result.Patch)
	for i := range result.Pieces {
		result.Pieces[i].File = env.shown(result.Pieces[i].File)
	}
	r := view.OfOptimize(result, o.PlanOnly)
	if len(result.Ladder) > 0 && !o.PlanOnly { // also where nothing was kept: why not is worth keeping
		if err := attach(env, o.State, r); err != nil {
			r.Warnings = append(r.Warnings, err.Error())
		}
	}
	return r, nil
}

// optimizeError gives an error of the protocol its exit code.
func optimizeError(ctx context.Context, err error) error {
	switch {
	case errors.Is(err, probe.ErrMissing):
		return exitError{exitMissing, err}
	case errors.Is(err, optimize.ErrForeign):
		return exitError{exitUndecided, err}
	case ctx.Err() != nil:
		return exitError{exitStopped, errors.New("stopped; measurements are saved, and the same command resumes")}
	}
	return err
}

// settle turns what was typed into the protocol's options.
func (o *optimizeOptions) settle(env *Env, args []string) error {
	dir, command := env.Dir, args
	if at := env.dash; at > 0 {
		dir, command = env.path(args[0]), args[at:]
	}
	switch {
	case env.dash < 0:
		return usage("optimize needs a command after --; try: saturate optimize . -- python train.py")
	case env.dash > 1:
		return usage("optimize takes one folder; try: saturate optimize . -- python train.py")
	case len(command) == 0:
		return usage("no command after --; try: saturate optimize . -- python train.py")
	case o.allow != "safe" && o.allow != "unsafe":
		return usage("--allow cannot be %q: use safe or unsafe", o.allow)
	case o.Steps != 0 && o.Steps < 20 || o.Pairs < 1 || o.LadderPairs < 1:
		return usage("--steps must be at least 20, and --pairs and --ladder-pairs at least 1")
	}
	if word := fromHere(env, dir, command); word != "" {
		return usage("the command runs in %s; use %s, relative to that folder", env.shown(dir), word)
	}
	rules := rule.Selection{Select: o.only, Ignore: o.except}
	measured := offline.Measured()
	if unknown := rules.Unknown(&measured); len(unknown) > 0 {
		return usage("unknown rule %q; `saturate rule` lists all rules", unknown[0])
	}
	o.Dir, o.Command, o.Rules, o.SafeOnly = filepath.Clean(dir), command, rules, o.allow == "safe"
	runs := env.path(env.Config.Get("runs").Value)
	if o.State == "" {
		key, err := o.Key() // a changed project starts over
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
	vars := optimize.WithCaches(env.Vars, o.State)
	o.forks = &probe.Forks{}
	o.Forked = func() int { n, _ := o.forks.Count(); return n }
	o.Profile, o.Prepare = optimize.WithProbe(vars, o.Writable, o.forks), optimize.ByCommand(vars, o.Writable,
		max(o.Timeout, time.Hour))
	if o.grow {
		o.Grow = growBatch(env, o.Writable)
	}
	if err := o.askAgent(env); err != nil {
		return err
	}
	o.ahead = o.forks.Ahead()
	o.Execute, o.Screen, o.Look = verify.Forked(vars, o.ahead), verify.Forked(vars, o.forks), verify.Samples(vars, o.forks)
	o.System, o.Now = device.Host{Env: env.Vars, Dir: env.Dir}, env.Now
	return nil
}

// fromHere is how a program's path should have been written that was typed as seen from the current folder, not from
// the project's.
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
			return fmt.Errorf("cannot write the report: %w", err)
		}
	}
	return nil
}

// keepCard draws the proof as a picture to share, beside the patch.
func keepCard(state string, final verify.Result) error {
	proof, _ := run.Read(final.Dir) // for the machine's name; the rest does without
	data := view.OfCard(final, proof.Environment, version.Version).SVG()
	if err := files.Write(filepath.Join(state, "card.svg"), data); err != nil {
		return fmt.Errorf("cannot write the card: %w", err)
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
		f.env.Progress.Journal.Result(progress.Result{
			Name: e.Rung.ID, Outcome: string(e.Rung.Decision), Why: e.Rung.Because, Before: finite(e.Rung.Before),
			After: finite(e.Rung.After),
		})
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
	optimize.Climbing: "Fixes tried", optimize.Proving: "Proof", optimize.Growing: "A larger batch",
}

func rungLine(r optimize.Rung) string {
	text := r.ID + ": "
	if r.Pairs > 0 && r.Before.Finite() && r.After.Finite() {
		text += human.Seconds(float64(r.Before)) + " to " + human.Seconds(float64(r.After)) + " per step; "
	}
	return text + r.Because
}

// finite is a number for JSON; 0 where nothing was measured.
func finite(n stat.Number) float64 {
	if !n.Finite() {
		return 0
	}
	return float64(n)
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
