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
func emitBench(env *Env, o benchOptions, args []string) (report.Report, error) {
	if err := emitsPython(o.emit); err != nil {
		return report.Report{}, err
	}
	if len(args) > 0 {
		if err := checkTask(args[0]); err != nil {
			return report.Report{}, err
		}
	}
	folder := env.path(o.to)
	if info, err := os.Stat(folder); o.to == "" || err == nil && !info.IsDir() {
		return report.Report{}, usage("--to %q is no folder to write the module into: choose another", o.to)
	}
	fresh, err := os.MkdirTemp("", "saturate-lab-")
	if err != nil {
		return report.Report{}, fmt.Errorf("there is no place to prepare the module: %w", err)
	}
	defer os.RemoveAll(fresh)
	if err := py.Write(fresh); err != nil {
		return report.Report{}, err
	}
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
			return report.Report{}, fmt.Errorf("cannot look at what is there: %w; choose another folder with --to", err)
		case !bytes.Equal(got, want):
			changed = append(changed, names[len(names)-1])
		}
	}
	if len(changed) > 0 {
		return report.Report{}, usage("will not write over what somebody changed (%s): move it away, or choose another folder with --to", strings.Join(changed, ", "))
	}
	if err := py.Write(folder); err != nil {
		return report.Report{}, fmt.Errorf("%w; choose another folder with --to", err)
	}
	result := bench.Judge(bench.Measured{Plan: bench.Plan{Task: bench.Attention}})
	result.Emitted = names
	return report.Report{
		Title: "Bench",
		Summary: []string{
			fmt.Sprintf("Wrote %s into %s: `from saturate_bench.torch_attention import profile_attention_components` and so on; saturate_bench.jax_attention has the same for JAX.", spell.Plural(len(names), "file"), o.to),
			fmt.Sprintf("`python -m pytest %s` runs its tests.", o.to),
		},
		Data: result,
	}, nil
}

// benchResults judges runs of bench again from their samples, a result for each run; ok is false where one is no such run.
func benchResults(env *Env, runs []run.Run) (results []bench.Result, ok bool, err error) {
	results = make([]bench.Result, len(runs))
	for i, r := range runs {
		if r.State == run.Damaged || !bench.IsBench(r.Dir) {
			return nil, false, nil
		}
		m, err := bench.Read(r.Dir)
		if err != nil {
			return results, false, err
		}
		results[i] = bench.Judge(m)
		results[i].Run = env.shown(r.Dir)
	}
	return results, len(runs) > 0, nil
}
