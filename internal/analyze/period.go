package analyze

import (
	"maps"
	"slices"
	"strings"

	"saturate/internal/trace"
)

// enoughWork is how many pieces of work a pattern is looked for in: a few repeat by chance.
const enoughWork = 20

// period finds steps where nothing marks them: GPU work comes in the same order again and
// again. Of the names that occur as often as there are steps, the one that comes first in
// a step is where each step starts.
//
// If n steps were recorded, most work has a name that occurs n times, or 2n, or 3n …
// So the number of steps is the largest n for which that holds; it is believed only when
// the pieces between the anchors are equally long. The layers of a model repeat too: pieces
// that one call of the model launched, or that leave out most of the GPU's time, are not steps.
func (v *view) period() (starts []int64, end int64) {
	devices := v.t.Devices()
	if len(devices) == 0 {
		return nil, 0
	}
	var work []trace.EventID
	for id := range v.t.OnDevice(devices[0], v.t.Window()) {
		work = append(work, id)
	}
	if len(work) < enoughWork {
		return nil, 0
	}
	count := make([]int, v.t.Names())
	for _, id := range work {
		count[v.t.NameID(id)]++
	}
	events := map[int]int{} // occurrences of a name -> events that bear such a name
	for _, n := range count {
		if n >= 3 {
			events[n] += n
		}
	}
	whole := v.t.DeviceWindow(devices[0])
	for _, n := range slices.Backward(slices.Sorted(maps.Keys(events))) {
		explained := 0
		for m, e := range events {
			if m%n == 0 {
				explained += e
			}
		}
		if explained*10 < len(work)*8 {
			continue
		}
		at := v.anchored(work, count, n)
		if at == nil || v.oneCall(work, at) {
			continue
		}
		for _, i := range at {
			starts = append(starts, v.t.Start(work[i]))
		}
		if steps := int64(n); 2*steps*(starts[n-1]-starts[0]) < (steps-1)*whole.Length() { // the last is as long as the others
			return nil, 0
		}
		return starts, whole.End
	}
	return nil, 0
}

// oneCall reports whether most neighboring pieces were launched by one call of the model, or of something in it: a
// graph, an operator, a module or a range that the program marks.
func (v *view) oneCall(work []trace.EventID, at []int) bool {
	together := 0
	for i := range at[1:] {
		a, ok := v.t.Launch(work[at[i]])
		b, also := v.t.Launch(work[at[i+1]])
		if ok && also && v.callAround(a, b) {
			together++
		}
	}
	return 2*together >= len(at)
}

func (v *view) callAround(a, b trace.EventID) bool {
	if a == b {
		return true
	}
	for up := range v.t.Ancestors(a) {
		kind := v.t.Kind(up)
		call := kind == trace.CPUOp || kind == trace.Annotation || kind == trace.Python && strings.HasPrefix(v.t.Name(up), "nn.Module: ")
		if call && v.t.Event(up).Track == v.t.Event(b).Track && v.t.Interval(up).Contains(v.t.Start(b)) {
			return true
		}
	}
	return false
}

// anchored gives the places of the first name that occurs n times at even distances.
func (v *view) anchored(work []trace.EventID, count []int, n int) []int {
	places := map[trace.NameID][]int{}
	for i, id := range work {
		if name := v.t.NameID(id); count[name] == n {
			places[name] = append(places[name], i)
		}
	}
	for _, id := range work {
		name := v.t.NameID(id)
		if at := places[name]; at != nil && even(at) {
			return at
		}
		delete(places, name)
	}
	return nil
}

// even reports whether the distances between places are alike, a few excepted.
func even(at []int) bool {
	typical := (at[len(at)-1] - at[0]) / (len(at) - 1)
	odd := 0
	for i := range at[1:] {
		if d := at[i+1] - at[i]; 10*d < 9*typical || 10*d > 11*typical {
			odd++
		}
	}
	return typical > 1 && 10*odd <= len(at)
}
