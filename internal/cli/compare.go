package cli

import (
	"context"

	"saturate/internal/analyze"
	"saturate/internal/report"
	"saturate/internal/run"
	"saturate/internal/view"
)

var compareCommand = command{
	name: "compare", group: find, args: "A B", min: 2, max: 2,
	complete: completeTracesAndRuns, orFiles: true,
	short: "Compare two Runs or two traces: what got faster or slower, and with what confidence",
	long: `Compare two Runs or two traces: what got faster or slower, and with what confidence.

A and B are two Runs (a folder, the start of a uuid, a name, "latest", or a JSON-lines file of steps) or two traces.
Comparing two single Runs shows a difference but cannot prove it, however many steps they have: steps of one process
are not independent. For proof, use "saturate verify".
Runs of bench have no steps; saturate compares the parts that both measured.`,
	example: `  saturate compare runs/before runs/after
  saturate compare before.pt.trace.json.gz after.pt.trace.json.gz`,
	formats: report.Formats(),
	judges:  "exit with 0 instead of 1 if B is slower",
	data:    view.CompareData{},
	others:  []any{analyze.Comparison{}},
	prepare: plain(func(ctx context.Context, env *Env, args []string) (report.Report, error) {
		first, second := isTrace(env, args[0]), isTrace(env, args[1])
		if first && second {
			return analyzeCompare(ctx, env, args[0], args[1])
		}
		runs, err := findRuns(env, args)
		switch {
		case err != nil && first != second:
			return report.Report{}, oneTrace(env, args, first)
		case err != nil:
			return report.Report{}, err
		}
		return compareRuns(runs[0], runs[1]), nil
	}),
}

// compareRuns puts two Runs side by side, by their steps or, of bench, by their parts.
func compareRuns(a, b run.Run) report.Report {
	if r, ok := view.CompareSeries(a, b); ok {
		return r
	}
	return view.CompareRuns(a, b)
}
