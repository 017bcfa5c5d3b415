package view

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"saturate/internal/bench"
	"saturate/internal/finding"
	"saturate/internal/human"
	"saturate/internal/report"
	"saturate/internal/run"
	"saturate/internal/stat"
)

// RunsData is what the JSON of a report about Runs holds.
type RunsData struct {
	Runs  []RunData      `json:"runs"`
	Bench []bench.Result `json:"bench,omitempty"` // of runs of bench

	Findings []finding.Finding `json:"findings,omitempty"` // that profile left in the run
}

// OfRuns reports one Run, or several side by side. Damaged ones are listed with the reason.
func OfRuns(runs []run.Run) report.Report {
	views := viewRuns(runs...)
	r := report.Report{Command: "report", Title: titleOf(views)}
	data := RunsData{Runs: []RunData{}}
	var measured []runView
	for _, v := range views {
		data.Runs = append(data.Runs, v.data())
		r.Warnings = append(r.Warnings, v.warnings(len(views) > 1)...)
		if v.measured() {
			measured = append(measured, v)
		}
	}
	r.Data = data
	if len(measured) == 0 {
		r.Summary, r.Tone, r.Outcome = []string{nothingMeasured(views)}, report.Unsure, report.Undecided
	} else {
		r.Summary = summaryOf(measured)
		r.Figures = figuresOf(measured)
	}
	if len(views) > 0 {
		r.Blocks = append(r.Blocks, report.Block{Heading: "Steps", Table: stepsTable(views)})
	}
	if len(measured) > 0 {
		r.Blocks = append(r.Blocks, stripOf(measured), trendOf(measured))
		r.Blocks = append(r.Blocks, breakdownOf(measured)...)
		if b, ok := lossOf(measured); ok {
			r.Blocks = append(r.Blocks, b)
		}
	}
	if b, ok := seriesOf(views); ok {
		r.Blocks = append(r.Blocks, b)
	}
	r.Warnings = append(r.Warnings, differentConditions(measured)...)
	if len(views) > 0 {
		r.Blocks = append(r.Blocks, environmentOf(views))
	}
	if b, ok := artefactsOf(views); ok {
		r.Blocks = append(r.Blocks, b)
	}
	if len(measured) == 1 {
		r.Blocks = append(r.Blocks, rawSteps(measured[0]))
	}
	if len(measured) == 2 {
		r.Next = []string{"saturate compare " + measured[0].ID + " " + measured[1].ID}
	}
	return r
}

func titleOf(views []runView) string {
	switch len(views) {
	case 0:
		return "No runs"
	case 1:
		return views[0].label
	case 2:
		return views[0].label + " and " + views[1].label
	}
	return human.Count(len(views)) + " runs"
}

func nothingMeasured(views []runView) string {
	if len(views) == 0 {
		return "No runs to show."
	}
	if len(views) > 1 {
		return "None of the " + human.Count(len(views)) + " runs has steady steps."
	}
	if v := views[0]; v.State == run.Damaged && len(v.Notes) > 0 {
		return "`" + v.label + "` is damaged: " + v.Notes[0] + "."
	}
	return "`" + views[0].label + "` has no steady steps, so its speed is unknown."
}

// summaryOf says how fast the runs are, and what takes most of a step.
func summaryOf(measured []runView) []string {
	if len(measured) > 1 {
		return []string{ranking(measured)}
	}
	summary := measured[0].speedLines()
	if parts := largestParts(measured[0]); len(parts) > 0 {
		whose := ""
		if measured[0].ranks > 1 {
			whose = " of the first rank"
		}
		summary = append(summary, "Of an average step"+whose+": "+strings.Join(parts, ", ")+".")
	}
	return summary
}

// speedLines say how fast a run is, what that rests on, and what the steps that recur add.
func (v runView) speedLines() []string {
	u := human.NewScale("s", float64(v.times.Median))
	answer, rests := "A step takes "+u.Value(float64(v.times.Median)), "Median of "+human.Plural(v.times.N, "steady step")
	if v.speed.N > 0 {
		answer += ", " + v.samples(float64(v.speed.Median))
	}
	if s := spread(v.times.Interval, u); s != "" {
		rests += ", " + human.Percent(stat.Confidence) + " interval " + s + " " + u.Unit
	}
	lines := []string{answer + ".", rests + "."}
	if seconds, samples, recurring := v.whole(); recurring != "" {
		text := "With " + recurring + ": " + human.Seconds(seconds) + " on average"
		if v.speed.N > 0 {
			text += ", " + v.samples(samples/seconds)
		}
		lines = append(lines, text+".")
	}
	return lines
}

// samples writes a speed of the job.
func (v runView) samples(perSecond float64) string {
	return strings.TrimSpace(human.Value(perSecond, "samples") + " per second " + v.ofRanks())
}

