package view

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"saturate/internal/device"
	"saturate/internal/human"
	"saturate/internal/report"
	"saturate/internal/report/plot"
	"saturate/internal/run"
	"saturate/internal/stat"
)

// runView is a Run with what is derived from its steps, shared by the reports of one, several and two Runs.
type runView struct {
	run.Run
	label  string
	ranks  int           // processes of the job; times and parts are those of the first
	steady run.Selection // with the samples of all ranks
	times  stat.Summary  // of the steady steps
	speed  stat.Summary  // of the whole job; N is 0 when the steps do not tell their samples
	parts  []run.Part    // of the average steady step, "other" last
}

// viewRuns derives the figures. Runs of one name get the beginning of their id to tell them apart.
func viewRuns(runs ...run.Run) []runView {
	named := map[string]int{}
	for _, r := range runs {
		named[r.Name]++
	}
	views := make([]runView, len(runs))
	for i, r := range runs {
		views[i] = viewRun(r, r.OtherRanks())
		if named[r.Name] > 1 {
			views[i].label = withID(r)
		}
	}
	return views
}

// viewRun derives the figures of one run, whose further ranks made these steps.
func viewRun(r run.Run, others [][]run.Step) runView {
	v := runView{Run: r, label: r.Name, ranks: 1 + len(others), steady: run.Steady(run.Together(r.Steps, others))}
	if v.label == "" {
		v.label = withID(r)
	}
	v.times = stat.Summarize(v.steady.StepTimes())
	v.speed = stat.Summarize(v.steady.SamplesPerSecond())
	v.parts = run.MeanParts(v.steady.Steps)
	return v
}

func withID(r run.Run) string { return strings.TrimSpace(r.Name + " " + r.ID[:min(len(r.ID), 8)]) }

// ofRanks says whose samples are counted, where there is more than one process.
func (v runView) ofRanks() string {
	if v.ranks < 2 {
		return ""
	}
	return "of all " + human.Count(v.ranks) + " ranks"
}

// worthSaying is how much longer than an ordinary step the mean step of training has to take for both to be said.
const worthSaying = 1.05

// whole is the mean seconds and samples of a step with those that recur, and what they are; it is empty where they make
// no difference.
func (v runView) whole() (seconds, samples float64, recurring string) {
	var names []string
	for _, a := range v.steady.Recurring() {
		names = append(names, map[string]string{
			"evaluation": "evaluations", "checkpoint": "checkpoints",
			"first-of-epoch": "the first steps of epochs",
		}[a.Reason])
	}
	seconds, samples, _ = v.steady.Whole()
	if seconds < worthSaying*float64(v.times.Mean) {
		return 0, 0, ""
	}
	return seconds, samples, human.And(names)
}

// measured reports whether there is a speed to speak of.
func (v runView) measured() bool { return v.times.N > 0 }

