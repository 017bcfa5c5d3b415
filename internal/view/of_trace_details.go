package view

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"saturate/internal/analyze"
	"saturate/internal/human"
	"saturate/internal/report"
	"saturate/internal/report/plot"
)

// detail is a block that can be asked for by name.
type detail struct {
	name  string
	Block report.Block
}

// details are the tables and pictures behind the answer.
func (v traceView) details() (out []detail) {
	add := func(name string, blocks ...report.Block) {
		for _, b := range blocks {
			out = append(out, detail{name, b})
		}
	}
	add("steps", v.perStep()...)
	add("path", v.path()...)
	add("what-if", v.whatIf()...)
	add("gaps", v.gaps()...)
	add("gaps", v.otherCauses()...)
	add("kernels", v.kernels()...)
	add("operators", v.operators()...)
	add("rates", v.rates()...)
	add("replays", v.replays()...)
	add("sequences", v.sequences()...)
	add("ranges", v.phases()...)
	add("ranges", v.ranges()...)
	add("transfers", v.transfers()...)
	add("syncs", v.syncs()...)
	add("launch", v.launch()...)
	add("streams", v.streams()...)
	add("communication", v.communication()...)
	add("memory", v.memory()...)
	add("quality", v.quality()...)
	return out
}

// perStep shows each step; of many, the first, the last and the slowest.
func (v traceView) perStep() []report.Block {
	if len(v.Steps) < 2 {
		return nil
	}
	const most = 12
	steps, names := v.Steps, []string{}
	heading := "Each step"
	if len(steps) > most {
		heading = fmt.Sprintf("The first %d of %d steps", most, len(steps))
		steps = steps[:most]
	}
	for _, s := range steps {
		names = append(names, "step "+strconv.FormatInt(s.Number, 10))
	}
	times := plot.Trend{Heading: "Time of each step", Axis: "time", Unit: "s", Noun: "step", First: int(v.Steps[0].Number)}
	series := plot.Series{Name: "step"}
	for _, s := range v.Steps {
		series.Values = append(series.Values, float64(s.NS())/1e9)
	}
	times.Series = []plot.Series{series}
	return []report.Block{{Plot: v.stepPlot(heading, steps, names)}, {Plot: times}}
}

func (v traceView) gaps() []report.Block {
	g := v.MainGPU()
	if g == nil || len(g.LongestGaps) == 0 {
		return nil
	}
	t := &report.Table{Columns: []report.Column{
		{Name: "At", Right: true},
		{Name: "Length", Right: true},
		{Name: "Cause"},
		{Name: "Where"},
		{Name: "Ended by"},
	}}
	for _, gap := range g.LongestGaps {
		t.Rows = append(t.Rows, []string{
			v.at(gap.StartNS), human.Nanoseconds(gap.NS()), causeName(gap.Cause),
			placeName(gap.Place), kernelName(gap.Next),
		})
	}
	lengths := make([]float64, len(g.GapLengths))
	for i, n := range g.GapLengths {
		lengths[i] = float64(n) / 1e9
	}
	busy := plot.Trend{
		Heading: "GPU busy over time", Unit: "%", Noun: "piece", Axis: "busy",
		Every:  float64(v.Window.EndNS-v.Window.StartNS) / 1e9 / float64(max(1, len(g.Busy))),
		Series: []plot.Series{{Name: "busy", Values: scaled(g.Busy, 100)}},
	}
	return []report.Block{
		{Plot: busy},
		{Heading: "Longest gaps", Table: t},
		{Plot: plot.Histogram{
			Heading: "Gap lengths", Axis: "length of a gap", Unit: "s", Noun: "gap", Values: lengths,
			Log: true,
		}},
	}
}

func scaled(values []float64, by float64) []float64 {
	out := make([]float64, len(values))
	for i, x := range values {
		out[i] = x * by
	}
	return out
}

// at is a time from the start of the window.
func (v traceView) at(when int64) string { return human.Nanoseconds(when - v.Window.StartNS) }

func (v traceView) kernels() []report.Block {
	if len(v.Kernels) == 0 {
		return nil
	}
	t := &report.Table{Columns: []report.Column{
		{Name: "GPU time", Right: true},
		{Name: "Share", Right: true},
		{Name: "Count", Right: true},
		{Name: "Mean", Right: true},
		{Name: "Tensor cores"},
		{Name: "Occup.", Right: true},
		{Name: "TFLOP/s", Right: true},
		{Name: "Roof", Right: true},
		{Name: "Operator"},
		{Name: "Kernel"},
	}}
	for _, k := range v.Kernels {
		if k.Operator == k.Name {
			k.Operator = "" // generated code has its own name
		}
		t.Rows = append(t.Rows, []string{
			human.Nanoseconds(k.TotalNS), human.Percent(k.Share), human.Count(k.Count), human.Nanoseconds(k.MeanNS),
			tensorWord(k.TensorCores),
			ifKnown(k.Occupancy, human.Percent(k.Occupancy)), ifKnown(k.TFLOPPerS, fmt.Sprintf("%.1f", k.TFLOPPerS)),
			ifKnown(k.RoofRatio, human.Percent(k.RoofRatio)), k.Operator, kernelName(k.Name),
		})
	}
	t.Foot = "Occup. is the profiler's estimate. TFLOP/s are computed from the operator's input shapes where known. " +
		"Roof is the shortest possible time, from those shapes and the GPU's published peaks, over the measured time."
	return []report.Block{{Heading: "Kernels", Table: t}}
}

