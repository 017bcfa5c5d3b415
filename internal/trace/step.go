package trace

import (
	"slices"
	"strconv"
	"strings"
)

// StepMarker is an event that says: this is a training step.
type StepMarker struct {
	ID     EventID
	Number int64 // as the marker counts
	Window Window
}

// StepMarkers lists the steps that the profiler itself marked on the host, in time order:
// torch.profiler's ProfilerStep#N, or JAX's StepTraceAnnotation. Their copies on the
// GPU's timeline are not among them.
func (t *Trace) StepMarkers() []StepMarker {
	const prefix = "ProfilerStep#"
	number := make([]int64, len(t.names)) // by name; -1 for other names
	for i, name := range t.names {
		number[i] = -1
		if digits, ok := strings.CutPrefix(name, prefix); ok {
			if n, err := strconv.ParseInt(digits, 10, 64); err == nil {
				number[i] = n
			}
		}
	}
	var steps []StepMarker
	for id := range t.OfKind(Annotation, CPUOp) {
		n, ok := number[t.name[id]], true
		if n < 0 {
			n, ok = t.Int(id, StepNumber)
		}
		if ok {
			steps = append(steps, StepMarker{id, n, t.Interval(id)})
		}
	}
	slices.SortStableFunc(steps, func(a, b StepMarker) int {
		return compare(a.Window.Start, b.Window.Start)
	})
	return steps
}

func compare(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
