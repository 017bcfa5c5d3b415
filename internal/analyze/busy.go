package analyze

import "saturate/internal/trace"

// Span is what a GPU did between its first start and its last end, in the part of the trace
// that was asked for, or in the only step of the trace. Times are lengths of unions of intervals, so work that overlaps
// counts once: HTA's and TraceLens's definition.
type Span struct {
	SpanNS          int64 `json:"span_ns"`          // from the first start to the last end
	BusyNS          int64 `json:"busy_ns"`          // something ran
	IdleNS          int64 `json:"idle_ns"`          // nothing ran
	ComputeNS       int64 `json:"compute_ns"`       // kernels that do not communicate
	MemoryNS        int64 `json:"memory_ns"`        // copies and fills
	CommunicationNS int64 `json:"communication_ns"` // kernels that talk to other GPUs
	Kernels         int   `json:"kernels"`          // kernels that ran
	KernelSumNS     int64 `json:"kernel_sum_ns"`    // plain sum of the kernels' durations
}

// NonComputeNS is HTA's name for busy time without compute.
func (s Span) NonComputeNS() int64 { return s.BusyNS - s.ComputeNS }

// busy is when a GPU was busy, and with what. A class's set counts every instant at which
// some work of that class ran.
type busy struct {
	of  [numClasses]spans
	all spans

	span Span
}

// busyTimes makes the sets from the work of a GPU, which is sorted by start.
func (v *view) busyTimes(work []trace.EventID) (b busy) {
	for _, id := range work {
		i := v.clip(id)
		c := v.classOf(id)
		b.of[c] = b.of[c].add(i)
		b.all = b.all.add(i)
		if v.t.Kind(id) == trace.Kernel {
			b.span.Kernels++
			b.span.KernelSumNS += i.Length()
		}
	}
	s := &b.span
	s.BusyNS = b.all.length()
	s.SpanNS = b.bounds(v, work).Length()
	s.IdleNS = s.SpanNS - s.BusyNS
	s.ComputeNS = b.of[compute].length()
	s.CommunicationNS = b.of[communication].length()
	s.MemoryNS = b.memory().length()
	return b
}

// bounds is from the first start to the last end. Work without duration has an end too. A
// part of a trace that was asked for counts from edge to edge, and so does a single step:
// the wait for its batch lies before its first kernel.
func (b *busy) bounds(v *view, work []trace.EventID) trace.Interval {
	if !v.whole {
		return v.window
	}
	w := v.clip(work[0])
	for _, id := range work {
		w.End = max(w.End, v.clip(id).End)
	}
	if v.oneStep() {
		step := v.steps[0].window
		w = trace.Interval{Start: min(w.Start, step.Start), End: max(w.End, step.End)}
	}
	return w
}

// memory is when copies or fills ran.
func (b *busy) memory() (m spans) {
	for c := range numClasses {
		if c.isMemory() {
			m = m.union(b.of[c])
		}
	}
	return m
}

// shares divides the busy time so that each instant counts once: compute first, then
// communication, then copies from the host, then the rest.
func (b *busy) shares() (working, talking, feeding, rest spans) {
	working = b.of[compute]
	talking = b.of[communication].minus(working)
	taken := working.union(talking)
	feeding = b.of[copyIn].minus(taken)
	rest = b.all.minus(taken.union(feeding))
	return working, talking, feeding, rest
}
