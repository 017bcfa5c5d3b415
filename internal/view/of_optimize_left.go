package view

import (
	"strings"

	"saturate/internal/human"
	"saturate/internal/optimize"
	"saturate/internal/report"
	"saturate/internal/report/plot"
)

// leftForYou lists what could still be gained: with what it may save where the loop has ended, otherwise what no fix
// covers.
func leftForYou(result optimize.Result) []report.Block {
	t := &report.Table{Columns: []report.Column{
		{Name: "what"},
		{Name: "where"},
		{Name: "may save", Right: true},
		{Name: "why it is left"},
		{Name: "what to do"},
	}}
	const mostRows = 12
	for _, l := range result.Left[:min(mostRows, len(result.Left))] {
		saves := human.Percent(l.Saves)
		switch {
		case l.Forecast != nil:
		case l.Saves == 0:
			saves = human.Missing
		default:
			saves = "≤ " + saves
		}
		t.Rows = append(t.Rows, []string{
			leftName(l), orNone(l.Where), saves, human.Clip(l.Why, longestReason),
			strings.Join(l.Advice, " "),
		})
	}
	if len(result.Left) == 0 {
		for _, h := range result.ByHand {
			where := human.Missing
			if w := h.Finding.Where; w != nil {
				where = w.Short()
			}
			t.Rows = append(t.Rows, []string{
				h.Finding.Code + ": " + h.Finding.Message, where, human.Missing, h.Reason,
				strings.Join(h.Advice, " "),
			})
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	t.Foot = "What a fix may save is a share of the current step. ≤ marks an upper limit: the whole time of the part " +
		"that the fix shortens. Figures without ≤ are predicted from the trace."
	dropEmpty(t)
	return []report.Block{{Heading: "Left for you", Table: t}}
}

func leftName(l optimize.Left) string {
	if l.ID == "" || strings.ToLower(l.ID) == l.ID && !strings.Contains(l.ID, "/") {
		return l.Title
	}
	return l.ID + ": " + l.Title
}

// movedBottleneck shows where a step goes before any fix and after each that was kept.
func movedBottleneck(result optimize.Result) plot.Stack {
	stack := plot.Stack{Heading: "Where a step goes after each kept fix", Axis: "time per step", Unit: "s"}
	add := func(name string, b *optimize.Baseline) {
		if b == nil || len(b.Parts) == 0 {
			return
		}
		bar := plot.Bar{Name: name}
		for _, p := range b.Parts {
			bar.Parts = append(bar.Parts, plot.Part{Name: p.Name, Value: p.Seconds})
		}
		stack.Bars = append(stack.Bars, bar)
	}
	add("before", &result.Baseline)
	for _, r := range result.Ladder {
		if r.Decision == optimize.Kept {
			add(r.ID, r.Standing)
		}
	}
	return stack
}

// pieceBlocks list the patches of the kept fixes, in the order in which they are applied.
func pieceBlocks(result optimize.Result) []report.Block {
	if len(result.Pieces) < 2 && result.Branch == "" {
		return nil
	}
	t := &report.Table{Columns: []report.Column{{Name: "fix"}, {Name: "speed", Right: true}, {Name: "patch"}}}
	for _, p := range result.Pieces {
		speed := human.Missing
		if p.Ratio.Finite() && p.Ratio > 0 {
			speed = human.Times(1 / float64(p.Ratio))
		}
		t.Rows = append(t.Rows, []string{p.ID, speed, p.File})
	}
	if result.Branch != "" {
		t.Foot = "The branch " + result.Branch + " has a commit for each."
	}
	return []report.Block{{Heading: "One patch for each fix", Table: t}}
}
