package optimize

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"saturate/internal/analyze"
	"saturate/internal/files"
	"saturate/internal/human"
	"saturate/internal/probe"
	"saturate/internal/process"
	"saturate/internal/run"
	"saturate/internal/trace/open"
	"saturate/internal/whatif"
)

// WithProbe profiles Python programs by the probe, with a trace where that can be had. Outside of their copy they write
// only to the folders that the user allows. forks learns from the first program what to import. Programs that use a GPU
// are never forked: CUPTI, which records what a GPU does, does not work in a process that was confined after it was
// forked.
func WithProbe(environ, writable []string, forks *probe.Forks) Profile {
	return func(ctx context.Context, home probe.Home, command []string, steps int, scratch string) (Profiled, error) {
		seen, err := profiler(environ, writable, forks)(ctx, home, command, steps, scratch)
		if seen.GPU {
			forks = nil
		}
		return seen, err
	}
}

// profiler runs a program once under the probe.
func profiler(environ, writable []string, forks *probe.Forks) Profile {
	return func(ctx context.Context, home probe.Home, command []string, steps int, scratch string) (Profiled, error) {
		if err := errors.Join(os.RemoveAll(scratch), os.MkdirAll(scratch, 0o755)); err != nil {
			return Profiled{}, fmt.Errorf("cannot make a folder for the run: %w", err)
		}
		said, err := files.Create(filepath.Join(scratch, "output.txt"), files.Private)
		if err != nil {
			return Profiled{}, fmt.Errorf("cannot store the output of the program: %w", err)
		}
		defer said.Close()
		modules := filepath.Join(scratch, "modules")
		if err := os.Mkdir(modules, 0o755); err != nil {
			return Profiled{}, fmt.Errorf("cannot make a folder for the list of modules: %w", err)
		}
		defer os.RemoveAll(modules)
		env, err := home.Environ(environ, modules)
		if err != nil {
			return Profiled{}, err
		}
		schedule := probe.DefaultSchedule()
		var within *probe.Within
		if steps == 0 {
			steps, within = DefaultSteps, &probe.Within{Steps: fewestSteps, Seconds: longSteps}
		}
		plan := probe.Plan{
			Command: command, Dir: home.Root, Environ: env, Root: filepath.Join(scratch, "runs"), Name: filepath.Base(scratch),
			Steps: steps, Within: within, Sample: true, Stdout: said, Stderr: said, Confine: confinement(writable, home.Root, scratch), Forks: forks,
		}
		if steps >= schedule.Units()+10 {
			plan.Trace = &schedule
		}
		out, err := probe.Watch(ctx, plan)
		switch {
		case err != nil:
			return Profiled{}, err
		case ctx.Err() != nil:
			return Profiled{}, ended(ctx, len(out.Run.Steps), said.Name())
		case out.Lost != nil:
			return Profiled{}, out.Lost
		case out.Exit != 0 && len(out.Run.Steps) < steps:
			return Profiled{}, fmt.Errorf("the program failed with %s after %s%s (full output: %s)", human.Exit(out.Exit), human.Plural(len(out.Run.Steps), "step"), process.Clause(process.LastLineOf(said.Name())), said.Name())
		}
		var told probe.Modules
		if home.Turns() && len(out.Run.Steps) > 0 {
			if told, err = foreign(modules); err != nil {
				return Profiled{}, err
			}
		}
		var notes []string
		if len(out.Outside) > 0 {
			notes = append(notes, probe.WroteOutside(out.Outside))
		}
		why, err := explained(ctx, out.Run, out.Latest(), nil)
		if err != nil && plan.Trace != nil && len(out.Facts.GPUs) > 0 {
			notes = append(notes, "cannot explain a trace: "+err.Error())
		}
		seen := Profiled{
			Run: out.Run, Notes: notes, Trace: why, From: out.Latest(), GPU: len(out.Facts.GPUs) > 0, Making: computing(out.Workers.Made),
			Cores: runtime.NumCPU(), Workers: workersOf(out.Facts.Loaders), Loaded: told.Loaded,
		}
		for file, lines := range told.Lines {
			if len(lines.Idle) > 0 {
				if seen.Idle == nil {
					seen.Idle = map[string][]int{}
				}
				seen.Idle[file] = lines.Idle
			}
		}
		if out.Facts.InProcess != nil {
			seen.InProcess = computing(*out.Facts.InProcess)
		}
		return seen, nil
	}
}

