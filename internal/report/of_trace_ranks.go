package report

import (
	"fmt"

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
	for _, x := range r.Rows {
		t.Rows = append(t.Rows, []string{
			fmt.Sprint(x.Rank), ns(x.StepNS), human.Percent(x.BusyRatio), ns(x.ComputeNS), ns(x.CommunicationNS), ns(x.ExposedNS), ns(x.DataLoadingNS), string(x.Bottleneck),
		})
	}
	t.Foot = "Times are per step. "
	if r.Slowest >= 0 {
		t.Foot += fmt.Sprintf("The others wait for rank %d, up to %s a step.", r.Slowest, ns(r.SkewNS))
	} else {
		t.Foot += "No rank keeps the others waiting."
	}
	return []Block{{Heading: "Ranks side by side", Table: t}}
}
