package bench

import (
	"encoding/json"
	"fmt"
	"slices"

	"saturate/internal/device"
	"saturate/internal/human"
	"saturate/internal/stat"
)

// What the Python runner reads and writes: py/PROTOCOL.md.

// pythonPlan is the plan as the runner wants it.
type pythonPlan struct {
	Protocol   int               `json:"protocol"`
	Framework  string            `json:"framework"`
	Device     string            `json:"device"`
	FP32       string            `json:"fp32"`
	Iterations int               `json:"iterations"`
	MaxSeconds float64           `json:"max_seconds"`
	Cache      []string          `json:"cache"`
	Seed       uint64            `json:"seed"`
	Attention  []pythonAttention `json:"attention,omitempty"`
	Levels     []int             `json:"levels"`
	Layers     []pythonLayer     `json:"layers,omitempty"`
	Loaders    []pythonLoader    `json:"loaders,omitempty"`
}

type pythonAttention struct {
	Shape
	DType string `json:"dtype"`
}

type pythonLayer struct {
	Layer     string   `json:"layer"`
	Batch     int      `json:"batch"`
	Seq       int      `json:"seq"`
	MemorySeq int      `json:"memory_seq"`
	DModel    int      `json:"d_model"`
	Heads     int      `json:"heads"`
	FFN       int      `json:"ffn"`
	Depth     int      `json:"depth"`
	Precision []string `json:"precision"`
}

type pythonLoader struct {
	Source  string  `json:"source"`
	Workers []int   `json:"workers"`
	Batch   int     `json:"batch"`
	Batches int     `json:"batches"`
	Repeats int     `json:"repeats"`
	Seconds float64 `json:"seconds"`
}

// pythonLine is any line of the runner; which fields count depends on its kind.
type pythonLine struct {
	Kind      string  `json:"kind"`
	Framework string  `json:"framework"`
	DType     *string `json:"dtype"`
	Shape
	Name string `json:"name"`

	// device
	When    string     `json:"when"`
	Version string     `json:"framework_version"`
	Python  string     `json:"python"`
	Type    string     `json:"type"`
	SMs     *int       `json:"sm_count"`
	Threads int        `json:"threads"`
	Total   int64      `json:"memory_bytes"`
	Free    int64      `json:"free_bytes"`
	Cache   int64      `json:"llc_bytes"`
	Flush   int64      `json:"flush_bytes"`
	GPU     *pythonGPU `json:"gpu"`
	Others  []struct {
		PID  int    `json:"pid"`
		Name string `json:"name"`
	} `json:"others"`
	Shared bool `json:"shared"`

	// ceiling
	What    string        `json:"what"`
	M       float64       `json:"m"`
	N       float64       `json:"n"`
	K       float64       `json:"k"`
	Bytes   float64       `json:"bytes"`
	Timing  *pythonTiming `json:"timing"`
	Message string        `json:"message"`

	// component, level, layer
	Cold      *pythonTiming   `json:"cold"`
	Warm      *pythonTiming   `json:"warm"`
	Occupancy *float64        `json:"occupancy"`
	Memory    json.RawMessage `json:"memory"`
	Level     int             `json:"level"`
	Skipped   string          `json:"skipped"`
	Backend   string          `json:"backend"`
	Evidence  []string        `json:"evidence"`
	First     float64         `json:"first_ms"`
	MaxError  *stat.Number    `json:"max_abs_error"`

	Layer      string `json:"layer"`
	MemorySeq  int    `json:"memory_seq"`
	FFN        int    `json:"ffn"`
	Depth      int    `json:"depth"`
	Precision  string `json:"precision"`
	Checkpoint bool   `json:"checkpoint"`
	Pass       string `json:"pass"`
	Parameters int64  `json:"parameters"`

	// loader
	Workers      int       `json:"workers"`
	Samples      []float64 `json:"samples"`
	FirstBatchMS []float64 `json:"first_batch_ms"`
	TotalMS      []float64 `json:"total_ms"`

	// problem, progress
	Fatal bool       `json:"fatal"`
	About pythonCase `json:"about"`
	Done  int        `json:"done"`
	Of    int        `json:"of"`
}