// warnings are what a reader must know before believing the figures.
func (v runView) warnings(several bool) []string {
	var out []string
	add := func(text string) {
		if several {
			text = "`" + v.label + "`: " + text
		}
		if !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	notes := v.Notes
	switch v.State {
	case run.Damaged:
		add("this run is damaged: " + strings.Join(notes, "; "))
		notes = nil
	case run.Failed:
		text := "this run failed"
		if v.ExitCode != nil {
			text += " with " + human.Exit(*v.ExitCode)
		}
		add(text)
	}
	if len(v.Steps) > 0 {
		notes = slices.Concat(notes, v.steady.Notes)
	}
	for _, n := range notes {
		add(n)
	}
	if v.measured() {
		for _, w := range crowded(v.Run) {
			add(w)
		}
		for _, w := range v.times.Warnings {
			add(w)
		}
	}
	return out
}

// crowded says what other programs, and other machines on the same host, mean for the times of a run.
func crowded(r run.Run) (out []string) {
	const so = ", so steps are slower and vary more"
	if r.OtherCores > 0 {
		out = append(out, fmt.Sprintf("the CPU was full: other programs used %.1f cores on average", r.OtherCores)+so)
	}
	if r.Stolen > 0 {
		out = append(out, device.StolenText(r.Stolen)+so)
	}
	return out
}

// spread writes an interval beside its middle; it is empty where there are too few values for one.
func spread(i stat.Interval, u human.Scale) string {
	if !i.Lo.Finite() || !i.Hi.Finite() {
		return ""
	}
	return u.Number(float64(i.Lo)) + "…" + u.Number(float64(i.Hi))
}

// timeScale writes the step times of all runs alike.
func timeScale(views []runView) human.Scale {
	var medians []float64
	for _, v := range views {
		medians = append(medians, float64(v.times.Median))
	}
	return human.NewScale("s", medians...)
}

// stripOf shows every steady step.
func stripOf(views []runView) report.Block {
	p := plot.Strip{
		Heading: "Every steady step", Axis: "time per step", Unit: "s", Noun: "step",
		Confidence: stat.Confidence,
	}
	for _, v := range views {
		s := plot.Series{Name: v.label, Values: v.steady.StepTimes().Values}
		if i := v.times.Interval; i.Lo.Finite() && i.Hi.Finite() {
			s.Low, s.High = float64(i.Lo), float64(i.Hi)
		}
		p.Series = append(p.Series, s)
	}
	return report.Block{Heading: p.Heading, Plot: p}
}

// trendOf shows all steps in their order, those that were left out too.
func trendOf(views []runView) report.Block {
	p := plot.Trend{Heading: "All steps in their order", Axis: "time per step", Unit: "s", Noun: "step"}
	for _, v := range views {
		values := make([]float64, len(v.Steps))
		for i, s := range v.Steps {
			values[i] = s.Seconds
		}
		p.Series = append(p.Series, plot.Series{Name: v.label, Values: values})
	}
	if len(views) == 1 && len(views[0].Steps) > 0 {
		v := views[0]
		p.First = v.Steps[0].Index
		if len(v.steady.Steps) > 0 && v.steady.Steps[0].Index > p.First {
			p.Bands = []plot.Band{{Name: "warm-up", From: p.First, To: v.steady.Steps[0].Index - 1}}
		}
	}
	return report.Block{Plot: p}
}

// breakdownOf shows what the average step is made of, of those runs whose steps tell their parts.
func breakdownOf(views []runView) []report.Block {
	p := plot.Stack{Heading: "Where a step goes", Axis: "time per step", Unit: "s"}
	for _, v := range views {
		bar := plot.Bar{Name: v.label}
		for _, part := range v.parts {
			bar.Parts = append(bar.Parts, plot.Part{Name: part.Name, Value: part.Seconds})
		}
		if len(bar.Parts) > 0 {
			p.Bars = append(p.Bars, bar)
		}
	}
	if len(p.Bars) == 0 {
		return nil
	}
	return []report.Block{{Heading: p.Heading, Plot: p}, {Table: partsTable(p.Bars)}}
}

// partsTable gives the figures of the bars, one row each.
func partsTable(bars []plot.Bar) *report.Table {
	t := &report.Table{
		Columns: []report.Column{{Name: "run"}},
		Foot:    "Means of the steady steps; other is the unaccounted rest.",
	}
	var names []string
	var totals []float64
	for _, b := range bars {
		total := 0.0
		for _, p := range b.Parts {
			if !slices.Contains(names, p.Name) {
				names = append(names, p.Name)
				t.Columns = append(t.Columns, report.Column{Name: p.Name, Right: true})
			}
			total += p.Value
		}
		totals = append(totals, total)
	}
	t.Columns = append(t.Columns, report.Column{Name: "whole step", Right: true})
	u := human.NewScale("s", slices.Max(totals))
	decimals := 1 // small parts deserve a digit more than the whole
	if u.Factor() == 1 {
		decimals = 3
	}
	u = u.WithDecimals(decimals)
	for i, b := range bars {
		row := []string{b.Name}
		for _, name := range names {
			cell := human.Missing
			if at := slices.IndexFunc(b.Parts, func(p plot.Part) bool { return p.Name == name }); at >= 0 {
				cell = u.Value(b.Parts[at].Value)
			}
			row = append(row, cell)
		}
		t.Rows = append(t.Rows, append(row, u.Value(totals[i])))
	}
	return t
}

// lossOf shows the loss of every step; ok is false when no step tells it.
func lossOf(views []runView) (block report.Block, ok bool) {
	p := plot.Trend{Heading: "Loss", Axis: "loss", Noun: "step"}
	for _, v := range views {
		values := make([]float64, len(v.Steps))
		for i, s := range v.Steps {
			values[i] = math.NaN()
			if s.Loss != nil {
				values[i], ok = float64(*s.Loss), true
			}
		}
		p.Series = append(p.Series, plot.Series{Name: v.label, Values: values})
	}
	return report.Block{Heading: p.Heading, Plot: p}, ok
}

// seriesOf lists the samples of a run that are not steps.
func seriesOf(views []runView) (block report.Block, ok bool) {
	t := &report.Table{Columns: []report.Column{
		{Name: "run"},
		{Name: "series"},
		{Name: "n", Right: true},
		{Name: "median", Right: true},
		{Name: "95% interval", Right: true},
		{Name: "smallest", Right: true},
		{
			Name:  "largest",
			Right: true,
		},
	}}
	for _, v := range views {
		for _, series := range v.Series {
			s := stat.Summarize(series)
			u := human.NewScale(s.Unit, float64(s.Median))
			t.Rows = append(t.Rows, []string{
				v.label, s.Name, human.Count(s.N), u.Value(float64(s.Median)), orNone(spread(s.Interval,
					u)), u.Number(float64(s.Min)), u.Number(float64(s.Max)),
			})
		}
	}
	return report.Block{Heading: "Other measurements", Table: t}, len(t.Rows) > 0
}

// environmentOf lists where and how the runs ran, folded away.
func environmentOf(views []runView) report.Block {
	t := &report.Table{Columns: []report.Column{{}}}
	var names []string
	facts := make([]map[string]string, len(views))
	for i, v := range views {
		t.Columns = append(t.Columns, report.Column{Name: v.label})
		facts[i] = map[string]string{}
		for _, f := range factsOf(v.Run) {
			facts[i][f.What] = f.A
			if !slices.Contains(names, f.What) {
				names = append(names, f.What)
			}
		}
	}
	for _, name := range names {
		row := []string{name}
		for i := range views {
			row = append(row, facts[i][name])
		}
		t.Rows = append(t.Rows, row)
	}
	return report.Block{Heading: "Environment", Table: t, Detail: true}
}

// factsOf are all facts about a run: how it was started, then what distinguishes its environment from an empty one.
func factsOf(r run.Run) []run.Difference {
	facts := []run.Difference{{What: "command", A: strings.Join(r.Command, " ")}, {What: "state", A: string(r.State)}}
	if r.ExitCode != nil {
		facts = append(facts, run.Difference{What: "exit code", A: fmt.Sprint(*r.ExitCode)})
	}
	if !r.Started.IsZero() {
		facts = append(facts, run.Difference{What: "started", A: r.Started.UTC().Format("2006-01-02 15:04:05 MST")})
	}
	facts = append(facts, run.Difference{What: "ran for", A: human.Seconds(r.WallSeconds)},
		run.Difference{What: "id", A: r.ID}, run.Difference{What: "folder", A: r.Dir})
	for _, d := range run.DiffEnvironments(r.Environment, run.Environment{}) {
		facts = append(facts, readable(d))
	}
	return slices.DeleteFunc(facts, func(d run.Difference) bool { return d.A == "" })
}

// readable writes sizes in bytes the way people read them.
func readable(d run.Difference) run.Difference {
	what, ok := strings.CutSuffix(d.What, " bytes")
	if !ok {
		return d
	}
	size := func(s string) string {
		var bytes float64
		if _, err := fmt.Sscan(s, &bytes); err != nil || bytes == 0 {
			return ""
		}
		return human.Memory(int64(bytes))
	}
	return run.Difference{What: what, A: size(d.A), B: size(d.B)}
}

// RunData is what JSON holds of a Run.
type RunData struct {
	ID               string          `json:"id"`   // of the Run
	Name             string          `json:"name"` // of the Run
	State            run.State       `json:"state"`
	Dir              string          `json:"dir"`                 // folder of the Run
	Command          []string        `json:"command,omitempty"`   // that was run
	WallSeconds      float64         `json:"wall_s"`              // that the run took
	ExitCode         *int            `json:"exit_code,omitempty"` // of the program; missing while it runs
	StepCount        int             `json:"step_count"`          // steps that were recorded
	SteadyCount      int             `json:"steady_count"`        // of them, steady: what the times are taken from
	LeftOut          []run.Apart     `json:"left_out"`
	StepTime         stat.Summary    `json:"s_per_it"`                    // seconds per step, over the steady steps
	WholeStepTime    float64         `json:"training_s_per_it,omitempty"` // the mean with evaluations, checkpoints and the first steps of epochs, where they count
	SamplesPerSecond *stat.Summary   `json:"samples_per_s,omitempty"`     // of all ranks together, where the steps tell their samples
	Ranks            int             `json:"ranks,omitempty"`             // where there are several
	Parts            []run.Part      `json:"parts"`
	Functions        []run.Function  `json:"functions,omitempty"` // what costs the time, where the stacks were sampled
	Series           []stat.Series   `json:"series,omitempty"`
	Steps            []run.Step      `json:"steps"`
	Environment      run.Environment `json:"environment"`
	OtherCores       float64         `json:"other_cores,omitempty"` // that other programs kept busy, where that left too few
	Stolen           float64         `json:"stolen,omitempty"`      // of the processors' time, by the host of a virtual machine, where it matters
	Notes            []string        `json:"notes"`                 // what went wrong on the way
}

func (v runView) data() RunData {
	data := RunData{
		ID: v.ID, Name: v.Name, State: v.State, Dir: v.Dir, Command: v.Command, WallSeconds: v.WallSeconds,
		ExitCode:  v.ExitCode,
		StepCount: len(v.Steps), SteadyCount: len(v.steady.Steps), LeftOut: append([]run.Apart{}, v.steady.Apart...),
		StepTime: v.times, Parts: append([]run.Part{},
			v.parts...), Functions: v.Functions, Series: v.Series, OtherCores: v.OtherCores, Stolen: v.Stolen,
		Steps: append([]run.Step{}, v.Steps...), Environment: v.Environment, Notes: append([]string{},
			slices.Concat(v.Notes, v.steady.Notes)...),
	}
	data.WholeStepTime, _, _ = v.whole()
	if v.speed.N > 0 {
		data.SamplesPerSecond = &v.speed
	}
	if v.ranks > 1 {
		data.Ranks = v.ranks
	}
	return data
}
