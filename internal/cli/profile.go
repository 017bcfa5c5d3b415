package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"saturate/internal/analyze"
	"saturate/internal/files"
	"saturate/internal/human"
	"saturate/internal/optimize"
	"saturate/internal/probe"
	"saturate/internal/progress"
	"saturate/internal/report"
	"saturate/internal/run"
	"saturate/internal/trace/open"
	"saturate/internal/version"
	"saturate/internal/view"
)

type profileOptions struct {
	config, name      string
	steps             int
	timeout           time.Duration
	seed              int64
	noTrace, gzip     bool
	noCompile, attach bool
	changed           map[string]string // settings of the profiler that were given, by their YAML names
}

var profileCommand = command{
	name: "profile", group: find, args: "[--no-trace] -- COMMAND…", min: 0, max: -1,
	short: "Run a training program and show where its step time goes, without editing it",
	long: `Run a training program and show where its step time goes, without editing it.

COMMAND runs unchanged, with its output on stderr. saturate detects the steps of PyTorch loops, Hugging Face Trainer,
Lightning, Accelerate, JAX and torchrun. In a program without an optimizer, each model call is a step. Each step is
split into waiting for data, copies to the GPU, forward, backward, optimizer and other. The GPU's own clock times the
parts on the GPU, without synchronizing. Ctrl-C goes to the program, and saturate exits with the program's exit code.

torch.profiler (or JAX's profiler) records a trace on a schedule, counted in steps or epochs (--profiling.unit). It
skips "wait" units once. Then it warms up for "warmup" units and records "active" units, and does both again "repeat"
times. Unlike in torch.profiler.schedule, "wait" is not skipped again in each cycle, and "repeat" counts the cycles after
the first: with 0, it records once.

The schedule comes from the ` + "`profiling:`" + ` section of your YAML file (--config) or from flags. --no-trace records no
trace, and neither does a --config without that section. Recorded steps are left out of the time per step.

The result is a Run in runs/: the steps, a report, and profiler_traces/*.pt.trace.json for TensorBoard,
Perfetto and chrome://tracing.`,
	example: `  saturate profile -- python train.py --epochs 1
  saturate profile --steps 50 --no-trace -- python train.py
  saturate profile --config config.yaml -- torchrun --nproc-per-node 8 train.py
  saturate profile --profiling.wait 10 --profiling.active 5 --profiling.with-stack -- python train.py`,
	formats: report.Formats(),
	data:    view.ProfileData{},
	prepare: with(profileFlags, profile),
}

func profileFlags(fs *pflag.FlagSet, o *profileOptions) {
	o.changed = map[string]string{}
	section(fs, "Program", func() {
		fs.StringVar(&o.name, "name", "", "name of the Run (default: the program's name)")
		fs.IntVar(&o.steps, "steps", 0, "end the program after this many steps; 0 for no limit")
		fs.DurationVar(&o.timeout, "timeout", 0, "end the program after this time; 0 for no limit")
		fs.Int64Var(&o.seed, "seed", -1, "random seed for programs that set none; -1 for no seed")
		fs.BoolVar(&o.noCompile, "no-compile", false, "turn torch.compile off, so that the trace shows every operator")
		fs.BoolVar(&o.attach, "attach", false, "log the summary to the program's tracker: W&B, MLflow or TensorBoard")
	})
	help := map[string]string{
		"wait": "units to skip at the start", "warmup": "warm-up units before each recording",
		"active": "units to record", "repeat": "further cycles of warmup and active after the first",
		"record_shapes": "record tensor shapes", "profile_memory": "record memory allocations",
		"with_stack": "record Python stacks", "unit": "unit of the schedule: step or epoch",
	}
	defaults := probe.DefaultSchedule()
	section(fs, "Trace", func() {
		fs.StringVar(&o.config, "config", "", "YAML `FILE` with a profiling: section")
		fs.BoolVar(&o.noTrace, "no-trace", false, "record no trace; the word profiling:None before -- does the same")
		fs.BoolVar(&o.gzip, "gzip", false, "compress traces")
		for _, key := range probe.Keys() {
			name := "profiling." + strings.ReplaceAll(key, "_", "-")
			value := &scheduleFlag{key: key, changed: o.changed, text: defaults.Get(key)}
			flag := fs.VarPF(value, name, "", help[key])
			if value.text == "true" || value.text == "false" {
				flag.NoOptDefVal = "true"
				no := fs.VarPF(&scheduleFlag{key: key, changed: o.changed, negate: true}, "profiling.no-"+strings.TrimPrefix(name,
					"profiling."), "", "do not "+help[key])
				no.NoOptDefVal, no.Hidden = "true", true
			}
		}
	})
	onCommandLineOnly(fs, "config", "name", "no-trace")
	forUserOnly(fs, "attach")
}

// scheduleFlag is a setting of the profiler that knows whether it was given: what was not is up to the YAML.
type scheduleFlag struct {
	key, text string
	negate    bool
	changed   map[string]string
}

func (f *scheduleFlag) String() string { return f.text }

func (f *scheduleFlag) Type() string {
	switch f.text {
	case "true", "false", "":
		return "bool"
	case "step":
		return "unit"
	}
	return "int"
}

