package view

import (
	"saturate/internal/probe"
	"saturate/internal/report"
)

// WithRanks adds to the report of one Run what its ranks say side by side. Where the first rank waits for another one,
// that is the answer: the parts of the first rank alone hide it in forward and backward, in which ranks meet.
func WithRanks(r report.Report, o probe.Outcome) report.Report {
	if len(o.Ranks) < 2 {
		return r
	}
	onGPU := len(o.Facts.GPUs) > 0
	if e, held := o.HeldUp(probe.Explain(o.Ranks[0].Steps, onGPU), onGPU); held > 0 {
		r.Summary, r.Tone = append([]string{e.Sentence}, r.Summary...), report.Bad
		dataFigure(r.Figures, e, o.Ranks[held].Rank)
	}
	block := report.Block{Heading: "Ranks", Table: ranksTable(rankData(o.Ranks))}
	at := min(1, len(r.Blocks)) // after the steps
	r.Blocks = append(append(append([]report.Block{}, r.Blocks[:at]...), block), r.Blocks[at:]...)
	return r
}
