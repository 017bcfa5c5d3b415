package view

import (
	"fmt"
	"slices"
	"strings"

	"saturate/internal/human"
	"saturate/internal/report"
	"saturate/internal/run"
	"saturate/internal/stat"
)

// CompareSeries compares two Runs without steps by the samples that both have: those of a bench, say.
// ok is false where there is nothing of the same name on both sides.
func CompareSeries(a, b run.Run) (r report.Report, ok bool) {
	views := viewRuns(a, b)
	before, after := views[0], views[1]
	var comparisons []stat.Comparison
	for _, s := range a.Series {
		at := slices.IndexFunc(b.Series, func(o stat.Series) bool { return o.Name == s.Name && o.Unit == s.Unit })
		if at >= 0 {
			comparisons = append(comparisons, stat.Compare(s, b.Series[at]))
		}
	}
	if len(a.Steps) > 0 || len(b.Steps) > 0 || len(comparisons) == 0 {
		return report.Report{}, false
	}
	adjusted := make([]float64, len(comparisons))
	for i, c := range comparisons {
		adjusted[i] = c.P
	}
	if family, err := stat.Holm(adjusted); err == nil {
		adjusted = family
	}
	differences := differencesOf(a, b)
	r = report.Report{
		Command: "compare", Title: before.label + " vs " + after.label,
		Data: CompareData{before.data(), after.data(), comparisons, adjusted, append([]run.Difference{}, differences...)},
	}
	concludeSeries(&r, before, after, comparisons, adjusted)
	r.Warnings = append(r.Warnings, sameRun(a, b)...)
	r.Warnings = append(r.Warnings, "This compares one process with one (n = 1): samples of one process are not "+
		"independent. Alternate several runs of both before you trust a small difference.")
	r.Warnings = append(r.Warnings, differentConditions(views)...)
	r.Warnings = append(r.Warnings, slices.Concat(before.warnings(true), after.warnings(true))...)
	if left := len(a.Series) + len(b.Series) - 2*len(comparisons); left > 0 {
		r.Warnings = append(r.Warnings, human.Plural(left, "series is", "series are")+" on one side only and skipped.")
	}
	r.Blocks = append(r.Blocks, report.Block{Heading: "Before and after", Table: seriesTable(comparisons, adjusted)})
	if len(differences) > 0 {
		r.Blocks = append(r.Blocks, report.Block{
			Heading: "Differences between the environments",
			Table:   differenceTable(before, after, differences),
		})
	}
	r.Blocks = append(r.Blocks, environmentOf(views))
	return r, true
}

// direction tells which way a comparison went: -1 worse, 1 better, 0 not to be told apart.
func direction(c stat.Comparison, p float64) int {
	if p > c.Alpha || !c.Ratio.Finite() || c.Ratio == 1 {
		return 0
	}
	if (c.Ratio > 1) == (stat.Better(c.Unit) > 0) {
		return 1
	}
	return -1
}

func concludeSeries(r *report.Report, before, after runView, comparisons []stat.Comparison, adjusted []float64) {
	var better, worse []int
	withheld := ""
	for i, c := range comparisons {
		way := direction(c, adjusted[i])
		if why := weak(before, after, c); way != 0 && why != "" {
			way, withheld = 0, " "+why
		}
		switch way {
		case 1:
			better = append(better, i)
		case -1:
			worse = append(worse, i)
		}
	}
	most := func(list []int) string {
		by := slices.MaxFunc(list, func(i, j int) int {
			x, y := gain(comparisons[i]), gain(comparisons[j])
			switch {
			case x < y:
				return -1
			case x > y:
				return 1
			}
			return 0
		})
		return fmt.Sprintf("most `%s` by %s", comparisons[by].Name, human.Times(gain(comparisons[by])))
	}
	var parts []string
	if len(better) > 0 {
		parts = append(parts, fmt.Sprintf("%d got better (%s)", len(better), most(better)))
	}
	if len(worse) > 0 {
		parts = append(parts, fmt.Sprintf("%d got worse (%s)", len(worse), most(worse)))
	}
	switch {
	case len(parts) == 0:
		r.Summary = []string{fmt.Sprintf("No difference found in %s between `%s` and `%s`.%s", human.Plural(len(comparisons), "measurement"), before.label, after.label, withheld)}
		r.Tone, r.Outcome = report.Unsure, report.Undecided
	default:
		r.Summary = []string{fmt.Sprintf("Of %s, %s.", human.Plural(len(comparisons), "measurement"),
			strings.Join(parts, " and "))}
		r.Tone = report.Good
		if len(worse) > 0 {
			r.Tone, r.Outcome = report.Bad, report.Found
		}
	}
}

// gain is how far a ratio is from one, whichever way.
func gain(c stat.Comparison) float64 { return max(float64(c.Ratio), 1/float64(c.Ratio)) }

func seriesTable(comparisons []stat.Comparison, adjusted []float64) *report.Table {
	t := &report.Table{
		Columns: []report.Column{
			{Name: "measurement"},
			{Name: "before", Right: true},
			{Name: "after", Right: true},
			{Name: "change", Right: true},
			{Name: human.Percent(stat.Confidence) + " interval", Right: true},
			{
				Name:  "p",
				Right: true,
			},
			{Name: "n", Right: true},
		},
		Foot: fmt.Sprintf("~ is not significant at %s. Medians, Mann-Whitney test; p is "+
			"Holm-adjusted for the number of measurements.", human.Percent(stat.Alpha)),
	}
	for i, c := range comparisons {
		u := human.NewScale(c.Unit, float64(c.Before.Median), float64(c.After.Median))
		cell := human.Missing
		if c.Ratio.Finite() {
			cell = "~"
			if adjusted[i] <= c.Alpha {
				cell = human.Change(float64(c.Ratio))
			}
		}
		t.Rows = append(t.Rows, []string{
			c.Name, u.Value(float64(c.Before.Median)), u.Value(float64(c.After.Median)), cell,
			orNone(changeInterval(c.Interval)),
			strings.TrimPrefix(pValue(adjusted[i]), "= "), human.Count(c.Before.N) + "+" + human.Count(c.After.N),
		})
	}
	return t
}
