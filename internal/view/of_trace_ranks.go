package view

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"saturate/internal/analyze"
	"saturate/internal/human"
	"saturate/internal/report"
)

// rankSummary is what a job of several ranks is answered with: which of them holds it up.
// The answers about that rank follow.
func (v traceView) rankSummary() (out []string) {
	if v.Ranks == nil || v.Ranks.Sentence == "" {
		return nil
	}
	if r := v.Ranks; r.JobSize > r.World {
		out = append(out, fmt.Sprintf("These are %d of the job's %d ranks; nothing is known about the others.", r.World,
			r.JobSize))
	}
	return append(out, v.Ranks.Sentence)
}

// ofRank begins what is about one of several ranks: "rank 1, ".
func (v traceView) ofRank(separator string) string {
	if v.Ranks == nil || len(v.Ranks.Notes) > 0 {
		return ""
	}
	return fmt.Sprintf("rank %d%s", v.Ranks.Explained, separator)
}

// aboutWhich begins an answer about one of several traces with its name: its rank, or its file where they are not
// ranks.
func (v traceView) aboutWhich(sentence string) string {
	if v.Ranks != nil && len(v.Ranks.Notes) > 0 {
		return human.Line(filepath.Base(v.Trace.Path)) + ": " + lowerFirst(sentence)
	}
	return upperFirst(v.ofRank(": ")) + sentence
}

// rankBlock puts the ranks of a job side by side.
func (v traceView) rankBlock() []report.Block {
	r := v.Ranks
	if r == nil {
		return nil
	}
	onGPU := len(v.GPUs) > 0 // without one, what it did is nothing to show
	talked := slices.ContainsFunc(r.Rows, func(x analyze.Rank) bool { return x.CommunicationNS > 0 })
	steps := slices.ContainsFunc(r.Rows, func(x analyze.Rank) bool { return x.Steps > 0 })
	columns := []struct {
		name  string
		shown bool
		cell  func(analyze.Rank) string
	}{
		{"Step", true, func(x analyze.Rank) string {
			if x.Steps == 0 {
				return human.Missing
			}
			return human.Nanoseconds(x.StepNS)
		}},
		{"Busy", onGPU, func(x analyze.Rank) string { return human.Percent(x.BusyRatio) }},
		{"Compute", onGPU, func(x analyze.Rank) string { return human.Nanoseconds(x.ComputeNS) }},
		{"Communication", onGPU || talked, func(x analyze.Rank) string { return human.Nanoseconds(x.CommunicationNS) }},
		{"Exposed", onGPU, func(x analyze.Rank) string { return human.Nanoseconds(x.ExposedNS) }},
		{"Waits for others", r.Matched > 0, func(x analyze.Rank) string { return human.Nanoseconds(x.WaitedNS) }},
		{"Last", r.Matched > 0, func(x analyze.Rank) string { return human.Percent(float64(x.LastIn) / float64(r.Matched)) }},
		{"Waiting for data", true, func(x analyze.Rank) string { return human.Nanoseconds(x.DataLoadingNS) }},
		{"Bottleneck", onGPU, func(x analyze.Rank) string { return causeName(string(x.Bottleneck)) }},
	}
	heading, t := "Ranks side by side", &report.Table{Columns: []report.Column{{Name: "Rank", Right: true}}}
	if len(r.Notes) > 0 {
		heading, t.Columns[0] = "Traces side by side", report.Column{Name: "Trace"}
	}
	for _, c := range columns {
		if c.shown {
			t.Columns = append(t.Columns, report.Column{Name: c.name, Right: c.name != "Bottleneck"})
		}
	}
	for _, x := range r.Rows {
		row := []string{fmt.Sprint(x.Rank)}
		if len(r.Notes) > 0 {
			row[0] = human.Line(filepath.Base(x.Path))
		}
		for _, c := range columns {
			if c.shown {
				row = append(row, c.cell(x))
			}
		}
		t.Rows = append(t.Rows, row)
	}
	t.Foot = v.rankFoot(talked, steps, onGPU)
	return append([]report.Block{{Heading: heading, Table: t}}, v.groupBlock()...)
}

