package analyze

import (
	"slices"

	"saturate/internal/finding"
	"saturate/internal/human"
	"saturate/internal/stat"
	"saturate/internal/trace"
	"saturate/internal/whatif"
)

// Analysis is all answers about a trace, or about the ranks of one job. Its JSON form is
// what `saturate analyze --format json` prints.
type Analysis struct {
	Verdict       Verdict           `json:"verdict"`
	Trace         Source            `json:"trace"`
	Window        Window            `json:"window"`
	GPUs          []GPU             `json:"gpus"`
	Steps         []Step            `json:"steps"`
	Transfers     []Transfer        `json:"transfers"`               // copies and fills, by direction and kind of host memory
	HTABandwidth  []Bandwidth       `json:"hta_bandwidth,omitempty"` // with HTA's rules
	Syncs         []Sync            `json:"synchronizations"`        // the host's waits for the GPU, by place
	Kernels       []Kernel          `json:"kernels"`                 // by name, the longest in total first
	Operators     []Operator        `json:"operators"`               // by name, the most GPU time of their own first
	Rates         []Rate            `json:"rates"`                   // of products, convolutions and attention, by operator and shapes
	Sequences     []Sequence        `json:"sequences"`               // work that calls of an operator launch again and again
	Ranges        []Range           `json:"ranges,omitempty"`        // marked by the program
	Phases        []Phase           `json:"phases,omitempty"`        // of an inference server that marks its batches
	Replays       []Replay          `json:"replays,omitempty"`       // of CUDA graphs whose capture is known, by what was captured
	Launch        Launch            `json:"launch"`                  // how the host started GPU work
	Communication *Communication    `json:"communication,omitempty"`
	Memory        Memory            `json:"memory"`
	Compiled      *Compiled         `json:"compiled,omitempty"`   // code that a compiler made; missing where there is none
	Ranks         *Ranks            `json:"ranks,omitempty"`      // the ranks of the job side by side; missing for a single trace
	Recordings    int               `json:"recordings,omitempty"` // of this one process; the last is explained
	Quality       Quality           `json:"quality"`              // how far the trace can be believed
	Findings      []finding.Finding `json:"findings"`

	CriticalPath *whatif.Path        `json:"critical_path,omitempty"` // the chain that decides the mean step
	From         *From               `json:"what_if_from,omitempty"`  // what the predictions start from
	WhatIf       []whatif.Prediction `json:"what_if"`                 // what the user asked for, the best repairs together, then each alone, the shortest step first

	// Answers are the predictions of Options.Each, in its order; a Note says why one has no figure. None without a trace
	// of GPU work.
	Answers []whatif.Prediction `json:"-"`

	// Series are the figures over time, where Options.Series asks for them.
	Series []Series `json:"-"`

	all everything // not cut to the top rows; for comparing
}

// Source is the trace that is explained.
type Source struct {
	Path   string `json:"path"`          // file of the trace
	Format string `json:"format"`        // of the file: chrome, xplane, nsys
	Rank   int    `json:"rank"`          // -1 when unknown
	GPU    string `json:"gpu,omitempty"` // name of the GPU
	Device int32  `json:"device"`        // the GPU that the verdict and the steps speak of; -1 where there is none
}

// Window is the part of the trace that is explained.
type Window struct {
	StartNS   int64  `json:"start_ns"`                 // start of the window
	EndNS     int64  `json:"end_ns"`                   // end of the window
	Steps     int    `json:"steps"`                    // steps in the window
	StepsFrom string `json:"steps_from"`               // profiler, jax, annotation NAME, periodicity, none
	Part      bool   `json:"part"`                     // a step or a time was asked for, not the whole trace
	HTA       bool   `json:"hta"`                      // counted by HTA's window and rules
	ByGPU     bool   `json:"steps_by_gpu,omitempty"`   // the host runs ahead: steps end when the GPU has done their work
	MarkedNS  int64  `json:"marked_step_ns,omitempty"` // then, the mean step from mark to mark of the host
	// Step is the number of the only step that is explained, where one was asked for.
	Step *int64 `json:"step,omitempty"`
}

// Counted says what the GPUs' times are counted over. The GPU is "the GPU's", or "its" where it was just named.
func (w Window) Counted(whose string) string {
	switch {
	case w.Step != nil:
		return "in step " + human.Count(*w.Step)
	case w.Part:
		return "in this part of the trace"
	case w.oneStep():
		return "from the start of the step to the end of its work"
	}
	return "from " + whose + " first to last activity"
}

// oneStep reports whether the trace as a whole is one step. HTA's rules know no such case.
func (w Window) oneStep() bool { return !w.Part && !w.HTA && w.Steps == 1 }

