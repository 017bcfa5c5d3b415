package bench

import (
	"fmt"
	"math"
	"slices"

	"saturate/internal/device"
	"saturate/internal/stat"
)

// Result is what `saturate bench --format json` holds: Measured, and what follows from it.
type Result struct {
	Task      Task          `json:"task"`
	Valid     bool          `json:"valid"`               // false: Problems say why the times cannot be believed
	Disturbed bool          `json:"disturbed,omitempty"` // other programs used the CPU that did the work, so ways cannot be compared
	Problems  []string      `json:"problems"`            // why the times cannot be believed, one sentence each
	Device    string        `json:"device"`              // the device that was measured
	Machines  []Machine     `json:"machines"`
	Ceilings  []Roof        `json:"ceilings"`
	Results   []CaseResult  `json:"results"`
	Layers    []LayerResult `json:"layers,omitempty"`
	Rates     []RateResult  `json:"rates,omitempty"`
	Skipped   []Skip        `json:"skipped"`
	Notes     []string      `json:"notes"`             // what a reader has to know
	Run       string        `json:"run,omitempty"`     // folder of the Run
	Emitted   []string      `json:"emitted,omitempty"` // files that --emit wrote
}

// CaseResult is one case, judged.
type CaseResult struct {
	Case
	Components     []ComponentResult `json:"components"`
	TotalMS        stat.Number       `json:"total_ms"`       // of the components
	Bottleneck     string            `json:"bottleneck"`     // the component that limits the case
	Finding        string            `json:"finding"`        // the bottleneck in a sentence
	Recommendation string            `json:"recommendation"` // what to do about it
	Levels         []LevelResult     `json:"levels"`
	Memory         *Memory           `json:"memory,omitempty"` // of the baseline
	Failed         []string          `json:"failed,omitempty"` // what failed, one sentence each
}

// ComponentResult is one part against its roof. Times are medians.
type ComponentResult struct {
	Name     string        `json:"name"` // of the component: scores, softmax
	TimeMS   stat.Number   `json:"time_ms"`
	Interval stat.Interval `json:"interval_ms"`
	N        int           `json:"n"` // number of samples
	GPUMS    *stat.Number  `json:"gpu_ms,omitempty"`
	WallMS   stat.Number   `json:"wall_ms"`
	WarmMS   *stat.Number  `json:"warm_ms,omitempty"` // caches as the call before left them
	CPUMS    *stat.Number  `json:"cpu_ms,omitempty"`
	Share    float64       `json:"share"` // of the total time
	Work
	Intensity      float64  `json:"intensity"` // FLOPs per byte
	Bound          Bound    `json:"bound"`
	RoofRatio      float64  `json:"roof_ratio"`                 // least time divided by time taken
	BandwidthRatio float64  `json:"bandwidth_ratio"`            // share of the measured bandwidth that it reaches
	ComputeRatio   float64  `json:"compute_ratio"`              // share of the measured FLOP/s that it reaches
	TableRatio     float64  `json:"table_roof_ratio,omitempty"` // the same against the maker's figures
	Occupancy      *float64 `json:"occupancy,omitempty"`        // of the multiprocessors, where a profiler told it
	HostBound      bool     `json:"host_bound"`                 // launching it takes the host as long as doing it takes the device
	AboveRoof      bool     `json:"above_roof"`                 // faster than can be: caches, or a ceiling that was measured too low
	Warnings       []string `json:"warnings,omitempty"`         // about the measurement
	Skipped        string   `json:"skipped,omitempty"`          // why it was not measured
}

// Title is how people call the part.
func (c ComponentResult) Title() string {
	if known, ok := componentOf(c.Name); ok {
		return known.Title
	}
	return c.Name
}

// measured reports whether there is a time.
func (c ComponentResult) measured() bool { return c.N > 0 }

// LevelResult is the whole attention done in one way. Speedup is against level 0.
type LevelResult struct {
	Level     int           `json:"level"`   // optimization level, from 0
	Name      string        `json:"name"`    // of the way: naive, sdpa
	Backend   string        `json:"backend"` // the implementation that ran
	TimeMS    stat.Number   `json:"time_ms"`
	Interval  stat.Interval `json:"interval_ms"`
	N         int           `json:"n"`                  // number of samples
	FirstMS   float64       `json:"first_ms,omitempty"` // first call, with its compilation
	Speedup   stat.Number   `json:"speedup"`
	PeakBytes int64         `json:"peak_bytes"` // most memory in use; -1 where it cannot be known
	Memory    *Memory       `json:"memory,omitempty"`
	MaxError  *stat.Number  `json:"max_abs_error,omitempty"`
	Evidence  []string      `json:"evidence,omitempty"` // of the backend, and of how much the error was taken
	Warnings  []string      `json:"warnings,omitempty"` // about the measurement
	Skipped   string        `json:"skipped,omitempty"`  // why it was not measured
}

