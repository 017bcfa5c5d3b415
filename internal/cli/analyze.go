package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"saturate/internal/analyze"
	"saturate/internal/config"
	"saturate/internal/report"
	"saturate/internal/run"
	"saturate/internal/trace"
	"saturate/internal/trace/open"
	"saturate/internal/view"
	"saturate/internal/whatif"
)

var analyzeCommand = command{
	name: "analyze", group: find, args: "TRACE…", min: 1, max: -1,
	complete: completeTraces, orFiles: true,
	short: "Explain from a trace why the GPU was idle, and what would help",
	long: `Explain from a trace why the GPU was idle, and what would help.

TRACE is a trace of torch.profiler (Kineto), Chrome's trace format, JAX (.trace.json.gz, .xplane.pb), rocprofv3
(.json), Perfetto (.pftrace) or an Nsight Systems export (.sqlite), compressed or not, or a folder of traces, such as a
Run's. Several files are read as the ranks of one job: saturate compares them and explains the slowest in full. For a
torch memory snapshot (torch.cuda.memory._dump_snapshot), analyze shows which lines hold the memory.

Each fix is predicted from the trace: how long a step takes after it, alone and together with the others. Recording
slows the host, so a figure for a host-bound program needs the time of an unrecorded step: a Run has it, or give
--step-time.

--what-if predicts fixes of your choice, together, separated by commas:
` + whatif.Choices() + `
FACTOR multiplies the time: with 0.5 it takes half as long, with 2 twice as long.

The answer comes first. --details or -v shows the evidence:
  ` + strings.Join(view.TraceDetails, ", ") + `, all`,
	example: `  saturate analyze trace.pt.trace.json.gz
  saturate analyze --details kernels,gaps trace.json
  saturate analyze --step 3 trace.json
  saturate analyze --step-time 45ms --what-if loader=free,optimizer=fused trace.json
  saturate analyze --capture capture.json.gz replay.json.gz
  saturate analyze -o report.html traces/`,
	formats: report.Formats(),
	judges:  "exit with 0 even when there are findings",
	data:    analyze.Analysis{},
	others:  []any{view.SnapshotData{}},
	prepare: with(analyzeFlags, func(ctx context.Context, env *Env, opt analyzeOptions, paths []string) (report.Report, error) {
		for _, d := range opt.details {
			if d != "all" && !slices.Contains(view.TraceDetails, d) {
				return report.Report{}, usage("--details cannot be %q: use %s or all%s", d, strings.Join(view.TraceDetails, ", "),
					config.Hint(d, view.TraceDetails))
			}
		}
		asked, err := opt.analysis(env, paths)
		if err != nil {
			return report.Report{}, err
		}
		if r, ok, err := analyzeSnapshot(ctx, env, paths, opt.top); ok || err != nil {
			return r, err
		}
		if len(opt.captures) > 0 {
			if asked.Captures, err = readTraces(ctx, env, opt.reading, opt.captures); err != nil {
				return report.Report{}, err
			}
		}
		a, err := analyzeJob(ctx, env, opt.reading, paths, asked)
		if err != nil {
			return report.Report{}, err
		}
		return view.OfTrace(a, view.TraceOptions{Details: opt.details, Brief: env.Format == "text" && env.Verbose < 1}), nil
	}),
}

// reading is how traces are read.
type reading struct {
	what     string // is done with them: "analyzed", "exported"
	flags    bool   // the command has those of readingFlags
	strict   bool
	maxBytes size
}

type analyzeOptions struct {
	reading
	from, to time.Duration
	step     int64
	top      int
	rank     int
	hta      bool
	details  []string
	stepTime time.Duration
	whatIf   string
	roofs    string // a Run of bench
	captures []string
}

