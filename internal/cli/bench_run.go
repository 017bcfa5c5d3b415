package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"saturate/internal/bench"
	"saturate/internal/bench/py"
	"saturate/internal/human"
	"saturate/internal/report"
	"saturate/internal/run"
	"saturate/internal/version"
)

// keepBench writes the Run and gives its folder, also of what was measured before somebody stopped it.
func keepBench(ctx context.Context, env *Env, m bench.Measured, args []string, exit int) (string, error) {
	environment := run.Capture(context.WithoutCancel(ctx), env.Dir, env.Vars)
	environment.Versions = map[string]string{"saturate": version.Version}
	kept, err := bench.Keep(env.path(env.Config.Get("runs").Value), m, run.Options{
		Command: append([]string{"saturate", "bench"}, args...), Environment: environment, Config: fmt.Appendf(nil, "%v",
			m.Plan),
	}, exit)
	if err != nil {
		return "", err
	}
	return kept.Dir, nil
}

// emitBench writes the Python module with its tests.
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
		return report.Report{}, usage("--to %q is not a folder; choose another", o.to)
	}
	var files []gift
	var names []string
	for name, text := range py.Files() {
		path := filepath.Join(o.to, filepath.FromSlash(name))
		files, names = append(files, gift{path, signed(text)}), append(names, path)
	}
	if err := give(env, files, o.replace, "choose another folder with --to"); err != nil {
		return report.Report{}, err
	}
	result := bench.Judge(bench.Measured{Plan: bench.Plan{Task: bench.Attention}})
	result.Emitted = names
	return report.Report{
		Title: "Bench",
		Summary: []string{
			fmt.Sprintf("Wrote %s to %s. Use it with `from saturate_bench.torch_attention import "+
				"profile_attention_components`; saturate_bench.jax_attention has the same for JAX.", human.Plural(len(names), "file"), o.to),
			fmt.Sprintf("Test it with `python -m pytest %s`.", o.to),
		},
		Data: result,
	}, nil
}

// benchResults judges runs of bench again from their samples, a result for each run; ok is false where one is no such
// run.
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