func (f *scheduleFlag) Set(value string) error {
	if f.negate {
		value = map[string]string{"true": "false", "false": "true"}[value]
	}
	var try probe.Schedule
	if err := try.Set(f.key, value); err != nil {
		return err
	}
	f.text, f.changed[f.key] = value, value
	return nil
}

// joinSwitches lets a switch of the profiler's settings have its value behind it: --profiling.record-shapes False.
// Without this, the word would be taken for the start of the program's command.
func joinSwitches(args []string) []string {
	if len(args) == 0 || args[0] != "profile" {
		return args
	}
	var joined []string
	for i := 0; i < len(args); i++ {
		if args[i] == "--" {
			return append(joined, args[i:]...)
		}
		if strings.HasPrefix(args[i], "--profiling.") && !strings.Contains(args[i], "=") && i+1 < len(args) {
			switch args[i+1] {
			case "True", "False", "true", "false":
				joined = append(joined, args[i]+"="+strings.ToLower(args[i+1]))
				i++
				continue
			}
		}
		joined = append(joined, args[i])
	}
	return joined
}

func profile(ctx context.Context, env *Env, o profileOptions, args []string) (report.Report, error) {
	schedule, command, err := planTrace(env, o, args)
	if err != nil {
		return report.Report{}, err
	}
	plan := probe.Plan{
		Command: command, Dir: env.Dir, Environ: env.Vars, Root: env.path(env.Config.Get("runs").Value), Name: o.name,
		Steps: o.steps, Timeout: o.timeout, Loss: true, Sample: true, Trace: schedule, NoCompile: o.noCompile,
		Attach: o.attach,
		Stdin:  env.Stdin, Stdout: env.Stderr, Stderr: env.Stderr,
	}
	if o.seed >= 0 {
		plan.Seed = &o.seed
	}
	task := env.beside().Start("Profiling", "steps", int64(o.steps))
	plan.OnStep = follow(task)
	out, err := probe.Watch(ctx, plan)
	task.Done()
	switch {
	case errors.Is(err, probe.ErrMissing):
		if strings.HasSuffix(command[0], ".py") {
			err = fmt.Errorf("%s is not executable; try: saturate profile -- python %s", command[0], typed(command))
		}
		return report.Report{}, exitError{exitMissing, err}
	case err != nil:
		return report.Report{}, err
	}
	env.exit = out.Exit
	if out.Died() {
		out.Run.Discard() // or the next report would be about nothing
		return view.OfProfile(out, nil), nil
	}
	return explainProfile(ctx, env, o, schedule, out), nil
}

// planTrace finds out what is to be recorded, and refuses what cannot be.
func planTrace(env *Env, o profileOptions, args []string) (*probe.Schedule, []string, error) {
	wanted, asked, args, err := selectors(env, o, args)
	if err != nil {
		return nil, nil, err
	}
	if o.steps < 0 || o.timeout < 0 {
		return nil, nil, usage("--steps and --timeout cannot be negative; use 0 for no limit")
	}
	if len(args) == 0 {
		return nil, nil, usage("profile needs a command after --; try: saturate profile -- python train.py")
	}
	settings := probe.Profiling{Schedule: probe.DefaultSchedule()}
	if o.config != "" {
		text, err := files.Read(env.path(o.config), files.MaxSource)
		if err != nil {
			return nil, nil, usage("--config: cannot read %s: %v", o.config, reason(err))
		}
		settings, err = probe.ReadProfiling(text)
		switch {
		case errors.Is(err, probe.ErrNoSection):
			wanted = wanted && asked // a section that is null, commented out or missing is off
		case err != nil:
			return nil, nil, usage("%s: %v", o.config, err)
		}
	}
	for key, value := range o.changed {
		if err := settings.Set(key, value); err != nil {
			return nil, nil, usage("%v", err)
		}
	}
	if !wanted {
		return nil, args, nil
	}
	settings.Gzip = o.gzip
	if err := settings.TooShort(settings.Length); err != nil {
		return nil, nil, usage("%s: %v", o.config, err)
	}
	if settings.Unit == "step" {
		if err := settings.TooShort(o.steps); err != nil {
			return nil, nil, usage("%v", err)
		}
	}
	return &settings.Schedule, args, recordable(env)
}

// selectors takes the profiling:… words before the command: whether to record a trace, and whether the user asked
// for it.
func selectors(env *Env, o profileOptions, args []string) (wanted, asked bool, command []string, err error) {
	wanted, asked = !o.noTrace, len(o.changed) > 0
	for len(args) > 0 && strings.HasPrefix(args[0], "profiling:") && env.dash != 0 {
		switch selector := strings.TrimPrefix(args[0], "profiling:"); selector {
		case "None", "none":
			wanted = false
		case "profile-config":
			wanted, asked = true, true
		default:
			return false, false, nil, usage("unknown profiling:%s; use profiling:profile-config or profiling:None", selector)
		}
		args = args[1:]
		env.dash--
	}
	return wanted, asked, args, nil
}

