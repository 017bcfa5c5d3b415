package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/spf13/pflag"

	"saturate/internal/config"
	"saturate/internal/device"
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
	runs                 string   // where the program's run is kept; "" where it cannot be
	notes                []string // what is to be said before what the program's run says
}

var tuneCommand = command{
	name: "tune", group: fix, args: "-- COMMAND…", min: 0, max: -1, endings: []string{".py"},
	short: "Run a program with the settings that fit its machine, and say which took effect and helped",
	long: `Run a training or inference program with the settings that fit its machine, without an edit to it.

  --level 0   safe: no precision is given up, nothing is searched for
  --level 1   by hardware (the default): what the GPU, the CPU and the library versions can do
  --level 2   measured: candidates are tried on your own program in pairs of runs, as verify does; what is shown to help
              after a correction for their number (Holm) is confirmed on fresh runs and used

Each setting has a line: what was requested, whether it is in effect (read back after it was set, and again when the
program ends, for a program may set the same itself), its measured effect with an interval, and whether results stay the
same. Settings that torch accepts and ignores are never used; a program that sets one is told so.

The program always runs in the end, and its exit code comes through; its output goes to stderr. One that crashes with a
setting is run without it: the setting is found by halving, dropped and named. Models with fewer than a million
parameters are measured only with --measure. Measurements are kept: stop at any moment, and the same command goes on.

GPU_BACKEND, USE_CUDA and OPTIMIZATION_LEVEL say the same as --backend and --level, in the environment or in the file of
--env-file. With --control FILE, live settings change while the program runs: {"cudnn-benchmark": false}.
--list shows all settings, --print what to set without saturate, and --emit python a module that does it.`,
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
	fs.StringVar(&o.level, "level", "", "how far to tune: 0 safe, 1 by hardware, 2 measured (default 1)")
	fs.StringVar(&o.backend, "backend", "", "tune for this hardware: auto, cuda, rocm, mps or cpu")
	fs.StringSliceVar(&o.only, "only", nil, "settings to use, whatever their level; no others")
	fs.StringSliceVar(&o.except, "except", nil, "settings to leave alone")
	fs.StringVar(&o.own, "with", "", "settings of your own, a JSON `FILE` in the form of --list")
	fs.BoolVar(&o.Measure, "measure", false, "measure each setting of levels 0 and 1, too, and small models; drop what does not help")
	fs.IntVar(&o.Candidates, "candidates", tune.DefaultCandidates, "most settings to measure")
	fs.DurationVar(&o.Budget, "budget", tune.DefaultBudget, "time for all measurements; 0 for no limit")
	fs.IntVar(&o.Pairs, "pairs", 0, "pairs of runs for each; 0 for as many as it takes to decide")
	fs.IntVar(&o.Steps, "steps", tune.DefaultSteps, "steps of each measured run, warm-up included")
	fs.DurationVar(&o.Timeout, "timeout", verify.DefaultTimeout, "most time for one measured run")
	fs.StringVar(&o.State, "state", "", "the `FOLDER` for measurements (default: in the folder of runs)")
	fs.BoolVar(&o.fresh, "fresh", false, "forget what was measured and detected before")
	fs.StringVar(&o.Control, "control", "", "a JSON `FILE` that is watched: live settings in it change while the program runs")
	fs.StringVar(&o.model, "model", "", "instead of a program: a TorchScript or .pt2 `FILE`, or model.py:factory")
	fs.StringVar(&o.shape, "shape", "", "input of --model, as 1x3x224x224, or 1x128:int64; several with commas")
	fs.StringVar(&o.python, "python", "", "the Python to ask and to run --model with")
	fs.BoolVar(&o.list, "list", false, "list all settings")
	fs.BoolVar(&o.print, "print", false, "print what to set to have the same without saturate; the program is not run")
	fs.StringVar(&o.emit, "emit", "", "print a module that does the same, or write it to --output: `python`")
	fs.BoolVar(&o.replace, "replace", false, "with --emit: write over a module that was changed")
	fs.StringVar(&o.export, "export", "", "write the settings of this run to `FILE`, for machines of the same kind")
	fs.StringVar(&o.load, "load", "", "use the settings of a `FILE` that --export wrote")
	fs.BoolVar(&o.force, "force", false, "with --load: on another kind of machine, too")
	onCommandLineOnly(fs, "level", "backend", "state", "fresh", "control", "model", "shape", "list", "print", "emit", "replace", "export", "load", "force", "with")
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
	if o.print && !(o.Level >= setting.Measured && len(o.Selection.Candidates) > 0 && len(o.Command) > 0) && !o.Measure {
		planned := tune.Planned(o.Options)
		planned.Notes = append(o.notes, planned.Notes...)
		return printed(env, planned), nil
	}
	if len(o.Command) == 0 {
		return report.Report{}, usage("say what to run: `saturate tune -- python train.py`")
	}
	o.MeasureNow = o.print || o.model != ""
	if measures := o.Level >= setting.Measured || o.Measure; measures && o.State == "" {
		key, err := o.Key()
		if err != nil {
			return report.Report{}, usage("%v", err)
		}
		o.State = filepath.Join(env.path(env.Config.Get("runs").Value), ".tune-"+key[:8])
	}
	if o.fresh && o.State != "" {
		os.RemoveAll(o.State)
	}
	face := &tuneFace{env: env}
	o.Tell = face.tell
	result, err := tune.Run(ctx, o.Options)
	face.done()
	switch {
	case errors.Is(err, probe.ErrMissing):
		return report.Report{}, exitError{exitMissing, err}
	case err != nil && ctx.Err() != nil:
		return report.Report{}, exitError{exitStopped, errors.New("stopped; what is measured is kept, and the same command goes on from there")}
	case err != nil:
		return report.Report{}, err
	}
	if o.model != "" && result.Exit != 0 {
		return report.Report{}, usage("%s cannot be measured: %s", o.model, result.Skipped)
	}
	env.exit = result.Exit
	result.Notes = append(o.notes, result.Notes...)
	if o.print {
		return printed(env, result), nil
	}
	return o.finish(env, result)
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
			r.Summary = append(r.Summary, fmt.Sprintf("The settings are in %s; `saturate tune --load %s` uses them on machines of the same kind.", o.export, o.export))
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
	return report.Report{Command: "tune", Title: "Settings without saturate", Diff: []byte(setting.Snippet(result.Use, env.Vars)), Data: r.Data}
}

