package bench

import (
	"slices"

	"saturate/internal/stat"
)

// LayerResult is a transformer layer run in one way, beside the same without checkpointing in fp32.
type LayerResult struct {
	Case
	Layer      string        `json:"layer"`                // kind of the layer: whisper-encoder
	MemorySeq  int           `json:"memory_seq,omitempty"` // sequence length of the encoder's output that a decoder attends to
	FFN        int           `json:"ffn"`                  // width of the feed-forward part
	Depth      int           `json:"depth"`                // number of layers
	Checkpoint bool          `json:"checkpoint"`           // with gradient checkpointing
	Pass       string        `json:"pass"`                 // forward or forward_backward
	Parameters int64         `json:"parameters,omitempty"` // number of parameters
	TimeMS     stat.Number   `json:"time_ms"`
	Interval   stat.Interval `json:"interval_ms"`
	N          int           `json:"n"` // number of samples
	GPUMS      *stat.Number  `json:"gpu_ms,omitempty"`
	CPUMS      *stat.Number  `json:"cpu_ms,omitempty"`
	Speedup    stat.Number   `json:"speedup"` // against fp32 without checkpointing of the same pass
	Memory     *Memory       `json:"memory,omitempty"`
	Warnings   []string      `json:"warnings,omitempty"` // about the measurement
	Skipped    string        `json:"skipped,omitempty"`  // why it was not measured
}

func judgeLayer(m MeasuredLayer, all []MeasuredLayer) LayerResult {
	r := LayerResult{
		Case: m.Case, Layer: m.Layer, MemorySeq: m.MemorySeq, FFN: m.FFN, Depth: m.Depth, Checkpoint: m.Checkpoint,
		Pass:       m.Pass,
		Parameters: m.Parameters, Memory: m.Memory, Skipped: m.Skipped, TimeMS: nan, Speedup: nan,
	}
	t := m.counted()
	s := inMS(t.samples())
	if s.N == 0 {
		if r.Skipped == "" {
			r.Skipped = "not measured"
		}
		return r
	}
	r.TimeMS, r.Interval, r.N, r.CPUMS = s.Median, s.Interval, s.N, medianOf(t.CPU)
	r.Warnings = slices.Concat(s.Warnings, unsteady(t))
	if len(t.Device) > 0 {
		r.GPUMS = &s.Median
	}
	base := slices.IndexFunc(all, func(o MeasuredLayer) bool {
		c := m.Case
		c.DType = "fp32"
		return o.Case == c && o.Layer == m.Layer && o.Pass == m.Pass && !o.Checkpoint && o.FFN == m.FFN &&
			o.Depth == m.Depth && o.MemorySeq == m.MemorySeq
	})
	if base >= 0 {
		r.Speedup = inMS(all[base].counted().samples()).Median / s.Median
	}
	return r
}
