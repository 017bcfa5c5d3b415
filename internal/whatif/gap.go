package whatif

import (
	"slices"

	"saturate/internal/trace"
)

// gapBefore adds the host's time before a call, up to an instant, and returns where it begins. Its parts are the
// loader, the operators around the two calls, and the Python code between.
func (w *walker) gapBefore(i int32, now int64) int64 {
	begin := max(w.t.callEnd[i-1], w.from)
	if begin >= now {
		return now
	}
	whole := trace.Interval{Start: begin, End: now}
	loaders := w.g.facts.Loader
	at, _ := slices.BinarySearchFunc(loaders, now, func(s trace.Interval, ns int64) int {
		if s.Start < ns {
			return -1
		}
		return 1
	})
	end := now
	for at--; at >= 0 && loaders[at].End > begin; at-- {
		if part := loaders[at].Clip(whole); part.Positive() && part.End <= end {
			w.code(i, part.End, end)
			w.add(LoaderPart, part.Start, part.End, w.g.loaderName(), itself)
			end = part.Start
		}
	}
	w.code(i, begin, end)
	return begin
}

// code adds host time between two calls that is not the loader's.
func (w *walker) code(i int32, begin, end int64) {
	if begin >= end {
		return
	}
	next, after := w.g.outerOperator(i)
	previous, upTo := w.g.outerOperator(i - 1)
	if next != 0 && after.Start < end {
		from := max(begin, after.Start)
		w.add(HostPart, from, end, next, itself)
		end = from
	}
	to := begin // where the operator before it ends
	if previous != 0 && upTo.End > begin && begin < end {
		to = min(end, upTo.End)
	}
	if to < end {
		if name, ok := w.g.function(i); ok {
			w.add(HostPart, to, end, name, itself)
		} else {
			if next == 0 {
				next = w.nameOf(i)
			}
			w.add(HostPart, to, end, next, before)
		}
	}
	w.add(HostPart, begin, to, previous, itself)
}

// outerOperator is the outermost operator around a call.
func (g *Graph) outerOperator(i int32) (name trace.NameID, when trace.Interval) {
	id := g.call[i]
	if id == trace.None {
		return 0, trace.Interval{}
	}
	for p := range g.t.Ancestors(id) {
		if g.t.Kind(p) == trace.CPUOp {
			name, when = g.t.NameID(p), g.t.Interval(p)
		}
	}
	return name, when
}

// function is the user's function around a call, where stacks were recorded.
func (g *Graph) function(i int32) (trace.NameID, bool) {
	if g.facts.Function == nil || g.call[i] == trace.None {
		return 0, false
	}
	return g.facts.Function(g.call[i])
}

func (g *Graph) loaderName() trace.NameID { return g.facts.LoaderName }
