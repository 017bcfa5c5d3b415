package analyze

import (
	"fmt"
	"math"
	"strings"
	"time"

	"saturate/internal/device"
	"saturate/internal/human"
	"saturate/internal/trace"
	"saturate/internal/whatif"
)

// Options choose what part of a trace is looked at, and how.
type Options struct {
	From, To int64 // nanoseconds after the trace's first event; To 0 means the end
	Step     int64 // the step of that number alone; negative means all
	Top      int   // how many rows each list has; 0 means 10, negative all
	HTA      bool  // HTA's window and rules instead of ours
	Series   bool  // figures over time too
	Rank     int   // the rank that is explained in full; negative means the one that waits least for others

	Untraced *whatif.Untraced // steps that nobody recorded; nil when unknown
	Ask      []whatif.Repair  // repairs that the user asks about, together
	Each     []whatif.Repair  // repairs that are asked about one by one, on top of Ask: see Analysis.Answers
	Roofs    *Roofs           // what the GPU was measured to reach; nil counts with its maker's figures

	Captures []*trace.Trace // of CUDA graphs that the trace replays; a capture in the trace itself needs no mention

	brief bool // only what the ranks of a job are compared by
}

// All is the whole of every trace, by our own rules.
var All = Options{Step: -1, Rank: -1}

// view is one trace as the questions see it.
type view struct {
	t        *trace.Trace
	opt      Options
	meanings []meaning
	copies   map[trace.NameID]ends

	window    trace.Window // what is looked at
	whole     bool         // the window is the whole trace
	cut       int64        // under HTA's rules only work launched before this counts
	steps     []step       // those with a part in the window
	source    string       // where the steps come from
	main      trace.TrackID
	gpus      []gpuWork
	launching trace.Interval // from the first call that launched work to the last, where there are no steps
	idle      *idle          // of the GPU that the sentence speaks of
	account   account
	sums      []*kernelSum
	peak      *device.Peak // of the GPUs; nil when they are not in the table
	roofs     *device.Peak // the same with what was measured in its place; predictions count with them
	ops       []Operator   // by NameID

	graph      *whatif.Graph // nil without GPU work
	replayed   *whatif.Times // its recorded times
	model      *whatif.Model
	loaderMark *bool // see marksLoading
	byGPU      bool  // steps end when the GPU has done their work
	captures   []captured
}

// gpuWork is what one GPU did in the window, by start.
type gpuWork struct {
	device trace.Device
	work   []trace.EventID
	busy   busy
}

// mostGPUs is how many GPUs of one trace are looked at. Each is compared with all that the host did, and no machine has
// so many: a trace that names thousands would take hours.
const mostGPUs = 256

func newView(t *trace.Trace, opt Options) (*view, error) {
	v := &view{
		t: t, opt: opt, meanings: meanings(t), copies: map[trace.NameID]ends{}, window: t.Window(), whole: true,
		cut: math.MaxInt64,
	}
	gpu := ""
	if gpus := t.Meta().GPUs; len(gpus) > 0 {
		gpu, v.peak = gpus[0].Name, device.PeakOf(gpus[0].Name, gpus[0].SMs)
	}
	if err := v.useRoofs(gpu); err != nil {
		return nil, err
	}
	v.captures = v.findCaptures()
	v.main = v.mainThread()
	v.steps, v.source = v.findSteps()
	v.cutByGPU()
	if err := v.narrow(); err != nil {
		return nil, err
	}
	if opt.HTA {
		if v.cut = v.htaCut(); v.cut != math.MaxInt64 && len(v.steps) > 1 {
			v.steps = v.steps[:len(v.steps)-1]
		}
	}
	devices := t.Devices()
	for _, dev := range devices[:min(len(devices), mostGPUs)] {
		g := gpuWork{device: dev}
		for id := range t.OnDevice(dev, v.window) {
			if v.launchedInTime(id) {
				g.work = append(g.work, id)
			}
		}
		if len(g.work) > 0 {
			g.busy = v.busyTimes(g.work)
			v.gpus = append(v.gpus, g)
		}
	}
	if len(v.steps) == 0 { // else the steps tell which waits are the profiler's
		v.launching = v.launchTimes()
	}
	if !v.whole || v.graph == nil {
		if v.graph = v.newGraph(); v.graph != nil {
			v.replayed = v.graph.Run(v.graph.Recorded(), nil)
		}
	}
	return v, nil
}

