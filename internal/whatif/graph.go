package whatif

import "saturate/internal/trace"

// Graph is what depends on what, in columns. Calls are numbered by time, works by launch.
//
// The host is one timeline: the threads that launch work take turns, since autograd's thread runs while the main thread
// waits.
type Graph struct {
	t     *trace.Trace
	facts Facts

	origin int64 // where the first step begins; the host's timeline starts here

	// Of each call. The last call is the end of the last step.
	call     []trace.EventID // None for the first and the last
	begin    []int64         // recorded
	end      []int64
	gap      []int64 // host time since the end of the call before; negative where threads overlap
	lead     []int64 // the call's own time before it launches: it copies to a staging buffer, or loads code
	cost     []int64 // the call's own time after that
	wait     []Wait
	on       []int32 // the work it waits for; none if -1
	waitRest []int64 // from the end of that work to the end of the call; for queueWait, from its beginning to the launch
	works    []int32 // its works are works[i] … works[i+1]-1

	// Of each piece of work.
	work   []trace.EventID
	from   []int32 // its call
	class  []Class
	dur    []int64
	lag    []int64 // at least so long after its launch
	rest   []int64 // at least so long after the work before it on its stream
	before []int32 // that work
	after  []int32 // work of another stream that it waits for

	marks []mark // of the steps, begin and end of each

	loads map[int32]int64 // see loading
}

// mark is an instant on the host's timeline: so long before a call begins.
type mark struct {
	call   int32
	offset int64
}

// none stands for no work.
const none = int32(-1)

// Build makes the graph of a trace. The recorded times can be had back from it exactly.
func Build(t *trace.Trace, facts Facts) *Graph {
	g := &Graph{t: t, facts: facts, origin: facts.Steps[0].Start}
	last := facts.Steps[len(facts.Steps)-1].End
	calls := g.findCalls(last)
	n := len(calls) + 2
	g.call = append(append(make([]trace.EventID, 0, n), trace.None), calls...)
	g.call = append(g.call, trace.None)
	g.begin, g.end = make([]int64, n), make([]int64, n)
	g.begin[0], g.end[0] = g.origin, g.origin
	g.begin[n-1], g.end[n-1] = last, last
	for i, id := range calls {
		g.begin[i+1], g.end[i+1] = g.t.Start(id), min(g.t.End(id), last)
	}
	g.findWorks()
	g.findWaits()
	g.findLatencies()
	g.gap = make([]int64, n)
	for i := 1; i < n; i++ {
		g.gap[i] = g.begin[i] - g.end[i-1]
	}
	for _, s := range facts.Steps {
		g.marks = append(g.marks, g.markAt(s.Start), g.markAt(s.End))
	}
	return g
}

// Calls is how many calls the graph has.
func (g *Graph) Calls() int { return len(g.call) }

// Works is how many pieces of GPU work it has.
func (g *Graph) Works() int { return len(g.work) }

// Steps is how many steps it has.
func (g *Graph) Steps() int { return len(g.marks) / 2 }

// recordedEnd is when a piece of work ended in the trace.
func (g *Graph) recordedEnd(work int32) int64 { return g.t.End(g.work[work]) }

// markAt puts an instant on the host's timeline.
func (g *Graph) markAt(ns int64) mark {
	low, high := 0, len(g.begin)-1
	for low < high { // the first call that begins at the instant or later
		if mid := (low + high) / 2; g.begin[mid] < ns {
			low = mid + 1
		} else {
			high = mid
		}
	}
	low = max(low, 1)
	return mark{int32(low), g.begin[low] - ns}
}
