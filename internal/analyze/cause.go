package analyze

import (
	"math"

	"saturate/internal/trace"
)

// Cause says why a GPU had nothing to do.
type Cause uint8

// The causes.
const (
	Unknown          Cause = iota // nothing in the trace says
	DataLoading                   // the host fetched or prepared a batch
	HostPython                    // the host ran code that launches nothing
	Synchronization               // the host had waited for the GPU and had to start again
	TransferCause                 // the host waited for a copy
	LaunchCause                   // the host launched work more slowly than the GPU finished it
	MemoryAllocation              // the driver allocated or freed memory
	Compilation                   // code was compiled or loaded
	Checkpoint                    // a checkpoint was written
	KernelWait                    // the work was launched already: the GPU's own delay between two pieces
	Recording                     // the profiler held the host up
	numCauses
)

var causeNames = [numCauses]string{
	"unknown", "data_loading", "host_python", "synchronization", "transfer", "launch", "memory_allocation",
	"compilation", "checkpoint", "kernel_wait", "profiler",
}

// String is the cause as it stands in the JSON.
func (c Cause) String() string {
	if c < numCauses {
		return causeNames[c]
	}
	return causeNames[Unknown]
}

// Limits that tell small things from large ones.
const (
	longStretch  = 200_000     // host time without any operator or call; below, it is the price of issuing the next one
	inputStretch = 2_000_000   // host time before a copy to the GPU that makes it the preparation of a batch
	inputBytes   = 64 << 10    // a copy that large is a batch, not a scalar
	hiddenByWait = 2_000_000   // host time after a wait that would have been hidden without the wait
	loadingCall  = 2_000_000   // a call of the driver that long, while the GPU has nothing to do, loads code: the driver does so at its first use
	startingCall = 100_000_000 // giving memory back never takes that long: libraries start the driver with a cudaFree of nothing
)

// explainer cuts gaps into pieces. Gaps must come in time order.
type explainer struct {
	v        *view
	threads  map[trace.TrackID]*hostThread
	main     *hostThread
	profiler []*hostThread
	others   []*hostThread // threads that launch work, by how much
	backward bool          // there is a backward pass at all
}

func (v *view) newExplainer(work []trace.EventID) *explainer {
	e := &explainer{v: v, threads: map[trace.TrackID]*hostThread{}, main: v.thread(v.main)}
	e.threads[v.main] = e.main
	for i := range v.t.Tracks() {
		tr := v.t.Track(trace.TrackID(i))
		if tr.Domain == trace.HostThread && tr.Len() > 0 && v.t.Kind(tr.First) == trace.Overhead {
			e.profiler = append(e.profiler, v.thread(tr.ID))
		}
	}
	for _, id := range work {
		call, ok := v.t.Launch(id)
		if !ok {
			continue
		}
		track := v.t.Event(call).Track
		if e.threads[track] == nil {
			e.threads[track] = v.thread(track)
			e.others = append(e.others, e.threads[track])
		}
	}
	for i := range v.meanings {
		e.backward = e.backward || v.meanings[i]&isBackward != 0
	}
	return e
}

// piece is a part of a gap that has one cause.
type piece struct {
	trace.Interval
	place place
}

// explain cuts a gap into pieces by what the host was doing. next is the work that ended
// the gap; trace.None for the time after the last work.
func (e *explainer) explain(gap trace.Interval, next trace.EventID, emit func(piece)) {
	v := e.v
	launch, linked := trace.None, false
	if next != trace.None {
		launch, linked = v.t.Launch(next)
	}
	host := gap // the part that the host's activity explains
	primary := e.main
	if linked {
		primary = e.threads[v.t.Event(launch).Track]
		called := v.t.Interval(launch)
		if called.End <= gap.Start {
			emit(piece{gap, e.phase(launch, KernelWait)})
			return
		}
		launched := called.Start
		if !v.t.Kind(launch).API() {
			launched = called.End // an operator launches at some time before its end
		}
		host.End = max(gap.Start, min(gap.End, launched))
	}
	wait := e.waitAt(gap.Start, primary)
	for now := host.Start; now < host.End; {
		a, until, by := e.activity(now, primary)
		p := piece{trace.Interval{Start: now, End: min(host.End, until)}, e.placeOf(a, by, next, launch)}
		if c := p.place.cause; wait != trace.None && (c == LaunchCause || c == HostPython && a.Length() < hiddenByWait) {
			p.place = e.waitPlace(wait)
		}
		emit(p)
		now = p.End
	}
	ready := gap.End
	if linked && gap.End-v.t.End(launch) > longDelay { // something else kept the GPU from what had been launched
		ready = max(host.End, v.t.End(launch))
	}
	if rest := (trace.Interval{Start: host.End, End: ready}); rest.Positive() {
		at := e.phase(launch, LaunchCause)
		if c := v.classOf(next); c == copyIn || c == copyOut {
			at.cause = TransferCause
		} else if e.loads(launch) {
			at = e.around(launch, Compilation)
		}
		emit(piece{rest, at})
	}
	if held := (trace.Interval{Start: ready, End: gap.End}); held.Positive() {
		emit(piece{held, e.phase(launch, KernelWait)})
	}
}

// loads reports whether a call of the runtime or driver took so long that it loaded code. Other devices' runtimes mark
// whole requests as calls.
func (e *explainer) loads(call trace.EventID) bool {
	return e.v.t.Kind(call).API() && e.v.t.Duration(call) >= loadingCall && ofDriver(e.v.t.Name(call))
}

// starts reports whether a call of the allocator started the driver, and neither took memory nor gave any back.
func (v *view) starts(call trace.EventID) bool {
	name := v.t.Name(call)
	return (name == "cudaFree" || name == "hipFree") && v.t.Duration(call) >= startingCall
}

// activity is what the host is doing at the instant, seen from the thread that launches
// the next work: that thread itself if it does anything, else the main thread, else another.
// It holds until the given instant; then another thread's turn may have come.
func (e *explainer) activity(ns int64, primary *hostThread) (a activity, until int64, by *hostThread) {
	until = math.MaxInt64
	for _, h := range e.profiler {
		a := h.at(ns)
		until = min(until, a.End)
		if a.state == recording {
			return a, until, h
		}
	}
	common := primary.at(ns) // where no thread does anything, the stretch in which none does
	until = min(until, common.End)
	if common.state != nothing || common.Length() < longStretch && common.Start != math.MinInt64 {
		return common, until, primary
	}
	for i := -1; i < len(e.others); i++ {
		h := e.main
		if i >= 0 {
			h = e.others[i]
		}
		if h == primary {
			continue
		}
		other := h.at(ns)
		until = min(until, other.End)
		if other.state != nothing {
			return other, until, h
		}
		common.Interval = common.Clip(other.Interval)
	}
	return common, until, e.main
}