// measured reports whether there is a time.
func (l LevelResult) measured() bool { return l.N > 0 }

// Judge derives everything from what was measured.
func Judge(m Measured) Result {
	r := Result{
		Task: m.Plan.Task, Problems: append([]string{}, problems(m)...), Machines: append([]Machine{},
			m.Machines...), Skipped: append([]Skip{}, m.Skipped...), Notes: append([]string{}, m.Notes...),
		Ceilings: []Roof{}, Results: []CaseResult{},
	}
	r.Valid = len(r.Problems) == 0
	r.Disturbed = (m.Contended || m.Stolen > 0) && slices.ContainsFunc(m.Machines, func(x Machine) bool { return !x.Accelerated() })
	for _, x := range m.Machines {
		if x.Framework == "go" && slices.ContainsFunc(m.Machines, Machine.Accelerated) {
			r.Notes = append(r.Notes, fmt.Sprintf("go ran on the CPU (%s), not on the GPU", x.Name))
		}
	}
	if m.Contended {
		r.Notes = append(r.Notes, fmt.Sprintf("other programs kept %.1f cores busy, so CPU times are too long and vary",
			m.OtherCores))
	}
	if m.Stolen > 0 {
		r.Notes = append(r.Notes, device.StolenText(m.Stolen)+", so CPU times are too long and vary")
	}
	if len(m.Machines) > 0 {
		r.Device = m.Machines[0].Name
		if i := slices.IndexFunc(m.Machines, Machine.Accelerated); i >= 0 {
			r.Device = m.Machines[i].Name
		}
	}
	for _, c := range m.Cases {
		roof := m.roofOf(c.Framework, c.DType)
		if !slices.Contains(r.Ceilings, roof) {
			r.Ceilings = append(r.Ceilings, roof)
		}
	}
	for _, c := range m.Cases {
		machine, _ := m.machineOf(c.Framework)
		r.Results = append(r.Results, judgeCase(c, circumstances{
			machine: machine, roof: roofFor(r.Ceilings, c.Case), roofs: r.Ceilings, disturbed: (m.Contended || m.Stolen > 0) &&
				!machine.Accelerated(),
		}))
	}
	for _, l := range m.Layers {
		r.Layers = append(r.Layers, judgeLayer(l, m.Layers))
	}
	for _, rate := range m.Rates {
		r.Rates = append(r.Rates, judgeRate(rate))
	}
	return r
}

// problems are what makes times worthless: a GPU that slowed itself down, or was not alone.
func problems(m Measured) []string {
	out := slices.Clone(m.Problems)
	for _, x := range m.Machines {
		for _, h := range []*Health{x.Before, x.After} {
			if h != nil && h.Throttled {
				out = append(out, fmt.Sprintf("%s throttled during %s%s", x.Name, x.Framework, inBrackets(h.Reasons)))
			}
			if h != nil && len(h.Others) > 0 {
				out = append(out, fmt.Sprintf("%s was shared during %s%s", x.Name, x.Framework, inBrackets(h.Others)))
			}
		}
	}
	return unique(out)
}

// circumstances are what the parts of a case are judged by.
type circumstances struct {
	machine   Machine
	roof      Roof
	roofs     []Roof // of all frameworks and types
	disturbed bool   // other programs used the processor that did the work
}

func judgeCase(c MeasuredCase, by circumstances) CaseResult {
	r := CaseResult{Case: c.Case, Components: []ComponentResult{}, Levels: []LevelResult{}, Failed: c.Failed}
	total := 0.0
	for _, part := range c.Components {
		judged := judgeComponent(part, c.Case, by.roof)
		if judged.measured() {
			total += float64(judged.TimeMS)
		}
		r.Components = append(r.Components, judged)
	}
	r.TotalMS = stat.Number(total)
	for i := range r.Components {
		if p := &r.Components[i]; p.measured() && total > 0 {
			p.Share = orNothing(float64(p.TimeMS) / total)
		}
	}
	for _, l := range c.Levels {
		r.Levels = append(r.Levels, judgeLevel(l))
	}
	slices.SortStableFunc(r.Levels, func(a, b LevelResult) int { return a.Level - b.Level })
	if len(r.Levels) > 0 && r.Levels[0].Level == 0 && r.Levels[0].measured() {
		for i := range r.Levels {
			if l := &r.Levels[i]; l.measured() {
				l.Speedup = r.Levels[0].TimeMS / l.TimeMS
			}
		}
		r.Memory = r.Levels[0].Memory
	}
	a := advise(r, by)
	r.Bottleneck, r.Finding, r.Recommendation = a.component, a.finding, a.recommendation
	return r
}

