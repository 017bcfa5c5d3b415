package view

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"saturate/internal/analyze"
	"saturate/internal/finding"
	"saturate/internal/human"
	"saturate/internal/report"
	"saturate/internal/report/plot"
)

// TraceDetails are the names of what OfTrace folds away and can be asked for.
var TraceDetails = []string{
	"findings", "path", "what-if", "gaps", "kernels", "operators", "rates", "replays",
	"sequences", "ranges", "transfers", "syncs", "launch", "streams", "communication", "memory", "steps", "quality",
}

// TraceOptions say what of an analysis is shown unfolded.
type TraceOptions struct {
	Details []string // of TraceDetails, or "all"
	Brief   bool     // findings as a table alone, for a terminal
}

func (o TraceOptions) wants(detail string) bool {
	return slices.Contains(o.Details, detail) || slices.Contains(o.Details, "all")
}

// OfTrace reports an analysis: the answer, where a step goes, why the GPU was idle, what
// would help; the rest is folded away.
func OfTrace(a analyze.Analysis, opt TraceOptions) report.Report {
	v := traceView{Analysis: a, opt: opt}
	r := report.Report{
		Command: "analyze", Title: v.title(), Data: a,
		Summary: v.summary(), Tone: v.tone(), Figures: v.figures(), Warnings: v.warnings(),
	}
	r.Blocks = append(r.Blocks, v.rankBlock()...)
	r.Blocks = append(r.Blocks, v.stepBlocks()...)
	r.Blocks = append(r.Blocks, v.htaBlock()...)
	r.Blocks = append(r.Blocks, v.causeBlock()...)
	r.Blocks = append(r.Blocks, v.helpBlock()...)
	details := v.details()
	for i := range details {
		// Pictures are there to be seen, where there is room for them.
		details[i].Block.Detail = !opt.wants(details[i].name) && !v.isAnswer(details[i].name) &&
			(opt.Brief || details[i].Block.Plot == nil)
	}
	// What was asked for comes first, so that the folded rest comes last.
	slices.SortStableFunc(details, func(x, y detail) int { return less(x.Block.Detail, y.Block.Detail) })
	for _, d := range details {
		r.Blocks = append(r.Blocks, d.Block)
	}
	if !opt.Brief || opt.wants("findings") {
		r.Findings = v.relative(a.Findings)
	}
	r.Next = v.next()
	switch {
	case len(a.Findings) > 0:
		r.Outcome = report.Found
	case a.Verdict.Bottleneck == analyze.ByNothing && a.Verdict.Confidence < 1:
		r.Outcome = report.Undecided // a recording that shows nothing proves nothing good
	}
	return r
}

// isAnswer reports whether a detail is all that a trace without a GPU has to tell, or what a capture was given for.
func (v traceView) isAnswer(detail string) bool {
	return len(v.GPUs) == 0 && (detail == "operators" || detail == "ranges") || detail == "replays"
}

