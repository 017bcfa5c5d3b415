package analyze

import (
	"fmt"

	"saturate/internal/spell"
	"saturate/internal/stat"
	"saturate/internal/trace"
)

// withoutGPU is the answer for a trace that shows no work of a GPU: what is missing, and why it may be. It is sure where
// the trace is whole, and says nothing about the program where it is not.
func (v *view) withoutGPU() (sentence string, sure float64) {
	q, calls := v.t.Quality(), v.launchCalls()
	switch {
	case v.t.Len() == 0 && q.Dropped > 0:
		return fmt.Sprintf("None of the trace's %s can be used, so there is nothing to explain.", spell.Plural(q.Dropped, "event")), 0
	case v.t.Len() == 0 && q.Truncated:
		return "The trace breaks off before its first event, so there is nothing to explain; record it again.", 0
	case v.t.Len() == 0:
		return "The trace has no events, so there is nothing to explain.", 0
	case !v.whole:
		return "The GPU did nothing in this part of the trace.", 1
	case calls > 0 && q.Truncated:
		return fmt.Sprintf("The trace breaks off before the work of the GPU: it holds %s for it, but not the work; record it again, and let the profiler finish writing.",
			spell.Plural(calls, "launching call")), 0
	case q.Truncated:
		return "What could be read of the trace shows no work on a GPU, and the rest of it is missing; record it again, and let the profiler finish writing.", 0
	case calls > 0:
		return fmt.Sprintf("The trace holds %s for work on a GPU, but not the work: the profiler was not allowed to record the GPU, or another profiler did; `saturate doctor` tells what is allowed.",
			spell.Plural(calls, "launching call")), 0
	}
	return "The trace shows no work on a GPU: either the program ran on the CPU alone, or " + v.recorderHint() + v.hostSteps() + ".", 1
}

// recorderHint says what was left undone if there was a GPU after all.
func (v *view) recorderHint() string {
	if v.isJAX() {
		return "JAX did not use the GPU (jax.devices() lists what it uses)"
	}
	return "the profiler was not told to record the GPU (ProfilerActivity.CUDA)"
}

// hostSteps is what can be said of steps without a GPU: how long they are, and the loader's part.
func (v *view) hostSteps() string {
	steps, loader := v.hostTimes()
	if steps == 0 {
		return ""
	}
	text := fmt.Sprintf("; a step takes %s on average (%s)", seconds(steps/int64(len(v.steps))), spell.Plural(len(v.steps), "step"))
	if loader > 0 {
		text += fmt.Sprintf("; %s of the steps' time is spent in the data loader", percent(share(loader, steps)))
	}
	return text
}

// hostTimes is how long the steps take on the host, all together, and the loader in them.
func (v *view) hostTimes() (steps, loader int64) {
	times := v.loaderTimes()
	for _, s := range v.steps {
		steps += s.window.Length()
		loader += times.within(s.window)
	}
	return steps, loader
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
		return "nothing links the GPU's work to the calls that launched it"
	case v.launchCalls() > 0:
		return "the host left nothing recorded there"
	case v.isJAX():
		return "it holds no calls of the host that launch the GPU's work"
	}
	return "it holds no calls of the host that launch the GPU's work; record the host too (ProfilerActivity.CPU)"
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

func (v *view) isJAX() bool { return v.source == fromJAX || v.t.Meta().Format == "xplane" }
