package analyze

import (
	"fmt"
	"math"
	"strings"

	"saturate/internal/human"
	"saturate/internal/trace"
)

// Bottleneck is what slows a training job most.
type Bottleneck string

// The bottlenecks, as they stand in the JSON.
const (
	ByData          Bottleneck = "data_loading"
	ByHost          Bottleneck = "host_python"
	BySync          Bottleneck = "synchronization"
	ByTransfer      Bottleneck = "transfer"
	ByLaunch        Bottleneck = "launch"
	ByCompute       Bottleneck = "compute"
	ByAllocation    Bottleneck = "memory_allocation"
	ByCommunication Bottleneck = "communication"
	ByCheckpoint    Bottleneck = "checkpoint"
	ByCompiling     Bottleneck = "compilation"
	ByNothing       Bottleneck = "none"
)

// Verdict is the answer: what slows the job most.
type Verdict struct {
	Bottleneck Bottleneck `json:"bottleneck"`
	Sentence   string     `json:"sentence"`   // one or two
	Confidence float64    `json:"confidence"` // 0 to 1
}

// bottleneckOf says which bottleneck idle time of a cause belongs to.
var bottleneckOf = map[Cause]Bottleneck{
	DataLoading: ByData, HostPython: ByHost, Compilation: ByCompiling, Recording: ByHost, Synchronization: BySync,
	TransferCause: ByTransfer,
	LaunchCause:   ByLaunch, KernelWait: ByLaunch, MemoryAllocation: ByAllocation, Checkpoint: ByCheckpoint,
	Unknown: ByNothing,
}

// account is the time that the verdict divides: what was lost to each bottleneck.
type account struct {
	total int64 // of the time looked at
	idle  int64
	lost  map[Bottleneck]int64
	place map[Bottleneck]IdleCause // the largest place of each
	held  tally                    // of ByNothing: in launched work that did not begin

	little bool // too little work to judge anything by

	calls, missing int // launching calls of a trace that breaks off, and those whose work was lost
}

// worthNaming is the part of the time from which on a bottleneck is named; below, the
// kernels themselves are.
const worthNaming = 0.10

// accountOf divides the time of the GPU's Span.
func (v *view) accountOf(g *gpuWork, idle *idle) account {
	a := account{lost: map[Bottleneck]int64{}, place: map[Bottleneck]IdleCause{}}
	_, talking, feeding, _ := g.busy.shares()
	a.lost[ByCommunication] = talking.length()
	a.lost[ByTransfer] = feeding.length() + g.busy.of[copyOut].minus(g.busy.of[compute]).length()
	for p, t := range idle.causes {
		a.idle += t.ns
		b := bottleneckOf[p.cause]
		a.lost[b] += t.ns
		here := IdleCause{Cause: p.cause.String(), NS: t.ns, Place: v.text(p)}
		a.place[b] = larger(a.place[b], here)
	}
	a.lost[ByLaunch] -= idle.held.ns // no kernel takes that long to start: the GPU waited for something that is not in the trace
	a.lost[ByNothing] += idle.held.ns
	a.held = idle.held
	a.total = a.idle + g.busy.span.BusyNS
	a.calls, a.missing = v.cutOff(g)
	return a
}

// larger is the place that took more time; of equals the one whose name comes first, so that the answer does not vary.
func larger(a, b IdleCause) IdleCause {
	if b.NS > a.NS || b.NS == a.NS && b.Place < a.Place {
		return b
	}
	return a
}

// worst is the bottleneck to name.
func (a account) worst() Bottleneck {
	best := ByCompute
	for _, b := range []Bottleneck{ByData, ByLaunch, BySync, ByHost, ByCompiling, ByTransfer, ByCommunication, ByAllocation, ByCheckpoint, ByNothing} {
		if share(a.lost[b], a.total) >= worthNaming && (best == ByCompute || a.lost[b] > a.lost[best]) {
			best = b
		}
	}
	return best
}

