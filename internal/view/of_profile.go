package view

import (
	"fmt"
	"slices"
	"strings"

	"saturate/internal/analyze"
	"saturate/internal/finding"
	"saturate/internal/human"
	"saturate/internal/probe"
	"saturate/internal/report"
	"saturate/internal/run"
	"saturate/internal/stat"
)

// ProfileData is what `saturate profile --format json` holds.
type ProfileData struct {
	Verdict   probe.Explanation `json:"verdict"`
	Run       RunData           `json:"run"`
	Exit      int               `json:"exit_code"` // exit code of the program
	Stopped   bool              `json:"stopped"`   // by --steps
	TimedOut  bool              `json:"timed_out"` // by --timeout
	Inference bool              `json:"inference"` // no optimizer: a step is a call of the model
	Program   probe.Facts       `json:"program"`
	Workers   probe.Workers     `json:"worker_processes"`
	Ranks     []RankData        `json:"ranks"`
	Traces    []string          `json:"traces"` // files of recorded traces
	Trace     *analyze.Verdict  `json:"trace_verdict,omitempty"`
	Functions []run.Function    `json:"functions"`       // what costs the time: named for data, evaluation, checkpoint, logging and host
	Crash     *probe.Crash      `json:"crash,omitempty"` // what ended a program that failed
	Findings  []finding.Finding `json:"findings"`
}

// RankData is how one rank fared.
type RankData struct {
	probe.Rank
	StepTime stat.Summary `json:"s_per_it"` // seconds per step
	Parts    []run.Part   `json:"parts"`
}

// profileData is the profile as values, without its findings.
func profileData(o probe.Outcome, e probe.Explanation, v runView) ProfileData {
	data := ProfileData{
		Verdict: e, Run: v.data(), Exit: o.Exit, Stopped: o.Stopped, TimedOut: o.TimedOut, Inference: o.Inference,
		Program: o.Facts, Workers: o.Workers, Ranks: rankData(o.Ranks), Traces: append([]string{}, o.Traces...),
		Functions: append([]run.Function{}, o.Run.Functions...), Crash: o.Crash,
	}
	data.Run.Functions = nil
	return data
}

// addStepTime shows where the time of a step goes; held is the index of the rank that the others wait for, or 0.
func addStepTime(r *report.Report, o probe.Outcome, e probe.Explanation, v runView, held int) {
	r.Figures = figuresOf([]runView{v})
	where := profileTable(e, v)
	if held > 0 {
		where = heldUpTable(o, e, held)
		dataFigure(r.Figures, e, o.Ranks[held].Rank)
	}
	r.Blocks = append(r.Blocks, report.Block{Heading: "Where a step goes", Table: where})
	if t := functionsTable(o.Run.Functions); t != nil {
		r.Blocks = append(r.Blocks, report.Block{Heading: "What costs the time", Table: t})
	}
	if b, ok := flameOf(o.Flame); ok {
		r.Blocks = append(r.Blocks, b)
	}
	for _, b := range []report.Block{stripOf([]runView{v}), trendOf([]runView{v})} {
		b.Detail = true
		r.Blocks = append(r.Blocks, b)
	}
}