// largestParts names the two parts that take most of a step.
func largestParts(v runView) []string {
	parts := slices.Clone(v.parts)
	slices.SortStableFunc(parts, func(a, b run.Part) int {
		return cmp.Compare(b.Seconds, a.Seconds)
	})
	var out []string
	for _, p := range parts[:min(len(parts), 2)] {
		out = append(out, human.Percent(p.Seconds/float64(v.times.Mean))+" "+p.Name)
	}
	return out
}

// ranking names the fastest run, or those that cannot be told from it, and how much longer the others take.
func ranking(measured []runView) string {
	const named = 4
	order := slices.Clone(measured)
	slices.SortStableFunc(order, func(a, b runView) int { return cmp.Compare(a.times.Median, b.times.Median) })
	fastest := order[0]
	alike, slower := toldApart(order)
	text := "`" + fastest.label + "` is the fastest: " + human.Seconds(float64(fastest.times.Median)) + " per step"
	if others := alike[1:]; len(others) > 0 {
		var names []string
		for _, v := range others[:min(len(others), named)] {
			names = append(names, "`"+v.label+"` ("+human.Seconds(float64(v.times.Median))+")")
		}
		if more := len(others) - named; more > 0 {
			names = append(names, human.Plural(more, "other"))
		}
		text = "No difference found between `" + fastest.label + "` (" + human.Seconds(float64(fastest.times.Median)) + " per step) and " + human.And(names)
	}
	for i, v := range slower {
		if i == named {
			return text + " and " + human.Plural(len(slower)-named, "other is slower still", "others are slower still") + "."
		}
		text += "; `" + v.label + "` takes " + human.Seconds(float64(v.times.Median)) + ", " +
			human.Times(float64(v.times.Median/fastest.times.Median)) + " as long"
		if len(alike) > 1 {
			text += " as `" + fastest.label + "`"
		}
	}
	return text + "."
}

// toldApart divides runs, the fastest first, into those that may be as fast as it and those that are slower, by the
// test that compare makes of two, corrected for their number.
func toldApart(order []runView) (alike, slower []runView) {
	p := make([]float64, len(order)-1)
	for i, v := range order[1:] {
		p[i] = stat.Compare(order[0].steady.StepTimes(), v.steady.StepTimes()).P
	}
	if adjusted, err := stat.Holm(p); err == nil {
		p = adjusted
	}
	alike = order[:1:1]
	for i, v := range order[1:] {
		if p[i] <= stat.Alpha {
			slower = append(slower, v)
		} else {
			alike = append(alike, v)
		}
	}
	return alike, slower
}

// figuresOf are the numbers to take away: of one run its speed, of several the time per step of each.
func figuresOf(measured []runView) []report.Figure {
	if len(measured) > 1 {
		u := timeScale(measured)
		var figures []report.Figure
		for _, v := range measured[:min(len(measured), 4)] {
			figures = append(figures, report.Figure{
				Name: v.label, Value: u.Value(float64(v.times.Median)),
				Note: "per step, " + human.Plural(v.times.N, "steady step"),
			})
		}
		return figures
	}
	v := measured[0]
	figures := []report.Figure{{
		Name: "time per step", Value: human.Seconds(float64(v.times.Median)),
		Note: "median of " + human.Plural(v.times.N, "steady step"),
	}}
	if seconds, _, recurring := v.whole(); recurring != "" {
		figures = append(figures, report.Figure{
			Name: "time per step, all in", Value: human.Seconds(seconds),
			Note: "mean with " + recurring,
		})
	}
	if v.speed.N > 0 {
		figures = append(figures, report.Figure{
			Name: "samples per second", Value: human.Value(float64(v.speed.Median), ""),
			Note: v.ofRanks(),
		})
	}
	for _, p := range v.parts {
		if p.Name == "data" {
			figures = append(figures, report.Figure{
				Name:  "waiting for data",
				Value: human.Percent(p.Seconds / float64(v.times.Mean)), Note: "of an average step",
			})
		}
	}
	if n := len(v.Steps) - len(v.steady.Steps); n > 0 {
		figures = append(figures, report.Figure{Name: "left out", Value: human.Plural(n, "step"), Note: reasons(v)})
	}
	return figures
}

// reasons says why steps were left out and how much of the time that is, without their number.
func reasons(v runView) string {
	var out []string
	left, all := 0.0, float64(v.times.Mean)*float64(v.times.N)
	for _, a := range v.steady.Apart {
		out = append(out, a.Reason)
		left += a.Seconds
	}
	return strings.Join(out, ", ") + "; " + human.Percent(left/(left+all)) + " of all step time"
}

