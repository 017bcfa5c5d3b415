package view

import (
	"fmt"
	"slices"

	"saturate/internal/bench"
	"saturate/internal/human"
	"saturate/internal/report"
	"saturate/internal/stat"
)

// rateNoun is what is counted.
func rateNoun(task bench.Task) string {
	if task == bench.Mel {
		return "clips"
	}
	return "samples"
}

// rateSummary names the fastest way.
func rateSummary(b bench.Result) []string {
	best := -1
	for i, r := range b.Rates {
		if r.N > 0 && (best < 0 || r.PerSecond > b.Rates[best].PerSecond) {
			best = i
		}
	}
	if best < 0 || b.Disturbed {
		return nil
	}
	r := b.Rates[best]
	text := fmt.Sprintf("%s with %s is the fastest: %s per second", r.Framework, r.Name, human.Value(float64(r.PerSecond),
		rateNoun(b.Task)))
	if r.AudioPerS > 0 {
		text += ", " + human.Times(float64(r.AudioPerS)) + " real time"
	}
	return []string{text + "."}
}

func rateBlocks(b bench.Result) []report.Block {
	if len(b.Rates) == 0 {
		return nil
	}
	t := &report.Table{Columns: []report.Column{{Name: "Framework"}, {Name: "Way"}, {
		Name:  rateNoun(b.Task) + "/s",
		Right: true,
	}, {Name: human.Percent(stat.Confidence) +
		" interval", Right: true}, {Name: "n", Right: true}, {Name: "× real time", Right: true}, {Name: "MB/s", Right: true}, {Name: "First batch (ms)", Right: true}}}
	for _, r := range b.Rates {
		row := []string{r.Framework, r.Name}
		if r.N == 0 {
			row = append(row, "skipped: "+r.Skipped, "", "", "", "", "")
			t.Rows = append(t.Rows, row)
			continue
		}
		u := human.NewScale("", float64(r.PerSecond))
		row = append(row, u.Value(float64(r.PerSecond)), orNone(spread(r.Interval, u)), human.Count(r.N),
			rateOr(float64(r.AudioPerS)), rateOr(float64(r.BytesPerS)/1e6), pointed(r.FirstMS))
		t.Rows = append(t.Rows, row)
	}
	dropEmpty(t)
	if b.Task == bench.Loader && slices.ContainsFunc(b.Rates, func(r bench.RateResult) bool { return r.Framework == "go" }) {
		t.Foot = "go: saturate reads and decodes the files. torch: a DataLoader over them, " +
			"with collating and transfer between processes."
	}
	return []report.Block{{
		Heading: map[bench.Task]string{bench.Mel: "Features", bench.Loader: "Loading"}[b.Task],
		Table:   t,
	}}
}

func rateOr(v float64) string {
	if v == 0 {
		return human.Missing
	}
	return human.Value(v, "")
}

// dropEmpty takes columns out in which no row has anything.
func dropEmpty(t *report.Table) {
	for j := len(t.Columns) - 1; j >= 0 && len(t.Rows) > 0; j-- {
		if slices.ContainsFunc(t.Rows, func(row []string) bool { return row[j] != "" && row[j] != human.Missing }) {
			continue
		}
		t.Columns = slices.Delete(t.Columns, j, j+1)
		for i := range t.Rows {
			t.Rows[i] = slices.Delete(t.Rows[i], j, j+1)
		}
	}
}