// OfProfile reports a program that was watched; trace is the analysis of what its profiler recorded, or nil.
func OfProfile(o probe.Outcome, trace *analyze.Analysis) report.Report {
	e := probe.Explain(o.Run.Steps, len(o.Facts.GPUs) > 0)
	v := viewRun(o.Run, o.OtherRanks())
	found := rankFindings(o, e)
	e, held := o.HeldUp(e, len(o.Facts.GPUs) > 0)
	data := profileData(o, e, v)
	r := report.Report{
		Command: "profile", Title: "Profile of " + v.label, Summary: []string{e.Sentence},
		Warnings: v.warnings(false),
	}
	if named := e.Named(o.Run.Functions); named != "" && held == 0 { // the functions are those of the first rank
		r.Summary[0] += " " + named
	}
	switch {
	case o.Died():
		return died(r, o, data)
	case !v.measured():
		r.Tone = report.Unsure
	case e.Bottleneck == "compute":
		r.Tone = report.Good
	default:
		r.Tone = report.Bad
	}
	if v.measured() {
		r.Summary = append(r.Summary, v.speedLines()...)
		addStepTime(&r, o, e, v, held)
	}
	if t := loadersTable(o); t != nil {
		r.Blocks = append(r.Blocks, report.Block{Heading: "Data loaders", Table: t})
	}
	if len(data.Ranks) > 1 {
		r.Blocks = append(r.Blocks, report.Block{Heading: "Ranks", Table: ranksTable(data.Ranks)})
	}
	if trace != nil && (len(trace.GPUs) > 0 || trace.Ranks != nil && trace.Ranks.Sentence != "") {
		data.Trace = &trace.Verdict
		r.Blocks = append(r.Blocks, report.Block{Heading: "What the trace says", Text: traceSentence(trace)})
		found = worstFirst(found, trace.Findings)
	}
	if len(o.Traces) > 0 {
		r.Blocks = append(r.Blocks, report.Block{Heading: "Traces", Table: tracesTable(o.Traces)})
	}
	if len(o.Facts.Attached) > 0 {
		r.Summary = append(r.Summary, "The summary was logged to "+strings.Join(o.Facts.Attached, " and ")+".")
	}
	if b, ok := lossOf([]runView{v}); ok {
		b.Detail = true
		r.Blocks = append(r.Blocks, b)
	}
	r.Blocks = append(r.Blocks, environmentOf([]runView{v}))
	data.Findings = append([]finding.Finding{}, found...)
	r.Findings, r.Data = found, data
	return r
}

// died reports a program that failed before its first step: only why.
func died(r report.Report, o probe.Outcome, data ProfileData) report.Report {
	r.Tone, r.Warnings = report.Bad, nil
	r.Summary = []string{o.Death(o.Run.Command)}
	data.Verdict.Sentence = r.Summary[0]
	if o.Crash != nil && len(o.Crash.Lines) > 0 {
		r.Blocks = []report.Block{{Heading: "What it said last", Code: strings.Join(o.Crash.Lines, "\n")}}
	}
	data.Run.Dir, data.Findings = "", []finding.Finding{}
	r.Data = data
	return r
}

// worstFirst adds the findings of a trace to those of the steps; a finding in both is shown once.
func worstFirst(steps, trace []finding.Finding) []finding.Finding {
	all := slices.Clone(steps)
	for _, f := range trace {
		if !slices.ContainsFunc(steps, func(known finding.Finding) bool { return known.Name == f.Name }) {
			all = append(all, f)
		}
	}
	order := []finding.Severity{finding.Error, finding.Warning, finding.Advice}
	slices.SortStableFunc(all, func(a, b finding.Finding) int {
		return slices.Index(order, a.Severity) - slices.Index(order, b.Severity)
	})
	return all
}

// profileTable is what the mean step is made of.
func profileTable(e probe.Explanation, v runView) *report.Table {
	t := &report.Table{Columns: []report.Column{
		{Name: "part"},
		{Name: "per step", Right: true},
		{Name: "share", Right: true},
	}}
	if len(e.Host) > 0 {
		t.Columns = append(t.Columns, report.Column{Name: "host", Right: true})
	}
	u := human.NewScale("s", e.StepTime)
	u = u.WithDecimals(3)
	if u.Factor() != 1 {
		u = u.WithDecimals(1)
	}
	row := func(name string, seconds float64) {
		cells := []string{partName(name), u.Value(seconds), human.Percent(seconds / e.StepTime)}
		if len(e.Host) > 0 {
			cell := human.Missing
			if at := slices.IndexFunc(e.Host, func(p run.Part) bool { return p.Name == name }); at >= 0 && name != run.Other {
				cell = u.Value(e.Host[at].Seconds)
			}
			cells = append(cells, cell)
		}
		t.Rows = append(t.Rows, cells)
	}
	for _, p := range e.Parts {
		row(p.Name, p.Seconds)
	}
	row("whole step", e.StepTime)
	t.Foot = "Means of " + human.Plural(v.times.N, "steady step") + "." + excluded(v.steady.Apart)
	if len(e.Host) > 0 {
		t.Foot += " Times are by the GPU's clock; host is the program's own time."
	}
	return t
}