func less(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// traceView is an analysis on its way into a Report.
type traceView struct {
	analyze.Analysis
	opt TraceOptions
}

// title names what was explained: a trace, or the ranks of a job.
func (v traceView) title() string {
	kind := "Trace "
	switch {
	case v.Ranks == nil:
	case len(v.Ranks.Notes) > 0:
		kind = "" // the name speaks of traces
	default:
		kind = "Traces of "
	}
	return kind + human.Line(v.Name())
}

// summary is the answer and, for a job with steps, what a step is made of. Of several ranks
// the one that holds the job up is named first.
func (v traceView) summary() []string {
	out := append(v.rankSummary(), v.aboutWhich(v.Verdict.Sentence))
	if len(v.Steps) > 0 {
		m := analyze.Mean(v.Steps)
		var parts []string
		for _, p := range largestFirst(m.Parts()) {
			if share := float64(p.NS) / float64(max(m.NS(), 1)); share >= 0.02 {
				parts = append(parts, fmt.Sprintf("%s %s", human.Percent(share), p.Name))
			}
		}
		what, mean := "A step", " on average"
		if s := v.Window.Step; s != nil {
			what, mean = "Step "+human.Count(*s), ""
		}
		out = append(out, fmt.Sprintf("%s takes %s%s (%s): %s.", what, human.Nanoseconds(m.NS()), mean, v.stepSource(),
			strings.Join(parts, ", ")))
	}
	if v.Window.ByGPU {
		out = append(out, fmt.Sprintf("The host runs ahead of the GPU: between its marks a step takes %s, so a step is "+
			"counted here until the GPU has done its work.", human.Nanoseconds(v.Window.MarkedNS)))
	}
	if c := v.Compiled; c != nil && c.KernelShare > 0.1 {
		out = append(out, fmt.Sprintf("Code compiled by %s launches %s of the kernels' time, %s in kernels it generated; "+
			"operators inside it are not visible.",
			c.Backend, human.Percent(c.KernelShare), human.Percent(c.GeneratedShare)))
	}
	return out
}

func largestFirst(parts []analyze.Part) []analyze.Part {
	slices.SortStableFunc(parts, func(a, b analyze.Part) int { return cmp.Compare(b.NS, a.NS) })
	return parts
}

// stepSource says how the steps were found.
func (v traceView) stepSource() string {
	n := human.Plural(len(v.Steps), "step")
	switch from := v.Window.StepsFrom; {
	case from == "profiler":
		return n + ", marked by the profiler"
	case from == "jax":
		return n + ", marked by JAX"
	case from == "periodicity":
		return n + ", found by repeating kernels"
	default:
		return n + ", from the range `" + strings.TrimPrefix(from, "annotation ") + "`"
	}
}

func (v traceView) tone() report.Tone {
	switch {
	case v.Verdict.Bottleneck == analyze.ByCompute:
		return report.Good
	case v.Verdict.Bottleneck == analyze.ByNothing:
		return report.Unsure
	}
	return report.Bad
}

func (v traceView) figures() (out []report.Figure) {
	g := v.MainGPU()
	if g == nil || g.Span.SpanNS == 0 {
		return nil
	}
	out = append(out, report.Figure{
		Name: "GPU busy", Value: human.Percent(g.BusyRatio),
		Note: v.ofRank(", ") + gpuName(v.Trace.GPU, g.Device) + ", " + v.Window.Counted("its"),
	})
	if len(v.Steps) > 0 {
		m := analyze.Mean(v.Steps)
		out = append(out, report.Figure{
			Name: "time per step", Value: human.Nanoseconds(m.NS()),
			Note: v.ofRank(", ") + human.Plural(len(v.Steps), "step"),
		},
			report.Figure{
				Name: "GPU idle per step", Value: human.Nanoseconds(m.GPUIdleNS()),
				Note: v.ofRank(", ") + human.Percent(float64(m.GPUIdleNS())/float64(max(m.NS(), 1))) + " of the step",
			})
	}
	if p, ok := v.best(); ok && len(v.Steps) > 0 {
		out = append(out, report.Figure{
			Name: "predicted step", Value: human.Nanoseconds(p.StepNS),
			Note: v.ofRank(", ") + "with " + p.Name,
		})
	} else if f := v.largestSaving(); f.Estimate != nil {
		out = append(out, report.Figure{
			Name: "could save", Value: human.Seconds(f.Estimate.SecondsPerStep),
			Note: v.ofRank(", ") + v.savingUnit() + ", " + f.Code + " " + f.Name,
		})
	}
	return out
}

// largestSaving is the finding that could save most; the list is ordered by severity first.
func (v traceView) largestSaving() (most finding.Finding) {
	var seconds float64
	for _, f := range v.Findings {
		if f.Estimate != nil && f.Estimate.SecondsPerStep > seconds {
			most, seconds = f, f.Estimate.SecondsPerStep
		}
	}
	return most
}

func gpuName(name string, device int32) string {
	if name == "" {
		return fmt.Sprintf("GPU %d", device)
	}
	return fmt.Sprintf("GPU %d, %s", device, name)
}

// warnings are what a reader must know before believing the figures.
func (v traceView) warnings() (out []string) {
	if v.Window.HTA {
		out = append(out, "Counted as HTA does: work launched after the start of the last step is excluded.")
	}
	if v.Ranks != nil {
		for _, n := range v.Ranks.Notes {
			out = append(out, upperFirst(n)+".")
		}
	}
	if v.Recordings > 1 {
		out = append(out, fmt.Sprintf("These are %d recordings of one process; the last one, %s, is explained.", v.Recordings,
			human.Line(filepath.Base(v.Trace.Path))))
	}
	q := v.Quality
	if q.Truncated || q.Dropped > 0 || q.Repaired > 0 {
		out = append(out, q.Notes...)
	}
	work := 0
	for _, g := range v.GPUs {
		work += g.Span.Kernels
	}
	if q.Unlinked*20 > work && work > 0 {
		out = append(out, fmt.Sprintf("%s no launching call in the trace, so the causes of idle time are partly estimated.",
			human.Plural(q.Unlinked, "GPU event has", "GPU events have")))
	}
	if n := v.Launch.Captured; n > 0 {
		out = append(out, fmt.Sprintf("%s recorded into a CUDA graph (capture): it runs when the graph is launched, not here.", human.Plural(n, "launch is", "launches are")))
	}
	switch v.Verdict.Bottleneck {
	case analyze.ByLaunch, analyze.ByHost, analyze.ByCompiling:
		out = append(out, "The profiler slows the host, so the GPU is less idle without it. "+
			"Measure a run without the profiler before you act on this.")
	}
	return out
}

// stepBlocks show where the mean step goes; one bar a step is folded away.
func (v traceView) stepBlocks() []report.Block {
	if len(v.Steps) == 0 {
		return nil
	}
	return []report.Block{{Plot: v.stepPlot("Where a step goes", []analyze.Step{analyze.Mean(v.Steps)},
		[]string{"mean step"})}}
}

func (v traceView) stepPlot(heading string, steps []analyze.Step, names []string) plot.Stack {
	p := plot.Stack{Heading: heading, Axis: "time", Unit: "s", First: v.visibleParts()}
	for i, s := range steps {
		bar := plot.Bar{Name: names[i]}
		var rest int64
		for _, part := range s.Parts() {
			if !visible(part, s) {
				rest += part.NS
				continue
			}
			bar.Parts = append(bar.Parts, plot.Part{Name: part.Name, Value: float64(part.NS) / 1e9})
		}
		if rest > 0 {
			bar.Parts = append(bar.Parts, plot.Part{Name: "other", Value: float64(rest) / 1e9})
		}
		p.Bars = append(p.Bars, bar)
	}
	return p
}

// visible reports whether a part of a step is large enough to be seen.
func visible(part analyze.Part, s analyze.Step) bool { return 100*part.NS >= s.NS() }

// visibleParts are the parts that any step shows.
func (v traceView) visibleParts() (names []string) {
	for i, name := range analyze.PartNames {
		if slices.ContainsFunc(v.Steps, func(s analyze.Step) bool { return visible(s.Parts()[i], s) }) {
			names = append(names, name)
		}
	}
	return names
}

// causeBlock says why the GPU was idle that the answer speaks of.
func (v traceView) causeBlock() []report.Block {
	if g := v.MainGPU(); g != nil {
		return v.causes(*g)
	}
	return nil
}

// otherCauses say it of the others: as many tables again, and mostly alike.
func (v traceView) otherCauses() (out []report.Block) {
	for _, g := range v.GPUs {
		if g.Device != v.Trace.Device {
			out = append(out, v.causes(g)...)
		}
	}
	return out
}

func (v traceView) causes(g analyze.GPU) []report.Block {
	if g.Span.IdleNS == 0 {
		return nil
	}
	heading := "Why the GPU was idle"
	if len(v.GPUs) > 1 {
		heading = fmt.Sprintf("Why GPU %d was idle", g.Device)
	}
	t := &report.Table{Columns: []report.Column{
		{Name: "Cause"},
		{Name: "Idle", Right: true},
		{Name: "Share", Right: true},
		{Name: "Gaps", Right: true},
		{Name: "Where"},
	}}
	const rows = 6
	var rest int64
	for i, c := range g.IdleByCause {
		if i >= rows && !v.opt.wants("gaps") || 1000*c.NS < g.Span.IdleNS {
			rest += c.NS
			continue
		}
		t.Rows = append(t.Rows, []string{
			causeName(c.Cause), human.Nanoseconds(c.NS),
			human.Percent(float64(c.NS) / float64(g.Span.IdleNS)), human.Count(c.Gaps), placeName(c.Place),
		})
	}
	if rest > 0 {
		t.Rows = append(t.Rows, []string{
			"other", human.Nanoseconds(rest),
			human.Percent(float64(rest) / float64(g.Span.IdleNS)), "", "",
		})
	}
	t.Foot = fmt.Sprintf("%s of idle time in %s, %s.", human.Nanoseconds(g.Span.IdleNS), human.Plural(len(g.GapLengths),
		"gap"), v.Window.Counted("the GPU's"))
	return []report.Block{{Heading: heading, Table: t}}
}

// causeNames are the causes in words.
var causeNames = map[string]string{
	"data_loading": "waiting for data", "host_python": "host code", "synchronization": "synchronization",
	"transfer": "copy",
	"launch":   "launching", "memory_allocation": "allocation", "compilation": "compiling or loading",
	"checkpoint":  "checkpoint",
	"kernel_wait": "between kernels", "profiler": "the profiler", "unknown": "unknown",
}

func causeName(cause string) string {
	if name, ok := causeNames[cause]; ok {
		return name
	}
	return cause
}

// savingUnit is what savings are counted over.
func (v traceView) savingUnit() string {
	if len(v.Steps) == 0 {
		return "over the whole trace"
	}
	return "per step"
}

// relative gives the findings' times from the start of the trace, as people count.
func (v traceView) relative(list []finding.Finding) []finding.Finding {
	shift := func(i *finding.Interval) *finding.Interval {
		if i == nil {
			return nil
		}
		return &finding.Interval{StartNS: i.StartNS - v.Window.StartNS, EndNS: i.EndNS - v.Window.StartNS}
	}
	out := slices.Clone(list)
	for i := range out {
		out[i].When = shift(out[i].When)
		out[i].Evidence = slices.Clone(out[i].Evidence)
		for j := range out[i].Evidence {
			out[i].Evidence[j].Interval = nil // the finding says it
		}
	}
	return out
}

func (v traceView) next() []string {
	out := []string{}
	if len(v.Findings) > 0 && v.opt.Brief && !v.opt.wants("findings") {
		out = append(out, "saturate analyze --details findings "+v.again()+"  # why, the evidence, and what to do")
	}
	switch v.Verdict.Bottleneck {
	case analyze.ByData, analyze.BySync, analyze.ByTransfer, analyze.ByHost:
		out = append(out, "saturate scan .  # find the places in the source")
	}
	return out
}

// again is what to type to have the same traces explained.
func (v traceView) again() string {
	if v.Ranks == nil || len(v.Ranks.Notes) > 0 { // these are not ranks to choose from
		return human.Shell(human.Line(v.Trace.Path))
	}
	words := []string{"--rank", fmt.Sprint(v.Ranks.Explained)}
	const most = 4
	if folder := v.Ranks.Folder(); folder != "" && len(v.Ranks.Rows) > most {
		return strings.Join(append(words, human.Shell(human.Line(folder))), " ")
	}
	for _, r := range v.Ranks.Rows {
		words = append(words, human.Shell(human.Line(r.Path)))
	}
	return strings.Join(words, " ")
}

// placeName is a place as short as it can still be found by.
func placeName(place string) string {
	return shorten(strings.TrimPrefix(place, "enumerate(DataLoader)#"))
}

// shorten leaves out the middle of a long name.
func shorten(s string) string {
	const most = 72
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	return string(r[:most*2/3]) + "…" + string(r[len(r)-most/3:])
}
