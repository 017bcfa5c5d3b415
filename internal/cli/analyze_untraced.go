package cli

import (
	"os"
	"path/filepath"

	"saturate/internal/optimize"
	"saturate/internal/run"
	"saturate/internal/whatif"
)

// untracedOf is what a Run measured without the profiler, where a trace, a folder of traces or a Run's name belongs to
// one; nil where none does, or it has too few steps that were not recorded.
func untracedOf(env *Env, typed string) *whatif.Untraced {
	path := env.path(typed)
	if _, err := os.Stat(path); err != nil {
		r, err := findRun(env, typed)
		if err != nil {
			return nil
		}
		return optimize.Untraced(r)
	}
	for range 3 { // the Run's folder, its profiler_traces, a trace in there
		if _, err := os.Stat(filepath.Join(path, "run.json")); err == nil {
			r, err := run.Read(path)
			if err != nil {
				return nil
			}
			return optimize.Untraced(r)
		}
		path = filepath.Dir(path)
	}
	return nil
}
