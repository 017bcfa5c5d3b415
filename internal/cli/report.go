package cli

import (
	"context"

	"saturate/internal/probe"
	"saturate/internal/report"
	"saturate/internal/run"
	"saturate/internal/verify"
	"saturate/internal/view"
)

var reportCommand = command{
	name: "report", group: show, args: "[RUN…]", min: 0, max: -1,
	complete: completeRuns, orFiles: true,
	short: "Show one Run, or several side by side",
	long: `Show one Run, or several side by side.

RUN is a run's folder, the start of its uuid, its name, "latest", or a file with one JSON
object per step, such as {"step": 1, "s": 0.41, "samples": 8, "loss": 2.3}.
Without RUN, report lists all runs and marks damaged ones. Runs of verify and bench are judged again from their
raw samples. Several runs of bench, for example of several machines, are shown side by side.`,
	example: `  saturate report latest
  saturate report latest -o report.html
  saturate report runs/before runs/after --format markdown`,
	formats: report.Formats(),
	data:    view.RunsData{},
	others:  []any{view.ListData{}},
	prepare: plain(func(_ context.Context, env *Env, args []string) (report.Report, error) {
		if len(args) == 0 {
			root := env.Config.Get("runs").Value
			runs, err := run.List(env.path(root))
			return view.ListRuns(root, runs), err
		}
		runs, err := findRuns(env, args)
		if err != nil {
			return report.Report{}, err
		}
		return showRuns(env, runs)
	}),
}

// showRuns is one Run, or several side by side.
func showRuns(env *Env, runs []run.Run) (report.Report, error) {
	if len(runs) == 1 && verify.IsExperiment(runs[0].Dir) {
		result, err := verify.Read(runs[0].Dir)
		result.Dir = env.shown(runs[0].Dir)
		return view.OfVerify(result, 0), err
	}
	switch results, ok, err := benchResults(env, runs); {
	case err != nil:
		return report.Report{}, err
	case ok && len(results) == 1:
		return view.OfBench(results[0]), nil
	case ok:
		return view.OfBenches(runs, results), nil
	}
	if len(runs) == 1 {
		return view.WithProfile(view.OfRuns(runs), runs[0].Functions, probe.ReadKept(runs[0].Dir)), nil
	}
	return view.OfRuns(runs), nil
}
