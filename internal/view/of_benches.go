package view

import (
	"fmt"
	"slices"
	"strings"

	"saturate/internal/bench"
	"saturate/internal/human"
	"saturate/internal/report"
	"saturate/internal/run"
	"saturate/internal/stat"
)

// OfBenches puts what several machines, or one machine several times, gave side by side.
func OfBenches(runs []run.Run, results []bench.Result) report.Report {
	views := viewRuns(runs...)
	names := benchNames(runs, results)
	r := report.Report{Command: "report", Title: "Bench of " + human.Count(len(runs)) + " runs side by side"}
	data := RunsData{Runs: []RunData{}, Bench: results}
	for i, v := range views {
		data.Runs = append(data.Runs, v.data())
		if !results[i].Valid {
			r.Warnings = append(r.Warnings, "`"+names[i]+"` is INVALID: "+strings.Join(results[i].Problems, "; "))
			r.Outcome = report.Undecided
		}
		for _, s := range results[i].Skipped {
			r.Warnings = append(r.Warnings, "`"+names[i]+"`: `"+s.Framework+"` was skipped: "+s.Why)
		}
	}
	r.Data = data
	r.Summary = []string{besideSummary(names, results)}
	r.Blocks = append(r.Blocks, report.Block{Heading: "Ceilings", Table: ceilingsBeside(names, results)})
	for _, c := range commonCases(results) {
		r.Blocks = append(r.Blocks, caseBeside(names, results, c)...)
	}
	if t := seriesBeside(names, runs); len(t.Rows) > 0 {
		r.Blocks = append(r.Blocks, report.Block{Heading: "Layers, loaders and features", Table: t})
	}
	r.Blocks = append(r.Blocks, environmentOf(views))
	if len(runs) == 2 {
		r.Next = []string{"saturate compare " + runs[0].ID + " " + runs[1].ID}
	}
	return r
}

// benchNames tell the columns apart: by device, then by host, then by run.
func benchNames(runs []run.Run, results []bench.Result) []string {
	of := make([]string, len(runs))
	for i := range runs {
		of[i] = strings.TrimPrefix(results[i].Device, "NVIDIA ")
	}
	for _, further := range []func(i int) string{
		func(i int) string { return runs[i].Environment.Machine.Host },
		func(i int) string { return runs[i].ID[:min(len(runs[i].ID), 8)] },
	} {
		before := slices.Clone(of)
		for i := range of {
			more := further(i)
			if twice := slices.Index(before, before[i]) != i || slices.Contains(before[i+1:], before[i]); twice && more != "" {
				of[i] = strings.TrimSpace(before[i] + " " + more)
			}
		}
	}
	return of
}

// besideSummary names the machine that does the largest common case fastest.
func besideSummary(names []string, results []bench.Result) string {
	cases := commonCases(results)
	if len(cases) == 0 {
		return "The runs have no measurement in common."
	}
	last := cases[len(cases)-1]
	best, fastest := -1, 0.0
	for i, r := range results {
		if c, ok := caseIn(r, last); ok && c.TotalMS > 0 && (best < 0 || float64(c.TotalMS) < fastest) {
			best, fastest = i, float64(c.TotalMS)
		}
	}
	if best < 0 {
		return human.Plural(len(cases), "case") + " side by side."
	}
	text := fmt.Sprintf("`%s` is the fastest at %s: %s", names[best], caseName(last), human.Seconds(fastest/1000))
	for i, r := range results {
		if c, ok := caseIn(r, last); ok && i != best && c.TotalMS > 0 {
			text += fmt.Sprintf("; `%s` takes %s, %s as long", names[i], human.Seconds(float64(c.TotalMS)/1000),
				human.Times(float64(c.TotalMS)/fastest))
		}
	}
	return text + "."
}

// commonCases are those that at least two of the runs have, or all there are where none has a fellow.
func commonCases(results []bench.Result) []bench.Case {
	var all, common []bench.Case
	for _, r := range results {
		for _, c := range r.Results {
			switch {
			case !slices.Contains(all, c.Case):
				all = append(all, c.Case)
			case !slices.Contains(common, c.Case):
				common = append(common, c.Case)
			}
		}
	}
	return common
}