func confinement(writable []string, own ...string) *process.Confinement {
	return &process.Confinement{Own: append(slices.Clone(writable), own...)}
}

// ErrForeign is the error for a program that runs code outside its copy, so that no repair would have an effect.
var ErrForeign = errors.New("nothing can be measured in a copy of the project")

// foreign refuses a program that ran code outside its copy, and tells what of its copy it ran.
func foreign(folder string) (probe.Modules, error) {
	told, err := probe.ReadModules(folder)
	if err != nil {
		return told, err
	}
	told.Shadows = nil // an installed module may share a name with one of the project
	if problem := told.Problem(); problem != "" {
		return told, fmt.Errorf("%w: the program %s", ErrForeign, problem)
	}
	return told, nil
}

// workersOf is how many processes fill the loader that gives most batches.
func workersOf(loaders []probe.Loader) (workers int) {
	most := -1
	for _, l := range loaders {
		if n := l.Batches * max(1, l.Epochs); n > most {
			workers, most = l.Workers, n
		}
	}
	return workers
}

// computing is how much of a core's time a sample takes. A worker that sleeps, or waits for a disk, leaves the core to
// others.
func computing(m probe.Made) float64 { return m.CoreSeconds / float64(max(1, m.Samples)) }

// ended is why a program had to be stopped before it had made its steps.
func ended(ctx context.Context, steps int, said string) error {
	if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("the program was stopped after %s: %w", human.Plural(steps, "step"), ctx.Err())
	}
	return fmt.Errorf("the program timed out after %s; raise --timeout or lower --steps%s", human.Plural(steps, "step"), process.Clause(process.LastLineOf(said)))
}

// explained analyzes traces of a Run and predicts fixes on top of the given ones. Without a trace, the steps are enough to
// continue.
func explained(ctx context.Context, r run.Run, from []string, given []whatif.Repair) (*analyze.Analysis, error) {
	traces, err := open.Read(ctx, from, open.Options{})
	if err != nil {
		return nil, err
	}
	opt := analyze.All
	opt.Untraced, opt.Each, opt.Ask = Untraced(r), questions(), given
	a, err := analyze.Everything(ctx, traces, opt)
	if err != nil {
		return nil, err
	}
	return &a, nil
}

// ByCommand runs commands with the given variables, unwatched, and confined as WithProbe does.
func ByCommand(environ, writable []string, patience time.Duration) Prepare {
	return func(ctx context.Context, home probe.Home, command []string) error {
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		env, err := home.Environ(withSelf(environ), "")
		if err == nil {
			env, err = probe.Turned(env)
		}
		if err != nil {
			return err
		}
		cmd := process.Command(ctx, command[0], command[1:]...)
		cmd.Dir, cmd.Env, cmd.WaitDelay = home.Root, env, 5*time.Second
		var said process.Tail
		cmd.Stdout, cmd.Stderr = &said, &said
		process.Own(cmd)
		cmd.Cancel = func() error { return process.Kill(cmd) }
		released, err := confinement(writable, home.Root).Apply(cmd)
		if err != nil {
			return err
		}
		err = process.Run(cmd)
		released()
		switch {
		case errors.Is(ctx.Err(), context.DeadlineExceeded):
			return fmt.Errorf("it timed out after %v%s", patience, process.Clause(process.LastLine(said)))
		case err != nil:
			return fmt.Errorf("%w%s", err, process.Clause(process.LastLine(said)))
		}
		return nil
	}
}

// withSelf adds the path of this program, for scripts that call it; the user's own setting wins.
func withSelf(environ []string) []string {
	self, err := os.Executable()
	if err != nil || !strings.HasPrefix(filepath.Base(self), "saturate") || slices.ContainsFunc(environ, func(v string) bool { return strings.HasPrefix(v, "SATURATE=") }) {
		return environ
	}
	return append(slices.Clip(environ), "SATURATE="+self)
}
