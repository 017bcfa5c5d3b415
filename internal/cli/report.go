package cli

import (
	"context"

	"github.com/spf13/pflag"

	"saturate/internal/human"
	"saturate/internal/probe"
	"saturate/internal/report"
	"saturate/internal/run"
	"saturate/internal/verify"
	"saturate/internal/view"
)

type reportOptions struct {
	card       string
	dark       bool
	tag, untag []string
	note       *string
}

var reportCommand = command{
	name: "report", group: show, args: "[RUN…]", min: 0, max: -1,
	complete: completeRuns, orFiles: true,
	short: "Show one Run, or several side by side",
	long: `Show one Run, or several side by side.

RUN is a run's folder, the start of its uuid, its name, "latest", or a file with one JSON
object per step, such as {"step": 1, "s": 0.41, "samples": 8, "loss": 2.3}.
Without RUN, report lists all runs and marks damaged ones. Verdicts of verify and bench are recomputed from the raw
samples. Several runs of bench, for example of several machines, are shown side by side.

--tag and --note label a run, so that you can find it again here and in "saturate serve".`,
	example: `  saturate report latest
  saturate report latest -o report.html
  saturate report runs/before runs/after --format markdown
  saturate report latest --card result.svg
  saturate report latest --tag baseline --note "before the new loader"`,
	formats: report.Formats(),
	data:    view.RunsData{},
	others:  []any{view.ListData{}, view.CardData{}},
	prepare: with(func(fs *pflag.FlagSet, o *reportOptions) {
		fs.StringVar(&o.card, "card", "", "write a picture of a verify run to `FILE` (.svg, .png): before, after, interval, checks, machine")
		fs.BoolVar(&o.dark, "dark", false, "use dark colors in a .png from --card; an .svg follows its viewer's theme")
		fs.StringSliceVar(&o.tag, "tag", nil, "give the runs these tags")
		fs.StringSliceVar(&o.untag, "untag", nil, "remove these tags from the runs")
		fs.Func("note", "keep this `TEXT` with the run; an empty text removes it", func(text string) error {
			o.note = &text
			return nil
		})
		onCommandLineOnly(fs, "card", "dark", "tag", "untag", "note")
	}, func(ctx context.Context, env *Env, o reportOptions, args []string) (report.Report, error) {
		if o.card != "" {
			return writeCard(ctx, env, o, args)
		}
		if o.labels() && len(args) == 0 {
			return report.Report{}, usage("--tag, --untag and --note need a run; try: saturate report latest --tag baseline")
		}
		if len(args) == 0 {
			root := env.Config.Get("runs").Value
			runs, err := run.List(env.path(root))
			return view.ListRuns(root, runs), err
		}
		runs, err := findRuns(env, args)
		if err != nil {
			return report.Report{}, err
		}
		if o.labels() {
			return labelRuns(runs, o)
		}
		return showRuns(env, runs)
	}),
}

// labels reports whether something about the Runs is to be kept.
func (o reportOptions) labels() bool { return len(o.tag) > 0 || len(o.untag) > 0 || o.note != nil }

// labelRuns keeps tags and notes with Runs.
func labelRuns(runs []run.Run, o reportOptions) (report.Report, error) {
	r := view.ListRuns("", runs)
	for i := range runs {
		if !isRun(runs[i].Dir) {
			return r, usage("a file of steps cannot have tags; they are kept in a run's folder")
		}
		if err := runs[i].Label(o.tag, o.untag, o.note); err != nil {
			return r, usage("%v", err)
		}
	}
	r = view.ListRuns("", runs)
	r.Summary, r.Next = []string{"Kept with " + human.Plural(len(runs), "run") + "."}, nil
	return r, nil
}

// showRuns is one Run, or several side by side, with what a person has written about it.
func showRuns(env *Env, runs []run.Run) (report.Report, error) {
	r, err := judgeRuns(env, runs)
	if len(runs) == 1 && err == nil {
		if labels := view.Labels(runs[0]); labels != "" {
			r.Summary = append(r.Summary, labels)
		}
	}
	return r, err
}

func judgeRuns(env *Env, runs []run.Run) (report.Report, error) {
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
		one := view.WithProfile(view.OfRuns(runs), runs[0].Functions, probe.ReadKept(runs[0].Dir))
		return view.WithRanks(one, probe.ReadOutcome(runs[0])), nil
	}
	return view.OfRuns(runs), nil
}