func caseIn(r bench.Result, c bench.Case) (bench.CaseResult, bool) {
	i := slices.IndexFunc(r.Results, func(o bench.CaseResult) bool { return o.Case == c })
	if i < 0 {
		return bench.CaseResult{}, false
	}
	return r.Results[i], true
}

func ceilingsBeside(names []string, results []bench.Result) *report.Table {
	t := &report.Table{Columns: []report.Column{
		{Name: "Machine"},
		{Name: "Framework"},
		{Name: "Products", Right: true},
		{Name: "vendor", Right: true},
		{Name: "Copy", Right: true},
		{Name: "vendor", Right: true},
	}}
	for i, r := range results {
		for _, row := range ceilingsTable(r).Rows {
			t.Rows = append(t.Rows, append([]string{names[i]}, row[:5]...))
		}
	}
	dropEmpty(t)
	return t
}

// caseBeside is one case on every machine: its parts, then its levels.
func caseBeside(names []string, results []bench.Result, of bench.Case) []report.Block {
	parts := &report.Table{
		Columns: []report.Column{{Name: "Component"}},
		Foot:    "Medians. In brackets, the share of the machine's own roof.",
	}
	levels := &report.Table{Columns: []report.Column{{Name: "Level"}}, Foot: "Medians, with the peak memory behind them."}
	for _, name := range names {
		parts.Columns = append(parts.Columns, report.Column{Name: name + " (ms)", Right: true})
		levels.Columns = append(levels.Columns, report.Column{Name: name + " (ms)", Right: true})
	}
	row := func(t *report.Table, name string, cell func(bench.CaseResult) string) {
		cells := []string{name}
		for _, r := range results {
			text := human.Missing
			if c, ok := caseIn(r, of); ok {
				text = orNone(cell(c))
			}
			cells = append(cells, text)
		}
		t.Rows = append(t.Rows, cells)
	}
	for _, part := range bench.Components {
		row(parts, part.Title, func(c bench.CaseResult) string {
			for _, p := range c.Components {
				if p.Name == part.Name && p.N > 0 {
					return fmt.Sprintf("%s (%s)", milliseconds(p.TimeMS), ofRoof(p))
				}
			}
			return ""
		})
	}
	row(parts, "Total", func(c bench.CaseResult) string { return milliseconds(c.TotalMS) })
	for level := range 4 {
		row(levels, fmt.Sprint(level), func(c bench.CaseResult) string {
			for _, l := range c.Levels {
				if l.Level != level {
					continue
				}
				if l.N == 0 {
					return "skipped"
				}
				return strings.TrimSpace(fmt.Sprintf("%s %s, %s", milliseconds(l.TimeMS), l.Backend, sizeOr(l.PeakBytes)))
			}
			return ""
		})
	}
	heading := fmt.Sprintf("%s %s, batch %d, sequence %d, width %d, %s", of.Framework, of.DType, of.Batch, of.Seq,
		of.DModel, human.Plural(of.Heads, "head"))
	return []report.Block{{Heading: heading, Table: parts}, {Table: levels}}
}

// seriesBeside are the medians of what is neither a part nor a level nor a ceiling.
func seriesBeside(names []string, runs []run.Run) *report.Table {
	t := &report.Table{Columns: []report.Column{{Name: "measurement"}}}
	for _, name := range names {
		t.Columns = append(t.Columns, report.Column{Name: name, Right: true})
	}
	type key struct{ name, unit string }
	var keys []key
	for _, r := range runs {
		for _, s := range r.Series {
			k := key{s.Name, s.Unit}
			if !strings.HasPrefix(s.Name, "attention/") && !strings.HasPrefix(s.Name, "ceiling/") && !slices.Contains(keys, k) {
				keys = append(keys, k)
			}
		}
	}
	for _, k := range keys {
		row := []string{k.name}
		for _, r := range runs {
			cell := human.Missing
			if at := slices.IndexFunc(r.Series, func(s stat.Series) bool { return s.Name == k.name && s.Unit == k.unit }); at >= 0 {
				cell = human.Value(float64(stat.Summarize(r.Series[at]).Median), k.unit)
			}
			row = append(row, cell)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