func stepsTable(views []runView) *report.Table {
	t := &report.Table{Columns: []report.Column{
		{Name: "run"},
		{Name: "state"},
		{Name: "steps", Right: true},
		{Name: "steady", Right: true},
		{Name: "median", Right: true},
		{Name: human.Percent(stat.Confidence) + " interval", Right: true},
		{Name: "mean ± sd", Right: true},
		{Name: "5%…95%", Right: true},
		{Name: "samples/s", Right: true},
	}}
	u := timeScale(views)
	var foot []string
	for _, v := range views {
		row := []string{v.label, string(v.State), human.Count(len(v.Steps)), human.Count(len(v.steady.Steps))}
		s := v.times
		if v.measured() {
			speed := human.Missing
			if v.speed.N > 0 {
				speed = human.Value(float64(v.speed.Median), "")
			}
			row = append(row, u.Value(float64(s.Median)), orNone(spread(s.Interval, u)), u.Number(float64(s.Mean))+" ± "+
				u.Number(float64(s.SD)),
				u.Number(float64(s.P5))+"…"+u.Number(float64(s.P95)), speed)
		} else {
			row = append(row, human.Missing, human.Missing, human.Missing, human.Missing, human.Missing)
		}
		t.Rows = append(t.Rows, row)
		if left := strings.TrimSpace(excluded(v.steady.Apart)); left != "" {
			if len(views) > 1 {
				left = v.label + ": " + lowerFirst(left)
			}
			foot = append(foot, left)
		}
	}
	t.Foot = strings.Join(foot, " ")
	return t
}

// differentConditions warns when runs that are shown side by side did not run under the same conditions.
func differentConditions(views []runView) []string {
	const named = 6
	var names, unknown []string
	for _, v := range views {
		for _, d := range differencesOf(views[0].Run, v.Run) {
			if !slices.Contains(names, d.What) {
				names = append(names, d.What)
			}
		}
		if !recorded(v.Run) {
			unknown = append(unknown, "`"+v.label+"`")
		}
	}
	var out []string
	if len(names) > 0 {
		text := "The runs differ in " + strings.Join(names[:min(len(names), named)], ", ")
		if more := len(names) - named; more > 0 {
			text += " and " + human.Count(more) + " more"
		}
		out = append(out, text+".")
	}
	if len(unknown) > 0 && len(views) > 1 {
		out = append(out, human.And(unknown)+human.Choose(len(unknown), " has", " have")+
			" no record of the machine, so differences between machines are unknown.")
	}
	return out
}

func artefactsOf(views []runView) (block report.Block, ok bool) {
	t := &report.Table{Columns: []report.Column{{Name: "run"}, {Name: "kind"}, {Name: "file"}}}
	for _, v := range views {
		for _, a := range v.Artefacts {
			t.Rows = append(t.Rows, []string{v.label, a.Kind, a.Path})
		}
	}
	return report.Block{Heading: "Files", Table: t, Detail: true}, len(t.Rows) > 0
}

// rawSteps lists the steps as they were recorded. JSON has all of them.
func rawSteps(v runView) report.Block {
	const listed = 1000
	t := &report.Table{Columns: []report.Column{{Name: "step", Right: true}, {Name: "seconds", Right: true}}}
	if n := len(v.Steps); n > listed {
		t.Foot = "First " + human.Count(listed) + " of " + human.Count(n) + " steps."
		v.Steps = v.Steps[:listed]
	}
	var names []string
	samples, loss, tags := false, false, false
	for _, s := range v.Steps {
		for _, p := range s.Parts {
			if !slices.Contains(names, p.Name) {
				names = append(names, p.Name)
			}
		}
		samples, loss, tags = samples || s.Samples != 0, loss || s.Loss != nil, tags || len(s.Tags) > 0
	}
	for _, n := range names {
		t.Columns = append(t.Columns, report.Column{Name: n, Right: true})
	}
	if samples {
		t.Columns = append(t.Columns, report.Column{Name: "samples", Right: true})
	}
	if loss {
		t.Columns = append(t.Columns, report.Column{Name: "loss", Right: true})
	}
	if tags {
		t.Columns = append(t.Columns, report.Column{Name: "tags"})
	}
	for _, s := range v.Steps {
		row := []string{fmt.Sprint(s.Index), fmt.Sprintf("%.6g", s.Seconds)}
		for _, n := range names {
			sum, found := 0.0, false
			for _, p := range s.Parts {
				if p.Name == n {
					sum, found = sum+p.Seconds, true
				}
			}
			row = append(row, orMissing(found, sum))
		}
		if samples {
			row = append(row, orMissing(s.Samples != 0, s.Samples))
		}
		if loss {
			value := 0.0
			if s.Loss != nil {
				value = float64(*s.Loss)
			}
			row = append(row, orMissing(s.Loss != nil, value))
		}
		if tags {
			row = append(row, strings.Join(s.Tags, ", "))
		}
		t.Rows = append(t.Rows, row)
	}
	return report.Block{Heading: "Raw steps", Table: t, Detail: true}
}

func orMissing(found bool, v float64) string {
	if !found {
		return human.Missing
	}
	return fmt.Sprintf("%.6g", v)
}
