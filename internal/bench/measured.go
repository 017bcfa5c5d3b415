package bench

import (
	"strings"
	"time"

	"saturate/internal/device"
	"saturate/internal/stat"
)

// Timing is the raw samples of one thing that was called again and again, in seconds a call.
type Timing struct {
	Device   []float64 `json:"device_s,omitempty"` // by the device's own clock; empty on a CPU
	Wall     []float64 `json:"wall_s"`             // from the call until its result is there
	CPU      []float64 `json:"cpu_s,omitempty"`    // that the host worked for it: on a CPU all threads, on a GPU the call alone
	WarmUp   int       `json:"warmup,omitempty"`   // calls before the first sample
	Unsteady bool      `json:"unsteady,omitempty"` // the times still fell when the warm-up had to end
	Cut      bool      `json:"cut,omitempty"`      // the time for it was over before all calls were made
}

// samples are by the device's clock where it has one.
func (t *Timing) samples() []float64 {
	switch {
	case t == nil:
		return nil
	case len(t.Device) > 0:
		return t.Device
	}
	return t.Wall
}

// Timings are with caches that hold nothing of the operands, and as the call before left them.
type Timings struct {
	Cold *Timing `json:"cold,omitempty"`
	Warm *Timing `json:"warm,omitempty"`
}

// counted is the timing that a roof can be held against: caches cold, since the roof counts bytes from memory.
func (t Timings) counted() *Timing {
	if t.Cold != nil {
		return t.Cold
	}
	return t.Warm
}

// unknown stands for bytes that cannot be known.
const unknown = -1

// Memory is that of the device while something ran, in bytes; -1 where it cannot be known.
type Memory struct {
	Peak    int64  `json:"peak"`             // everything alive at the worst moment, inputs included
	Current int64  `json:"current"`          // while the result is held
	Cached  int64  `json:"cached"`           // what the framework keeps for later
	Extra   int64  `json:"extra"`            // peak less what was there before
	Held    int64  `json:"held"`             // what a forward pass keeps for the backward pass
	Source  string `json:"source,omitempty"` // how it was measured
}

// MeasuredComponent is one part of attention, or why it was not measured.
type MeasuredComponent struct {
	Name string `json:"name"`
	Timings
	Occupancy *float64 `json:"occupancy,omitempty"` // of the multiprocessors, where a profiler told it
	Skipped   string   `json:"skipped,omitempty"`
}

// MeasuredLevel is the whole attention, without projections, done in one way.
type MeasuredLevel struct {
	Level    int      `json:"level"`
	Name     string   `json:"name"`
	Backend  string   `json:"backend,omitempty"` // read back, not asked for
	Evidence []string `json:"evidence,omitempty"`
	Timings
	First    float64      `json:"first_s,omitempty"` // the first call, compiling included
	Memory   *Memory      `json:"memory,omitempty"`
	MaxError *stat.Number `json:"max_abs_error,omitempty"` // against float64
	Skipped  string       `json:"skipped,omitempty"`
}

// MeasuredCase is all of one case.
type MeasuredCase struct {
	Case
	Components []MeasuredComponent `json:"components,omitempty"`
	Levels     []MeasuredLevel     `json:"levels,omitempty"`
	Failed     []string            `json:"failed,omitempty"` // why something is missing: out of memory, say
}

// MeasuredLayer is a transformer layer run in one way.
type MeasuredLayer struct {
	Case
	Layer      string `json:"layer"`      // transformer, whisper-encoder, whisper-decoder
	MemorySeq  int    `json:"memory_seq"` // encoder states that a decoder looks at
	FFN        int    `json:"ffn"`
	Depth      int    `json:"depth"`
	Checkpoint bool   `json:"checkpoint"`
	Pass       string `json:"pass"` // forward, forward_backward
	Parameters int64  `json:"parameters,omitempty"`
	Timings
	Memory  *Memory `json:"memory,omitempty"`
	Skipped string  `json:"skipped,omitempty"`
}

// MeasuredRate is how many things a second something got done: files read by so many workers, clips by an instruction
// set.
type MeasuredRate struct {
	Framework string    `json:"framework"`
	Name      string    `json:"name"` // 4 workers; avx512
	Workers   int       `json:"workers"`
	Seconds   []float64 `json:"seconds"` // of each repeat
	Items     []float64 `json:"items"`   // done in each repeat
	Audio     []float64 `json:"audio_s,omitempty"`
	Bytes     []float64 `json:"bytes,omitempty"`
	First     []float64 `json:"first_s,omitempty"` // until the first batch was there
	Skipped   string    `json:"skipped,omitempty"`
}

