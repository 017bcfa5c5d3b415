package analyze

import (
	"math"

	"saturate/internal/trace"
)

// state is what a host thread is doing.
type state uint8

const (
	nothing    state = iota // no operator and no call was recorded: Python, or waiting for another thread
	operating               // in an operator of the framework
	launching               // in a call that starts GPU work, or asks about it
	copying                 // in a call that copies, or waits for a copy to the GPU
	waiting                 // in a call that waits for the GPU
	allocating              // in a call that allocates or frees memory
	compiling               // compiling or loading code
	loading                 // fetching or preparing a batch
	saving                  // writing a checkpoint
	collecting              // collecting garbage
	recording               // the profiler at work
)

// lasting states hold for everything inside the event that brought them: a batch that is
// prepared with operators is still a batch being prepared.
func (s state) lasting() bool {
	return s == loading || s == saving || s == compiling || s == collecting || s == waiting
}

// activity is what a thread did for a stretch of time in which nothing else began or ended.
type activity struct {
	trace.Interval
	state state
	by    trace.EventID // the event that decides the state; None for nothing
}

// hostThread walks along a thread and tells what it was doing. It only goes forward, so
// that asking for all gaps costs one pass over the thread's events.
type hostThread struct {
	v     *view
	track trace.TrackID
	next  trace.EventID // the first event not yet begun that decides a state
	last  trace.EventID // of the track
	open  []opened      // what is running, innermost last
	now   activity

	copied trace.EventID // the last call that copied
}

type opened struct {
	end   int64
	state state
	by    trace.EventID
}

func (v *view) thread(track trace.TrackID) *hostThread {
	tr := v.t.Track(track)
	h := &hostThread{v: v, track: track, next: tr.First, last: tr.Last, copied: trace.None}
	h.skip()
	h.now = activity{trace.Interval{Start: math.MinInt64, End: h.nextStart()}, nothing, trace.None}
	return h
}

// at is what the thread is doing at the instant, which must not lie before the last one asked for.
func (h *hostThread) at(ns int64) activity {
	for h.now.End <= ns {
		h.step()
	}
	return h.now
}

// step moves on to the next activity.
func (h *hostThread) step() {
	start := h.now.End
	h.close(start)
	for h.next < h.last && h.v.t.Start(h.next) <= start {
		h.begin(h.next, start)
		h.next++
		h.skip()
	}
	end := h.nextStart()
	h.now = activity{trace.Interval{Start: start, End: end}, nothing, trace.None}
	if n := len(h.open); n > 0 {
		top := h.open[n-1]
		h.now = activity{trace.Interval{Start: start, End: min(end, top.end)}, top.state, top.by}
	}
}

func (h *hostThread) close(ns int64) {
	n := len(h.open)
	for n > 0 && h.open[n-1].end <= ns {
		n--
	}
	h.open = h.open[:n]
}

func (h *hostThread) begin(id trace.EventID, now int64) {
	o := opened{h.v.t.End(id), h.v.stateOf(id), id}
	if h.v.t.Kind(id).API() && h.v.means(id, isCopyCall) {
		h.copied = id
	}
	if o.state == waiting && h.afterCopyIn(id) {
		o.state = copying
	}
	if o.end <= now {
		return
	}
	h.close(h.v.t.Start(id))
	// torch's own mark says what kind of loader it is, which the Python frame around it does not.
	named := o.state == loading && h.v.t.Kind(id) == trace.Annotation
	if n := len(h.open); n > 0 && h.open[n-1].state.lasting() && !(named && h.open[n-1].state == loading) {
		o.state, o.by = h.open[n-1].state, h.open[n-1].by
	}
	h.open = append(h.open, o)
}

// afterCopyIn reports whether a wait only waits for the copy to the GPU that the same
// operator has just started: that is how a copy blocks.
func (h *hostThread) afterCopyIn(wait trace.EventID) bool {
	if h.copied == trace.None || h.v.t.Parent(h.copied) != h.v.t.Parent(wait) || h.v.t.Parent(wait) == trace.None {
		return false
	}
	for gpu := range h.v.t.Launched(h.copied) {
		return h.v.classOf(gpu) == copyIn
	}
	return false
}

// skip passes over events that decide nothing.
func (h *hostThread) skip() {
	for h.next < h.last && h.v.stateOf(h.next) == nothing {
		h.next++
	}
}

func (h *hostThread) nextStart() int64 {
	if h.next < h.last {
		return h.v.t.Start(h.next)
	}
	return math.MaxInt64
}

// stateOf is the state that an event brings its thread into; nothing when it brings none,
// as a user's range or a Python frame does that says nothing special.
func (v *view) stateOf(id trace.EventID) state {
	m := v.meanings[v.t.NameID(id)]
	kind := v.t.Kind(id)
	switch {
	case kind == trace.Overhead:
		return recording
	case kind.OnGPU(), kind == trace.Span, kind == trace.Instant, m&isStep != 0:
		return nothing
	case m&isLoader != 0:
		return loading
	case m&isCheckpoint != 0:
		return saving
	case m&isCompile != 0:
		return compiling
	case m&isCollect != 0:
		return collecting
	case m&isSync != 0 && m&isCopyCall == 0:
		return waiting
	case kind.API() && m&isCopyCall != 0:
		return copying
	case kind.API() && m&isAlloc != 0:
		return allocating
	case kind.API():
		return launching
	case kind == trace.CPUOp, kind == trace.Collective:
		return operating
	}
	return nothing
}