func roofFor(roofs []Roof, c Case) Roof {
	if i := slices.IndexFunc(roofs, func(r Roof) bool { return r.Framework == c.Framework && r.DType == c.DType }); i >= 0 {
		return roofs[i]
	}
	return Roof{Framework: c.Framework, DType: c.DType}
}

// Above what share of its roof a time is called impossible, and from when on the host counts as the limit.
const (
	aboveRoof = 1.05
	hostWall  = 2.0
)

func judgeComponent(m MeasuredComponent, c Case, roof Roof) ComponentResult {
	r := ComponentResult{Name: m.Name, Occupancy: m.Occupancy, Skipped: m.Skipped, TimeMS: nan, WallMS: nan}
	if part, ok := componentOf(m.Name); ok {
		r.Work = part.Work(c.Shape, dtypeOf(c.DType).Bytes)
		r.Intensity = r.Work.Intensity()
	}
	if roof.known() && r.Work.FLOPs > 0 {
		_, r.Bound = roof.seconds(r.Work)
	}
	t := m.counted()
	s := inMS(t.samples())
	if s.N == 0 {
		if r.Skipped == "" {
			r.Skipped = "not measured"
		}
		return r
	}
	r.TimeMS, r.Interval, r.N, r.WallMS = s.Median, s.Interval, s.N, inMS(t.Wall).Median
	r.Warnings = slices.Concat(s.Warnings, unsteady(t))
	r.CPUMS = medianOf(t.CPU)
	if len(t.Device) > 0 {
		r.GPUMS = &s.Median
		r.HostBound = hostBound(m)
	}
	if m.Cold != nil && m.Warm != nil {
		r.WarmMS = medianOf(m.Warm.samples())
	}
	seconds := float64(s.Median) / 1000
	if roof.known() && seconds > 0 {
		least, _ := roof.seconds(r.Work)
		r.RoofRatio = orNothing(least / seconds)
		r.BandwidthRatio, r.ComputeRatio = orNothing(r.Bytes/seconds/roof.Bandwidth), orNothing(r.FLOPs/seconds/roof.FLOPS)
		r.AboveRoof = r.RoofRatio > aboveRoof
	}
	if roof.TableFLOPS > 0 && roof.TableBandwidth > 0 && seconds > 0 {
		r.TableRatio = orNothing(max(r.FLOPs/roof.TableFLOPS, r.Bytes/roof.TableBandwidth) / seconds)
	}
	return r
}

// hostBound: the host's own work for a call takes as long as the device's, or the call as a whole far longer.
func hostBound(m MeasuredComponent) bool {
	t := m.Warm
	if t == nil || len(t.Device) == 0 {
		t = m.counted()
	}
	device, wall, cpu := inMS(t.Device).Median, inMS(t.Wall).Median, inMS(t.CPU).Median
	return cpu > device || wall > hostWall*device
}

func judgeLevel(m MeasuredLevel) LevelResult {
	r := LevelResult{
		Level: m.Level, Name: m.Name, Backend: m.Backend, MaxError: m.MaxError, Evidence: m.Evidence, Memory: m.Memory,
		Skipped: m.Skipped,
		TimeMS:  nan, Speedup: nan, FirstMS: 1000 * m.First, PeakBytes: -1,
	}
	if m.Memory != nil {
		r.PeakBytes = m.Memory.Peak
	}
	t := m.counted()
	if s := inMS(t.samples()); s.N > 0 {
		r.TimeMS, r.Interval, r.N, r.Warnings = s.Median, s.Interval, s.N, slices.Concat(s.Warnings, unsteady(t))
	} else if r.Skipped == "" {
		r.Skipped = "not measured"
	}
	return r
}

// orNothing is 0 (unknown) for NaN and infinities: a file may hold any times.
func orNothing(ratio float64) float64 {
	if math.IsNaN(ratio) || math.IsInf(ratio, 0) {
		return 0
	}
	return ratio
}

var nan = stat.Number(math.NaN())

func inMS(seconds []float64) stat.Summary {
	values := make([]float64, len(seconds))
	for i, v := range seconds {
		values[i] = 1000 * v
	}
	return stat.Summarize(stat.Series{Unit: "ms", Values: values})
}

func medianOf(seconds []float64) *stat.Number {
	if len(seconds) == 0 {
		return nil
	}
	m := inMS(seconds).Median
	return &m
}

func unsteady(t *Timing) []string {
	if t != nil && t.Unsteady {
		return []string{"times were still falling when measuring began: other programs, or rising clocks"}
	}
	return nil
}