// GPU is what one GPU did.
type GPU struct {
	Device      int32       `json:"device"`     // index of the GPU
	BusyRatio   float64     `json:"busy_ratio"` // over the span
	Span        Span        `json:"span"`
	IdleByCause []IdleCause `json:"idle_by_cause"` // adds up to span.idle_ns
	Streams     []Stream    `json:"streams"`
	LongestGaps []Gap       `json:"longest_gaps"`

	GapLengths []int64   `json:"-"` // of all gaps, in time order; for drawing
	Busy       []float64 `json:"-"` // busy part of each of equal stretches of the window; for drawing
}

// Name says what was explained: the trace, or the ranks.
func (a *Analysis) Name() string {
	if a.Ranks == nil {
		return a.Trace.Path
	}
	return a.Ranks.Name()
}

// MainGPU is the GPU that the verdict and the steps speak of; nil where there is none.
func (a *Analysis) MainGPU() *GPU {
	i := slices.IndexFunc(a.GPUs, func(g GPU) bool { return g.Device == a.Trace.Device })
	if i < 0 {
		return nil
	}
	return &a.GPUs[i]
}

// everything is what an Analysis keeps whole.
type everything struct {
	kernels   []Kernel
	operators []Operator
	calls     map[string]hostCalls // by name

	stepNS, loaderNS int64       // mean step without a GPU, and what the loader takes of it
	talkNS           int64       // what talk with other ranks takes of the mean step, hidden or not
	hostSteps        stat.Series // the steps without a GPU
}

// everything answers all questions about one trace, except for the rules.
func (v *view) everything() Analysis {
	g := v.device()
	meta := v.t.Meta()
	a := Analysis{
		Trace:  Source{Path: meta.Path, Format: meta.Format, Rank: meta.Rank, Device: -1},
		Window: v.explained(),
		GPUs:   []GPU{}, Quality: v.quality(),
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
	if g != nil {
		a.Trace.Device = int32(g.device)
	}
	for _, gpu := range meta.GPUs {
		if g != nil && gpu.Device == g.device {
			a.Trace.GPU = gpu.Name
		}
	}
	a.Steps = orEmpty(v.breakdown(g, main))
	v.hostFigures(&a, g)
	if v.opt.brief {
		a.Communication = v.communication()
		a.Verdict = v.verdict(g, main)
		return a
	}
	a.Transfers = orEmpty(v.transfers())
	if v.opt.HTA {
		a.HTABandwidth = v.bandwidth()
	}
	if v.opt.Series {
		a.Series = v.series()
	}
	a.Syncs = orEmpty(v.syncs())
	v.sums = v.kernelSums()
	a.all.kernels = orEmpty(v.kernels(v.sums))
	a.Kernels = a.all.kernels[:v.top(len(a.all.kernels))]
	v.ops = v.operatorSums()
	a.all.operators = orEmpty(v.operators(v.ops))
	a.Operators = a.all.operators[:v.top(len(a.all.operators))]
	a.Rates = v.rates()
	a.Sequences = v.sequences()
	a.all.calls = v.hostCalls()
	a.Ranges = v.ranges()
	a.Phases = v.phases()
	a.Replays = v.replays()
	a.Launch = v.launches()
	a.Launch.ByCall = orEmpty(a.Launch.ByCall)
	a.Communication = v.communication()
	a.Memory = v.memory()
	a.Memory.Held, a.Memory.Spikes = orEmpty(a.Memory.Held), orEmpty(a.Memory.Spikes)
	a.Compiled = v.compiled()
	a.Verdict = v.verdict(g, main)
	return a
}

// hostFigures are those of the mean step that ranks are compared by.
func (v *view) hostFigures(a *Analysis, g *gpuWork) {
	switch n := int64(len(v.steps)); {
	case n == 0:
	case g == nil:
		steps, loader, talk := v.hostTimes()
		a.all.stepNS, a.all.loaderNS, a.all.talkNS = steps/n, loader/n, talk/n
		a.all.hostSteps = v.hostSeries()
	default:
		for _, s := range v.steps {
			a.all.talkNS += g.busy.of[communication].within(s.window)
		}
		a.all.talkNS /= n
	}
}

// orEmpty makes JSON say [] instead of null.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

func (v *view) gpu(g *gpuWork, idle *idle) GPU {
	row := GPU{Device: int32(g.device), BusyRatio: share(g.busy.span.BusyNS, g.busy.span.SpanNS), Span: g.busy.span}
	if v.opt.brief {
		return row
	}
	row.IdleByCause, row.Streams, row.LongestGaps, row.Busy = idle.byCause(), v.streams(g.work), idle.longest(v.top(len(idle.gaps))), v.busyOverTime(g)
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
		w := trace.Interval{
			Start: v.window.Start + length*int64(i)/stretches,
			End:   v.window.Start + length*int64(i+1)/stretches,
		}
		out[i] = share(g.busy.all.within(w), w.Length())
	}
	return out
}