// clocks says how far the ranks' clocks were apart, where that matters.
func (v traceView) clocks() string {
	low, high := int64(0), int64(0)
	for _, x := range v.Ranks.Rows {
		low, high = min(low, x.ClockNS), max(high, x.ClockNS)
	}
	if high-low < 1_000_000 {
		return ""
	}
	return fmt.Sprintf("; clocks that differ by up to %s were aligned by the ends of collectives",
		human.Nanoseconds(high-low))
}

// groupBlock shows what the collectives of each process group take.
func (v traceView) groupBlock() []report.Block {
	const most = 12
	groups := v.Ranks.Groups
	if len(groups) == 0 {
		return nil
	}
	t := &report.Table{Columns: []report.Column{
		{Name: "Collective"},
		{Name: "Group"},
		{Name: "Count", Right: true},
		{Name: "Message", Right: true},
		{Name: "Waiting", Right: true},
		{Name: "Transfer", Right: true},
		{Name: "Exposed", Right: true},
		{Name: "Algorithm", Right: true},
		{Name: "Bus", Right: true},
		{Name: "Last"},
	}}
	rate := func(gbs float64) string {
		if gbs == 0 {
			return human.Missing
		}
		return human.Value(gbs*1e9, "B/s")
	}
	for _, g := range groups[:min(most, len(groups))] {
		name, size := shorten(g.Name), human.Missing
		if g.Seen < g.Ranks {
			name += fmt.Sprintf(" (%d of %d ranks)", g.Seen, g.Ranks)
		}
		if g.Bytes > 0 {
			size = human.Memory(g.Bytes)
		}
		t.Rows = append(t.Rows, []string{
			shorten(g.Collective), name, human.Count(g.Count), size, human.Nanoseconds(g.WaitNS),
			human.Nanoseconds(g.TransferNS), human.Nanoseconds(g.ExposedNS),
			rate(g.AlgGBs), rate(g.BusGBs), fmt.Sprintf("rank %d, %s", g.LastRank, human.Percent(g.LastShare)),
		})
	}
	t.Foot = "Waiting: for the last rank. Transfer: from then to the end. Times are per rank and step."
	if len(groups) > most {
		t.Foot += fmt.Sprintf(" The %d of %d that take longest are shown.", most, len(groups))
	}
	return []report.Block{{Heading: "Collectives by group", Table: t}}
}

// rankFoot says what the table means, and what the rest of the report is about.
func (v traceView) rankFoot(talked, steps, onGPU bool) string {
	r := v.Ranks
	var out []string
	if steps {
		out = append(out, "Times are per step.")
	}
	if onGPU {
		out = append(out, "Busy is the share of the time "+v.Window.Counted("each GPU's")+".")
	}
	if len(r.Notes) > 0 {
		return strings.Join(append(out, "Everything below is about "+human.Line(filepath.Base(v.Trace.Path))+"."), " ")
	}
	switch {
	case r.Slowest >= 0: // the summary says it
	case !talked:
		out = append(out, "No communication between the ranks was recorded, so it is unknown which rank waits for which.")
	default:
		out = append(out, "No rank makes the others wait.")
	}
	if r.Matched > 0 {
		out = append(out, fmt.Sprintf("Last is the share of %s in which the rank arrived last%s.",
			human.Plural(r.Matched, "matched collective"), v.clocks()))
	}
	if r.Apart > 0 {
		out = append(out, human.Plural(r.Apart, "collective was", "collectives were")+
			" not matched: one rank left before another arrived, so they are different collectives.")
	}
	if r.Recordings > 1 {
		out = append(out, fmt.Sprintf("Each rank was recorded %d times; this is the last recording.", r.Recordings))
	}
	return strings.Join(append(out, fmt.Sprintf("Everything below is about rank %d; use --rank N for another.",
		r.Explained)), " ")
}
