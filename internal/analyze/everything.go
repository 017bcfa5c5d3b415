package analyze

import (
	"context"
	"errors"
	"fmt"

	"saturate/internal/finding"
	"saturate/internal/stat"
	"saturate/internal/trace"
)

// Analysis is all answers about a trace, or about the ranks of one job. Its JSON form is
// what `saturate analyze --format json` prints.
type Analysis struct {
	Verdict       Verdict           `json:"verdict"`
	Trace         Source            `json:"trace"`
	Window        Window            `json:"window"`
	GPUs          []GPU             `json:"gpus"`
	Steps         []Step            `json:"steps"`
	Transfers     []Transfer        `json:"transfers"`
	Syncs         []Sync            `json:"synchronizations"`
	Kernels       []Kernel          `json:"kernels"`
	Operators     []Operator        `json:"operators"`
	Ranges        []Range           `json:"ranges,omitempty"` // marked by the program
	Launch        Launch            `json:"launch"`
	Communication *Communication    `json:"communication,omitempty"`
	Memory        Memory            `json:"memory"`
	Compiled      *Compiled         `json:"compiled,omitempty"`
	Ranks         *Ranks            `json:"ranks,omitempty"`
	Quality       Quality           `json:"quality"`
	Findings      []finding.Finding `json:"findings"`

	all everything // not cut to the top rows; for comparing
}

// Source is the trace that is explained.
type Source struct {
	Path   string `json:"path"`
	Format string `json:"format"`
	Rank   int    `json:"rank"` // -1 when unknown
	GPU    string `json:"gpu,omitempty"`
}

// Window is the part of the trace that is explained.
type Window struct {
	StartNS   int64  `json:"start_ns"`
	EndNS     int64  `json:"end_ns"`
	Steps     int    `json:"steps"`
	StepsFrom string `json:"steps_from"` // profiler, jax, annotation NAME, periodicity, none
	Part      bool   `json:"part"`       // a step or a time was asked for, not the whole trace
	HTA       bool   `json:"hta"`        // counted by HTA's window and rules
}

// GPU is what one GPU did.
type GPU struct {
	Device      int32       `json:"device"`
	BusyRatio   float64     `json:"busy_ratio"` // over the window
	Span        Span        `json:"span"`
	IdleByCause []IdleCause `json:"idle_by_cause"` // adds up to span.idle_ns
	Streams     []Stream    `json:"streams"`
	LongestGaps []Gap       `json:"longest_gaps"`

	GapLengths []int64   `json:"-"` // of all gaps, in time order; for drawing
	Busy       []float64 `json:"-"` // busy part of each of equal stretches of the window; for drawing
}

// Work is how many kernels, copies and fills the GPU ran.
func (g GPU) Work() (n int) {
	for _, s := range g.Streams {
		n += s.Kernels + s.Copies
	}
	return n
}

// everything is what an Analysis keeps whole.
type everything struct {
	kernels   []Kernel
	operators []Operator

	stepNS, loaderNS, talkNS int64       // mean step without a GPU, and what the loader and talk with other ranks take of it
	hostSteps                stat.Series // the steps without a GPU
}

// Everything answers all questions. With several traces one rank is explained in full and
// all of them are put side by side. Where each rank was recorded several times, the last
// recording is looked at.
func Everything(ctx context.Context, traces []*trace.Trace, opt Options) (Analysis, error) {
	if len(traces) == 0 {
		return Analysis{}, errors.New("there is no trace to analyse")
	}
	traces, recordings := lastRecording(traces)
	views := make([]*view, len(traces))
	all := make([]Analysis, len(traces))
	for i, t := range traces {
		if err := ctx.Err(); err != nil {
			return Analysis{}, err
		}
		v, err := newView(t, opt)
		if err != nil {
			return Analysis{}, fmt.Errorf("%s: %w", t.Meta().Path, err)
		}
		views[i], all[i] = v, v.everything()
	}
	ranks := sideBySide(all, doubtRanks(traces))
	chosen, err := chooseRank(all, opt.Rank, ranks.worst)
	if err != nil {
		return Analysis{}, err
	}
	a := all[chosen]
	if len(all) > 1 {
		ranks.Explained, ranks.Recordings = number(all, chosen), recordings
		a.Ranks = ranks
	}
	a.Findings = findings(views[chosen], &a)
	return a, nil
}

// everything answers all questions about one trace, but for the rules.
func (v *view) everything() Analysis {
	g := v.device()
	meta := v.t.Meta()
	a := Analysis{
		Trace:  Source{Path: meta.Path, Format: meta.Format, Rank: meta.Rank},
		Window: Window{v.window.Start, v.window.End, len(v.steps), v.source, !v.whole, v.opt.HTA},
		GPUs:   []GPU{}, Quality: quality(v.t.Quality()),
	}
	var main *idle
	for i := range v.gpus {
		idle := v.idleTimes(&v.gpus[i])
		if &v.gpus[i] == g {
			main = idle
			v.idle = idle
		}
		a.GPUs = append(a.GPUs, v.gpu(&v.gpus[i], idle))
	}
	for _, gpu := range meta.GPUs {
		if g != nil && gpu.Device == g.device {
			a.Trace.GPU = gpu.Name
		}
	}
	a.Steps = orEmpty(v.breakdown(g, main))
	a.Transfers = orEmpty(v.transfers())
	a.Syncs = orEmpty(v.syncs())
	v.sums = v.kernelSums()
	a.all.kernels = orEmpty(v.kernels(v.sums))
	a.Kernels = a.all.kernels[:v.top(len(a.all.kernels))]
	v.ops = v.operatorSums()
	a.all.operators = orEmpty(v.operators(v.ops))
	a.Operators = a.all.operators[:v.top(len(a.all.operators))]
	a.Ranges = v.ranges()
	a.Launch = v.launches()
	a.Launch.ByCall = orEmpty(a.Launch.ByCall)
	a.Communication = v.communication()
	a.Memory = v.memory()
	a.Memory.Held, a.Memory.Spikes = orEmpty(a.Memory.Held), orEmpty(a.Memory.Spikes)
	a.Compiled = v.compiled()
	if n := int64(len(v.steps)); g == nil && n > 0 {
		steps, loader, talk := v.hostTimes()
		a.all.stepNS, a.all.loaderNS, a.all.talkNS = steps/n, loader/n, talk/n
		a.all.hostSteps = v.hostSeries()
	}
	a.Verdict = v.verdict(g, main)
	return a
}

// orEmpty makes JSON say [] instead of null.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

func (v *view) gpu(g *gpuWork, idle *idle) GPU {
	row := GPU{
		Device: int32(g.device), BusyRatio: share(g.busy.span.BusyNS, v.window.Length()), Span: g.busy.span,
		IdleByCause: idle.byCause(), Streams: v.streams(g.work), LongestGaps: idle.longest(v.top(len(idle.gaps))),
		Busy: v.busyOverTime(g),
	}
	row.GapLengths = make([]int64, len(idle.gaps))
	for i, gap := range idle.gaps {
		row.GapLengths[i] = gap.Length()
	}
	return row
}

// stretches is into how many pieces the window is cut for drawing.
const stretches = 240

func (v *view) busyOverTime(g *gpuWork) []float64 {
	out := make([]float64, stretches)
	length := v.window.Length()
	for i := range out {
		w := trace.Interval{Start: v.window.Start + length*int64(i)/stretches, End: v.window.Start + length*int64(i+1)/stretches}
		out[i] = share(g.busy.all.within(w), w.Length())
	}
	return out
}
