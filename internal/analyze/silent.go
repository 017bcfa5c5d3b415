package analyze

import (
	"fmt"
	"slices"
	"strings"

	"saturate/internal/human"
	"saturate/internal/stat"
	"saturate/internal/trace"
	"saturate/internal/trace/xla"
)

// withoutGPU is the answer for a trace that shows no work of a GPU: what is missing, and why it may be. It is sure
// where the trace is whole, and says nothing about the program where it is not.
func (v *view) withoutGPU() (sentence string, sure float64) {
	q, calls := v.t.Quality(), v.launchCalls()
	switch {
	case v.t.Len() == 0 && q.Dropped > 0:
		return fmt.Sprintf("The trace has no usable events (%s dropped).", human.Plural(q.Dropped, "event")), 0
	case v.t.Len() == 0 && q.Truncated:
		return "The trace is truncated before its first event. Record it again.", 0
	case v.t.Len() == 0 && len(v.t.Memory()) > 0:
		return "The trace only has memory events, and no times to explain.", 0
	case v.t.Len() == 0:
		return "The trace has no events.", 0
	case !v.whole && len(v.t.Devices()) > 0:
		return "The GPU did nothing " + v.explained().Counted("its") + v.hostSteps() + ".", 1
	case calls > 0 && q.Truncated:
		return fmt.Sprintf("The trace is truncated before the GPU's work: it has %s, but not the work. Record it again, and let the profiler finish writing.",
			human.Plural(calls, "launching call")), 0
	case q.Truncated:
		return "The trace is truncated, and the readable part shows no GPU work. Record it again, and let the profiler finish writing.", 0
	case calls > 0:
		return fmt.Sprintf("The trace has %s, but no GPU work: the profiler lacked permission to record the GPU, or another profiler recorded it. `saturate doctor` shows the permissions.",
			human.Plural(calls, "launching call")), 0
	}
	switch {
	case v.ofAscend():
		return "The trace is from an Ascend NPU, which is unsupported: only the host is shown.", 0
	case v.foreign():
		return "The trace does not contain torch or JAX events. Record training with `saturate profile`, torch.profiler or JAX's profiler.", 0
	}
	if calls := v.jaxCalls(); calls > 0 && !v.computes() {
		return v.withoutComputation(calls), 0
	}
	return "The trace shows no GPU work: either the program ran on the CPU only, or " + v.recorderHint() + v.hostSteps() + ".", 1
}

// ofAscend reports whether torch_npu wrote the trace.
func (v *view) ofAscend() bool {
	return slices.ContainsFunc(v.t.Tracks(), func(tr trace.Track) bool { return tr.Process == "Ascend Hardware" })
}

// foreign reports whether the trace is of a program that has nothing to do with training, such
// as a browser: none of its events is of a kind that a framework's profiler writes.
func (v *view) foreign() bool {
	if v.isJAX() {
		return false
	}
	for id := range trace.EventID(v.t.Len()) {
		switch v.t.Kind(id) {
		case trace.Other, trace.Uncategorised, trace.Instant, trace.Span:
			if !strings.HasPrefix(v.t.Name(id), "aten::") {
				continue
			}
		}
		return false
	}
	return true
}

// recorderHint says what was left undone if there was a GPU after all.
func (v *view) recorderHint() string {
	if v.isJAX() {
		return "JAX did not use the GPU (check jax.devices())"
	}
	return "the profiler did not record the GPU (add ProfilerActivity.CUDA)"
}

// hostSteps is what can be said of steps without a GPU: how long they are, and the loader's part.
func (v *view) hostSteps() string {
	steps, loader, talk := v.hostTimes()
	if steps == 0 {
		return ""
	}
	text := fmt.Sprintf("; a step takes %s on average (%s)", human.Nanoseconds(steps/int64(len(v.steps))),
		human.Plural(len(v.steps), "step"))
	if number := v.explained().Step; number != nil {
		text = fmt.Sprintf("; step %s takes %s", human.Count(*number), human.Nanoseconds(steps))
	}
	if loader > 0 {
		text += fmt.Sprintf("; %s of that is spent in the data loader", human.Percent(share(loader, steps)))
	}
	if talk > 0 {
		text += fmt.Sprintf("; collectives with other ranks run for %s of it", human.Percent(share(talk, steps)))
	}
	return text
}

// hostTimes is how long the steps take on the host, all together, and in them the loader and the talk with other ranks.
func (v *view) hostTimes() (steps, loader, talk int64) {
	loading, talking := v.loaderTimes(), v.hostTalk()
	for _, s := range v.steps {
		steps += s.window.Length()
		loader += loading.within(s.window)
		talk += talking.within(s.window)
	}
	return steps, loader, talk
}

