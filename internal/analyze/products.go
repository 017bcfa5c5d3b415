package analyze

import (
	"math"

	"saturate/internal/trace"
)

// products are the calls of operators whose arithmetic is known from their shapes, with all that they launch: a convolution
// may be a kernel that multiplies, or dozens that transform, multiply and transform back.
type products struct {
	calls map[trace.EventID]*timed
	order []trace.EventID                 // of the calls, by their first kernel
	of    map[trace.EventID]trace.EventID // the call that a kernel is part of
}

// timed is the GPU's time of one call.
type timed struct {
	ns    int64
	end   int64 // of what it launched so far
	units TensorCores
}

// products gathers them.
func (v *view) products() products {
	p := products{calls: map[trace.EventID]*timed{}, of: map[trace.EventID]trace.EventID{}}
	for i := range v.gpus {
		for _, id := range v.gpus[i].work {
			op, ok := v.productAround(id)
			if !ok {
				continue
			}
			c := p.calls[op]
			if c == nil {
				c = &timed{units: NotMultiplying, end: math.MinInt64}
				p.calls[op] = c
				p.order = append(p.order, op)
			}
			p.of[id] = op
			when := v.clip(id) // by start; parts of one product may overlap
			c.ns += max(0, when.End-max(when.Start, c.end))
			c.end = max(c.end, when.End)
			if u := tensorCores(v.t.Name(id)); c.units == NotMultiplying || u == OnTensorCores {
				c.units = u
			}
		}
	}
	return p
}

// productAround is the innermost operator around a piece of GPU work whose arithmetic can be counted.
func (v *view) productAround(work trace.EventID) (op trace.EventID, ok bool) {
	op, ok = v.t.Operator(work)
	for ; ok && effortOf[v.t.Name(op)] == nil; op, ok = v.t.Enclosing(v.t.Parent(op), trace.CPUOp) {
		if v.t.Parent(op) == trace.None {
			return trace.None, false
		}
	}
	return op, ok
}
