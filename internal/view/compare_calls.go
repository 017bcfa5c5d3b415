package view

import (
	"fmt"
	"strconv"

	"saturate/internal/analyze"
	"saturate/internal/report"
)

// hostCalls says which operators and calls the host makes more or less often; the largest changes of each sort.
func (v tracePair) hostCalls() report.Block {
	d, per := v.HostCalls, "per step"
	if !v.PerStep {
		per = "in the trace"
	}
	t := &report.Table{Columns: []report.Column{
		{Name: "Host calls " + per},
		{Name: "Before", Right: true},
		{Name: "After", Right: true},
		{Name: "What"},
	}}
	for _, list := range []struct {
		sort string
		rows []analyze.CountChange
	}{{"added", d.Added}, {"deleted", d.Deleted}, {"more often", d.Increased}, {"less often", d.Decreased}} {
		const shown = 3
		for _, c := range list.rows[:min(shown, len(list.rows))] {
			t.Rows = append(t.Rows, []string{list.sort, callCount(c.Before), callCount(c.After), shorten(c.Name)})
		}
	}
	t.Foot = fmt.Sprintf("%d added, %d deleted, %d more often, %d less often, %d unchanged; "+
		"all of them with --format json.",
		len(d.Added), len(d.Deleted), len(d.Increased), len(d.Decreased), d.Unchanged)
	return report.Block{Heading: "Operators and calls on the host", Table: t}
}

// callCount is a mean per step, with a decimal where it is not whole.
func callCount(n float64) string {
	return strconv.FormatFloat(float64(int64(n*10+0.5))/10, 'f', -1, 64)
}
