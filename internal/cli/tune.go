package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"saturate/internal/probe"
	"saturate/internal/progress"
	"saturate/internal/report"
	"saturate/internal/tune"
	"saturate/internal/tune/setting"
	"saturate/internal/verify"
	"saturate/internal/view"
)

type tuneOptions struct {
	tune.Options
	level, backend       string
	only, except         []string
	own                  string
	model, shape, python string
	print, list, fresh   bool
	emit                 string
	export, load         string
	force, replace       bool
	strict               bool
	runs                 string   // where the program's run is kept; "" where it cannot be
	notes                []string // what is to be said before what the program's run says
}

var tuneCommand = command{
	name: "tune", group: fix, args: "-- COMMAND…", min: 0, max: -1, endings: []string{".py"},
	short: "Run a program with settings suited to this machine; with --level 2, measure which help",
	long: `Run a training or inference program with settings suited to this machine, without editing it.

  --level 0   safe: full precision, no search
  --level 1   by hardware (default): what the GPU, the CPU and the library versions support; nothing is measured
  --level 2   measured: try candidates on your program in pairs of runs, as verify does; confirm those that help
              (after Holm's correction) on fresh runs, and use them

Level 1 may change numerics (for example TF32), and this is not checked. Use --level 0 for unchanged precision, or
--level 2 to have the loss checked.

saturate prints a line for each setting: its value, whether it is in effect (read back after it is set and again at the
end, because a program may change it), its measured effect with an interval, and whether results stay the same. It does
not use settings that torch accepts but ignores, and warns if your program sets one.

After any measuring, the program always runs, with its output on stderr; saturate exits with the program's exit code.
If it crashes with a setting, saturate finds the setting by bisection, names it and runs without it. Models with less
than a million parameters are measured only with --measure. You can stop at any time; the same command resumes.

The variables GPU_BACKEND or USE_CUDA set --backend, and OPTIMIZATION_LEVEL sets --level, in the environment or in
--env-file. --control FILE changes live settings while the program runs, such as {"cudnn-benchmark": false}.`,
	example: `  saturate tune -- python train.py
  saturate tune --level 2 --budget 20m -- python transcribe.py audio/
  saturate tune --level 0 --measure -- python train.py --steps 200
  saturate tune --level 2 --model whisper.pt
  saturate tune --print -- python train.py
  saturate tune --emit python -o platform_settings.py
  saturate tune --level 2 --export h200.json -- python train.py
  saturate tune --load h200.json -- python train.py`,
	formats: report.Formats(),
	data:    view.TuneData{},
	prepare: with(tuneFlags, runTune),
}

func tuneFlags(fs *pflag.FlagSet, o *tuneOptions) {
	section(fs, "Settings", func() {
		fs.StringVar(&o.level, "level", "", "how far to tune: 0 safe, 1 by hardware, 2 measured (default 1)")
		fs.StringVar(&o.backend, "backend", "", "tune for this hardware: auto, cuda, rocm, mps or cpu")
		fs.BoolVar(&o.strict, "strict", false,
			"fail if the requested hardware is not available, instead of tuning for the hardware present")
		fs.StringSliceVar(&o.only, "only", nil, "use only these settings, of any level")
		fs.StringSliceVar(&o.except, "except", nil, "skip these `SETTINGS`")
		fs.StringVar(&o.own, "with", "", "add your own settings from a JSON `FILE` in the format of --list")
		fs.StringVar(&o.load, "load", "", "use the settings from a `FILE` written by --export")
		fs.BoolVar(&o.force, "force", false, "with --load: even if the file is from another kind of machine")
		fs.StringVar(&o.Control, "control", "", "JSON `FILE` to watch: its live settings change while the program runs")
	})
	section(fs, "Measuring", func() {
		fs.BoolVar(&o.Measure, "measure", false,
			"also measure the settings of levels 0 and 1, and small models; drop what does not help")
		fs.IntVar(&o.Candidates, "candidates", tune.DefaultCandidates, "maximum settings to measure")
		fs.DurationVar(&o.Budget, "budget", tune.DefaultBudget, "time for all measurements; 0 for no limit")
		fs.IntVar(&o.Pairs, "pairs", 0, "pairs of runs per setting; 0 means as many as needed to decide")
		fs.IntVar(&o.Steps, "steps", tune.DefaultSteps, "steps per measured run, including warm-up")
		fs.DurationVar(&o.Timeout, "timeout", verify.DefaultTimeout, "maximum time per measured run")
		fs.StringVar(&o.State, "state", "", "`FOLDER` for measurements (default: in runs/)")
		fs.BoolVar(&o.fresh, "fresh", false, "discard earlier measurements and start over")
	})
	section(fs, "Program", func() {
		fs.StringVar(&o.model, "model", "", "tune a model instead of a program: a TorchScript or .pt2 `FILE`, or model.py:factory")
		fs.StringVar(&o.shape, "shape", "",
			"input shape for --model, such as 1x3x224x224 or 1x128:int64; separate several by commas")
		fs.StringVar(&o.python, "python", "", "Python for --model and for detecting versions")
	})
	section(fs, "Instead of running", func() {
		fs.BoolVar(&o.list, "list", false, "list all settings")
		fs.BoolVar(&o.print, "print", false, "print the settings to use without saturate; do not run the program")
		fs.StringVar(&o.emit, "emit", "", "print a module that applies the settings, or write it to --output (`python` is the only choice)")
		fs.BoolVar(&o.replace, "replace", false, "with --emit: overwrite an edited module")
	})
	fs.StringVar(&o.export, "export", "", "write the settings of this run to `FILE`, for machines of the same kind")
	rare(fs, "with", "force", "control", "candidates", "pairs", "steps", "timeout", "state")
	onCommandLineOnly(fs, "level", "backend", "state", "fresh", "control", "model", "shape", "list", "print", "emit",
		"replace", "export", "load", "force", "with")
	forUserOnly(fs, "python")
}

