package analyze

import (
	"saturate/internal/device"
	"saturate/internal/trace"
)

// Bound is what limits a kernel at best.
type Bound string

// The two roofs.
const (
	ComputeBound Bound = "compute"
	MemoryBound  Bound = "memory"
)

// roof is the least time that a piece of work takes on a GPU: as long as its arithmetic at the peak
// rate of its type, or as its bytes at the peak bandwidth, whichever is longer.
type roof struct {
	compute, memory float64 // ns
}

func (r roof) ns() float64 { return max(r.compute, r.memory) }

func (r roof) bound() Bound {
	if r.compute >= r.memory {
		return ComputeBound
	}
	return MemoryBound
}

// roof is nothing where the GPU or the type is not in the table of peaks.
func (v *view) roof(op trace.EventID, e effort, units TensorCores) roof {
	in := v.t.Inputs(op)
	if v.peak == nil || in == nil {
		return roof{}
	}
	rate, bytes := rateOf(v.peak, in.Types, units)
	if rate == 0 || v.peak.GBps == 0 {
		return roof{}
	}
	return roof{compute: e.flop / rate / 1000, memory: e.elements * bytes / v.peak.GBps}
}

// rateOf is the peak in TFLOP/s for the first tensor's type, and the type's size in bytes.
func rateOf(p *device.Peak, types []string, units TensorCores) (tflops, bytes float64) {
	for _, t := range types {
		switch t {
		case "c10::BFloat16":
			return p.BF16, 2
		case "c10::Half":
			return p.FP16, 2
		case "float":
			if units == OnTensorCores {
				return p.TF32, 4
			}
			return p.FP32, 4
		}
	}
	return 0, 0
}