func tensorWord(t analyze.TensorCores) string {
	switch t {
	case analyze.OnTensorCores, analyze.NoTensorCores:
		return string(t)
	case analyze.MaybeTensor:
		return "?"
	}
	return ""
}

// kernelName is a kernel's name as short as it can still be recognised by: without what
// all names share and without the list of arguments.
func kernelName(name string) string {
	for _, common := range []string{"void ", "at::native::", "(anonymous namespace)::", "std::"} {
		name = strings.ReplaceAll(name, common, "")
	}
	if !strings.HasPrefix(name, "Memcpy") && !strings.HasPrefix(name, "Memset") {
		name, _, _ = strings.Cut(name, "(")
		if strings.Count(name, "<") > strings.Count(name, ">") {
			name += "…"
		}
	}
	const most = 64
	if r := []rune(name); len(r) > most {
		return string(r[:most]) + "…"
	}
	return name
}

func ifKnown(v float64, text string) string {
	if v == 0 {
		return human.Missing
	}
	return text
}

func (v traceView) operators() []report.Block {
	if len(v.Operators) == 0 {
		return nil
	}
	if len(v.GPUs) == 0 {
		t := &report.Table{Columns: []report.Column{
			{Name: "Operator"},
			{Name: "Calls", Right: true},
			{Name: "Host self", Right: true},
			{Name: "Host total", Right: true},
		}}
		for _, o := range v.Operators {
			t.Rows = append(t.Rows, []string{
				shorten(o.Name), human.Count(o.Count), human.Nanoseconds(o.HostSelfNS),
				human.Nanoseconds(o.HostTotalNS),
			})
		}
		return []report.Block{{Heading: "Operators", Table: t}}
	}
	t := &report.Table{Columns: []report.Column{
		{Name: "Operator"},
		{Name: "Calls", Right: true},
		{Name: "GPU self", Right: true},
		{Name: "GPU total", Right: true},
		{Name: "Host self", Right: true},
		{Name: "Host total", Right: true},
		{Name: "Kernels", Right: true},
	}}
	for _, o := range v.Operators {
		t.Rows = append(t.Rows, []string{
			shorten(o.Name), human.Count(o.Count), human.Nanoseconds(o.DeviceSelfNS),
			human.Nanoseconds(o.DeviceTotalNS), human.Nanoseconds(o.HostSelfNS), human.Nanoseconds(o.HostTotalNS),
			human.Count(o.Kernels),
		})
	}
	return []report.Block{{Heading: "Operators", Table: t}}
}

func (v traceView) ranges() []report.Block {
	if len(v.Ranges) == 0 {
		return nil
	}
	t := &report.Table{Columns: []report.Column{
		{Name: "Range"},
		{Name: "Times", Right: true},
		{Name: "Total", Right: true},
		{Name: "Share of window", Right: true},
	}}
	for _, r := range v.Ranges {
		t.Rows = append(t.Rows, []string{
			shorten(r.Name), human.Count(r.Count), human.Nanoseconds(r.TotalNS),
			human.Percent(r.Share),
		})
	}
	return []report.Block{{Heading: "Ranges marked by the program", Table: t}}
}

func (v traceView) transfers() []report.Block {
	if len(v.Transfers) == 0 {
		return nil
	}
	t := &report.Table{Columns: []report.Column{
		{Name: "Copy"},
		{Name: "Memory"},
		{Name: "Count", Right: true},
		{Name: "Bytes", Right: true},
		{Name: "GPU time", Right: true},
		{Name: "Speed", Right: true},
		{Name: "Overlapped", Right: true},
		{Name: "Host blocked", Right: true},
	}}
	for _, c := range v.Transfers {
		t.Rows = append(t.Rows, []string{
			c.Kind, c.Memory, human.Count(c.Count), human.Value(float64(c.Bytes), "B"), human.Nanoseconds(c.TotalNS),
			human.Value(c.GBPerS*1e9, "B/s"), human.Percent(float64(c.HiddenNS) / float64(max(c.TotalNS,
				1))), human.Nanoseconds(c.BlockingNS),
		})
	}
	return []report.Block{{Heading: "Copies", Table: t}}
}

func (v traceView) syncs() []report.Block {
	if len(v.Syncs) == 0 {
		return nil
	}
	t := &report.Table{Columns: []report.Column{
		{Name: "Wait"},
		{Name: "Count", Right: true},
		{Name: "Per step", Right: true},
		{Name: "Host time", Right: true},
	}}
	for _, s := range v.Syncs {
		t.Rows = append(t.Rows, []string{
			placeName(s.Place), human.Count(s.Count), fmt.Sprintf("%.1f", s.PerStep),
			human.Nanoseconds(s.HostNS),
		})
	}
	return []report.Block{{Heading: "Where the host waits for the GPU", Table: t}}
}

