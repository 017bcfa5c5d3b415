package view

import (
	"fmt"

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
		{Name: "Stream"}, {Name: "host_wait(us)", Right: true}, {Name: "kernel_wait(us)", Right: true}, {Name: "other(us)", Right: true},
	}}
	us := func(ns int64) string { return fmt.Sprintf("%.3f", float64(ns)/1e3) }
	for _, g := range v.GPUs {
		s := g.Span
		of := func(ns int64) string { return human.Percent(float64(ns) / float64(max(s.SpanNS, 1))) }
		times.Rows = append(times.Rows, []string{
			fmt.Sprint(g.Device), us(s.IdleNS), us(s.ComputeNS), us(s.NonComputeNS()), us(s.SpanNS), of(s.IdleNS), of(s.ComputeNS), of(s.NonComputeNS()),
		})
		for _, t := range g.Streams {
			waits.Rows = append(waits.Rows, []string{fmt.Sprint(t.Stream), us(t.HostWaitNS), us(t.KernelWaitNS), us(t.OtherNS)})
		}
	}
	return []report.Block{{Heading: "HTA: temporal breakdown", Table: times}, {Heading: "HTA: idle time of each stream", Table: waits}}
}