// settle checks what was typed and finds the program.
func (o *tuneOptions) settle(env *Env, args []string) error {
	level := o.level
	if level == "" {
		level = env.Config.Get("optimization_level").Value
	}
	var err error
	o.Level, err = strconv.Atoi(level)
	switch {
	case err != nil || o.Level < setting.Safe || o.Level > setting.Measured:
		return usage("--level is 0, 1 or 2, not %s", level)
	case o.model != "" && len(args) > 0:
		return usage("--model takes the place of a program: leave `-- %s …` away, or --model", args[0])
	case o.model != "" && o.Level < setting.Measured && !o.Measure:
		return usage("--model is there to be measured: add --level 2, or --measure")
	case o.shape != "" && o.model == "":
		return usage("--shape is the input of a --model")
	case o.load != "" && (o.level != "" || len(o.only) > 0 || len(o.except) > 0 || o.own != "" || o.Measure):
		return usage("--load brings its own settings: leave --level, --only, --except, --with and --measure away")
	case o.export != "" && !isFolder(filepath.Dir(env.path(o.export))):
		return usage("--export %s cannot be written: there is no folder %s", o.export, filepath.Dir(o.export))
	case o.Candidates < 1 || o.Pairs < 0 || o.Steps < tune.FewestSteps || o.Budget < 0 || o.Timeout <= 0:
		return usage("--candidates is at least 1, --pairs at least 0, --steps at least %d, and --budget and --timeout are times", tune.FewestSteps)
	}
	o.Dir, o.Environ, o.Now = env.Dir, env.Vars, env.Now
	o.System = device.Host{Env: env.Vars, Dir: env.Dir}
	for _, path := range []*string{&o.Control, &o.State} {
		if *path != "" {
			*path = env.path(*path)
		}
	}
	o.Command = args
	if o.model != "" {
		if o.python == "" {
			o.python = tune.Interpreter(nil, env.Dir)
		}
		if o.Command, err = tune.ModelCommand(o.python, o.model, o.shape, modelDevice(o.backend, env), o.Steps); err != nil {
			return err
		}
	}
	if o.python == "" {
		o.python = tune.Interpreter(o.Command, env.Dir)
	}
	o.runs = env.path(env.Config.Get("runs").Value)
	if err := writable(o.runs); err != nil {
		o.notes, o.runs = append(o.notes, fmt.Sprintf("the run is not kept: %v", err)), ""
	}
	o.Watch = tune.ByProbe(probe.Plan{
		Command: o.Command, Dir: env.Dir, Environ: env.Vars, Root: o.runs, Config: []byte(fmt.Sprintf("tune level %d", o.Level)),
		Loss: true, Stdin: env.Stdin, Stdout: env.Stderr, Stderr: env.Stderr,
	})
	return nil
}