// unreliable reports whether so much of the GPU's work was lost that its idle time says nothing.
func (a account) unreliable() bool { return a.little || 10*a.missing > a.calls }

// verdict names the bottleneck.
func (v *view) verdict(g *gpuWork, idle *idle) Verdict {
	if g == nil {
		sentence, sure := v.withoutGPU()
		return Verdict{ByNothing, sentence, sure}
	}
	v.account = v.accountOf(g, idle)
	a := v.account
	if a.unreliable() {
		return Verdict{ByNothing, fmt.Sprintf("The trace is truncated: the GPU work of %s of %s is missing, so the GPU's idle time is unknown. Record it again, and let the profiler finish writing.",
			human.Count(a.missing), human.Plural(a.calls, "launching call")), 0}
	}
	if sentence := v.tooLittle(g); sentence != "" {
		v.account.little = true
		return Verdict{ByNothing, sentence, 0}
	}
	b := a.worst()
	sentence := v.sentence(b, a, g)
	if v.t.Quality().Truncated {
		sentence = "The trace is truncated, so idle time may be missing work. " + sentence
	}
	return Verdict{b, sentence, v.confidence(b, a)}
}

func (v *view) sentence(b Bottleneck, a account, g *gpuWork) string {
	gpu := "The " + v.accelerator()
	if len(v.gpus) > 1 {
		gpu = fmt.Sprintf("%s %d", v.accelerator(), g.device)
	}
	counted := v.explained().Counted
	idle := fmt.Sprintf("was idle %s of the time", human.Percent(share(a.idle, a.total)))
	idleTime := gpu + " " + idle
	if w := v.explained(); w.Part || w.oneStep() { // else the figure below says what the time is
		idleTime += " " + counted("its")
	}
	lost := func() string {
		return fmt.Sprintf("%s of the time %s (%s)", human.Percent(share(a.lost[b], a.total)), counted("the GPU's"),
			human.Nanoseconds(a.lost[b]))
	}
	part := func(ns int64) string {
		return fmt.Sprintf("%s of the idle time (%s of %s)",
			human.Percent(share(ns, a.idle)), human.Nanoseconds(ns), human.Nanoseconds(a.idle))
	}
	where := a.place[b]
	in := mostlyIn(where, a.lost[b])
	switch b {
	case ByData:
		return fmt.Sprintf("%s: it waited for data. %s is in %s.", idleTime, part(where.NS), loaderName(where.Place))
	case ByLaunch:
		return fmt.Sprintf("%s: the program is launch-bound.%s", idleTime, v.launchWaits(a.lost[b], g))
	case BySync:
		return fmt.Sprintf("%s: the host waits for the GPU before it prepares the next work. %s is in such a wait or right after it%s.", idleTime, part(a.lost[b]), in)
	case ByHost:
		return fmt.Sprintf("%s: the host ran code that launches nothing. That takes %s%s.", idleTime, part(a.lost[b]), in)
	case ByCompiling:
		return fmt.Sprintf("%s: code was compiled or loaded. That takes %s%s.", idleTime, part(a.lost[b]), in)
	case ByTransfer:
		return fmt.Sprintf("Copies between host and GPU delay the GPU for %s. %s %s%s.", lost(), gpu, idle, in)
	case ByCommunication:
		return fmt.Sprintf("Communication that does not overlap compute takes %s. %s %s.", lost(), gpu, idle)
	case ByAllocation:
		return fmt.Sprintf("%s: the driver allocated and freed memory. That takes %s%s.", idleTime, part(a.lost[b]), in)
	case ByCheckpoint:
		return fmt.Sprintf("%s: a checkpoint was written. That takes %s%s.", idleTime, part(a.lost[b]), in)
	case ByNothing:
		if 2*a.held.ns > a.lost[b] {
			return fmt.Sprintf("%s, although its work was already launched. %s is between kernels, %s. "+
				"The trace does not show what the GPU waited for: unrecorded work, another program, or the profiler.",
				idleTime, part(a.held.ns), v.heldGaps(a))
		}
		return fmt.Sprintf("%s. The trace does not show why: %s.", idleTime, v.whySilent())
	}
	return fmt.Sprintf("%s was busy %s of the time %s: the kernels themselves are the bottleneck.", gpu,
		human.Percent(1-share(a.idle, a.total)), counted("its"))
}