func analyzeFlags(fs *pflag.FlagSet, o *analyzeOptions) {
	readingFlags(fs, &o.reading, "analyzed")
	fs.StringSliceVar(&o.details, "details", nil, "show these `PARTS` of the evidence, separated by commas")
	fs.IntVar(&o.top, "top", 10, "rows per list; -1 shows all")
	fs.DurationVar(&o.from, "from", 0, "start at this time in the trace, such as 1.5s")
	fs.DurationVar(&o.to, "to", 0, "end at this time in the trace")
	fs.Int64Var(&o.step, "step", -1, "analyze one step, by its `NUMBER` in the trace; -1 for all")
	fs.IntVar(&o.rank, "rank", -1, "rank to explain in full; -1 for the slowest")
	fs.BoolVar(&o.hta, "hta", false, "count as Holistic Trace Analysis (HTA) does, to compare figures with it")
	fs.DurationVar(&o.stepTime, "step-time", 0, "mean step without a profiler, such as 45ms, used to predict fixes")
	fs.StringVar(&o.whatIf, "what-if", "", "predict these `FIXES` together, such as loader=free,optimizer=fused")
	fs.StringVar(&o.roofs, "roofs", "", "`RUN` of saturate bench on this GPU, or its JSON; its measured speeds predict a change of precision")
	fs.StringSliceVar(&o.captures, "capture", nil, "`TRACES` (files or folders) recorded while the CUDA graphs of TRACE were captured")
	onCommandLineOnly(fs, "capture", "from", "to", "step", "rank", "hta", "details", "step-time", "what-if", "roofs")
}

func readingFlags(fs *pflag.FlagSet, r *reading, what string) {
	r.what, r.flags = what, true
	fs.BoolVar(&r.strict, "strict", false, "reject traces that are truncated or needed repair")
	r.maxBytes = open.DefaultMaxBytes
	fs.Var(&r.maxBytes, "max-bytes", "reject files larger than this after decompression")
}

// analysis is what is asked of the traces. The time of unrecorded steps comes from the flag, or from the Run that the
// traces belong to.
func (o analyzeOptions) analysis(env *Env, paths []string) (analyze.Options, error) {
	opt := analyze.Options{
		From: o.from.Nanoseconds(), To: o.to.Nanoseconds(), Step: o.step, Top: o.top, HTA: o.hta,
		Rank: o.rank,
	}
	if o.whatIf != "" {
		set, err := whatif.Ask(o.whatIf)
		if err != nil {
			return opt, usage("--what-if: %v", err)
		}
		opt.Ask = set
	}
	switch {
	case o.stepTime < 0:
		return opt, usage("--step-time cannot be negative")
	case o.stepTime > 0:
		opt.Untraced = &whatif.Untraced{StepNS: float64(o.stepTime.Nanoseconds()), DataNS: -1}
	case len(paths) == 1:
		opt.Untraced = untracedOf(env, paths[0])
	}
	if o.roofs != "" {
		roofs, err := roofsOf(env, o.roofs)
		if err != nil {
			return opt, err
		}
		opt.Roofs = roofs
	}
	return opt, nil
}

// holdsTrace refuses the folder of a Run that recorded no trace: the other JSON in it is not one.
func holdsTrace(env *Env, path string) error {
	if _, err := os.Stat(filepath.Join(path, "run.json")); err != nil {
		return nil
	}
	if _, err := os.Stat(filepath.Join(path, "profiler_traces")); err == nil {
		return nil
	}
	r, err := run.Read(path)
	if err != nil || slices.ContainsFunc(r.Artefacts, func(a run.Artefact) bool { return a.Kind == "trace" }) {
		return nil
	}
	return fmt.Errorf("the run %s has no trace; record one with `saturate profile -- COMMAND`, or use `saturate "+
		"report` for its steps", env.shown(path))
}

// judge refuses a damaged trace when asked to, and warns of one that is cut off.
func (r reading) judge(env *Env, t *trace.Trace) error {
	q := t.Quality()
	if !q.Truncated && (!r.strict || q.Dropped+q.Repaired == 0) {
		return nil
	}
	var notes []string
	for _, n := range q.Notes {
		notes = append(notes, n.String())
	}
	text := t.Meta().Path + ": " + strings.Join(notes, "; ")
	if r.strict {
		return fmt.Errorf("%s.\nWithout --strict, the readable part is %s", text, r.what)
	}
	if env.Verbose >= 0 {
		way := ""
		if r.flags {
			way = "; --strict rejects such a trace"
		}
		env.say("%s.\nThe readable part is %s%s.", text, r.what, way)
	}
	return nil
}

// shown is a path as the user would type it.
func (e *Env) shown(path string) string {
	if rel, err := filepath.Rel(e.Dir, path); err == nil && !strings.HasPrefix(rel, "..") {
		return rel
	}
	return path
}
