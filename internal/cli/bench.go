package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"saturate/internal/bench"
	"saturate/internal/config"
	"saturate/internal/device"
	"saturate/internal/human"
	"saturate/internal/report"
	"saturate/internal/view"
)

type benchOptions struct {
	plan    bench.Plan
	cache   []string
	python  string
	threads int
	noKeep  bool
	layer   benchLayer
	loader  benchLoader
	emit    string
	to      string
	replace bool
}

var benchCommand = command{
	name: "bench", group: prove, args: "attention|layer|loader|mel [SOURCE]", min: 0, max: 2,
	complete: func(*Env) []string { return []string{"attention", "layer", "loader", "mel"} }, orFiles: true,
	short: "Measure attention, layers, loaders and mel features against the limits of the hardware",
	long: `Measure attention, transformer layers, data loaders and mel features against the limits of the hardware.

  attention  QKV projection, scores, softmax, weighted sum and output projection, each alone; then the whole at
             levels 0 to 3: plain, compiled, fused, flash. A built-in Go implementation always runs; torch and jax
             run where installed
  layer      a transformer layer, or Whisper's encoder or decoder layer: forward and backward, with and without
             gradient checkpointing and mixed precision; torch and jax
  loader     a folder of audio, or module:factory of a Dataset or DataLoader, with several worker counts
  mel        log-mel features by CPU instruction set and thread count, and on the GPU

A large matrix product and a large copy are measured first. They are the roofs of the roofline: each part is
memory-bound or compute-bound, depending on which roof limits it. Times are medians. By default, each part is measured
with cold caches and with warm ones; --cache selects one of them. If the GPU throttles or is shared, the result is
INVALID and the exit code is 3.

The result is a Run. "saturate report" shows it with the roofline, and shows several machines side by side;
"saturate compare" compares two, "saturate export" writes it for benchstat.

--emit python writes the Python module that measures torch and jax, with its tests.`,
	example: `  saturate bench attention
  saturate bench attention --framework go --seq 1024,2048,4096,8192
  saturate bench attention --framework torch,jax --dtype bf16,fp32 --d-model 512,2048
  saturate bench layer --layer whisper-encoder --seq 1500
  saturate bench loader clips/ --workers 0,2,4,8
  saturate bench mel
  saturate bench attention --emit python --to lab`,
	formats: report.Formats(),
	data:    bench.Result{},
	prepare: with(func(fs *pflag.FlagSet, o *benchOptions) {
		p := &o.plan
		section(fs, "Sizes", func() {
			fs.IntSliceVar(&p.Seq, "seq", []int{512, 1024, 2048}, "sequence lengths")
			fs.IntSliceVar(&p.DModel, "d-model", []int{512}, "model widths")
			fs.IntSliceVar(&p.Heads, "heads", []int{8}, "head counts; each must divide the model width")
			fs.IntSliceVar(&p.Batch, "batch", []int{8}, "batch sizes")
			fs.StringSliceVar(&p.DTypes, "dtype", []string{"fp32"}, "data types: fp32, tf32, bf16, fp16")
			fs.IntSliceVar(&p.Levels, "level", []int{0, 1, 2, 3},
				"levels of the whole attention: 0 plain, 1 compiled, 2 fused, 3 flash")
		})
		section(fs, "Only for layer", func() { o.layer.flags(fs) })
		section(fs, "Only for loader and mel", func() { o.loader.flags(fs) })
		section(fs, "Measuring", func() {
			fs.StringSliceVar(&p.Frameworks, "framework", []string{"go", "torch", "jax"}, "frameworks to measure: "+
				strings.Join(bench.Frameworks, ", "))
			fs.StringVar(&p.Device, "device", "auto", "device for torch and jax: auto, cpu, cuda, cuda:1, mps")
			fs.StringVar(&o.python, "python", "", "Python with torch or jax (default: the active environment, then python3)")
			fs.IntVar(&o.threads, "threads", 0, "threads for Go; 0 uses all CPUs")
			fs.IntVar(&p.Iterations, "iterations", 30, "maximum timed calls per part")
			fs.DurationVar(&p.Time, "time", 2*time.Second, "time per series of calls; it ends then if it has enough samples")
			fs.StringSliceVar(&o.cache, "cache", []string{"cold", "warm"}, "caches before each call: cold (cleared), warm, or both")
			fs.Uint64Var(&p.Seed, "seed", 1, "random seed for the input data")
			fs.BoolVar(&o.noKeep, "no-run", false, "print the result without saving a Run")
		})
		section(fs, "Python module", func() {
			fs.StringVar(&o.emit, "emit", "", "instead of measuring, write the Python module that does it (`python` is the only choice)")
			fs.StringVar(&o.to, "to", "saturate_lab", "`FOLDER` for --emit")
			fs.BoolVar(&o.replace, "replace", false, "with --emit: overwrite files that were edited")
		})
		rare(fs, "ffn", "memory-seq", "depth", "batches", "repeats", "n-mels", "iterations", "time", "seed", "threads")
		onCommandLineOnly(fs, "emit", "to", "replace", "no-run")
		forUserOnly(fs, "python")
	}, runBench),
}