type pythonCase struct {
	Framework string `json:"framework"`
	DType     string `json:"dtype"`
	Shape
}

type pythonTiming struct {
	WarmUp int       `json:"warmup"`
	Steady bool      `json:"steady"`
	Cut    bool      `json:"cut"`
	Device []float64 `json:"device_ms"`
	Wall   []float64 `json:"wall_ms"`
	CPU    []float64 `json:"cpu_ms"`
}

type pythonMemory struct {
	Peak    *int64 `json:"peak_bytes"`
	Current *int64 `json:"current_bytes"`
	Cached  *int64 `json:"cached_bytes"`
	Extra   *int64 `json:"extra_bytes"`
	Held    *int64 `json:"held_bytes"`
	Source  string `json:"source"`
}

type pythonGPU struct {
	Samples   int       `json:"samples"`
	Clock     []float64 `json:"sm_mhz"`
	MaxClock  float64   `json:"sm_max_mhz"`
	Celsius   []float64 `json:"temperature_c"`
	Watts     []float64 `json:"power_w"`
	Limit     float64   `json:"power_limit_w"`
	Reasons   []string  `json:"reasons"`
	Throttled bool      `json:"throttled"`
}

func (t *pythonTiming) timing() *Timing {
	if t == nil {
		return nil
	}
	return &Timing{
		Device: inSeconds(t.Device), Wall: inSeconds(t.Wall), CPU: inSeconds(t.CPU), WarmUp: t.WarmUp,
		Unsteady: !t.Steady, Cut: t.Cut,
	}
}

func inSeconds(ms []float64) []float64 {
	if len(ms) == 0 {
		return nil
	}
	out := make([]float64, len(ms))
	for i, v := range ms {
		out[i] = v / 1000
	}
	return out
}

func memoryOf(raw json.RawMessage) *Memory {
	var m *pythonMemory
	if len(raw) == 0 || json.Unmarshal(raw, &m) != nil || m == nil {
		return nil
	}
	known := func(n *int64) int64 {
		if n == nil {
			return unknown
		}
		return *n
	}
	return &Memory{known(m.Peak), known(m.Current), known(m.Cached), known(m.Extra), known(m.Held), m.Source}
}

func (g *pythonGPU) health() *Health {
	if g == nil {
		return nil
	}
	return &Health{
		Samples: g.Samples, ClockMHz: g.Clock, MaxMHz: g.MaxClock, Celsius: g.Celsius, Watts: g.Watts, Limit: g.Limit,
		Reasons: g.Reasons, Throttled: g.Throttled,
	}
}

// pythonReader puts lines together. tf32 says that float32 stands for it.
type pythonReader struct {
	out   Measured
	tf32  bool
	fatal *pythonLine
	ended bool
	tell  func(Event)
	lines int
}

// dtype is the type as the plan calls it.
func (r *pythonReader) dtype(name string) string {
	if r.tf32 && name == "fp32" {
		return "tf32"
	}
	return name
}

// pythonKinds are the lines that are read.
var pythonKinds = []string{"device", "ceiling", "component", "level", "layer", "loader", "problem", "progress", "end"}

