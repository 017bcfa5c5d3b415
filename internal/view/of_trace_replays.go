package view

import (
	"fmt"

	"saturate/internal/human"
	"saturate/internal/report"
)

// replays shows what the kernels of replayed CUDA graphs are, by the operators that were captured.
func (v traceView) replays() (blocks []report.Block) {
	for _, r := range v.Replays {
		foot := ""
		if r.Unknown > 0 {
			foot += fmt.Sprintf(" %s: no capture has their kernels.",
				human.Plural(r.Unknown, "launch of another graph is not in it", "launches of other graphs are not in it"))
		}
		if r.Ambiguous > 0 {
			foot += fmt.Sprintf(" %s several captures whose shapes differ: pass the one with the size that ran.",
				human.Plural(r.Ambiguous, "launch fits", "launches fit"))
		}
		if len(r.Operators) == 0 {
			blocks = append(blocks, report.Block{Heading: "Replayed graphs", Text: "No replayed graph was linked to a capture." + foot})
			continue
		}
		t := &report.Table{Columns: []report.Column{
			{Name: "Operator"},
			{Name: "Calls", Right: true},
			{Name: "GPU", Right: true},
			{Name: "Share", Right: true},
			{Name: "TFLOP/s", Right: true},
			{Name: "Of roof", Right: true},
			{Name: "Shapes"},
			{Name: "Called by"},
		}}
		for _, o := range r.Operators {
			rate, roof := "", ""
			if o.TFLOPPerS > 0 {
				rate = fmt.Sprintf("%.3g", o.TFLOPPerS)
			}
			if o.RoofRatio > 0 {
				roof = human.Percent(o.RoofRatio)
			}
			t.Rows = append(t.Rows, []string{shorten(o.Operator), human.Count(o.Calls), human.Nanoseconds(o.TotalNS), human.Percent(float64(o.TotalNS) / float64(max(1, r.TotalNS))), rate, roof, shapesText(o.Shapes), o.Place})
		}
		t.Foot = fmt.Sprintf("%s, %s, %s on the GPU, linked to the capture %s.",
			human.Plural(r.Launches, "graph launch", "graph launches"), human.Plural(r.Work, "piece of work", "pieces of work"), human.Nanoseconds(r.TotalNS), r.Capture) + foot
		blocks = append(blocks, report.Block{Heading: "Replayed graphs", Table: t})
	}
	return blocks
}