// means reports whether the event's name says any of that.
func (v *view) means(id trace.EventID, m meaning) bool { return v.meanings[v.t.NameID(id)]&m != 0 }

// narrow applies --step, --from and --to.
func (v *view) narrow() error {
	whole := v.window
	switch {
	case v.opt.Step >= 0:
		s, err := pickStep(v.steps, v.opt.Step)
		if err != nil {
			return err
		}
		v.window = s.window
	case v.opt.From < 0 || v.opt.To < 0:
		return fmt.Errorf("--from and --to cannot be negative: the trace begins at 0 s")
	case v.opt.To != 0 && v.opt.To <= v.opt.From:
		return fmt.Errorf("--to (%[2]s) must come after --from (%[1]s)", time.Duration(v.opt.From), time.Duration(v.opt.To))
	case v.opt.From != 0 || v.opt.To != 0:
		v.window.Start += v.opt.From
		if v.opt.To != 0 {
			v.window.End = min(whole.End, whole.Start+v.opt.To)
		}
		if !v.window.Positive() {
			return fmt.Errorf("--from %s is after the end of the trace, which lasts %s", time.Duration(v.opt.From),
				human.Nanoseconds(whole.Length()))
		}
	default:
		return nil
	}
	v.whole = false
	var kept []step
	for _, s := range v.steps {
		// A step belongs to the window when more than half of it does.
		if 2*s.window.Overlap(v.window) > s.window.Length() {
			kept = append(kept, s)
		}
	}
	v.steps = kept
	return nil
}

func pickStep(steps []step, number int64) (step, error) {
	if len(steps) == 0 {
		return step{}, fmt.Errorf("there is no step %d: the trace has no step markers and no repeating pattern; choose a part with --from and --to", number)
	}
	for _, s := range steps {
		if s.number == number {
			return s, nil
		}
	}
	return step{}, fmt.Errorf("there is no step %s: the trace has %s", human.Count(number), listed(steps))
}

// listed names the steps: steps 6 to 9, steps 2, 3 and 9.
func listed(steps []step) string {
	first, last := steps[0].number, steps[len(steps)-1].number
	switch n := len(steps); {
	case n == 1:
		return "only step " + human.Count(first)
	case last-first == int64(n)-1:
		return fmt.Sprintf("steps %s to %s", human.Count(first), human.Count(last))
	case n > 20:
		return fmt.Sprintf("%s between %s and %s", human.Plural(n, "step"), human.Count(first), human.Count(last))
	}
	names := make([]string, len(steps))
	for i, s := range steps {
		names[i] = human.Count(s.number)
	}
	return "steps " + strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// mainThread is the thread that runs the training loop: the one with step markers, else
// with the loader, else the one with most operators.
func (v *view) mainThread() trace.TrackID {
	if marks := v.t.StepMarkers(); len(marks) > 0 {
		return v.t.Event(marks[0].ID).Track
	}
	best, most := trace.TrackID(0), -1
	for i := range v.t.Tracks() {
		tr := v.t.Track(trace.TrackID(i))
		if tr.Domain != trace.HostThread {
			continue
		}
		n := 0
		for id := tr.First; id < tr.Last; id++ {
			switch v.t.Kind(id) {
			case trace.CPUOp, trace.Python:
				n++
			case trace.Annotation:
				n++
				if v.means(id, isLoader) {
					n += 1 << 30 // marked by torch itself, in the thread that iterates
				}
			}
		}
		if n > most {
			best, most = tr.ID, n
		}
	}
	return best
}

// explained is the part of the trace that is looked at.
func (v *view) explained() Window {
	w := Window{v.window.Start, v.window.End, len(v.steps), v.source, !v.whole, v.opt.HTA, v.byGPU, v.hostMean(), nil}
	if v.opt.Step >= 0 {
		w.Step = &v.opt.Step
	}
	return w
}

func (v *view) oneStep() bool { return v.explained().oneStep() }

// clip is the part of an event that lies in the window.
func (v *view) clip(id trace.EventID) trace.Interval { return v.t.Interval(id).Clip(v.window) }

// device is the GPU that the sentence and the steps speak of: the one with most work.
func (v *view) device() *gpuWork {
	var most *gpuWork
	for i := range v.gpus {
		if most == nil || len(v.gpus[i].work) > len(most.work) {
			most = &v.gpus[i]
		}
	}
	return most
}
