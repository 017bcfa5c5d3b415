package analyze

import (
	"cmp"
	"maps"
	"slices"

	"saturate/internal/trace"
)

// Sequence is GPU work that calls of one operator launch again and again, in the same order. One kernel could do what a
// frequent sequence of short ones does.
type Sequence struct {
	Operator string   `json:"operator"`           // the innermost that launches all of it
	Work     []string `json:"work"`               // kernels, copies and fills, by start
	Count    int      `json:"count"`              // calls that launch exactly this
	DeviceNS int64    `json:"device_ns"`          // of all calls, on the GPU
	HostNS   int64    `json:"host_ns"`            // of all calls, on the host
	PerStep  float64  `json:"per_step,omitempty"` // calls
}

// A sequence has at least 3 pieces, as in HTA, and at most as many as can be read.
const leastInSequence, mostInSequence = 3, 64

// call is what one call of an operator launched, itself and by what it called.
type call struct {
	pieces int
	hash   uint64
	ns     int64
	child  trace.EventID // the operator inside it that launched the last piece
	shared bool          // not all pieces came from one operator inside it
}

// sequences finds those that occur more than once, most GPU time first.
func (v *view) sequences() []Sequence {
	calls := map[trace.EventID]*call{}
	for i := range v.gpus {
		for _, id := range v.gpus[i].work {
			inner := trace.None
			for op, ok := v.t.Operator(id); ok; op, ok = v.t.Enclosing(v.t.Parent(op), trace.CPUOp) {
				c := calls[op]
				if c == nil {
					c = &call{child: inner, shared: inner == trace.None}
					calls[op] = c
				}
				c.pieces++
				c.hash = (c.hash ^ uint64(v.t.NameID(id))) * 0x100000001b3
				c.ns += v.t.Duration(id)
				c.shared = c.shared || c.child != inner
				inner = op
				if v.t.Parent(op) == trace.None {
					break
				}
			}
		}
	}
	type key struct {
		name trace.NameID
		hash uint64
		n    int
	}
	found, example := map[key]*Sequence{}, map[key]trace.EventID{}
	for _, op := range slices.Sorted(maps.Keys(calls)) {
		c := calls[op]
		if !c.shared || c.pieces < leastInSequence || c.pieces > mostInSequence || v.means(op, isStep) {
			continue
		}
		k := key{v.t.NameID(op), c.hash, c.pieces}
		s := found[k]
		if s == nil {
			s = &Sequence{Operator: v.t.Name(op)}
			found[k], example[k] = s, op
		}
		s.Count++
		s.DeviceNS += c.ns
		s.HostNS += v.t.Duration(op)
	}
	var keys []key
	for k, s := range found {
		if s.Count > 1 {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, func(a, b key) int {
		return cmp.Or(cmp.Compare(found[b].DeviceNS, found[a].DeviceNS),
			cmp.Compare(found[a].Operator, found[b].Operator), cmp.Compare(example[a], example[b]))
	})
	out := []Sequence{}
	for _, k := range keys[:v.top(len(keys))] {
		s := found[k]
		s.Work = v.workUnder(example[k])
		if len(v.steps) > 0 {
			s.PerStep = float64(s.Count) / float64(len(v.steps))
		}
		out = append(out, *s)
	}
	return out
}

// workUnder names what a call of an operator launched, by start.
func (v *view) workUnder(op trace.EventID) []string {
	var ids []trace.EventID
	for id := op; id < trace.EventID(v.t.Len()); id++ {
		if v.t.TrackOf(id) != v.t.TrackOf(op) || v.t.Start(id) >= v.t.End(op) && id != op {
			break
		}
		for gpu := range v.t.Launched(id) {
			ids = append(ids, gpu)
		}
	}
	slices.SortFunc(ids, func(a, b trace.EventID) int {
		return cmp.Or(cmp.Compare(v.t.Start(a), v.t.Start(b)), cmp.Compare(a, b))
	})
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = v.t.Name(id)
	}
	return names
}
