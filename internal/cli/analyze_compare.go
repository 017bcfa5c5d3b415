package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"saturate/internal/analyze"
	"saturate/internal/report"
	"saturate/internal/trace/open"
	"saturate/internal/view"
)

// analyzeCompare compares two traces, or two jobs of several ranks each.
func analyzeCompare(ctx context.Context, env *Env, a, b string) (report.Report, error) {
	return compareJobs(ctx, env, []string{a}, []string{b})
}

// compareJobs compares the traces of two jobs.
func compareJobs(ctx context.Context, env *Env, before, after []string) (report.Report, error) {
	var sides [2]analyze.Analysis
	for i, paths := range [][]string{before, after} {
		var err error
		if sides[i], err = analyzeJob(ctx, env, reading{what: "compared"}, paths, analyze.All); err != nil {
			return report.Report{}, err
		}
	}
	return view.CompareTraces(analyze.Compare(sides[0], sides[1])), nil
}

// isTrace reports whether what the user typed names a trace rather than a Run: a file that
// is called like one, or a folder of such files that is not a Run.
func isTrace(env *Env, typed string) bool {
	path := env.path(typed)
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	if info.IsDir() {
		if _, err := os.Stat(filepath.Join(path, "run.json")); err == nil {
			return false
		}
		files, err := open.Files([]string{path})
		return err == nil && len(files) > 0 && strings.Contains(filepath.Base(files[0].Path), ".trace.")
	}
	for _, ending := range []string{".json", ".json.gz", ".json.zst", ".xplane.pb", ".json.tmp", ".sqlite"} {
		if strings.HasSuffix(path, ending) {
			return true
		}
	}
	return false
}

// oneTrace says that a trace cannot be compared with what is none, or is not there.
func oneTrace(env *Env, args []string, firstIs bool) error {
	trace, other := args[0], args[1]
	if !firstIs {
		trace, other = other, trace
	}
	if found, err := findRun(env, other); err == nil {
		return usage("%s is a trace and %s is the run %s; compare two traces (a run keeps them "+
			"in profiler_traces) or two runs", trace, other, env.shown(found.Dir))
	}
	if _, err := os.Stat(env.path(other)); err != nil {
		return usage("%s is a trace, but %s does not exist", trace, other)
	}
	return usage("%s is a trace and %s is not (by its name); compare two traces or two runs", trace, other)
}