// writable says why a folder cannot be made, or nothing put into it.
func writable(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	trial, err := os.MkdirTemp(folder, ".saturate-")
	if err != nil {
		return err
	}
	return os.Remove(trial)
}

// choose asks the machine and picks settings. What keeps it from that keeps no program from running: the notes tell.
func (o *tuneOptions) choose(ctx context.Context, env *Env) error {
	backend, err := o.askedBackend(env)
	if err != nil {
		return err
	}
	o.Machine, err = tune.Detect(ctx, o.python, env.Vars, o.fresh)
	if err != nil {
		if ctx.Err() != nil || len(o.Command) == 0 || o.load != "" {
			return exitError{exitMissing, fmt.Errorf("%w; --python names one that can", err)}
		}
		o.Machine, o.Level, o.Measure = setting.Machine{}, setting.Safe, false
		o.notes = append(o.notes, fmt.Sprintf("the program runs without settings: %v", err))
		return nil
	}
	if o.model != "" && o.Machine.Torch == "" {
		return exitError{exitMissing, fmt.Errorf("--model needs torch, which %s does not have: name another Python with --python", o.python)}
	}
	if o.Machine.Torch == "" && o.Machine.JAX == "" {
		o.notes = append(o.notes, o.python+" has neither torch nor jax: there are no settings for what it lacks; --python names another")
	}
	if backend != "auto" && backend != o.Machine.Backend {
		if backend != "cpu" {
			return exitError{exitMissing, fmt.Errorf("there is no %s here: %s sees %s (torch %s); leave the backend to auto, or run it where there is one",
				backend, filepath.Base(o.python), o.Machine.Backend, orNothing(o.Machine.Torch+" "+o.Machine.Build))}
		}
		o.Machine.Backend = backend
	}
	var own []setting.Setting
	if o.own != "" {
		if own, err = tune.ReadSettings(env.path(o.own)); err != nil {
			return usage("%v", err)
		}
	}
	known := setting.Names()
	for _, s := range own {
		known = append(known, s.Name)
	}
	for _, name := range slices.Concat(o.only, o.except) {
		if !slices.Contains(known, name) {
			return usage("there is no setting %q%s; `saturate tune --list` lists them", name, config.Hint(name, known))
		}
	}
	if o.load != "" {
		profile, err := tune.Load(env.path(o.load), o.Machine, o.force)
		if err != nil {
			return usage("%v", err)
		}
		o.Level, o.Selection = profile.Level, profile.Selection()
		if o.Level >= setting.Measured {
			o.Level = setting.Hardware // what was measured there is not measured again
		}
		return nil
	}
	o.Selection = tune.Select(o.Machine, o.Command, o.Level, o.only, o.except, own)
	o.notes = append(o.notes, o.Machine.Notes...)
	return nil
}

// askedBackend is the hardware that was asked for, by flag, variable or file; auto where none was.
func (o *tuneOptions) askedBackend(env *Env) (string, error) {
	if o.backend != "" {
		backend, _, err := config.OneOf("auto", "cuda", "rocm", "mps", "cpu")(o.backend)
		if err != nil {
			return "", usage("--backend %v", err)
		}
		return backend, nil
	}
	if err := env.Config.Contradiction; err != nil {
		return "", usage("%v", err)
	}
	return env.Config.Get("gpu_backend").Value, nil
}

func modelDevice(backend string, env *Env) string {
	if backend == "" {
		backend = env.Config.Get("gpu_backend").Value
	}
	if backend == "rocm" {
		return "cuda" // the name that torch has for it
	}
	return backend
}

func orNothing(text string) string {
	if text == "" || text == " " {
		return "none"
	}
	return text
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
