package analyze

import (
	"saturate/internal/trace"
	"saturate/internal/whatif"
)

// What matrix products reach of the GPU's roofs, from the best to the worst case, and what a kernel takes at least. In
// the products of a transformer with 73 million parameters on an H200 it was half of the BF16 roof.
var (
	reached     = whatif.Range{Low: 0.7, Mid: 0.45, High: 0.25}
	leastKernel = 2_500.0 // ns
	reachedFP32 = 0.75    // without tensor cores
)

// precisions tells how long work would take in another precision.
type precisions struct {
	*view
	products
}

// faster is how long a kernel would take in another precision: from the roofs of the GPU and the shapes in the trace,
// or, without shapes, from the roofs alone. It is false where the precision changes nothing, or the GPU is neither in
// the table of peaks nor measured.
func (v precisions) faster(id trace.EventID, to whatif.Precision) (whatif.Range, bool) {
	if v.roofs == nil {
		return whatif.Range{}, false
	}
	rate := v.roofs.BF16
	if to == whatif.TF32 {
		rate = v.roofs.TF32
	}
	now := v.roofs.FP32 * reachedFP32
	if rate == 0 || now == 0 {
		return whatif.Range{}, false
	}
	if op, ok := v.of[id]; ok {
		if e := v.effort(op); e.flop > 0 && v.roofs.GBps > 0 {
			return v.fasterPart(id, op, e, to, rate)
		}
	}
	units := tensorCores(v.t.Name(id))
	switch {
	case units == NotMultiplying:
		return whatif.Range{}, false
	case to == whatif.TF32 && units != NoTensorCores: // fused attention in FP32 stays as it is
		return whatif.Range{}, false
	case units == OnTensorCores:
		now = v.roofs.TF32 * reached.Mid
	}
	if op, ok := v.t.Operator(id); ok {
		if in := v.t.Inputs(op); in != nil && !isFloat(in.Types) {
			return whatif.Range{}, false // it has another precision already
		} else if in == nil && units == OnTensorCores {
			return whatif.Range{}, false // nothing says which it has
		}
	} else if units == OnTensorCores {
		return whatif.Range{}, false
	}
	ns := float64(v.t.Duration(id))
	by := func(part float64) float64 { return max(min(ns, leastKernel), ns*now/(rate*part)) }
	return whatif.Range{Low: by(reached.Low), Mid: by(reached.Mid), High: by(reached.High)}, true
}

// fasterPart is the kernel's part of the time that a call would take whose arithmetic is known. Another precision is computed by
// other kernels: what transforms a convolution's input for FP32 goes with the rest.
func (v precisions) fasterPart(id, op trace.EventID, e effort, to whatif.Precision, rate float64) (whatif.Range, bool) {
	call := v.calls[op]
	if in := v.t.Inputs(op); !isFloat(in.Types) {
		return whatif.Range{}, false // it has another precision already
	}
	if to == whatif.TF32 && call.units != NoTensorCores && call.units != NotMultiplying {
		return whatif.Range{}, false
	}
	bytes := 2.0
	if to == whatif.TF32 {
		bytes = 4.0
	}
	part := min(1, float64(v.t.Duration(id))/float64(max(1, call.ns)))
	least := func(reached float64) float64 {
		return part * max(leastKernel, e.flop/(rate*reached)/1000, e.elements*bytes/(v.roofs.GBps*max(reached, 0.5)))
	}
	return whatif.Range{Low: least(reached.Low), Mid: least(reached.Mid), High: least(reached.High)}, true
}

// isFloat reports whether the first tensor has FP32 elements.
func isFloat(types []string) bool {
	for _, t := range types {
		switch t {
		case "float":
			return true
		case "c10::BFloat16", "c10::Half":
			return false
		}
	}
	return false
}