func runBench(ctx context.Context, env *Env, o benchOptions, args []string) (report.Report, error) {
	if o.emit != "" {
		return emitBench(env, o, args)
	}
	if err := o.settle(env, args); err != nil {
		return report.Report{}, err
	}
	executors, err := o.executors(env, args)
	if err != nil {
		return report.Report{}, err
	}
	measured, err := measureBench(ctx, env, o.plan, executors)
	if ctx.Err() != nil {
		return report.Report{}, stoppedBench(ctx, env, measured, o, args)
	}
	if err != nil {
		return report.Report{}, err
	}
	result := bench.Judge(measured)
	var lost error
	if !o.noKeep {
		var dir string
		if dir, lost = keepBench(ctx, env, measured, args, 0); lost == nil {
			result.Run = env.shown(dir)
		}
	}
	r := view.OfBench(result)
	if lost != nil { // what was measured is worth showing
		r.Warnings = append(r.Warnings, fmt.Sprintf("could not save the run: %v; use --no-run to skip saving", lost))
	}
	if measured.Incomplete {
		r.Outcome = report.Undecided
	}
	if result.Run != "" {
		r.Next = append(r.Next, "saturate report "+human.Shell(result.Run)+" -o bench.html")
	}
	return r, nil
}

// stoppedBench keeps what was measured until somebody stopped it, and says where.
func stoppedBench(ctx context.Context, env *Env, measured bench.Measured, o benchOptions, args []string) error {
	if measured.Empty() {
		return exitError{exitStopped, errors.New("stopped before anything was measured")}
	}
	if o.noKeep {
		return exitError{exitStopped, errors.New("stopped; nothing was saved, because of --no-run")}
	}
	dir, err := keepBench(ctx, env, measured, args, exitStopped)
	if err != nil {
		return exitError{exitStopped, fmt.Errorf("stopped; could not save the measurements: %w", err)}
	}
	return exitError{exitStopped, fmt.Errorf("stopped; the measurements so far are in %s", env.shown(dir))}
}

func checkTask(name string) error {
	var names []string
	for _, t := range bench.Tasks {
		names = append(names, string(t))
	}
	if !slices.Contains(names, name) {
		return usage("unknown task %q; use %s%s", name, strings.Join(names, ", "), config.Hint(name, names))
	}
	return nil
}

// settle checks what was typed before anything is started.
func (o *benchOptions) settle(env *Env, args []string) error {
	if len(args) == 0 {
		return usage("bench needs a task: attention, layer, loader or mel; try: saturate bench attention")
	}
	if err := checkTask(args[0]); err != nil {
		return err
	}
	o.plan.Task = bench.Task(args[0])
	switch takes := o.plan.Task == bench.Loader; {
	case takes && len(args) < 2:
		return usage("bench loader needs a folder of audio, or module:factory of a torch Dataset or DataLoader")
	case !takes && len(args) > 1:
		return usage("bench %s takes no more arguments; got %q", args[0], args[1])
	}
	if o.plan.Task == bench.Loader {
		switch source := args[1]; {
		case isFolder(env.path(source)):
			if err := bench.CheckFolder(env.path(source)); err != nil {
				return usage("%v", err)
			}
		case !strings.Contains(source, ":"):
			return usage("%s is not a folder of audio, nor module:factory of a torch Dataset or DataLoader", source)
		}
	}
	for _, c := range o.cache {
		switch c {
		case "cold":
			o.plan.Cold = true
		case "warm":
			o.plan.Warm = true
		default:
			return usage("--cache cannot be %q: use cold, warm or both", c)
		}
	}
	if backend := env.Config.Get("gpu_backend").Value; o.plan.Device == "auto" && backend != "auto" {
		o.plan.Device = backend
		if backend == "rocm" {
			o.plan.Device = "cuda" // as torch and jax call it
		}
	}
	if o.threads < 0 || o.threads > 4096 {
		return usage("--threads must be 0 to 4096, not %d", o.threads)
	}
	if err := o.plan.Check(); err != nil {
		return usage("%v", err)
	}
	return nil
}

