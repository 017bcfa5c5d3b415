package view

import (
	"fmt"

	"saturate/internal/analyze"
	"saturate/internal/human"
	"saturate/internal/report"
)

// htaBlock gives HTA's figures under HTA's names, for those who compare.
func (v traceView) htaBlock() []report.Block {
	if !v.Window.HTA || len(v.GPUs) == 0 {
		return nil
	}
	times := &report.Table{Columns: []report.Column{
		{Name: "GPU"},
		{Name: "idle_time(us)", Right: true},
		{Name: "compute_time(us)", Right: true},
		{Name: "non_compute_time(us)", Right: true},
		{Name: "kernel_time(us)", Right: true},
		{Name: "idle", Right: true},
		{Name: "compute", Right: true},
		{Name: "non_compute", Right: true},
	}}
	waits := &report.Table{Columns: []report.Column{
		{Name: "Stream"}, {Name: "host_wait(us)", Right: true}, {Name: "kernel_wait(us)", Right: true}, {
			Name:  "other(us)",
			Right: true,
		},
	}}
	us := func(ns int64) string { return fmt.Sprintf("%.3f", float64(ns)/1e3) }
	for _, g := range v.GPUs {
		s := g.Span
		of := func(ns int64) string { return human.Percent(float64(ns) / float64(max(s.SpanNS, 1))) }
		times.Rows = append(times.Rows, []string{
			fmt.Sprint(g.Device), us(s.IdleNS), us(s.ComputeNS), us(s.NonComputeNS()), us(s.SpanNS), of(s.IdleNS),
			of(s.ComputeNS), of(s.NonComputeNS()),
		})
		for _, t := range g.Streams {
			waits.Rows = append(waits.Rows, []string{fmt.Sprint(t.Stream), us(t.HostWaitNS), us(t.KernelWaitNS), us(t.OtherNS)})
		}
	}
	blocks := []report.Block{{Heading: "HTA: temporal breakdown", Table: times}, {
		Heading: "HTA: idle time of each stream",
		Table:   waits,
	}}
	queues, rates := described("Stream"), described("GB/s of")
	for _, q := range v.Launch.Queue.ByStream {
		queues.Rows = append(queues.Rows, describedRow(fmt.Sprint(q.Stream), q.OverChanges))
	}
	for _, b := range v.HTABandwidth {
		rates.Rows = append(rates.Rows, describedRow(b.Kind, b.GBPerS))
	}
	if len(queues.Rows) > 0 {
		blocks = append(blocks, report.Block{Heading: "HTA: queue length", Table: queues})
	}
	if len(rates.Rows) > 0 {
		blocks = append(blocks, report.Block{Heading: "HTA: memory bandwidth", Table: rates})
	}
	return blocks
}

// described has the columns of pandas' describe, which HTA shows.
func described(first string) *report.Table {
	t := &report.Table{Columns: []report.Column{{Name: first}}}
	for _, name := range []string{"count", "mean", "std", "min", "25%", "50%", "75%", "max"} {
		t.Columns = append(t.Columns, report.Column{Name: name, Right: true})
	}
	return t
}

func describedRow(name string, d analyze.Described) []string {
	row := []string{name, human.Count(d.Count)}
	for _, x := range []float64{d.Mean, d.Deviation, d.Min, d.Quartile1, d.Median, d.Quartile3, d.Max} {
		row = append(row, fmt.Sprintf("%.4g", x))
	}
	return row
}
