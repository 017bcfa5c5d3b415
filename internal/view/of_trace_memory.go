package view

import (
	"fmt"

	"saturate/internal/human"
	"saturate/internal/report"
	"saturate/internal/report/plot"
)

// memory shows the allocator's memory over time and what held it at the peak.
func (v traceView) memory() []report.Block {
	m := v.Memory
	if !m.Recorded {
		if m.DriverCalls == 0 {
			return nil
		}
		return []report.Block{{
			Heading: "Memory",
			Text: fmt.Sprintf("Allocations were not recorded; use profile_memory=True. %s took %s on the host.",
				human.Plural(m.DriverCalls, "memory call to the driver",
					"memory calls to the driver"), human.Nanoseconds(m.DriverNS)),
		}}
	}
	facts := &report.Table{Columns: []report.Column{{Name: ""}, {Name: "", Right: true}, {Name: ""}}, Rows: [][]string{
		{"peak in use", human.Memory(m.PeakBytes), "at " + v.at(m.PeakAtNS)},
		{"allocations", human.Count(m.Allocations), ""},
	}}
	if m.ReservedBytes > 0 { // the host's allocator reserves nothing
		facts.Rows = append(facts.Rows,
			[]string{"reserved", human.Memory(m.ReservedBytes), "at most"},
			[]string{"unused at the peak", human.Percent(m.Fragmentation), "of the reserved memory"},
			[]string{"driver calls", human.Count(m.DriverCalls), human.Nanoseconds(m.DriverNS) + " of host time"},
			[]string{"retries", human.Count(m.Retries), "the allocator freed its cache and tried again"})
	}
	blocks := []report.Block{{Heading: "Memory", Table: facts}}
	if curve := v.memoryCurve(); len(curve.Series) > 0 {
		blocks = append(blocks, report.Block{Plot: curve})
	}
	held := &report.Table{Columns: []report.Column{
		{Name: "Held at the peak by"},
		{Name: "Bytes", Right: true},
		{Name: "Blocks", Right: true},
	}}
	for _, h := range m.Held {
		held.Rows = append(held.Rows, []string{shorten(h.Operator), human.Memory(h.Bytes), human.Count(h.Blocks)})
	}
	if len(held.Rows) > 0 {
		held.Foot = "Memory allocated before the recording is in the peak but not in this list."
		blocks = append(blocks, report.Block{Heading: "What held the memory", Table: held})
	}
	spikes := &report.Table{Columns: []report.Column{
		{Name: "Spike at", Right: true},
		{Name: "Bytes", Right: true},
		{Name: "Operator"},
	}}
	for _, s := range m.Spikes {
		spikes.Rows = append(spikes.Rows, []string{v.at(s.AtNS), human.Memory(s.Bytes), shorten(s.Operator)})
	}
	if len(spikes.Rows) > 0 {
		blocks = append(blocks, report.Block{Heading: "Memory spikes", Table: spikes})
	}
	return blocks
}

// memoryCurve is memory over time at equal distances: the highest value of each stretch.
func (v traceView) memoryCurve() plot.Trend {
	const stretches = 240
	curve := v.Memory.Curve
	if len(curve) < 2 {
		return plot.Trend{}
	}
	from, length := v.Window.StartNS, max(v.Window.EndNS-v.Window.StartNS, 1) // as in every other picture of the trace
	used, reserved := make([]float64, stretches), make([]float64, stretches)
	at := 0
	for i := range used {
		end := from + length*int64(i+1)/stretches
		u, r := curve[max(at-1, 0)].Allocated, curve[max(at-1, 0)].Reserved // what was in use before
		for ; at < len(curve) && curve[at].At <= end; at++ {
			u, r = max(u, curve[at].Allocated), max(r, curve[at].Reserved)
		}
		used[i], reserved[i] = float64(u), float64(r)
	}
	p := plot.Trend{
		Heading: "Memory over time", Axis: "memory", Unit: "iB", Noun: "piece", Every: float64(length) / 1e9 / stretches,
		Series: []plot.Series{{Name: "in use", Values: used}},
	}
	if v.Memory.ReservedBytes > 0 {
		p.Series = append(p.Series, plot.Series{Name: "reserved", Values: reserved})
	}
	return p
}
