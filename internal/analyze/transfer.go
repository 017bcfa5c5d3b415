package analyze

import (
	"cmp"
	"slices"

	"saturate/internal/trace"
)

// Transfer sums the copies of one direction and one kind of host memory.
type Transfer struct {
	Kind       string  `json:"kind"`        // H2D, D2H, D2D, fill
	Memory     string  `json:"memory"`      // on the host's side: pageable, pinned, unknown; device for D2D and fills
	Count      int     `json:"count"`       // copies
	Bytes      int64   `json:"bytes"`       // moved in total
	TotalNS    int64   `json:"total_ns"`    // on the GPU
	BlockingNS int64   `json:"blocking_ns"` // host time in the copying calls and in the waits right behind them
	GBPerS     float64 `json:"gb_per_s"`    // bytes over the GPU's time
	HiddenNS   int64   `json:"hidden_ns"`   // of the GPU's time, while kernels ran
}

// transfers sums the copies and fills of all GPUs.
func (v *view) transfers() []Transfer {
	var list []*Transfer
	find := func(kind, memory string) *Transfer {
		for _, t := range list {
			if t.Kind == kind && t.Memory == memory {
				return t
			}
		}
		t := &Transfer{Kind: kind, Memory: memory}
		list = append(list, t)
		return t
	}
	for i := range v.gpus {
		g := &v.gpus[i]
		working := g.busy.of[compute].union(g.busy.of[communication])
		last := trace.None
		for _, id := range g.work {
			var t *Transfer
			switch v.t.Kind(id) {
			case trace.Memset:
				t = find("fill", "device")
			case trace.Memcpy:
				e := v.endsOf(id)
				t = find(e.kind(), e.memory())
			default:
				continue
			}
			bytes, _ := v.t.Int(id, trace.Bytes)
			when := v.clip(id)
			t.Count++
			t.Bytes += bytes
			t.TotalNS += when.Length()
			t.HiddenNS += working.within(when)
			if call, ok := v.t.Launch(id); ok && call != last {
				t.BlockingNS += v.blocking(call)
				last = call
			}
		}
	}
	slices.SortStableFunc(list, func(a, b *Transfer) int { return cmp.Compare(b.TotalNS, a.TotalNS) })
	out := make([]Transfer, len(list))
	for i, t := range list {
		if t.TotalNS > 0 {
			t.GBPerS = float64(t.Bytes) / float64(t.TotalNS)
		}
		out[i] = *t
	}
	return out
}

// blocking is how long the host stood still for a copy: in the call that started it and in
// the wait that follows in the same operator. A graph's launch is not a copy.
func (v *view) blocking(call trace.EventID) int64 {
	if !v.t.Kind(call).API() || v.means(call, isLaunchCall) {
		return 0
	}
	ns := v.t.Duration(call)
	tr := v.t.TrackOf(call)
	for next := call + 1; next < tr.Last && v.t.Parent(next) == v.t.Parent(call) && v.t.Parent(call) != trace.None; next++ {
		if v.means(next, isSync) {
			return ns + v.t.Duration(next)
		}
		if v.means(next, isCopyCall|isLaunchCall) {
			break
		}
	}
	return ns
}
