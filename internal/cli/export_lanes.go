package cli

import (
	"cmp"
	"fmt"
	"slices"

	"saturate/internal/analyze"
	"saturate/internal/trace"
	"saturate/internal/trace/chrome"
)

// exportLanes are the critical path and the causes of each GPU's gaps, as rows for a viewer, and the series as
// counters.
func exportLanes(a analyze.Analysis) (lanes []chrome.Lane) {
	if p := a.CriticalPath; p != nil {
		lane := chrome.Lane{Name: "critical path"}
		for _, s := range p.Segments() {
			lane.Spans = append(lane.Spans, chrome.LaneSpan{Interval: s.Interval, Name: string(s.Kind), Detail: p.Place(s)})
		}
		lanes = append(lanes, lane)
	}
	for _, gpu := range a.GPUs {
		lane := chrome.Lane{Name: fmt.Sprintf("GPU %d idle", gpu.Device)}
		for _, g := range gpu.LongestGaps { // all of them: an export asks for all rows
			lane.Spans = append(lane.Spans, chrome.LaneSpan{
				Interval: trace.Interval{Start: g.StartNS, End: g.EndNS},
				Name:     g.Cause, Detail: g.Place,
			})
		}
		slices.SortFunc(lane.Spans, func(x, y chrome.LaneSpan) int { return cmp.Compare(x.Start, y.Start) })
		lanes = append(lanes, lane)
	}
	for _, series := range a.Series {
		lane := chrome.Lane{Name: series.Name}
		for _, p := range series.Points {
			lane.Values = append(lane.Values, chrome.LaneValue(p))
		}
		lanes = append(lanes, lane)
	}
	return lanes
}
