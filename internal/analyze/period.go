package analyze

import "saturate/internal/trace"

// period finds steps where nothing marks them: GPU work comes in the same order again and
// again. Of the names that occur as often as there are steps, the one that comes first in
// a step is where each step starts.
//
// If n steps were recorded, most work bears a name that occurs n times, or 2n, or 3n …
// So the number of steps is the largest n for which that holds; it is believed only when
// the pieces between the anchors are equally long. The layers of a model repeat too: pieces
// that one call launched together, or that leave out most of the GPU's time, are no steps.
func (v *view) period() (starts []int64, end int64) {
	devices := v.t.Devices()
	if len(devices) == 0 {
		return nil, 0
	}
	var work []trace.EventID
	for id := range v.t.OnDevice(devices[0], v.t.Window()) {
		work = append(work, id)
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
	best := 0
	for n := range events {
		explained := 0
		for m, e := range events {
			if m%n == 0 {
				explained += e
			}
		}
		if n > best && explained*10 >= len(work)*8 && v.anchored(work, count, n) != nil {
			best = n
		}
	}
	if best == 0 {
		return nil, 0
	}
	launched := trace.None
	for _, i := range v.anchored(work, count, best) {
		if call, ok := v.t.Launch(work[i]); ok && call == launched {
			return nil, 0
		} else if ok {
			launched = call
		}
		starts = append(starts, v.t.Start(work[i]))
	}
	whole := v.t.DeviceWindow(devices[0])
	if n := int64(len(starts)); 2*n*(starts[n-1]-starts[0]) < (n-1)*whole.Length() { // the last is as long as the others
		return nil, 0
	}
	return starts, whole.End
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