// hostTalk is when collectives ran on the host, from the call to the end: torch marks Gloo's so, on any thread.
func (v *view) hostTalk() spans {
	var list []trace.Interval
	for id := range v.t.OfKind(trace.Annotation, trace.Collective) {
		if v.means(id, isComm) {
			list = append(list, v.t.Interval(id))
		}
	}
	return sorted(list)
}

// hostSeries is how long each step takes on the host.
func (v *view) hostSeries() stat.Series {
	s := stat.Series{Name: "step", Unit: "s/it"}
	for _, step := range v.steps {
		s.Values = append(s.Values, float64(step.window.Length())/1e9)
	}
	return s
}

// whySilent says why idle time has no cause.
func (v *view) whySilent() string {
	switch {
	case 2*v.t.Quality().Unlinked > len(v.device().work) && v.launchCalls() > 0:
		return "the GPU's work is not linked to the calls that launched it"
	case v.launchCalls() > 0:
		return "nothing was recorded on the host at that time"
	case v.isJAX():
		return "the host's launching calls are missing"
	}
	missing := "the host's launching calls are missing; record the host too"
	if how := recordsHost[v.t.Meta().Format]; how != "" {
		missing += " (" + how + ")"
	}
	return missing
}

// recordsHost says how to make each profiler record the host's calls.
var recordsHost = map[string]string{
	"chrome": "ProfilerActivity.CPU", "nsys": "nsys profile --trace=cuda,nvtx", "rocprof": "rocprofv3 --runtime-trace",
	"perfetto": "rocprofv3 --runtime-trace",
}

// launchCalls counts the host's calls that start a kernel or a graph.
func (v *view) launchCalls() (n int) {
	for _, kind := range []trace.Kind{trace.Runtime, trace.Driver} {
		for id := range v.t.OfKind(kind) {
			if v.means(id, isLaunchCall) {
				n++
			}
		}
	}
	return n
}

// cutOff counts the launching calls of a trace that breaks off, between a GPU's first work and
// its last, and those of them whose work was lost.
func (v *view) cutOff(g *gpuWork) (calls, missing int) {
	if !v.t.Quality().Truncated {
		return 0, 0
	}
	inside := g.busy.bounds(v, g.work)
	for id := range v.t.OfKind(trace.Runtime, trace.Driver) {
		if !v.means(id, isLaunchCall) || !inside.Contains(v.t.Start(id)) {
			continue
		}
		calls++
		missing++
		for range v.t.Launched(id) {
			missing--
			break
		}
	}
	return calls, missing
}

// isJAX reports whether JAX wrote the trace, in either of its formats.
func (v *view) isJAX() bool {
	return v.source == fromJAX || v.t.Meta().Format == "xplane" ||
		slices.ContainsFunc(v.t.Tracks(), func(tr trace.Track) bool { return xla.Process(tr.Process) })
}

// jaxCalls counts the calls of compiled functions: JAX puts their work into a queue and goes on.
func (v *view) jaxCalls() (n int) {
	if !v.isJAX() {
		return 0
	}
	for id := range v.t.OfKind(trace.CPUOp) {
		if up := v.t.Parent(id); strings.HasPrefix(v.t.Name(id), "PjitFunction(") && (up == trace.None || v.t.NameID(up) != v.t.NameID(id)) {
			n++ // JAX marks each call twice, one inside the other
		}
	}
	return n
}

// computes reports whether the trace holds any work of such a function: an operation of XLA, or anything on a device.
func (v *view) computes() bool {
	for i := range v.t.Tracks() {
		tr := v.t.Track(trace.TrackID(i))
		if strings.HasPrefix(tr.Process, "/device:") && tr.Len() > 0 {
			return true
		}
		for id := tr.First; id < tr.Last; id++ {
			if v.t.Text(id, trace.HLOOp) != "" {
				return true
			}
		}
	}
	return false
}

// withoutComputation is the answer for such a trace.
func (v *view) withoutComputation(calls int) string {
	text := fmt.Sprintf("The trace has %s of compiled functions and no computation: recording stopped before the queued work ran. Call block_until_ready on the last result before stop_trace",
		human.Plural(calls, "call"))
	for id := range v.t.OfKind(trace.CPUOp) {
		if strings.Contains(v.t.Name(id), "GpuExecutable") { // the work went to a GPU, which may have been hidden
			return text + ". If it already does, the profiler lacked permission to record the GPU; `saturate doctor` shows the permissions."
		}
	}
	return text + "."
}
