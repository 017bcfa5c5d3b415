package view

import (
	"fmt"

	"saturate/internal/finding"
	"saturate/internal/human"
	"saturate/internal/probe"
	"saturate/internal/report"
	"saturate/internal/report/plot"
	"saturate/internal/run"
)

// insideNames are the parts that functions are named for, as people say them.
var insideNames = map[string]string{
	"data": "data", "evaluation": "evaluation", "checkpoint": "checkpoints",
	"logging": "logging", "host": "other code",
}

// functionsTable lists what costs the time; nil where nothing is known of it.
func functionsTable(functions []run.Function) *report.Table {
	const most = 8
	t := &report.Table{Columns: []report.Column{
		{Name: "inside"},
		{Name: "function"},
		{Name: "where"},
		{Name: "of inside", Right: true},
		{Name: "of training", Right: true},
	}}
	for _, f := range functions {
		if len(t.Rows) == most || f.Training < 0.02 || f.Own < 0.02 && !f.Entry {
			continue
		}
		name := f.Function
		if f.Library != "" {
			name += " [" + f.Library + "]"
		}
		t.Rows = append(t.Rows, []string{
			insideNames[f.Inside], name, fmt.Sprintf("%s:%d", f.Path, f.Line),
			human.Percent(f.Share), human.Percent(f.Training),
		})
	}
	if len(t.Rows) == 0 {
		return nil
	}
	t.Foot = "Sampled stacks of the program and its workers. A function's share includes what it calls."
	return t
}

// flameOf draws the sampled stacks.
func flameOf(f run.Flame) (report.Block, bool) {
	if f.Seconds <= 0 {
		return report.Block{}, false
	}
	p := plot.Flame{
		Heading: "Which calls the time goes to",
		Remark:  "Wider is longer. Calls are drawn below their caller. Libraries are paler, with only their outermost call.",
	}
	for _, phase := range f.Calls {
		call := callOf(phase, f.Seconds)
		call.Name, call.Note = partName(phase.Name), ""
		p.Calls = append(p.Calls, call)
	}
	return report.Block{Heading: p.Heading, Plot: p, Detail: true}, true
}

func callOf(f run.Flame, whole float64) plot.Call {
	call := plot.Call{
		Name: f.Name, Note: fmt.Sprintf("%s:%d", f.Path, f.Line), Share: f.Seconds / whole,
		Foreign: f.Library,
	}
	for _, below := range f.Calls {
		call.Calls = append(call.Calls, callOf(below, whole))
	}
	return call
}

// WithProfile adds what `profile` left in a Run to the report about it: its findings, the functions that cost the time,
// and the stacks that show it.
func WithProfile(r report.Report, functions []run.Function, kept probe.Kept) report.Report {
	var blocks []report.Block
	if t := functionsTable(functions); t != nil {
		blocks = append(blocks, report.Block{Heading: "What costs the time", Table: t})
	}
	if b, ok := flameOf(kept.Flame); ok {
		b.Detail = false
		blocks = append(blocks, b)
	}
	at := min(1, len(r.Blocks)) // after the steps
	r.Blocks = append(append(append([]report.Block{}, r.Blocks[:at]...), blocks...), r.Blocks[at:]...)
	r.Findings = kept.Findings
	if data, ok := r.Data.(RunsData); ok {
		data.Findings = append([]finding.Finding{}, kept.Findings...)
		r.Data = data
	}
	return r
}
