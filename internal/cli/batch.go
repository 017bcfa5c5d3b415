package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/pflag"

	"saturate/internal/batch"
	"saturate/internal/human"
	"saturate/internal/patch"
	"saturate/internal/probe"
	"saturate/internal/process"
	"saturate/internal/report"
	"saturate/internal/run"
	"saturate/internal/stat"
	"saturate/internal/view"
)

type batchOptions struct {
	batch.Options
	target   share
	memory   size
	timeout  time.Duration
	writable []string
	name     string
}

var batchCommand = command{
	name: "batch", group: fix, args: "-- COMMAND…", min: 0, max: -1,
	short: "Find the largest batch that fits into memory, and the smallest that is fast",
	long: `Find the largest batch that fits into memory, and the smallest that is fast. The program is not edited.

saturate first runs the program with three small batch sizes, beginning with its own (or --start), for 6 steps each.
From these it predicts the largest batch that fills 90% of the memory (--target), and confirms it with a run of 20 steps.
It makes at most 6 runs (--trials). Each run is a separate process, so one that runs out of memory does not stop the
others. Memory used by other processes counts as taken. The batch to use is the smallest within 3% of the best samples/s.

Trials change the batch size of PyTorch DataLoaders, in plain loops, Hugging Face Trainer, Accelerate and Lightning.
They use the longest samples, and include an evaluation if the program has one. If your program makes batches in
another way, let it take the size as an argument and write {batch} in COMMAND. On a machine without a GPU, the memory
is that of the host, or of the cgroup.

On Linux your files are safe: the program writes to a temporary copy that is discarded when a trial ends. Only caches are
written as usual. To keep a folder's output, name it with --writable.

saturate prints what else to change with the batch size (learning rate, warm-up, accumulation), with the rule for each.
It does not make these changes.

Exit codes: 0 if a batch was confirmed; 3 if no batch near the target was confirmed.`,
	example: `  saturate batch -- python train.py
  saturate batch --memory 24GB -- python train.py --config config.yaml
  saturate batch --start 8 -- python train.py --batch-size {batch}`,
	formats: report.Formats(),
	data:    view.BatchData{},
	prepare: with(batchFlags, runBatch),
}

func batchFlags(fs *pflag.FlagSet, o *batchOptions) {
	d := batch.Options{}.Defaults()
	o.target = share(d.Target)
	section(fs, "Memory", func() {
		fs.Var(&o.target, "target", "share of the memory to fill")
		fs.Var(&o.memory, "memory", "memory to plan for, such as 24GB; 0 for all of the GPU's")
		fs.IntVar(&o.Most, "most", 0, "largest batch size to try; 0 for the number of samples")
	})
	section(fs, "Trials", func() {
		fs.IntVar(&o.Start, "start", 0, "first batch size; 0 for the program's own")
		fs.IntVar(&o.Trials, "trials", d.Trials, "maximum number of trials")
		fs.IntVar(&o.ProbeSteps, "probe-steps", d.ProbeSteps, "steps of a small trial")
		fs.IntVar(&o.ProofSteps, "proof-steps", d.ProofSteps, "steps of a confirmation")
		fs.DurationVar(&o.timeout, "timeout", 10*time.Minute, "maximum time per trial")
		fs.StringArrayVar(&o.writable, "writable", nil, "`DIR` whose output is kept; what the program writes elsewhere is discarded")
		fs.StringVar(&o.name, "name", "", "name of the Run (default: the program's name)")
	})
	rare(fs, "trials", "probe-steps", "proof-steps")
	onCommandLineOnly(fs, "start", "writable", "name")
}

func (o batchOptions) check(args []string) error {
	switch {
	case len(args) == 0:
		return usage("batch needs a command after --; try: saturate batch -- python train.py")
	case o.target < 0.1 || o.target > 0.95:
		return usage("--target must be between 10%% and 95%%")
	case o.Trials < 4:
		return usage("--trials must be at least 4: three small ones and a confirmation")
	case o.ProbeSteps < 4 || o.ProofSteps < o.ProbeSteps:
		return usage("--probe-steps must be at least 4, and --proof-steps at least as many")
	case batch.TakesBatch(args) && o.Start == 0:
		return usage("with %s in the command, set the first batch size: --start 8", batch.Placeholder)
	case o.Start < 0 || o.Most < 0 || o.timeout < 0:
		return usage("--start, --most and --timeout cannot be negative")
	}
	return nil
}

