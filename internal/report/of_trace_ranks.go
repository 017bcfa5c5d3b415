package report

import (
	"fmt"
	"path/filepath"
	"slices"

	"saturate/internal/analyze"
	"saturate/internal/report/human"
)

// rankBlock puts the ranks of a job side by side.
func (v traceView) rankBlock() []Block {
	r := v.Ranks
	if r == nil {
		return nil
	}
	t := &Table{Columns: []Column{
		{Name: "Rank", Right: true},
		{Name: "Step", Right: true},
		{Name: "Busy", Right: true},
		{Name: "Compute", Right: true},
		{Name: "Communication", Right: true},
		{Name: "exposed", Right: true},
		{Name: "Data wait", Right: true},
		{Name: "Bottleneck"},
	}}
	steps := false
	for _, x := range r.Rows {
		name, step := fmt.Sprint(x.Rank), human.Missing
		if len(r.Notes) > 0 {
			name = human.Line(filepath.Base(x.Path))
		}
		if x.Steps > 0 {
			step, steps = ns(x.StepNS), true
		}
		t.Rows = append(t.Rows, []string{
			name, step, human.Percent(x.BusyRatio), ns(x.ComputeNS), ns(x.CommunicationNS), ns(x.ExposedNS), ns(x.DataLoadingNS), string(x.Bottleneck),
		})
	}
	if len(v.GPUs) == 0 { // what a GPU did is nothing to show
		t.Columns = slices.Delete(t.Columns, 2, 6)
		for i, row := range t.Rows {
			t.Rows[i] = slices.Delete(row, 2, 6)
		}
	}
	if steps {
		t.Foot = "Times are per step. "
	}
	heading := "Ranks side by side"
	switch {
	case len(r.Notes) > 0:
		heading, t.Columns[0] = "Traces side by side", Column{Name: "Trace"}
	case r.Slowest >= 0 && steps:
		t.Foot += fmt.Sprintf("The others wait for rank %d, up to %s a step.", r.Slowest, ns(r.SkewNS))
	case r.Slowest >= 0:
		t.Foot += fmt.Sprintf("The others wait for rank %d, up to %s.", r.Slowest, ns(r.SkewNS))
	case !slices.ContainsFunc(r.Rows, func(x analyze.Rank) bool { return x.CommunicationNS > 0 }):
		t.Foot += "Who waits for whom cannot be told: no communication between GPUs was recorded."
	default:
		t.Foot += "No rank keeps the others waiting."
	}
	return []Block{{Heading: heading, Table: t}}
}
