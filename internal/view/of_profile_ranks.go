package view

import (
	"fmt"
	"slices"
	"strings"

	"saturate/internal/analyze"
	"saturate/internal/finding"
	"saturate/internal/human"
	"saturate/internal/probe"
	"saturate/internal/report"
	"saturate/internal/run"
)

// rankFindings are the findings in the steps of all ranks. Each is shown once, as found in the rank that it costs
// most, and names the ranks that have it where others do not.
func rankFindings(o probe.Outcome, first probe.Explanation) []finding.Finding {
	found := probe.Findings(o, first)
	if len(o.Ranks) < 2 {
		return found
	}
	at := make([][]int, len(found)) // the ranks that have each
	for i := range at {
		at[i] = []int{o.Ranks[0].Rank}
	}
	for _, r := range o.Ranks[1:] {
		own := o
		own.Run.Steps, own.Run.Functions, own.Facts.InProcess = r.Steps, nil, nil // the first rank alone tells the others
		for _, f := range probe.Findings(own, probe.Explain(r.Steps, len(o.Facts.GPUs) > 0)) {
			i := slices.IndexFunc(found, func(known finding.Finding) bool { return known.Name == f.Name })
			switch {
			case i < 0:
				found, at = append(found, f), append(at, []int{r.Rank})
				continue
			case cost(f) > 1.5*cost(found[i]):
				found[i] = f
			}
			at[i] = append(at[i], r.Rank)
		}
	}
	for i := range found {
		if len(at[i]) < len(o.Ranks) {
			found[i].Message = fmt.Sprintf("%s %s: %s", human.Choose(len(at[i]), "rank", "ranks"), numbers(at[i]),
				found[i].Message)
		}
	}
	return found
}

func cost(f finding.Finding) float64 {
	if f.Estimate == nil {
		return 0
	}
	return f.Estimate.SecondsPerStep
}

// numbers writes ranks: 1, or 1, 2, 5; of many the first ones.
func numbers(ranks []int) string {
	var list []string
	for i, r := range ranks {
		if i == 8 && len(ranks) > 9 {
			list = append(list, fmt.Sprintf("… (%d in all)", len(ranks)))
			break
		}
		list = append(list, fmt.Sprint(r))
	}
	return strings.Join(list, ", ")
}

// heldUpTable is where a step of the rank goes that the first one waits for.
func heldUpTable(o probe.Outcome, e probe.Explanation, at int) *report.Table {
	t := profileTable(e, viewRun(run.Run{Steps: o.Ranks[at].Steps}, nil))
	t.Foot += fmt.Sprintf(" This is rank %d, which rank %d waits for.", o.Ranks[at].Rank, o.Ranks[0].Rank)
	return t
}

// dataFigure lets the wait for data be that of the rank that others wait for.
func dataFigure(figures []report.Figure, e probe.Explanation, rank int) {
	for i, f := range figures {
		if f.Name == "waiting for data" {
			figures[i].Value, figures[i].Note = human.Percent(e.Part("data")/e.StepTime), fmt.Sprintf("of an average step of rank %d", rank)
		}
	}
}

// traceSentence is what the traces say: of several, who waits for whom, and then what the rank shows that is explained.
func traceSentence(a *analyze.Analysis) string {
	if a.Ranks == nil {
		return a.Verdict.Sentence
	}
	var list []string
	if a.Ranks.Sentence != "" {
		list = append(list, a.Ranks.Sentence)
	}
	if len(a.GPUs) > 0 {
		list = append(list, fmt.Sprintf("Rank %d: %s", a.Ranks.Explained, a.Verdict.Sentence))
	}
	return strings.Join(list, " ")
}

// rankData sums up the steps of each rank.
func rankData(ranks []probe.Rank) []RankData {
	list := []RankData{}
	for _, r := range ranks {
		one := viewRun(run.Run{Steps: r.Steps}, nil)
		list = append(list, RankData{r, one.times, append([]run.Part{}, one.parts...)})
	}
	return list
}

func ranksTable(ranks []RankData) *report.Table {
	t := &report.Table{Columns: []report.Column{
		{Name: "rank", Right: true},
		{Name: "steps", Right: true},
		{Name: "median", Right: true},
	}}
	var names []string
	for _, r := range ranks {
		for _, p := range r.Parts {
			if !slices.Contains(names, p.Name) {
				names = append(names, p.Name)
				t.Columns = append(t.Columns, report.Column{Name: partName(p.Name), Right: true})
			}
		}
	}
	for _, r := range ranks {
		row := []string{fmt.Sprint(r.Rank.Rank), human.Count(len(r.Steps)), human.Seconds(float64(r.StepTime.Median))}
		for _, name := range names {
			cell := human.Missing
			if at := slices.IndexFunc(r.Parts, func(p run.Part) bool { return p.Name == name }); at >= 0 {
				cell = human.Seconds(r.Parts[at].Seconds)
			}
			row = append(row, cell)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
