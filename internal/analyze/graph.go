package analyze

import (
	"slices"
	"strings"

	"saturate/internal/trace"
	"saturate/internal/whatif"
)

// newGraph makes the graph by which repairs are predicted; nil where no GPU work is in the trace, or HTA's rules are
// asked for.
func (v *view) newGraph() *whatif.Graph {
	if len(v.t.Devices()) == 0 || v.opt.HTA {
		return nil
	}
	steps := v.hostMarks()
	if len(steps) == 0 {
		steps = []trace.Interval{v.activeTime()}
	}
	if !steps[0].Positive() {
		return nil
	}
	return whatif.Build(v.t, v.graphFacts(steps))
}

// activeTime is the part of the window from the first launch or work to the last: without steps, what comes before and
// after is not training.
func (v *view) activeTime() trace.Interval {
	w := v.launchTimes()
	for i := range v.gpus {
		for _, id := range v.gpus[i].work {
			at := v.t.Interval(id)
			if (w == trace.Interval{}) {
				w = at
			}
			w = trace.Interval{Start: min(w.Start, at.Start), End: max(w.End, at.End)}
		}
	}
	return w.Clip(v.window)
}

// graphFacts tell the graph what the trace's names mean.
func (v *view) graphFacts(steps []trace.Interval) whatif.Facts {
	f := whatif.Facts{Steps: steps, Threads: []trace.TrackID{v.main}, Wait: v.waitOf, Loader: v.loaderTimes()}
	for id := range v.t.OfKind(trace.Kernel, trace.Memcpy, trace.Memset) {
		if call, ok := v.t.Launch(id); ok {
			if track := v.t.Event(call).Track; !slices.Contains(f.Threads, track) {
				f.Threads = append(f.Threads, track)
			}
		}
	}
	if call := v.firstOfMain(isLoader); call != trace.None {
		f.LoaderName = v.t.NameID(call)
	}
	for name := range trace.NameID(v.t.Names()) { // Python frames around torch's mark do not say it
		if v.meanings[name]&isLoader != 0 && strings.Contains(v.t.String(name), singleProcess) {
			f.LoaderName, f.InProcess = name, true
		}
	}
	f.Optimizer = v.optimizerTimes()
	units := make([]TensorCores, v.t.Names())
	known := precisions{v, v.products()}
	f.Class = func(id trace.EventID) whatif.Class {
		class := v.workClass(id, f.Optimizer, units)
		if _, part := known.of[id]; part && class == whatif.Elementwise {
			return whatif.Compute
		}
		return class
	}
	f.Faster, f.Compiled = known.faster, v.isCompiled
	f.Foreach = func(id trace.EventID) bool {
		return strings.Contains(v.t.Name(id), "multi_tensor_apply") && !strings.Contains(v.t.Name(id), "Fused")
	}
	if v.hasStacks() {
		f.Function = v.functionAround
	}
	return f
}

// firstOfMain is the first event of the main thread with that meaning.
func (v *view) firstOfMain(m meaning) trace.EventID {
	tr := v.t.Track(v.main)
	for id := tr.First; id < tr.Last; id++ {
		if v.means(id, m) && v.t.Kind(id) != trace.Instant {
			return id
		}
	}
	return trace.None
}

// optimizerTimes is when the optimizer updated the weights, as far as that is marked.
func (v *view) optimizerTimes() (s spans) {
	tr := v.t.Track(v.main)
	for id := tr.First; id < tr.Last; id++ {
		if v.means(id, isOptimizer) && v.t.Kind(id) != trace.Instant {
			s = s.add(v.t.Interval(id))
		}
	}
	return s
}

// workClass is what a piece of work is for, as the graph counts.
func (v *view) workClass(id trace.EventID, optimizer spans, units []TensorCores) whatif.Class {
	switch v.classOf(id) {
	case communication:
		return whatif.Collective
	case copyIn:
		if v.endsOf(id).memory() == "pinned" {
			return whatif.PinnedIn
		}
		return whatif.PageableIn
	case copyOut:
		return whatif.CopyOut
	case copyOther, fill:
		return whatif.CopyOther
	}
	if call, ok := v.t.Launch(id); ok && len(optimizer) > 0 && optimizer.within(trace.Interval{Start: v.t.Start(call), End: v.t.Start(call) + 1}) > 0 {
		return whatif.Update
	}
	name := v.t.NameID(id)
	if units[name] == "" {
		units[name] = tensorCores(v.t.String(name))
	}
	if units[name] == NotMultiplying {
		return whatif.Elementwise
	}
	return whatif.Compute
}

// waitOf is why a call may wait for the GPU.
func (v *view) waitOf(id trace.EventID) whatif.Wait {
	m := v.meanings[v.t.NameID(id)]
	if m&(isSync|isCopyCall) == 0 {
		return whatif.NoWait
	}
	if m&isSync == 0 { // a copy blocks where the host's memory is pageable
		if !v.t.Kind(id).API() {
			return whatif.NoWait
		}
		for gpu := range v.t.Launched(id) {
			switch e := v.endsOf(gpu); {
			case e.memory() == "pinned":
			case e.class() == copyIn:
				return whatif.InputWait
			case e.class() == copyOut:
				return v.readOf(id, whatif.ResultWait)
			}
			break
		}
		return whatif.NoWait
	}
	switch class := v.copyBefore(id); {
	case m&isDeviceSync != 0:
		return whatif.DeviceWait
	case class == copyIn:
		return whatif.InputWait
	case class == copyOut:
		return v.readOf(id, whatif.ResultWait)
	}
	return v.readOf(id, whatif.OtherWait)
}

// readOf is the sort of a wait that an operator around it tells.
func (v *view) readOf(id trace.EventID, other whatif.Wait) whatif.Wait {
	for a := range v.t.Ancestors(id) {
		switch {
		case v.means(a, isScalarRead):
			return whatif.ScalarWait
		case v.means(a, isShapeRead):
			return whatif.ShapeWait
		}
	}
	return other
}

// copyBefore is what the copy was for that the same operator started right before a wait; numClasses if there is none.
func (v *view) copyBefore(wait trace.EventID) class {
	const near = 8
	up := v.t.Parent(wait)
	if up == trace.None {
		return numClasses
	}
	for id, n := wait-1, 0; id > up && n < near; id, n = id-1, n+1 {
		if v.t.Parent(id) == up && v.t.Kind(id).API() && v.means(id, isCopyCall) {
			for gpu := range v.t.Launched(id) {
				return v.classOf(gpu)
			}
		}
	}
	return numClasses
}

// functionAround is the user's Python function around a call.
func (v *view) functionAround(id trace.EventID) (trace.NameID, bool) {
	for a := range v.t.Ancestors(id) {
		if v.t.Kind(a) == trace.Python && !v.means(a, isLibrary) {
			return v.t.NameID(a), true
		}
	}
	return 0, false
}
