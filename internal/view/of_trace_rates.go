package view

import (
	"fmt"
	"strings"

	"saturate/internal/human"
	"saturate/internal/report"
)

// rates lists how fast products, convolutions and attention computed, by operator and shapes.
func (v traceView) rates() []report.Block {
	if len(v.Rates) == 0 {
		return nil
	}
	t := &report.Table{Columns: []report.Column{
		{Name: "Operator"}, {Name: "Calls", Right: true}, {Name: "GPU", Right: true}, {
			Name:  "TFLOP/s",
			Right: true,
		}, {Name: "Of roof", Right: true}, {Name: "Bound"}, {Name: "Type"}, {Name: "Shapes"},
	}}
	for _, r := range v.Rates {
		roof := ""
		if r.RoofRatio > 0 {
			roof = human.Percent(r.RoofRatio)
		}
		t.Rows = append(t.Rows, []string{
			shorten(r.Operator), human.Count(r.Count), human.Nanoseconds(r.TotalNS), fmt.Sprintf("%.3g",
				r.TFLOPPerS), roof, string(r.Bound),
			strings.TrimPrefix(strings.Join(r.Types, ", "), "c10::"), shapesText(r.Shapes),
		})
	}
	return []report.Block{{Heading: "Compute rates", Table: t}}
}

// shapesText writes the first shapes: 32×4096, 4096×4096.
func shapesText(list [][]int64) string {
	var shapes []string
	for _, s := range list[:min(3, len(list))] {
		shapes = append(shapes, strings.ReplaceAll(strings.Trim(fmt.Sprint(s), "[]"), " ", "×"))
	}
	return strings.Join(shapes, ", ")
}
