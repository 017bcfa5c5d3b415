package view

import (
	"fmt"
	"strings"

	"saturate/internal/human"
	"saturate/internal/report"
)

// sequences lists the GPU work that operators launch again and again in the same order.
func (v traceView) sequences() []report.Block {
	if len(v.Sequences) == 0 {
		return nil
	}
	t := &report.Table{Columns: []report.Column{
		{Name: "Operator"}, {Name: "Calls", Right: true}, {Name: "GPU", Right: true}, {
			Name:  "Pieces",
			Right: true,
		}, {Name: "In this order"},
	}}
	for _, s := range v.Sequences {
		const shown = 3
		var names []string
		for _, w := range s.Work[:min(shown, len(s.Work))] {
			names = append(names, kernelName(w))
		}
		if more := len(s.Work) - len(names); more > 0 {
			names = append(names, fmt.Sprintf("%d more", more))
		}
		t.Rows = append(t.Rows, []string{
			shorten(s.Operator), human.Count(s.Count), human.Nanoseconds(s.DeviceNS),
			human.Count(len(s.Work)), strings.Join(names, ", "),
		})
	}
	return []report.Block{{Heading: "Kernel sequences", Table: t}}
}
