package analyze

import (
	"slices"

	"saturate/internal/trace"
)

// manySteps is how many updates and batches the profiler's mark must hold to be an epoch. A step may well have several:
// accumulated gradients, a network that is trained against another.
const manySteps = 8

// withinEpochs cuts marks into steps where the profiler was told of epochs: each mark holds many batches and many
// updates of the weights. It gives nothing where the marks are steps themselves.
func (v *view) withinEpochs(marks []step) (steps []step, by trace.NameID) {
	batches, updates := map[trace.NameID][]int64{}, map[trace.NameID][]int64{}
	for id := range v.t.OfKind(trace.Annotation) {
		if v.t.Event(id).Track != v.main {
			continue
		}
		name := v.t.NameID(id)
		switch m := v.meanings[name]; {
		case m&isOptimizer != 0:
			updates[name] = append(updates[name], v.t.Start(id))
		case m&isLoader != 0:
			batches[name] = append(batches[name], v.t.Start(id))
		}
	}
	within := func(starts []int64, w trace.Window) []int64 {
		slices.Sort(starts)
		from, _ := slices.BinarySearch(starts, w.Start)
		to, _ := slices.BinarySearch(starts, w.End)
		return starts[from:to]
	}
	most := func(ranges map[trace.NameID][]int64) (best trace.NameID) {
		for name, starts := range ranges {
			if n := len(starts) - len(ranges[best]); n > 0 || n == 0 && name < best {
				best = name
			}
		}
		return best
	}
	by, update := most(batches), most(updates)
	for _, mark := range marks {
		starts, trained := within(batches[by], mark.window), within(updates[update], mark.window)
		if len(trained) == 0 {
			continue // what is left after the last epoch
		}
		if len(starts) < manySteps || len(trained) < manySteps {
			return nil, 0
		}
		var cuts []int64 // the first batch of each update
		for after := mark.window.Start; len(trained) > 0; after, trained = trained[0], trained[1:] {
			if at, _ := slices.BinarySearch(starts, after); at < len(starts) && starts[at] < trained[0] {
				cuts = append(cuts, starts[at])
			}
		}
		for i, start := range cuts {
			end := mark.window.End
			if i+1 < len(cuts) {
				end = cuts[i+1]
			}
			steps = append(steps, step{number: int64(len(steps)), window: trace.Window{Start: start, End: end}})
		}
	}
	return steps, by
}
