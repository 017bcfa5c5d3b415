package verify

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"saturate/internal/files"
	"saturate/internal/human"
	"saturate/internal/probe"
	"saturate/internal/process"
	"saturate/internal/run"
	"saturate/internal/stat"
)

// Programs runs real programs with the given variables: Python under the probe, and a program that writes its
// own steps, which its command says by {steps}, as it is. Those who ask hear what the probe saw.
func Programs(environ []string, heard ...func(Trial, probe.Outcome)) Execute {
	return programs(environ, nil, heard)
}

// Forked runs them as Programs does, Python forked from a process that has imported its libraries where that is
// possible.
func Forked(environ []string, forks *probe.Forks) Execute { return programs(environ, forks, nil) }

func programs(environ []string, forks *probe.Forks, heard []func(Trial, probe.Outcome)) Execute {
	own, watched := ownLog(environ), underProbe(environ, forks, heard)
	return func(ctx context.Context, t Trial) (run.Run, error) {
		if logsItself(t.Command) {
			return own(ctx, t)
		}
		return watched(ctx, t)
	}
}

// underProbe runs Python programs, whose steps the probe finds.
func underProbe(environ []string, forks *probe.Forks, heard []func(Trial, probe.Outcome)) Execute {
	return func(ctx context.Context, t Trial) (r run.Run, err error) {
		command := t.Home.Command(t.Command)
		env, modules, err := watchModules(t, slices.Concat(environ, t.Env))
		if err != nil {
			return run.Run{}, err
		}
		defer func() { modules(r, true) }()
		if command[0], err = lookUp(command[0], t.Dir, env); err != nil {
			return run.Run{}, err
		}
		output, err := outputFile(t.Scratch)
		if err != nil {
			return run.Run{}, err
		}
		defer output.Close()
		seen := 0
		out, err := probe.Watch(ctx, probe.Plan{
			Command: command, Dir: t.Dir, Environ: env, Name: t.Name,
			Steps: t.Steps, Seed: &t.Seed, Loss: true, Confine: t.confinement(env), Forks: forks,
			Stdout: output, Stderr: output,
			OnStep: func(run.Step) {
				if seen++; t.Progress != nil {
					t.Progress(seen)
				}
			},
		})
		if err != nil {
			return run.Run{}, err
		}
		if out.Lost != nil && ctx.Err() == nil {
			return run.Run{}, out.Lost
		}
		for _, hear := range heard {
			hear(t, out)
		}
		r = out.Run
		r.Steps = run.Together(r.Steps, out.OtherRanks())
		r.ExitCode = &out.Exit
		r.Series = append(r.Series, workOf(out.Facts)...)
		if out.Exit != 0 && output.Name() != os.DevNull {
			if said := process.LastLineOf(output.Name()); said != "" {
				r.Notes = append(r.Notes, said+refused(said, t.Own != nil))
			}
		}
		return r, nil
	}
}

// confinement is where the program of a trial may write.
func (t Trial) confinement(env []string) *process.Confinement {
	if t.Own == nil {
		return nil
	}
	own := t.Own
	if folder := probe.ModulesFolder(env); folder != "" {
		own = append(slices.Clone(own), folder)
	}
	return &process.Confinement{Own: own}
}

// Samples looks at what Python programs train on, with the given variables, in a short run under the probe, forked
// where forks is not nil.
func Samples(environ []string, forks *probe.Forks) Look {
	return func(ctx context.Context, t Trial) (probe.Samples, error) {
		if logsItself(t.Command) {
			return probe.Samples{}, errors.New("it writes its own steps and does not run under the probe")
		}
		command := t.Home.Command(t.Command)
		env, modules, err := watchModules(t, slices.Concat(environ, t.Env))
		if err != nil {
			return probe.Samples{}, err
		}
		defer modules(run.Run{}, false)
		if command[0], err = lookUp(command[0], t.Dir, env); err != nil {
			return probe.Samples{}, err
		}
		var said process.Tail
		plan := probe.Plan{
			Command: command, Dir: t.Dir, Environ: env, Name: t.Name, Steps: t.Steps, Seed: &t.Seed,
			Samples: &probe.SamplePlan{
				Seed: t.Seed, Epoch: (t.Steps - 1) / 2,
				Batches: lookBatches,
			}, Confine: t.confinement(env), Forks: forks,
			Stdout: &said, Stderr: &said, NoCompile: true, // how the model computes does not change what it is given
		}
		out, err := probe.Watch(ctx, plan)
		if err == nil && out.Lost == nil && out.Exit != 0 && ctx.Err() == nil { // some code only works compiled, or fits into memory only then
			said, plan.NoCompile = process.Tail{}, false
			out, err = probe.Watch(ctx, plan)
		}
		switch {
		case err != nil:
			return probe.Samples{}, err
		case out.Lost != nil:
			return probe.Samples{}, out.Lost
		case out.Exit != 0:
			return out.Samples, fmt.Errorf("the program failed with %s%s", human.Exit(out.Exit),
				process.Clause(process.LastLine(said)))
		}
		return out.Samples, nil
	}
}

// refused says what to do where a program was not allowed to write to the user's files.
func refused(said string, confined bool) string {
	if !confined || !strings.Contains(said, "Permission denied") && !strings.Contains(said, "Read-only file system") &&
		!strings.Contains(said, "PermissionError") {
		return ""
	}
	return " (files outside the copy are read-only; --writable DIR lets the program write there)"
}

func outputFile(scratch string) (*os.File, error) {
	if scratch == "" {
		return os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	}
	f, err := files.EmptyOwn(filepath.Join(scratch, outputName), files.Private)
	if err != nil {
		return nil, fmt.Errorf("cannot create a file for the program's output: %w", err)
	}
	return f, nil
}

// workOf is what the program told of the size of its task. A dataset that gives whole batches
// counts them, not samples, so its length says nothing.
func workOf(f probe.Facts) []stat.Series {
	var series []stat.Series
	add := func(name string, amount float64) {
		if amount > 0 {
			series = append(series, stat.Series{Name: name, Values: []float64{amount}})
		}
	}
	samples := 0
	for _, l := range f.Loaders {
		if l.BatchSize > 0 {
			samples = max(samples, l.Samples)
		}
	}
	add("samples of the dataset", float64(samples))
	add("parameters of the model", float64(f.Parameters))
	return series
}