// executors are those of the plan, in the order in which they are shown.
func (o *benchOptions) executors(env *Env, args []string) ([]bench.Executor, error) {
	host := device.Host{Env: env.Vars, Dir: env.Dir}
	var out []bench.Executor
	for _, f := range bench.Frameworks {
		if !slices.Contains(o.plan.Frameworks, f) {
			continue
		}
		e, err := o.executor(env, host, f, args)
		if err != nil {
			return nil, err
		}
		if e != nil {
			out = append(out, e)
		}
	}
	if len(out) == 0 {
		return nil, usage("%s cannot measure %s; add %s to --framework", strings.Join(o.plan.Frameworks, ", "), o.plan.Task,
			strings.Join(measuredBy[o.plan.Task], " or "))
	}
	return out, nil
}

// measuredBy is which frameworks have a part in a task.
var measuredBy = map[bench.Task][]string{
	bench.Attention: bench.Frameworks,
	bench.Layer:     {"torch", "jax"},
	bench.Loader:    {"go", "torch"},
	bench.Mel:       {"go"},
}

// executor is what measures the task with one framework; nil where the framework does not support the task.
func (o *benchOptions) executor(env *Env, host device.Host, framework string, args []string) (bench.Executor, error) {
	if !slices.Contains(measuredBy[o.plan.Task], framework) {
		return nil, nil
	}
	var loader bench.LoaderPlan
	var err error
	if o.plan.Task == bench.Loader {
		if loader, err = o.loader.plan(args[1], o.plan.Batch[0]); err != nil {
			return nil, err
		}
	}
	switch {
	case framework == "go" && o.plan.Task == bench.Attention:
		return bench.BuiltIn{System: host, Threads: o.threads}, nil
	case framework == "go" && o.plan.Task == bench.Loader:
		return bench.AudioFolder{System: host, Dir: env.path(args[1]), Loader: loader}, nil
	case o.plan.Task == bench.Mel:
		params, err := o.loader.params()
		if err != nil {
			return nil, err
		}
		if _, err := o.loader.plan("", 1); err != nil {
			return nil, err
		}
		return bench.MelSpeed{
			System: host, Params: params, Clip: o.loader.clip, Threads: o.loader.threads(),
			GPU: o.plan.Device != "cpu",
		}, nil
	}
	p := bench.Python{Name: framework, Environ: env.Vars, Dir: env.Dir}
	if p.Interpreter, err = env.python(o.python); err != nil {
		p.Why = err.Error()
	}
	if o.plan.Task == bench.Layer {
		if p.Layers, err = o.layer.plans(); err != nil {
			return nil, err
		}
	}
	if o.plan.Task == bench.Loader {
		if folder := env.path(args[1]); !strings.Contains(args[1], ":") || isFolder(folder) {
			loader.Source = folder
		}
		p.Loaders = []bench.LoaderPlan{loader}
	}
	return p, nil
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func measureBench(ctx context.Context, env *Env, plan bench.Plan, executors []bench.Executor) (bench.Measured, error) {
	task := env.Progress.Start("bench", "parts", 0)
	defer task.Done()
	measured, err := bench.Run(ctx, device.Host{Env: env.Vars, Dir: env.Dir}, plan, executors, func(e bench.Event) {
		task.Set(int64(e.Done))
		task.Note(fmt.Sprintf("of %d: %s %s", e.Of, e.Framework, strings.TrimPrefix(e.What, e.Framework+" ")))
	})
	var missing *bench.MissingError
	switch {
	case errors.As(err, &missing):
		if plan.Task == bench.Attention && !slices.Contains(plan.Frameworks, "go") {
			err = fmt.Errorf("%w; --framework go works without them", err)
		}
		return measured, exitError{exitMissing, err}
	case err != nil:
		return measured, err
	}
	return measured, nil
}
