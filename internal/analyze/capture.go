package analyze

import (
	"cmp"
	"slices"
	"strings"

	"saturate/internal/trace"
)

// captured is a CUDA graph as it was captured: the calls that were recorded into it, in order. They ran nothing then;
// a launch of the graph runs them all, in this trace or in another.
type captured struct {
	v     *view // of the trace with the capture
	name  string
	calls []trace.EventID
}

// findCaptures finds the captures of a trace: from a stream's begin to its end.
func (v *view) findCaptures() []captured {
	begins, ends := map[trace.NameID]bool{}, map[trace.NameID]bool{}
	for name := range trace.NameID(v.t.Names()) {
		switch text := v.t.String(name); {
		case strings.Contains(text, "StreamBeginCapture"):
			begins[name] = true
		case strings.Contains(text, "StreamEndCapture"):
			ends[name] = true
		}
	}
	if len(begins) == 0 {
		return nil
	}
	open, list := v.captureTimes(begins, ends)
	if len(open) == 0 {
		return nil
	}
	v.addCalls(list, open)
	for _, c := range list {
		slices.SortStableFunc(c.calls, func(a, b trace.EventID) int { return cmp.Compare(v.t.Start(a), v.t.Start(b)) })
	}
	return slices.DeleteFunc(list, func(c captured) bool { return len(c.calls) == 0 })
}

// captureTimes is when each capture was open, and the captures, still without calls.
func (v *view) captureTimes(begins, ends map[trace.NameID]bool) (open []trace.Interval, list []captured) {
	for i := range v.t.Tracks() {
		tr := v.t.Track(trace.TrackID(i))
		if tr.Domain != trace.HostThread {
			continue
		}
		begun := trace.None
		for id := tr.First; id < tr.Last; id++ {
			switch name := v.t.NameID(id); {
			case !v.t.Kind(id).API():
			case begins[name]:
				begun = id
			case ends[name] && begun != trace.None:
				open = append(open, trace.Interval{Start: v.t.Start(begun), End: v.t.End(id)})
				list = append(list, captured{v: v, name: v.rangeAround(begun)})
				begun = trace.None
			}
		}
	}
	return open, list
}

// addCalls gives each capture the calls that were recorded into it. Autograd launches from a thread of its own, so calls
// of all threads count. Those that ran work were not captured.
func (v *view) addCalls(list []captured, open []trace.Interval) {
	for i := range v.t.Tracks() {
		tr := v.t.Track(trace.TrackID(i))
		if tr.Domain != trace.HostThread {
			continue
		}
		for id := tr.First; id < tr.Last; id++ {
			if !v.t.Kind(id).API() || !v.means(id, isLaunchCall|isCopyCall|isFillCall) {
				continue
			}
			at := slices.IndexFunc(open, func(w trace.Interval) bool { return w.Contains(v.t.Start(id)) })
			if at < 0 {
				continue
			}
			for range v.t.Launched(id) {
				at = -1
			}
			if at >= 0 {
				list[at].calls = append(list[at].calls, id)
			}
		}
	}
}

// rangeAround is the name that the program gave to the part of it in which the event lies; the innermost.
func (v *view) rangeAround(id trace.EventID) string {
	for a := range v.t.Ancestors(id) {
		if v.t.Kind(a) == trace.Annotation {
			return v.t.Name(a)
		}
	}
	return ""
}

// fit gives each piece of work of a replay the captured call that it comes from; nil where the capture is not that of
// this graph. Where the profiler wrote the kernels' names to the calls, they must be equal, and calls that recorded
// nothing are passed over. Else there must be as many calls as work, of the same kinds.
func (c *captured) fit(t *trace.Trace, work []trace.EventID) []trace.EventID {
	if len(c.calls) < len(work) {
		return nil
	}
	named := slices.ContainsFunc(c.calls, func(id trace.EventID) bool { return c.v.t.Text(id, trace.KernelName) != "" })
	if !named && len(c.calls) != len(work) {
		return nil
	}
	out := make([]trace.EventID, 0, len(work))
	at := 0
	for _, id := range work {
		for ; at < len(c.calls) && !c.same(c.calls[at], t, id, named); at++ {
			if !named {
				return nil
			}
		}
		if at == len(c.calls) {
			return nil
		}
		out = append(out, c.calls[at])
		at++
	}
	if 10*(len(c.calls)-len(work)) > len(work) { // a part of another graph
		return nil
	}
	return out
}

// same reports whether the call may have recorded the piece of work.
func (c *captured) same(call trace.EventID, t *trace.Trace, work trace.EventID, named bool) bool {
	switch kernel := c.v.t.Text(call, trace.KernelName); {
	case c.v.means(call, isCopyCall):
		return t.Kind(work) == trace.Memcpy
	case c.v.means(call, isFillCall):
		return t.Kind(work) == trace.Memset || strings.Contains(t.Name(work), "fillBuffer") // ROCm fills by a kernel
	case named:
		return kernel == t.Name(work)
	}
	return t.Kind(work) == trace.Kernel
}

// alike reports whether two captures recorded the same operators with the same inputs, as those of a model's equal layers.
func (c *captured) alike(d *captured) bool {
	if len(c.calls) != len(d.calls) {
		return false
	}
	for i := range c.calls {
		a, b := c.operator(c.calls[i]), d.operator(d.calls[i])
		if (a == trace.None) != (b == trace.None) {
			return false
		}
		if a != trace.None && (c.v.t.Name(a) != d.v.t.Name(b) || !sameInputs(c.v.t.Inputs(a), d.v.t.Inputs(b))) {
			return false
		}
	}
	return true
}

func sameInputs(a, b *trace.Inputs) bool {
	if a == nil || b == nil {
		return a == b
	}
	return slices.EqualFunc(a.Dims, b.Dims, slices.Equal)
}

// operator is the operator that made a captured call: one whose work the shapes tell, else the innermost.
func (c *captured) operator(call trace.EventID) trace.EventID {
	inner, ok := c.v.t.Enclosing(call, trace.CPUOp)
	if !ok {
		return trace.None
	}
	for op := inner; ok; op, ok = c.v.t.Enclosing(c.v.t.Parent(op), trace.CPUOp) {
		if effortOf[c.v.t.Name(op)] != nil {
			return op
		}
		if c.v.t.Parent(op) == trace.None {
			break
		}
	}
	return inner
}