// Machine is the device that did the work, as the executor saw it.
type Machine struct {
	Framework   string       `json:"framework"`              // go, torch or jax
	Version     string       `json:"version,omitempty"`      // of the framework
	Python      string       `json:"python,omitempty"`       // version of Python
	Name        string       `json:"name"`                   // of the device
	Backend     string       `json:"backend"`                // cuda, rocm, mps, cpu
	Units       int          `json:"units,omitempty"`        // SMs, compute units or cores
	Threads     int          `json:"threads,omitempty"`      // CPU threads that were used
	MemoryBytes int64        `json:"memory_bytes,omitempty"` // memory of the device
	FreeBytes   int64        `json:"free_bytes,omitempty"`   // of it, free at the start
	CacheBytes  int64        `json:"cache_bytes,omitempty"`  // of the last level
	FlushBytes  int64        `json:"flush_bytes,omitempty"`  // written before each call with cold caches
	Peak        *device.Peak `json:"peak,omitempty"`         // by its maker; nil where the table does not know it
	Before      *Health      `json:"before,omitempty"`
	After       *Health      `json:"after,omitempty"`
}

// Health is how a GPU fared: least, median and most of what nvidia-smi said.
type Health struct {
	Samples   int       `json:"samples"`                 // how often nvidia-smi was read
	ClockMHz  []float64 `json:"sm_mhz,omitempty"`        // least, median and highest clock of the SMs
	MaxMHz    float64   `json:"sm_max_mhz,omitempty"`    // highest clock that the GPU allows
	Celsius   []float64 `json:"temperature_c,omitempty"` // least, median and highest temperature
	Watts     []float64 `json:"power_w,omitempty"`       // least, median and highest power
	Limit     float64   `json:"power_limit_w,omitempty"` // power limit
	Reasons   []string  `json:"reasons,omitempty"`       // why the clock was lowered
	Throttled bool      `json:"throttled"`               // the clock was lowered by heat or power
	Others    []string  `json:"others,omitempty"`        // processes that were there too
}

// MeasuredCeiling is one try at the most that this device does.
type MeasuredCeiling struct {
	Framework string    `json:"framework"`
	What      string    `json:"what"`            // gemm, copy
	DType     string    `json:"dtype,omitempty"` // of a gemm
	Amount    float64   `json:"amount"`          // FLOPs, or bytes read and written, of one call
	Size      string    `json:"size"`
	Seconds   []float64 `json:"seconds"`
}

// Skip is a framework that was asked for and is not here, or cannot do what was asked.
type Skip struct {
	Framework string `json:"framework"` // go, torch or jax
	Why       string `json:"why"`       // it was skipped
}

// String says the framework once: many reasons begin with it.
func (s Skip) String() string {
	if s.Framework == "" || strings.HasPrefix(s.Why, s.Framework+" ") {
		return s.Why
	}
	return s.Framework + ": " + s.Why
}

// Measured is all that was found out; nothing in it is derived.
type Measured struct {
	Plan       Plan              `json:"plan"`
	Started    time.Time         `json:"started"`
	Machines   []Machine         `json:"machines"`
	Ceilings   []MeasuredCeiling `json:"ceiling_samples,omitempty"`
	Cases      []MeasuredCase    `json:"cases,omitempty"`
	Layers     []MeasuredLayer   `json:"layers,omitempty"`
	Rates      []MeasuredRate    `json:"rates,omitempty"`
	Skipped    []Skip            `json:"skipped,omitempty"`
	Problems   []string          `json:"problems,omitempty"` // what happened meanwhile that spoils the times
	Notes      []string          `json:"notes,omitempty"`
	Incomplete bool              `json:"incomplete,omitempty"` // a framework gave up on the way; Notes say why
	// Cores that other programs kept busy meanwhile, on average, and whether that left too few.
	OtherCores float64 `json:"other_cores,omitempty"`
	Contended  bool    `json:"contended,omitempty"`
	Stolen     float64 `json:"stolen,omitempty"` // see device.Busy.Stolen
}

func (m *Measured) add(o Measured) {
	m.Machines = append(m.Machines, o.Machines...)
	m.Ceilings = append(m.Ceilings, o.Ceilings...)
	m.Cases = append(m.Cases, o.Cases...)
	m.Layers = append(m.Layers, o.Layers...)
	m.Rates = append(m.Rates, o.Rates...)
	m.Skipped = append(m.Skipped, o.Skipped...)
	m.Problems = append(m.Problems, o.Problems...)
	m.Notes = append(m.Notes, o.Notes...)
}
