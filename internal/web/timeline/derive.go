package timeline

import (
	"cmp"
	"fmt"
	"slices"

	"saturate/internal/analyze"
	"saturate/internal/trace"
	"saturate/internal/whatif"
)

// made is a group of what the analysis found out, by start.
type made struct {
	Group
	records []record
}

// causes are the causes of idle time with the words for them, in the order of their colors. ui/src/palette.ts has the
// same words.
var causes = []struct {
	cause analyze.Cause
	words string
}{
	{analyze.Unknown, "unknown"},
	{analyze.DataLoading, "waiting for data"},
	{analyze.HostPython, "host code"},
	{analyze.Synchronization, "synchronization"},
	{analyze.TransferCause, "copy wait"},
	{analyze.LaunchCause, "launching"},
	{analyze.MemoryAllocation, "allocation"},
	{analyze.Compilation, "compiling"},
	{analyze.Checkpoint, "checkpoint"},
	{analyze.KernelWait, "between kernels"},
	{analyze.Recording, "profiler"},
}

func causeOf(name string) int {
	for i, c := range causes {
		if c.cause.String() == name {
			return i
		}
	}
	return 0
}

var pathKinds = []whatif.Kind{
	whatif.KernelPart, whatif.LoaderPart, whatif.HostPart, whatif.LaunchPart, whatif.QueuePart, whatif.SyncPart, whatif.CopyPart, whatif.CollectivePart,
}

// derived are the steps, each GPU's idle time by cause, the critical path, and the ranges that the program marked.
func (b *builder) derived(a *analyze.Analysis) (all []made) {
	add := func(sort, name string, device int, records []record) {
		slices.SortStableFunc(records, func(x, y record) int { return cmp.Or(cmp.Compare(x.start, y.start), cmp.Compare(y.dur, x.dur)) })
		all = append(all, made{Group{Name: name, Sort: sort, Device: device}, records})
	}
	var steps []record
	for i, s := range a.Steps {
		steps = append(steps, b.record(StepKind, s.StartNS, s.EndNS, b.names.shaded(StepKind, fmt.Sprintf("step %d", s.Number), uint8(i%2))))
	}
	add("steps", "Steps", -1, steps)
	for _, g := range a.GPUs {
		var gaps []record
		for _, gap := range g.LongestGaps {
			cause := causeOf(gap.Cause)
			r := b.record(GapKind, gap.StartNS, gap.EndNS, b.names.shaded(GapKind, causes[cause].words, uint8(cause)))
			r.extra = b.extraTexts(extraPlace, gap.Place, extraNext, gap.Next)
			gaps = append(gaps, r)
		}
		add("idle", fmt.Sprintf("GPU %d idle", g.Device), int(g.Device), gaps)
	}
	if a.CriticalPath != nil {
		var path []record
		for _, s := range a.CriticalPath.Segments() {
			kind := max(0, slices.Index(pathKinds, s.Kind))
			r := b.record(PathKind, s.Start, s.End, b.names.shaded(PathKind, string(s.Kind), uint8(kind)))
			r.extra = b.extraTexts(extraPlace, a.CriticalPath.Place(s))
			path = append(path, r)
		}
		add("path", "Critical path", -1, path)
	}
	var ranges []record
	for id := range b.t.OfKind(trace.Annotation) {
		r := b.record(trace.Annotation, b.t.Start(id), b.t.End(id), uint32(b.t.NameID(id)))
		r.link = uint32(id)
		ranges = append(ranges, r)
	}
	add("ranges", "Ranges", -1, ranges)
	return all
}

func (b *builder) record(kind trace.Kind, start, end int64, name uint32) record {
	return record{start: start - b.base, dur: max(0, end-start), name: name, parent: none, link: none, kind: kind}
}

// made writes a derived group. Its events are numbered after those of the trace.
func (b *builder) made(m made) error {
	m.First = uint32(b.head.Total)
	m.Last = m.First + uint32(len(m.records))
	b.group(m.Group, func(i uint32) record { return m.records[i-m.First] })
	return b.flushed()
}