func runBatch(ctx context.Context, env *Env, o batchOptions, args []string) (report.Report, error) {
	if err := o.check(args); err != nil {
		return report.Report{}, err
	}
	folder, err := os.MkdirTemp("", "saturate-batch-")
	if err != nil {
		return report.Report{}, fmt.Errorf("cannot create a folder for trials: %w", err)
	}
	defer os.RemoveAll(folder)
	own := []string{folder}
	for _, dir := range o.writable {
		own = append(own, env.path(dir))
	}
	programs := &batch.Programs{
		Plan:   probe.Plan{Command: args, Dir: env.Dir, Environ: env.Vars, Confine: &process.Confinement{Own: own}},
		Memory: int64(o.memory), Limit: o.timeout, Folder: folder,
	}
	o.Target = float64(o.target)
	task := env.Progress.Start("Trials", "trials", int64(o.Trials))
	o.OnTrial = func(t batch.Trial, p batch.Purpose) { task.Note(trialNote(t, p)) }
	o.OnMeasured = func(batch.Measured) { task.Add(1) }
	o.Parameters, o.Checkpointed = programs.Parameters, programs.Checkpointed
	began := time.Now()
	result, err := batch.Search(ctx, o.Options, programs.Run)
	task.Done()
	if err != nil {
		return report.Report{}, batchError(ctx, err)
	}
	ctx = context.WithoutCancel(ctx) // what was found is kept, also where the end of the search was cut off
	data := view.BatchData{Result: result, Command: args, Program: programs.Told}
	if k := result.Knee; k != nil {
		data.Advice = batch.Advise(programs.Told, result.Own, k.Batch, k.Samples, len(programs.Last.Ranks))
	}
	if k := result.Knee; k != nil {
		data.Setting = batch.Set(env.Dir, args, programs.Told, result.Own, k.Batch)
	}
	dir, kept := o.keep(ctx, env, data, time.Since(began))
	data.Run = env.shown(dir)
	if kept == nil && len(data.Setting.Changes) > 0 {
		data.Patch = filepath.Join(data.Run, patchName)
	}
	r := view.OfBatch(data)
	if kept != nil {
		r.Warnings = append(r.Warnings, fmt.Sprintf("the result was not kept as a run: %v", kept))
	} else {
		keepReport(env, dir, &r)
	}
	return r, nil
}

func trialNote(t batch.Trial, p batch.Purpose) string {
	if t.Batch == 0 {
		return "the program's own batch size"
	}
	return fmt.Sprintf("%s of batch %d, %s", p, t.Batch, human.Plural(t.Steps, "step"))
}

func batchError(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return exitError{exitStopped, errors.New("stopped; no batch was confirmed")}
	case errors.Is(err, probe.ErrMissing):
		return exitError{exitMissing, err}
	}
	return err
}

// patchName is the file of a Run that sets the batch size in the user's program.
const patchName = "batch.patch"

// keep makes a Run of the result.
func (o batchOptions) keep(ctx context.Context, env *Env, d view.BatchData, took time.Duration) (string, error) {
	name := o.name
	if name == "" {
		name = "batch"
	}
	recorder, err := run.Create(env.path(env.Config.Get("runs").Value), name, run.Options{
		Command: d.Command, Config: []byte(fmt.Sprint(o.memory, o.target)), Environment: run.Capture(ctx, env.Dir,
			env.Vars), Took: took.Seconds(),
	})
	if err != nil {
		return "", err
	}
	for _, m := range d.Trials {
		if m.Rate > 0 {
			recorder.Add(stat.Series{Name: fmt.Sprintf("batch %d", m.Batch), Unit: "samples/s", Values: []float64{m.Rate}})
		}
	}
	if d.Largest != nil {
		recorder.Add(stat.Series{Name: "largest batch", Unit: "samples", Values: []float64{float64(d.Largest.Batch)}})
	}
	if d.Knee != nil {
		recorder.Add(stat.Series{Name: "fast batch", Unit: "samples", Values: []float64{float64(d.Knee.Batch)}})
	}
	text, err := json.MarshalIndent(d, "", "  ")
	if err == nil {
		err = recorder.Save("batch.json", "experiment", append(text, '\n'))
	}
	if diff := patch.Diff(d.Setting.Changes); len(diff) > 0 && err == nil {
		err = recorder.Save(patchName, "patch", diff)
	}
	_, finished := recorder.Finish(0)
	return filepath.Clean(recorder.Dir()), errors.Join(err, finished)
}
