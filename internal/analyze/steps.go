package analyze

import (
	"slices"
	"strings"

	"saturate/internal/trace"
)

// step is one training step: from where its marker starts to where the next one does.
type step struct {
	number int64
	window trace.Window // by the GPU's work, where the host runs ahead of it; see cutByGPU
	host   trace.Window // by the host's marks
}

// Where steps come from.
const (
	fromProfiler    = "profiler"    // ProfilerStep#N
	fromJAX         = "jax"         // StepTraceAnnotation
	fromAnnotation  = "annotation"  // a range the user marked, NVTX or record_function
	fromPeriodicity = "periodicity" // a pattern that repeats
	fromNothing     = "none"
)

// findSteps finds the steps by the best evidence there is, and says which it was.
func (v *view) findSteps() ([]step, string) {
	if marks := v.t.StepMarkers(); len(marks) > 0 {
		source := fromJAX
		if strings.HasPrefix(v.t.Name(marks[0].ID), "ProfilerStep#") {
			source = fromProfiler
		}
		steps := make([]step, 0, len(marks))
		for i, m := range marks {
			if n := len(steps); n > 0 && m.Window.Start < steps[n-1].window.End && m.Number == steps[n-1].number {
				continue // the same step, marked twice
			}
			if i+1 < len(marks) && marks[i+1].Number != m.Number && marks[i+1].Window.End <= m.Window.End {
				continue // another lies inside: what encloses steps is not a step
			}
			steps = append(steps, step{number: m.Number, window: m.Window})
		}
		if inner, by := v.withinEpochs(steps); len(inner) > 0 {
			return contiguous(inner), fromAnnotation + " " + v.t.String(by)
		}
		return contiguous(steps), source
	}
	if name, starts := v.repeatedRange(); len(starts) > 0 {
		return fromStarts(starts, v.lastEnd()), fromAnnotation + " " + v.t.String(name)
	}
	if starts, end := v.period(); len(starts) > 0 {
		return fromStarts(starts, end), fromPeriodicity
	}
	return nil, fromNothing
}

// contiguous lets each step last until the next one starts, unless there is a pause
// between them in which another kind of work may have been done (an evaluation, say).
func contiguous(steps []step) []step {
	for i := range steps[:max(len(steps)-1, 0)] {
		w, next := &steps[i].window, steps[i+1].window.Start
		if pause := next - w.End; pause < w.Length()/4 || next < w.End {
			w.End = next
		}
	}
	for i := range steps {
		steps[i].host = steps[i].window
	}
	return slices.DeleteFunc(steps, func(s step) bool { return !s.window.Positive() })
}

func fromStarts(starts []int64, end int64) []step {
	steps := make([]step, 0, len(starts))
	for i, s := range starts {
		e := end
		if i+1 < len(starts) {
			e = starts[i+1]
		}
		steps = append(steps, step{number: int64(i), window: trace.Window{Start: s, End: e}})
	}
	return contiguous(steps)
}

// repeatedRange finds the range that comes once a step: one that says "step" or
// "iteration", else the loader's, else the optimizer's. Its starts are the steps' starts.
func (v *view) repeatedRange() (trace.NameID, []int64) {
	starts := map[trace.NameID][]int64{}
	for id := range v.t.OfKind(trace.Annotation) {
		if v.t.Event(id).Track == v.main {
			name := v.t.NameID(id)
			starts[name] = append(starts[name], v.t.Start(id))
		}
	}
	best, merit := trace.NameID(0), 0
	for name, at := range starts {
		if m := v.merit(name); len(at) >= 2 && m > 0 && (m > merit || m == merit && (len(at) > len(starts[best]) || len(at) == len(starts[best]) && name < best)) {
			best, merit = name, m
		}
	}
	if merit == 0 {
		return 0, nil
	}
	at := starts[best]
	slices.Sort(at)
	return best, at
}

// merit says how surely a range of that name comes once a step.
func (v *view) merit(name trace.NameID) int {
	words := split(v.t.String(name))
	switch m := v.meanings[name]; {
	case m&isOptimizer != 0:
		return 1
	case m&isLoader != 0:
		return 2
	case m != 0:
		return 0
	case has(words, "step", "iteration", "iter"):
		return 3
	}
	return 0
}

// lastEnd is where the last step ends at the latest: where the GPU stops, if there is one.
func (v *view) lastEnd() int64 {
	end := v.t.Window().End
	for _, dev := range v.t.Devices() {
		end = min(end, v.t.DeviceWindow(dev).End)
	}
	return end
}
