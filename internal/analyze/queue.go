package analyze

import (
	"cmp"
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

	ByStream []StreamQueue `json:"by_stream"` // of each stream that work was launched on
}

// StreamQueue is the queue of one stream.
type StreamQueue struct {
	Device int32   `json:"device"`  // the GPU
	Stream int64   `json:"stream"`  // its number
	Mean   float64 `json:"mean"`    // over time
	Max    int     `json:"max"`     // at any time
	FullNS int64   `json:"full_ns"` // with 1,024 or more
	// OverChanges is HTA's summary: each change counts once, however long the value stays.
	OverChanges Described `json:"over_changes"`
}

// htaQueued are the calls whose work HTA counts in a queue.
var htaQueued = append([]string{
	"cuLaunchKernel", "cuLaunchKernelEx", "hipLaunchKernel", "hipExtModuleLaunchKernel", "hipMemcpyAsync",
	"hipMemcpyWithStream", "hipMemsetAsync",
}, htaCalls...)

// fullQueue is how much work a stream can hold before a launch blocks.
const fullQueue = 1024

// change is a call (+1) or the beginning of its work (−1).
type change struct {
	at int64
	by int8
}

// queues lists when work joins and leaves the queue of each stream, in time order. A graph waits as one piece until its
// first kernel begins.
func (v *view) queues() map[trace.TrackID][]change {
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
	for _, list := range byStream {
		slices.SortStableFunc(list, func(a, b change) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(b.by, a.by)) })
	}
	return byStream
}

// queue sums the queues of all streams.
func (v *view) queue() (q Queue) {
	byStream := v.queues()
	var weighted, changes float64
	var time, empty int64
	q.ByStream = []StreamQueue{}
	for _, track := range slices.Sorted(maps.Keys(byStream)) {
		list, tr := byStream[track], v.t.Track(track)
		s := StreamQueue{Device: int32(tr.Device), Stream: tr.Stream}
		length, own, ownWeighted := 0, int64(0), 0.0
		values := make([]float64, len(list))
		for i, c := range list {
			length += int(c.by)
			values[i] = float64(length)
			changes += float64(length)
			s.Max = max(s.Max, length)
			if i+1 < len(list) {
				d := list[i+1].at - c.at
				own += d
				ownWeighted += float64(d) * float64(length)
				if length == 0 {
					empty += d
				}
				if length >= fullQueue {
					s.FullNS += d
				}
			}
		}
		if own > 0 {
			s.Mean = ownWeighted / float64(own)
		}
		s.OverChanges = describe(values)
		time, weighted = time+own, weighted+ownWeighted
		q.Max, q.FullNS, q.Changes = max(q.Max, s.Max), q.FullNS+s.FullNS, q.Changes+len(list)
		q.ByStream = append(q.ByStream, s)
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