// mostlyIn names the place where most of a lost time is, as the end of a sentence.
func mostlyIn(where IdleCause, lost int64) string {
	switch {
	case where.Place == "":
		return ""
	case 2*where.NS > lost:
		return ", most of it " + inOrBefore(where.Place)
	}
	return ", the largest part " + inOrBefore(where.Place)
}

// launchWaits says how long the GPU waits for the next kernel, and how often.
func (v *view) launchWaits(lost int64, g *gpuWork) string {
	n := int64(g.busy.span.Kernels)
	if n <= 1 {
		return ""
	}
	if few := v.fewGaps(lost, LaunchCause, KernelWait); few != "" {
		return " Most of it is " + few + "."
	}
	busy, waits := human.Nanoseconds(g.busy.span.KernelSumNS/n), human.Nanoseconds(lost/n)
	if steps := int64(len(v.steps)); steps > 0 && n > steps {
		each := int(math.Round(float64(n) / float64(steps)))
		return fmt.Sprintf(" A step launches %s kernels: on average, each runs for %s, and then the GPU waits %s for the next.", human.Count(each), busy, waits)
	}
	return fmt.Sprintf(" On average a kernel keeps the GPU busy for %s, then the GPU waits %s for the next.", busy, waits)
}

// heldGaps says how long the gaps are in which the GPU had work and did not start it.
func (v *view) heldGaps(a account) string {
	if few := v.fewGaps(a.held.ns, KernelWait); few != "" {
		return few
	}
	return human.Choose(a.held.gaps, "in one gap", human.Nanoseconds(a.held.ns/int64(a.held.gaps))+" each time")
}

// loaderName says "the data loader's __next__" for torch's marker, and names anything else.
func loaderName(place string) string {
	if strings.HasPrefix(place, "enumerate(DataLoader)#") && strings.HasSuffix(place, ".__next__") {
		return "the data loader's __next__"
	}
	if strings.HasPrefix(place, "before ") {
		return "host code that prepares a batch (the idle time ends with its copy to the GPU)"
	}
	return place
}

// confidence falls when the cause was inferred rather than recorded, when it is one among
// several, and when the trace itself is in doubt.
func (v *view) confidence(b Bottleneck, a account) float64 {
	c := 1.0
	if b != ByCompute {
		var lost int64
		for _, ns := range a.lost {
			lost += ns
		}
		c = 0.5 + 0.5*share(a.lost[b], lost)
	}
	switch {
	case b == ByData && strings.HasPrefix(a.place[b].Place, "before "):
		c *= 0.8 // concluded from the copy that follows
	case b == ByHost && !v.hasStacks():
		c *= 0.8 // nothing says which code it was
	case b == ByNothing:
		c *= 0.5 // that it was idle is sure, and no more
	case b == ByLaunch:
		c *= 0.9 // recording slows launching more than anything else
	}
	q := v.t.Quality()
	if n := q.Events; n > 0 {
		c *= 1 - 0.5*share(int64(q.Dropped), int64(n+q.Dropped))
	}
	if g := v.device(); g != nil && len(g.work) > 0 {
		c *= 1 - 0.5*min(1, share(int64(q.Unlinked), int64(len(g.work))))
	}
	if q.Truncated {
		c *= 0.5 // profilers do not write the GPU's work in the order of time
	}
	return math.Round(100*c) / 100
}

// hasStacks reports whether Python frames were recorded.
func (v *view) hasStacks() bool {
	for range v.t.OfKind(trace.Python) {
		return true
	}
	return false
}