func (v traceView) launch() []report.Block {
	l := v.Launch
	if l.Calls == 0 {
		return nil
	}
	short := float64(l.Short) / float64(l.Calls)
	kernels, count := "kernels per step", l.KernelsPerStep
	if len(v.Steps) == 0 {
		kernels, count = "kernels", float64(l.Kernels)
	}
	t := &report.Table{Columns: []report.Column{{Name: ""}, {Name: "", Right: true}, {Name: ""}}, Rows: [][]string{
		{"launching calls", human.Count(l.Calls), human.Nanoseconds(l.HostNSPerCall) + " of host time each"},
		{kernels, human.Count(int(math.Round(count))), human.Nanoseconds(l.GPUNSPerKernel) + " of GPU time each"},
		{"shorter than their call", human.Percent(short), "of launches"},
		{"calls over 50 µs", human.Count(l.Slow), ""},
		{"started over 100 µs after the call", human.Count(l.Delayed), "median delay " + human.Nanoseconds(l.Delay.Median) +
			", longest " + human.Nanoseconds(l.Delay.Max)},
		{"queue", fmt.Sprintf("%.1f", l.Queue.Mean), fmt.Sprintf("on average, at most %s, empty %s of the time",
			human.Count(l.Queue.Max), human.Percent(l.Queue.EmptyPart))},
	}}
	if l.Graphs > 0 {
		t.Rows = append(t.Rows, []string{"graph launches", human.Count(l.Graphs), "each starts many kernels"})
	}
	calls := &report.Table{Columns: []report.Column{
		{Name: "Call"},
		{Name: "Count", Right: true},
		{Name: "Host time", Right: true},
	}}
	for _, c := range l.ByCall {
		calls.Rows = append(calls.Rows, []string{c.Name, human.Count(c.Count), human.Nanoseconds(c.NS)})
	}
	return []report.Block{{Heading: "Launching", Table: t}, {Heading: "Launching calls", Table: calls}}
}

func (v traceView) streams() []report.Block {
	t := &report.Table{Columns: []report.Column{
		{Name: "Stream"},
		{Name: "Busy", Right: true},
		{Name: "Host wait", Right: true},
		{Name: "Kernel wait", Right: true},
		{Name: "Other wait", Right: true},
		{Name: "Kernels", Right: true},
		{Name: "Copies", Right: true},
		{Name: "Overlap", Right: true},
	}}
	for _, g := range v.GPUs {
		for _, s := range g.Streams {
			t.Rows = append(t.Rows, []string{
				fmt.Sprintf("GPU %d stream %d", g.Device,
					s.Stream), human.Nanoseconds(s.BusyNS), human.Nanoseconds(s.HostWaitNS), human.Nanoseconds(s.KernelWaitNS), human.Nanoseconds(s.OtherNS),
				human.Count(s.Kernels), human.Count(s.Copies), human.Nanoseconds(s.OverlapNS),
			})
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	t.Foot = "Host wait: the next work was not launched yet. Kernel wait: it was, and started within 30 µs. Other " +
		"wait: it was, and started later (HTA's definitions). Overlap: with other streams."
	return []report.Block{{Heading: "Streams", Table: t}}
}

func (v traceView) communication() []report.Block {
	c := v.Communication
	if c == nil {
		return nil
	}
	t := &report.Table{Columns: []report.Column{
		{Name: "Collective"},
		{Name: "Count", Right: true},
		{Name: "Time", Right: true},
		{Name: "Shortest", Right: true},
		{Name: "Ranks", Right: true},
	}}
	for _, x := range c.Collectives {
		t.Rows = append(t.Rows, []string{
			shorten(x.Name), human.Count(x.Count), human.Nanoseconds(x.TotalNS),
			human.Nanoseconds(x.MinNS), human.Count(int(x.Group)),
		})
	}
	t.Foot = fmt.Sprintf("%s of %s overlaps compute; %s is exposed.", human.Percent(c.Overlap),
		human.Nanoseconds(c.TotalNS), human.Nanoseconds(c.ExposedNS))
	return []report.Block{{Heading: "Communication", Table: t}}
}

func (v traceView) quality() []report.Block {
	q := v.Quality
	t := &report.Table{Columns: []report.Column{{Name: ""}, {Name: "", Right: true}}, Rows: [][]string{
		{"events", human.Count(q.Events)},
		{"dropped", human.Count(q.Dropped)},
		{"repaired", human.Count(q.Repaired)},
		{"overlapping another event (kept)", human.Count(q.Overlapping)},
		{"GPU work without a launching call", human.Count(q.Unlinked)},
	}}
	for _, n := range q.Notes {
		t.Rows = append(t.Rows, []string{n, ""})
	}
	return []report.Block{{Heading: "Trace quality", Table: t}}
}
