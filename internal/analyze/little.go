package analyze

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"saturate/internal/human"
	"saturate/internal/trace"
)

// tooLittle says why a trace has too little GPU work to judge anything by; nothing where it has enough.
func (v *view) tooLittle(g *gpuWork) string {
	work := v.accelerator() + " work"
	if captured := v.captured(); captured > 0 && captured > 2*len(g.work) {
		return fmt.Sprintf("This is a trace of CUDA-graph capture: %s recorded into a graph and did not run, beside %s of %s. Record the steps after the capture.",
			human.Plural(captured, "launch was", "launches were"), human.Plural(len(g.work), "piece"), work)
	}
	const next = 20_000 // the part of the time that says nothing: 50 µs of a second
	if v.whole && len(g.work) < enoughWork && next*g.busy.span.BusyNS < v.window.Length() {
		return fmt.Sprintf("Too little %s to judge: %s of %s in total, in a trace of %s. Record whole training steps.",
			work, human.Plural(len(g.work), "piece"), human.Nanoseconds(g.busy.span.BusyNS), human.Nanoseconds(v.window.Length()))
	}
	return ""
}

// captured counts the launches that were recorded into CUDA graphs and did not run.
func (v *view) captured() (n int) {
	for _, c := range v.captures {
		for _, id := range c.calls {
			if v.means(id, isLaunchCall) && v.window.Contains(v.t.Start(id)) {
				n++
			}
		}
	}
	return n
}

// accelerator is what the device is called: GPU, unless the trace names another kind.
func (v *view) accelerator() string {
	for i := range v.t.Tracks() {
		tr := v.t.Track(trace.TrackID(i))
		if tr.Domain != trace.Stream {
			continue
		}
		for _, name := range []string{"MTIA", "HPU", "NPU", "TPU"} {
			if strings.Contains(tr.Process, name) || strings.Contains(tr.Label, name) {
				return name
			}
		}
	}
	return "GPU"
}

// fewGaps says so where a few long gaps hold most of some idle time, with what ran before each: an average over all
// would hide them.
func (v *view) fewGaps(lost int64, causes ...Cause) string {
	const few = 8
	list, all := v.idle.longestOf(few, func(g gap) bool { return slices.Contains(causes, g.place.cause) })
	var sum int64
	for n, g := range list {
		if sum += g.Length(); 5*sum >= 4*lost && all >= 3*(n+1) {
			return v.longGaps(list[:n+1], sum, lost)
		}
	}
	return ""
}

func (v *view) longGaps(list []gap, sum, lost int64) string {
	count := map[string]int{}
	var names []string
	for _, g := range list {
		name := "the start"
		if g.last != trace.None {
			name = shortKernel(v.t.Name(g.last))
		}
		if count[name]++; count[name] == 1 {
			names = append(names, name)
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(count[b], count[a]) })
	after := ""
	for i, name := range names[:min(3, len(names))] {
		if i > 0 {
			after += ", "
		}
		after += name
		if len(list) > 1 && len(names) > 1 {
			after += fmt.Sprintf(" (%d)", count[name])
		}
	}
	return fmt.Sprintf("in %s of %s on average (%s of it), after %s", human.Plural(len(list), "long gap"),
		human.Nanoseconds(sum/int64(len(list))), human.Percent(min(1, share(sum, lost))), after)
}
