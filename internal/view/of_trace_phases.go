package view

import (
	"saturate/internal/human"
	"saturate/internal/report"
)

// phases shows what an inference server does: prompts, tokens, or both.
func (v traceView) phases() []report.Block {
	if len(v.Phases) == 0 {
		return nil
	}
	t := &report.Table{Columns: []report.Column{
		{Name: "Phase"}, {Name: "Batches", Right: true}, {Name: "Requests", Right: true}, {
			Name:  "GPU",
			Right: true,
		}, {Name: "Longest batch", Right: true}, {Name: "Host", Right: true}, {Name: "Pieces", Right: true},
	}}
	for _, p := range v.Phases {
		t.Rows = append(t.Rows, []string{
			p.Phase, human.Count(p.Batches), human.Count(p.Requests),
			human.Nanoseconds(p.DeviceNS), human.Nanoseconds(p.LongNS), human.Nanoseconds(p.HostNS), human.Count(p.Pieces),
		})
	}
	t.Foot = "Batches as the server marks them. GPU: time in which work that they launched ran."
	return []report.Block{{Heading: "Prefill and decode", Table: t}}
}
