package timeline

import (
	"saturate/internal/trace"
)

// mostLanes is how deep a group is drawn. What lies deeper shares the last lane.
const mostLanes = 96

// lanes gives each event of a group a lane: the first that is free when it starts. Events come by start and longest
// first, so an event is below those that it lies in, and events that overlap without nesting are below each other too.
type lanes struct{ ends []int64 }

func (l *lanes) place(start, end int64) uint8 {
	for i := range l.ends {
		if l.ends[i] <= start || i == mostLanes-1 {
			l.ends[i] = max(end, l.ends[i])
			return uint8(i)
		}
	}
	l.ends = append(l.ends, end)
	return uint8(len(l.ends) - 1)
}

// palette is the color of a kind of event. Each kind has some shades, told apart by the event's name.
func palette(kind trace.Kind, shade uint8) uint8 {
	pick := func(first, shades uint8) uint8 { return first + shade%shades }
	switch kind {
	case trace.Kernel:
		return pick(0, 8)
	case trace.Memcpy:
		return 8
	case trace.Memset:
		return 9
	case trace.Collective:
		return 10
	case trace.CPUOp:
		return pick(11, 4)
	case trace.Python:
		return pick(15, 3)
	case trace.Runtime, trace.Driver:
		return 18
	case trace.Annotation, trace.GPUAnnotation:
		return pick(20, 3)
	case trace.GPUSync:
		return 23
	case trace.Overhead:
		return 24
	case StepKind:
		return pick(44, 2)
	case GapKind:
		return 25 + min(shade, 10)
	case PathKind:
		return 36 + min(shade, 7)
	}
	return 46
}