// read takes one line. What it does not know it passes over: a newer runner may say more.
func (r *pythonReader) read(line []byte) error {
	r.lines++
	var kind struct {
		Kind string `json:"kind"`
	}
	err := json.Unmarshal(line, &kind)
	if err == nil && !slices.Contains(pythonKinds, kind.Kind) {
		return nil
	}
	var l pythonLine
	if err == nil {
		err = json.Unmarshal(line, &l)
	}
	if err != nil {
		return fmt.Errorf("cannot parse line %d of its output: %w", r.lines, err)
	}
	dtype := ""
	if l.DType != nil {
		dtype = r.dtype(*l.DType)
	}
	c := Case{l.Framework, dtype, l.Shape}
	timings := Timings{Cold: l.Cold.timing(), Warm: l.Warm.timing()}
	switch l.Kind {
	case "device":
		r.device(l)
	case "ceiling":
		r.ceiling(l, dtype)
	case "component":
		of := r.of(c)
		of.Components = append(of.Components, MeasuredComponent{
			Name: l.Name, Timings: timings, Occupancy: l.Occupancy,
			Skipped: l.Skipped,
		})
	case "level":
		of := r.of(c)
		of.Levels = append(of.Levels, MeasuredLevel{
			Level: l.Level, Name: l.Name, Backend: l.Backend, Evidence: l.Evidence, Timings: timings, First: l.First / 1000,
			Memory: memoryOf(l.Memory), MaxError: l.MaxError, Skipped: l.Skipped,
		})
	case "layer":
		c.DType = r.dtype(l.Precision)
		r.out.Layers = append(r.out.Layers, MeasuredLayer{
			Case: c, Layer: l.Layer, MemorySeq: l.MemorySeq, FFN: l.FFN, Depth: l.Depth, Checkpoint: l.Checkpoint, Pass: l.Pass,
			Parameters: l.Parameters, Timings: timings, Memory: memoryOf(l.Memory), Skipped: l.Skipped,
		})
	case "loader":
		r.out.Rates = append(r.out.Rates, MeasuredRate{
			Framework: l.Framework, Name: human.Plural(l.Workers, "worker"), Workers: l.Workers, Skipped: l.Skipped,
			Seconds: inSeconds(l.TotalMS), Items: l.Samples, First: inSeconds(l.FirstBatchMS),
		})
	case "problem":
		r.problem(l)
	case "progress":
		r.tell(Event{Framework: r.framework(), Done: l.Done, Of: l.Of, What: l.What})
	case "end":
		r.ended = true
	}
	return nil
}

func (r *pythonReader) framework() string {
	if len(r.out.Machines) == 0 {
		return ""
	}
	return r.out.Machines[0].Framework
}

// of is the case that a line belongs to.
func (r *pythonReader) of(c Case) *MeasuredCase {
	for i := range r.out.Cases {
		if r.out.Cases[i].Case == c {
			return &r.out.Cases[i]
		}
	}
	r.out.Cases = append(r.out.Cases, MeasuredCase{Case: c})
	return &r.out.Cases[len(r.out.Cases)-1]
}

func (r *pythonReader) device(l pythonLine) {
	health := l.GPU.health()
	if health == nil && len(l.Others) > 0 {
		health = &Health{}
	}
	for _, o := range l.Others {
		health.Others = append(health.Others, fmt.Sprintf("%s, process %d", o.Name, o.PID))
	}
	if l.When == "after" && len(r.out.Machines) > 0 {
		r.out.Machines[0].After = health
		return
	}
	m := Machine{
		Framework: l.Framework, Version: l.Version, Python: l.Python, Name: l.Name, Backend: l.Type, Threads: l.Threads,
		MemoryBytes: l.Total, FreeBytes: l.Free, CacheBytes: l.Cache, FlushBytes: l.Flush, Before: health,
	}
	if l.SMs != nil {
		m.Units = *l.SMs
	}
	if m.Accelerated() {
		m.Peak = device.PeakOf(l.Name, m.Units)
	}
	r.out.Machines = append(r.out.Machines, m)
}

func (r *pythonReader) ceiling(l pythonLine, dtype string) {
	t := l.Timing.timing()
	if t == nil || len(t.samples()) == 0 {
		return
	}
	c := MeasuredCeiling{Framework: l.Framework, What: l.What, DType: dtype, Seconds: t.samples()}
	switch l.What {
	case "gemm":
		c.Amount, c.Size = 2*l.M*l.N*l.K, fmt.Sprintf("%.0f×%.0f×%.0f", l.M, l.N, l.K)
	case "copy":
		c.Amount, c.Size = l.Bytes, human.Value(l.Bytes/2, "B")
	default:
		return
	}
	r.out.Ceilings = append(r.out.Ceilings, c)
}

func (r *pythonReader) problem(l pythonLine) {
	if l.Fatal {
		r.fatal = &l
		return
	}
	if a := l.About; a.Framework != "" && a.Seq > 0 {
		of := r.of(Case{a.Framework, r.dtype(a.DType), a.Shape})
		if !slices.Contains(of.Failed, l.Message) {
			of.Failed = append(of.Failed, l.Message)
		}
		return
	}
	r.out.Notes = append(r.out.Notes, r.framework()+": "+l.Message)
}
