package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"saturate/internal/bench"
	"saturate/internal/bench/py"
	"saturate/internal/report"
	"saturate/internal/run"
	"saturate/internal/spell"
	"saturate/internal/version"
)

// keepBench writes the Run and gives its folder, also of what was measured before somebody stopped it.
func keepBench(ctx context.Context, env *Env, m bench.Measured, args []string, exit int) (string, error) {
	environment := run.Capture(context.WithoutCancel(ctx), env.Dir, env.Vars)
	environment.Versions = map[string]string{"saturate": version.Version}
	kept, err := bench.Keep(env.path(env.Config.Get("runs").Value), m, run.Options{
		Command: append([]string{"saturate", "bench"}, args...), Environment: environment, Config: fmt.Appendf(nil, "%v", m.Plan),
	}, exit)
	if err != nil {
		return "", err
	}
	return kept.Dir, nil
}

// emitBench writes the Python module with its tests. A file that is there and differs is never written over.
func emitBench(env *Env, o benchOptions) (report.Report, error) {
	if o.emit != "python" {
		return report.Report{}, usage("--emit writes python, not %q", o.emit)
	}
	fresh, err := os.MkdirTemp("", "saturate-lab-")
	if err != nil {
		return report.Report{}, fmt.Errorf("there is no place to prepare the module: %w", err)
	}
	defer os.RemoveAll(fresh)
	if err := py.Write(fresh); err != nil {
		return report.Report{}, err
	}
	folder := env.path(o.to)
	var changed, names []string
	for _, name := range py.Names() {
		names = append(names, filepath.Join(o.to, filepath.FromSlash(name)))
		want, err := os.ReadFile(filepath.Join(fresh, filepath.FromSlash(name)))
		if err != nil {
			return report.Report{}, err
		}
		switch got, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(name))); {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return report.Report{}, fmt.Errorf("cannot look at what is there: %w", err)
		case !bytes.Equal(got, want):
			changed = append(changed, names[len(names)-1])
		}
	}
	if len(changed) > 0 {
		return report.Report{}, usage("%s would be written over and differs from what saturate writes: move it away, or choose another folder with --to", strings.Join(changed, ", "))
	}
	if err := py.Write(folder); err != nil {
		return report.Report{}, err
	}
	return report.Report{
		Title: "Bench",
		Summary: []string{
			fmt.Sprintf("Wrote %s into %s: `from saturate_bench import benchmark_function, profile_attention_components` and so on, for torch and for jax.", spell.Plural(len(names), "file"), o.to),
			fmt.Sprintf("`python -m pytest %s` runs its tests.", o.to),
		},
		Data: bench.Result{Emitted: names},
	}, nil
}

// benchResults judges runs of bench again from their samples; ok is false where one is no such run.
func benchResults(env *Env, runs []run.Run) (results []bench.Result, ok bool, err error) {
	for _, r := range runs {
		if r.State == run.Damaged || !bench.IsBench(r.Dir) {
			return nil, false, nil
		}
		m, err := bench.Read(r.Dir)
		if err != nil {
			return nil, false, err
		}
		result := bench.Judge(m)
		result.Run = env.shown(r.Dir)
		results = append(results, result)
	}
	return results, len(runs) > 0, nil
}