func runTune(ctx context.Context, env *Env, o tuneOptions, args []string) (report.Report, error) {
	switch {
	case o.list:
		return view.OfSettings(setting.All()), nil
	case o.emit != "":
		return emitSettings(env, o)
	}
	if err := o.settle(env, args); err != nil {
		return report.Report{}, err
	}
	if err := o.choose(ctx, env); err != nil {
		return report.Report{}, err
	}
	measures := o.Measure || o.Level >= setting.Measured && len(o.Selection.Candidates) > 0 && len(o.Command) > 0
	if o.print && !measures {
		planned := tune.Planned(o.Options)
		planned.Notes = append(o.notes, planned.Notes...)
		return printed(env, planned), nil
	}
	if len(o.Command) == 0 {
		return report.Report{}, usage("tune needs a command after --; try: saturate tune -- python train.py")
	}
	if err := o.placeState(env); err != nil {
		return report.Report{}, err
	}
	result, err := o.run(ctx, env)
	if err != nil {
		return report.Report{}, err
	}
	env.exit = result.Exit
	result.Notes = append(o.notes, result.Notes...)
	if o.print {
		return printed(env, result), nil
	}
	return o.finish(env, result)
}

// placeState is where measurements are kept, so that the same command resumes.
func (o *tuneOptions) placeState(env *Env) error {
	if o.State == "" && (o.Measure || o.Level >= setting.Measured) {
		key, err := o.Key()
		if err != nil {
			return usage("%v", err)
		}
		o.State = filepath.Join(env.path(env.Config.Get("runs").Value), ".tune-"+key[:8])
	}
	if o.fresh && o.State != "" {
		os.RemoveAll(o.State)
	}
	return nil
}

// run measures what there is to measure and runs the program.
func (o *tuneOptions) run(ctx context.Context, env *Env) (tune.Result, error) {
	o.MeasureNow = o.print || o.model != ""
	face := &tuneFace{env: env}
	o.Tell = face.tell
	result, err := tune.Run(ctx, o.Options)
	face.done()
	switch {
	case errors.Is(err, probe.ErrMissing):
		return result, exitError{exitMissing, err}
	case err != nil && ctx.Err() != nil:
		return result, exitError{exitStopped, errors.New("stopped; measurements are saved, and the same command resumes")}
	case err == nil && o.model != "" && result.Exit != 0:
		return result, usage("cannot measure %s: %s", o.model, result.Skipped)
	}
	return result, err
}

// emitSettings prints the module that does the same inside a program, or writes it where --output says.
func emitSettings(env *Env, o tuneOptions) (report.Report, error) {
	if err := emitsPython(o.emit); err != nil {
		return report.Report{}, err
	}
	module, file := signed(setting.Module()), ""
	if env.out.file != "" {
		file, env.out.file = env.shown(env.out.file), "" // what is said of the module goes to stdout
		if err := give(env, []gift{{file, module}}, o.replace, otherName); err != nil {
			return report.Report{}, err
		}
	}
	return view.OfModule(module, file), nil
}

// finish shows the result, and leaves it where the program's Run is.
func (o tuneOptions) finish(env *Env, result tune.Result) (report.Report, error) {
	dir := result.Run
	result.Run, result.State = env.shown(dir), env.shown(result.State)
	r := view.OfTune(result, env.Vars)
	if o.export != "" {
		if err := tune.Export(env.path(o.export), result); err != nil {
			r.Warnings = append(r.Warnings, err.Error()) // the rest is still worth showing
			env.exit = max(env.exit, exitUsage)
		} else {
			data := r.Data.(view.TuneData)
			data.Exported = o.export
			r.Data = data
			r.Summary = append(r.Summary, fmt.Sprintf("Wrote the settings to %s; use them on machines of the same kind with "+
				"`saturate tune --load %s`.", o.export, o.export))
		}
	}
	if id := result.Outcome.Run.ID; dir != "" {
		if len(result.Outcome.Run.Steps) > 0 {
			r.Next = append(r.Next, "saturate report "+id[:min(8, len(id))]+" -o report.html")
		}
		keepReport(env, dir, &r)
	}
	return r, nil
}

// printed is what to set without saturate.
func printed(env *Env, result tune.Result) report.Report {
	r := view.OfTune(result, env.Vars)
	for _, note := range result.Notes { // what is printed is for a shell and for Python
		env.say("%s", note)
	}
	return report.Report{
		Command: "tune", Title: "Settings without saturate",
		Diff: []byte(setting.Snippet(result.Use, env.Vars)), Data: r.Data,
	}
}

// tuneFace shows what happens before the program runs.
type tuneFace struct {
	env  *Env
	task *progress.Task
	name string
}

func (f *tuneFace) tell(e tune.Event) {
	if e.Measure == nil {
		f.done()
		f.env.Progress.Journal.Result(progress.Result{Name: e.Text})
		if f.env.Verbose >= 0 {
			f.env.say("%s", e.Text)
		}
		return
	}
	if f.task == nil || f.name != e.Text {
		f.done()
		f.name, f.task = e.Text, f.env.Progress.Start("measuring", "runs", int64(e.Measure.AllRuns))
	}
	f.task.Set(int64(e.Measure.Runs))
	f.task.Note(progressNote(*e.Measure, 0))
}

func (f *tuneFace) done() {
	if f.task != nil {
		f.task.Done()
		f.task = nil
	}
}
