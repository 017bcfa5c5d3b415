package analyze

import (
	"cmp"
	"slices"

	"saturate/internal/trace"
)

// Stream is what one stream of a GPU did, with HTA's three classes of waiting.
type Stream struct {
	Stream       int64 `json:"stream"`         // number of the stream
	BusyNS       int64 `json:"busy_ns"`        // something ran on it
	HostWaitNS   int64 `json:"host_wait_ns"`   // the next work had not been launched yet when the work before it ended
	KernelWaitNS int64 `json:"kernel_wait_ns"` // it had, and started within 30 µs
	OtherNS      int64 `json:"other_ns"`       // it had, and started later: it waited for another stream, say
	Kernels      int   `json:"kernels"`        // kernels that ran on it
	Copies       int   `json:"copies"`         // copies and fills on it
	ComputeNS    int64 `json:"compute_ns"`     // kernels that do not communicate
	OverlapNS    int64 `json:"overlap_ns"`     // while another stream of the GPU was busy too
	HostWaits    int   `json:"host_waits"`     // number of the host waits
	KernelWaits  int   `json:"kernel_waits"`   // number of the kernel waits
	Others       int   `json:"others"`         // number of the other waits
}

// consecutive is how soon work follows work that was ready, in HTA.
const consecutive = 30_000

// streams looks at each stream of a GPU separately.
//
// Ours counts from the running maximum of ends. HTA counts from the end of the row before,
// so that an overlap of two kernels is negative waiting; its rule is used with --hta.
func (v *view) streams(work []trace.EventID) []Stream {
	type row struct {
		Stream
		end   int64
		begun bool
		busy  spans
	}
	var rows []*row
	byStream := map[int64]*row{}
	for _, id := range work {
		number := v.t.TrackOf(id).Stream
		r := byStream[number]
		if r == nil {
			r = &row{Stream: Stream{Stream: number}}
			byStream[number] = r
			rows = append(rows, r)
		}
		i := v.clip(id)
		if r.begun {
			if gap := i.Start - r.end; gap > 0 || v.opt.HTA {
				v.classifyWait(&r.Stream, id, r.end, gap)
			}
		}
		if v.t.Kind(id) == trace.Kernel {
			r.Kernels++
		} else {
			r.Copies++
		}
		if c := v.classOf(id); c == compute {
			r.ComputeNS += i.Length()
		}
		r.busy = r.busy.add(i)
		if r.begun && !v.opt.HTA {
			r.end = max(r.end, i.End)
		} else {
			r.end = i.End
		}
		r.begun = true
	}
	out, busy := make([]Stream, len(rows)), make([]spans, len(rows))
	for i, r := range rows {
		busy[i] = r.busy
	}
	both := shared(busy)
	for i, r := range rows {
		r.BusyNS = r.busy.length()
		r.OverlapNS = r.busy.overlap(both)
		out[i] = r.Stream
	}
	slices.SortFunc(out, func(a, b Stream) int { return cmp.Compare(a.Stream, b.Stream) })
	return out
}

func (v *view) classifyWait(s *Stream, id trace.EventID, end, gap int64) {
	call, linked := v.t.Launch(id)
	switch {
	case linked && v.t.Start(call) > end:
		s.HostWaitNS += gap
		s.HostWaits++
	case gap < consecutive:
		s.KernelWaitNS += gap
		s.KernelWaits++
	default:
		s.OtherNS += gap
		s.Others++
	}
}