// recordable says why torch.profiler cannot record this machine's GPU, or nil.
func recordable(env *Env) error {
	backend := env.Config.Get("gpu_backend").Value
	if backend == "mps" || backend == "auto" && runtime.GOOS == "darwin" && runtime.GOARCH == "arm64" {
		return exitError{exitMissing, errors.New(
			"torch.profiler cannot record an Apple GPU: it does not support MPS, so the trace would show an idle GPU.\n" +
				"Use profiling:None for the step table, torch.mps.profiler with Instruments for a timeline, " +
				"or GPU_BACKEND=cpu if the program trains on the CPU")}
	}
	return nil
}

// beside shows progress in lines where the program writes to the same terminal.
func (e *Env) beside() *progress.Display {
	display := *e.Progress
	display.Terminal = false
	return &display
}

// follow shows each step as it comes, and how much of the last ones was spent waiting for data.
func follow(task *progress.Task) func(run.Step) {
	var whole, data float64
	started := false
	task.Note("starting")
	return func(s run.Step) {
		task.Add(1)
		if !started { // what the program did before, and its first step, tell nothing about the others
			started = true
			task.Restart()
		}
		whole, data = 0.95*whole+s.Seconds, 0.95*data
		for _, p := range s.Parts {
			if p.Name == "data" {
				data += p.Seconds
			}
		}
		if whole > 0 {
			task.Note(fmt.Sprintf("waiting for data %.0f%%", 100*data/whole))
		}
	}
}

// explainProfile turns what was measured into a report, and keeps it in the Run.
func explainProfile(ctx context.Context, env *Env, o profileOptions, schedule *probe.Schedule, out probe.Outcome) report.Report {
	var analysis *analyze.Analysis
	var problem string
	if len(out.Traces) > 0 {
		a, err := analyseLatest(ctx, out)
		switch {
		case err != nil:
			problem = fmt.Sprintf("cannot analyze the trace: %v", err)
		case len(out.Facts.GPUs) > 0 && len(a.GPUs) == 0:
			problem = "the trace has no GPU activity, although the program used a GPU: CUPTI may lack permission, or another profiler (nsys, ncu, DCGM) is using it; `saturate doctor` checks both"
			if env.exit == 0 {
				env.exit = exitMissing
			}
		default:
			analysis = &a
		}
	}
	for i, path := range out.Traces {
		out.Traces[i] = env.shown(path)
	}
	r := view.OfProfile(out, analysis)
	if schedule != nil && schedule.Unit == "epoch" {
		view.InEpochs(&r)
	}
	if problem != "" {
		r.Warnings = append(r.Warnings, problem)
	}
	if out.Facts.Compiled && len(out.Traces) > 0 && !o.noCompile {
		r.Warnings = append(r.Warnings, "torch.compile hides the operators inside compiled code; `--no-compile` shows them, but changes the speed")
	}
	id := out.Run.ID[:min(8, len(out.Run.ID))]
	switch {
	case analysis == nil:
	case analysis.Ranks != nil:
		r.Next = append(r.Next, "saturate analyze "+id)
	case len(analysis.GPUs) > 0:
		r.Next = append(r.Next, "saturate analyze "+human.Shell(out.Traces[len(out.Traces)-1]))
	}
	if n := len(r.Findings); n > 0 {
		r.Next = append(r.Next, "saturate scan .")
	} else if len(out.Facts.GPUs) == 0 && len(out.Run.Steps) > 0 { // a CPU that computes: what is left are its settings
		r.Next = append(r.Next, "saturate tune -- "+typed(out.Run.Command))
	}
	r.Next = append(r.Next, "saturate report "+id+" -o report.html")
	keepReport(env, out.Run.Dir, &r)
	if err := probe.KeepFindings(out.Run.Dir, r.Findings); err != nil {
		r.Warnings = append(r.Warnings, fmt.Sprintf("the run in %s has no findings: %v", env.shown(out.Run.Dir), reason(err)))
	}
	return r
}

// typed is a command as it is typed into a shell.
func typed(command []string) string {
	words := make([]string, len(command))
	for i, word := range command {
		words[i] = human.Shell(word)
	}
	return strings.Join(words, " ")
}

// analyseLatest explains the newest trace, of several ranks that of the one that holds the others up.
func analyseLatest(ctx context.Context, out probe.Outcome) (analyze.Analysis, error) {
	traces, err := open.Read(ctx, out.Latest(), open.Options{})
	if err != nil {
		return analyze.Analysis{}, err
	}
	opt := analyze.All
	opt.Untraced = optimize.Untraced(out.Run)
	return analyze.Everything(ctx, traces, opt)
}

// keepReport leaves the report beside the steps. Where that is not possible, the report itself says so: the program has
// run, and what was measured is worth showing.
func keepReport(env *Env, dir string, r *report.Report) {
	var page bytes.Buffer
	err := report.Render(&page, *r, "html", report.Options{Version: version.Version})
	if err == nil {
		err = files.WriteMode(filepath.Join(dir, "report.html"), page.Bytes(), files.Private)
	}
	if err != nil {
		r.Warnings = append(r.Warnings, fmt.Sprintf("could not write report.html to %s: %v", env.shown(dir), reason(err)))
	}
}
