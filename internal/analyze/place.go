package analyze

import (
	"math"
	"strings"

	"saturate/internal/trace"
)

// place says where in the user's program a piece of idle time arose, without a string, so
// that many pieces can be counted by it.
type place struct {
	cause Cause
	how   how
	a, b  trace.NameID
}

type how uint8

const (
	nowhere    how = iota
	at             // a
	inside         // b inside a
	before         // before a
	inBackward     // the backward pass
	inForward      // what is neither backward nor in a range
)

// text writes the place for people.
func (v *view) text(p place) string {
	a, b := v.label(p.a), v.label(p.b)
	switch p.how {
	case at:
		return a
	case inside:
		return a + " (" + b + ")"
	case before:
		return "before " + a
	case inBackward:
		return "backward"
	case inForward:
		return "forward"
	}
	return ""
}

// label is a name as people read it: Python frames lose the folders of installed packages.
func (v *view) label(id trace.NameID) string {
	name := v.t.String(id)
	if f, ok := frameOf(name); ok {
		if i := strings.LastIndex(f.file, "site-packages/"); i >= 0 {
			f.file = f.file[i+len("site-packages/"):]
		}
		return f.String()
	}
	return name
}

// placeOf names the cause and the place of an activity during a gap. next is the work that
// ended the gap and launch the call that started it; both may be None.
func (e *explainer) placeOf(a activity, by *hostThread, next, launch trace.EventID) place {
	v := e.v
	switch a.state {
	case loading:
		return place{DataLoading, at, v.t.NameID(a.by), 0}
	case saving:
		return place{Checkpoint, at, v.t.NameID(a.by), 0}
	case compiling:
		return e.around(a.by, Compilation)
	case waiting:
		return e.waitPlace(a.by)
	case copying:
		return e.around(a.by, TransferCause)
	case allocating:
		if v.starts(a.by) {
			return e.around(a.by, Compilation)
		}
		return e.around(a.by, MemoryAllocation)
	case recording:
		return place{Recording, at, v.t.NameID(a.by), 0}
	case collecting:
		return place{HostPython, at, v.t.NameID(a.by), 0}
	case launching:
		if e.loads(a.by) {
			return e.around(a.by, Compilation)
		}
	case operating, nothing:
		if a.Length() >= longStretch && (next != trace.None || !v.endless()) {
			return e.longPlace(a, by, next, launch)
		}
	}
	switch {
	case launch != trace.None:
		return e.phase(launch, LaunchCause)
	case next == trace.None && !v.endless():
		return place{HostPython, nowhere, 0, 0} // until the end of the step
	}
	return place{Unknown, nowhere, 0, 0}
}

// longPlace is the same for a long time in which the host calls nothing that the GPU knows of.
func (e *explainer) longPlace(a activity, by *hostThread, next, launch trace.EventID) place {
	v := e.v
	if p, ok := e.pythonPlace(a, by); ok {
		return p
	}
	if next == trace.None {
		return place{Unknown, nowhere, 0, 0}
	}
	bytes, _ := v.t.Int(next, trace.Bytes)
	isInput := v.classOf(next) == copyIn && bytes >= inputBytes
	switch {
	case isInput && a.Length() >= inputStretch && !v.marksLoading():
		return place{DataLoading, before, v.t.NameID(next), 0}
	case a.by != trace.None:
		return place{HostPython, at, v.t.NameID(a.by), 0}
	}
	return e.beforePlace(launch)
}

// marksLoading reports whether the trace marks the loading of batches: then unmarked code before a copy is something
// else.
func (v *view) marksLoading() bool {
	if v.loaderMark == nil {
		found := v.firstOfMain(isLoader) != trace.None
		v.loaderMark = &found
	}
	return *v.loaderMark
}

// endless reports whether the time after the last work has no end of its own: the recording
// just stops, before the host's next launch.
func (v *view) endless() bool { return v.whole && !v.oneStep() }

// pythonPlace names the user's Python function that ran for most of a long stretch; with
// no stacks recorded, the operator that ran for all of it.
func (e *explainer) pythonPlace(a activity, by *hostThread) (place, bool) {
	v := e.v
	if a.Start == math.MinInt64 || a.End == math.MaxInt64 {
		return place{}, false
	}
	id, ok := v.t.At(by.track, a.Start+a.Length()/2)
	if !ok {
		return place{}, false
	}
	frame := trace.None
	for ; id != trace.None; id = v.t.Parent(id) {
		if v.t.Kind(id) != trace.Python || 2*v.t.Interval(id).Overlap(a.Interval) < a.Length() {
			continue
		}
		if frame == trace.None {
			frame = id
		}
		if !v.means(id, isLibrary) {
			frame = id
			break
		}
	}
	if frame == trace.None {
		return place{}, false
	}
	return place{HostPython, at, v.t.NameID(frame), 0}, true
}

// beforePlace is for host code that left no trace: it ran before the outermost operator
// around the next launch, or in the user's range around it.
func (e *explainer) beforePlace(launch trace.EventID) place {
	if launch == trace.None {
		return place{HostPython, nowhere, 0, 0}
	}
	outer := launch
	for id := range e.v.t.Ancestors(launch) {
		if e.v.t.Kind(id) == trace.CPUOp {
			outer = id
		}
	}
	return place{HostPython, before, e.v.t.NameID(outer), 0}
}

// around names a call and the operator, or the user's Python function, that made it.
func (e *explainer) around(call trace.EventID, cause Cause) place {
	v := e.v
	op := trace.None
	for id := range v.t.Ancestors(call) {
		switch {
		case v.t.Kind(id) == trace.Python && !v.means(id, isLibrary):
			if op == trace.None {
				op = call
			}
			return place{cause, inside, v.t.NameID(id), v.t.NameID(op)}
		case v.t.Kind(id) == trace.CPUOp && (op == trace.None || v.means(id, isScalarRead|isShapeRead|isCopyOp)):
			op = id
		}
	}
	if op != trace.None {
		return place{cause, inside, v.t.NameID(op), v.t.NameID(call)}
	}
	return place{cause, at, v.t.NameID(call), 0}
}

// waitAt is the wait in which the host stood when the GPU ran dry; None if it stood in none.
func (e *explainer) waitAt(ns int64, primary *hostThread) trace.EventID {
	if a := primary.at(ns); a.state == waiting {
		return a.by
	}
	if a := e.main.at(ns); a.state == waiting {
		return a.by
	}
	return trace.None
}

func (e *explainer) waitPlace(wait trace.EventID) place { return e.around(wait, Synchronization) }

// phase names the part of the step that a launch belongs to: the user's outermost range
// around it, else the backward or the forward pass.
func (e *explainer) phase(launch trace.EventID, cause Cause) place {
	if launch == trace.None {
		return place{cause, nowhere, 0, 0}
	}
	backward, outer := false, trace.None
	for id := range e.v.t.Ancestors(launch) {
		m := e.v.meanings[e.v.t.NameID(id)]
		backward = backward || m&isBackward != 0
		if e.v.t.Kind(id) == trace.Annotation && m&(isStep|isRegion) == 0 {
			outer = id
		}
	}
	switch {
	case outer != trace.None:
		return place{cause, at, e.v.t.NameID(outer), 0}
	case backward:
		return place{cause, inBackward, 0, 0}
	case e.backward:
		return place{cause, inForward, 0, 0}
	}
	return place{cause, nowhere, 0, 0}
}