// excluded says which steps do not count: " Excluded: 1 warm-up step (426 ms)."
func excluded(apart []run.Apart) string {
	var list []string
	for _, a := range apart {
		steps := human.Plural(a.Steps, a.Reason+" step")
		switch a.Reason {
		case "warmup":
			steps = human.Plural(a.Steps, "warm-up step")
		case "detected warm-up":
			steps = human.Plural(a.Steps, "step") + " detected as warm-up"
		case "first-of-epoch":
			steps = human.Plural(a.Steps, "first step of an epoch", "first steps of an epoch")
		}
		list = append(list, steps+" ("+human.Seconds(a.Seconds)+")")
	}
	if len(list) == 0 {
		return ""
	}
	return " Excluded: " + strings.Join(list, ", ") + "."
}

// partNames are the parts as people say them.
var partNames = map[string]string{
	"data": "waiting for data", "h2d": "copies to the GPU", "graph": "recorded step (CUDA graph)",
	"jit": "compiled step", "gradient": "forward and backward", "wait": "waiting for a result",
}

func partName(name string) string {
	if said, ok := partNames[name]; ok {
		return said
	}
	return name
}

func loadersTable(o probe.Outcome) *report.Table {
	if len(o.Facts.Loaders) == 0 {
		return nil
	}
	t := &report.Table{Columns: []report.Column{
		{Name: "dataset"},
		{Name: "samples", Right: true},
		{Name: "batch", Right: true},
		{Name: "workers", Right: true},
		{Name: "prefetch", Right: true},
		{Name: "pinned"},
	}}
	number := func(n int) string {
		if n == 0 {
			return human.Missing
		}
		return human.Count(n)
	}
	for _, l := range o.Facts.Loaders {
		pinned := "no"
		if l.PinMemory {
			pinned = "yes"
		}
		t.Rows = append(t.Rows, []string{
			l.Dataset, number(l.Samples), number(l.BatchSize), human.Count(l.Workers),
			number(l.PrefetchFactor), pinned,
		})
	}
	made, where := o.Workers.Made, human.Plural(o.Workers.Processes, "worker process", "worker processes")
	if again := o.Facts.Restarted(); again > 0 {
		where += fmt.Sprintf(" (%d replaced workers of an earlier epoch; persistent_workers=True keeps them)", again)
	}
	if in := o.Facts.InProcess; made.Samples == 0 && in != nil {
		made, where = *in, "the main process"
		if len(o.Ranks) > 1 {
			where += fmt.Sprintf(" of rank %d", o.Ranks[0].Rank)
		}
	}
	if made.Samples > 0 {
		t.Foot = fmt.Sprintf("A sample takes %s to make in %s, %s.", human.Seconds(made.PerSample()), where, made.Divided())
	}
	return t
}

// InEpochs says of a profile whose schedule counts epochs that its traces do too: the profiler marks an epoch as a
// step.
func InEpochs(r *report.Report) {
	for i, b := range r.Blocks {
		switch b.Heading {
		case "Traces":
			b.Table.Foot = "Recorded in epochs: each ProfilerStep in these traces is an epoch."
		case "What the trace says":
			r.Blocks[i].Text += " A step of this trace is an epoch."
		}
	}
}

func tracesTable(paths []string) *report.Table {
	t := &report.Table{Columns: []report.Column{{Name: "for TensorBoard, Perfetto or chrome://tracing"}}}
	for _, path := range paths {
		t.Rows = append(t.Rows, []string{path})
	}
	return t
}
