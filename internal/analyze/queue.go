package analyze

import (
	"maps"
	"slices"

	"saturate/internal/trace"
)

// Queue is how much launched work waited for the GPU to begin it. An empty queue means
// that the GPU waits for the host; a full one that the host waits for the GPU.
type Queue struct {
	Mean      float64 `json:"mean"`       // over time
	Max       int     `json:"max"`        // on any stream
	EmptyPart float64 `json:"empty_part"` // of the time; 0 to 1
	FullNS    int64   `json:"full_ns"`    // with 1,024 or more: the host has to wait
	Changes   int     `json:"changes"`    // starts of calls and of work
	HTAMean   float64 `json:"hta_mean"`   // mean over changes, as HTA counts it
}

// htaQueued are the calls whose work HTA counts in a queue.
var htaQueued = append([]string{
	"cuLaunchKernel", "cuLaunchKernelEx", "hipLaunchKernel", "hipExtModuleLaunchKernel", "hipMemcpyAsync", "hipMemcpyWithStream", "hipMemsetAsync",
}, htaCalls...)

// fullQueue is how much work a stream can hold before a launch blocks.
const fullQueue = 1024

// change is a call (+1) or the beginning of its work (−1).
type change struct {
	at int64
	by int8
}

// queue follows the queue of each stream and sums them. A graph waits as one piece until its
// first kernel begins.
func (v *view) queue() (q Queue) {
	byStream := map[trace.TrackID][]change{}
	for i := range v.gpus {
		queued := map[trace.EventID]bool{}
		for _, id := range v.gpus[i].work {
			call, ok := v.t.Launch(id)
			if ok && !queued[call] && (!v.opt.HTA || slices.Contains(htaQueued, v.t.Name(call))) {
				queued[call] = true
				track := v.t.Event(id).Track
				byStream[track] = append(byStream[track], change{v.t.Start(call), 1}, change{v.t.Start(id), -1})
			}
		}
	}
	var weighted, changes float64
	var time, empty int64
	for _, track := range slices.Sorted(maps.Keys(byStream)) {
		list := byStream[track]
		slices.SortStableFunc(list, func(a, b change) int {
			switch {
			case a.at < b.at:
				return -1
			case a.at > b.at:
				return 1
			}
			return int(b.by - a.by)
		})
		length := 0
		for i, c := range list {
			length += int(c.by)
			changes += float64(length)
			q.Max = max(q.Max, length)
			if i+1 < len(list) {
				d := list[i+1].at - c.at
				time += d
				weighted += float64(d) * float64(length)
				if length == 0 {
					empty += d
				}
				if length >= fullQueue {
					q.FullNS += d
				}
			}
		}
		q.Changes += len(list)
	}
	if time > 0 {
		q.Mean = weighted / float64(time)
		q.EmptyPart = share(empty, time)
	}
	if q.Changes > 0 {
		q.HTAMean = changes / float64(q.Changes)
	}
	return q
}
