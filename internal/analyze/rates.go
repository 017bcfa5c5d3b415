package analyze

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"saturate/internal/device"
	"saturate/internal/trace"
)

// Rate is how fast calls of one operator compute that have inputs of the same shapes and types: products of matrices,
// convolutions, attention. The GPU's time is that of all that a call launches.
type Rate struct {
	Operator  string    `json:"operator"`             // that computes
	Sort      string    `json:"sort"`                 // gemm, convolution, attention
	Shapes    [][]int64 `json:"shapes"`               // of its inputs that are tensors
	Types     []string  `json:"types"`                // of those, each once
	Count     int       `json:"count"`                // calls
	GFLOP     float64   `json:"gflop"`                // of one call
	MB        float64   `json:"mb,omitempty"`         // of one call: inputs and output once each
	TotalNS   int64     `json:"total_ns"`             // of all calls, on the GPU
	TFLOPPerS float64   `json:"tflop_per_s"`          // over all calls
	MeanTFLOP float64   `json:"mean_tflop_per_s"`     // mean of the calls' rates, as TraceLens counts
	RoofRatio float64   `json:"roof_ratio,omitempty"` // the least time by shapes and the GPU's peaks, over the time it took
	Bound     Bound     `json:"bound,omitempty"`      // what sets that least time
}

func sortOf(operator string) string {
	switch {
	case strings.Contains(operator, "attention"):
		return "attention"
	case strings.Contains(operator, "convolution"):
		return "convolution"
	}
	return "gemm"
}

// rates lists them, most GPU time first.
func (v *view) rates() []Rate {
	products := v.products()
	calls, order := products.calls, products.order
	type key struct {
		name   trace.NameID
		inputs *trace.Inputs
	}
	rows, roofs := map[string]*Rate{}, map[string]*roof{}
	written := map[key]string{} // few inputs differ, so they are compared as text once each
	var list []*Rate
	for _, op := range order {
		e, in := v.effort(op), v.t.Inputs(op)
		if e.flop <= 0 || calls[op].ns == 0 {
			continue
		}
		k := key{v.t.NameID(op), in}
		text, known := written[k]
		if !known {
			text = rateKey(v.t.Name(op), in, e)
			written[k] = text
		}
		r := rows[text]
		if r == nil {
			r = &Rate{
				Operator: v.t.Name(op), Sort: sortOf(v.t.Name(op)), GFLOP: e.flop / 1e9, Shapes: tensors(in),
				Types: typesOf(in),
			}
			rows[text], roofs[text] = r, &roof{}
			list = append(list, r)
		}
		c := calls[op]
		r.Count++
		r.TotalNS += c.ns
		r.MeanTFLOP += e.flop / float64(c.ns) / 1000
		least := v.roof(op, e, c.units)
		roofs[text].compute += least.compute
		roofs[text].memory += least.memory
		if _, bytes := rateOf(new(device.Peak), in.Types, c.units); bytes > 0 {
			r.MB = e.elements * bytes / 1e6
		}
	}
	for text, r := range rows {
		r.MeanTFLOP /= float64(r.Count)
		r.TFLOPPerS = r.GFLOP * float64(r.Count) / float64(r.TotalNS) * 1e6
		if least := roofs[text].ns(); least > 0 {
			r.RoofRatio, r.Bound = least/float64(r.TotalNS), roofs[text].bound()
		}
	}
	slices.SortStableFunc(list, func(a, b *Rate) int { return cmp.Compare(b.TotalNS, a.TotalNS) })
	out := []Rate{}
	for _, r := range list[:v.top(len(list))] {
		out = append(out, *r)
	}
	return out
}

// rateKey is the same for calls that do the same.
func rateKey(name string, in *trace.Inputs, e effort) string {
	return fmt.Sprint(name, tensors(in), typesOf(in), e.flop)
}

// tensors are the shapes of the inputs that are tensors.
func tensors(in *trace.Inputs) (out [][]int64) {
	for _, d := range in.Dims {
		if len(d) > 0 {
			out = append(out, d)
		}
	}
	return out
}

// typesOf are the types of the inputs that are tensors, each once.
func typesOf(in *trace.Inputs) (out []string) {
	for i, t := range in.Types {
		if i < len(in.Dims) && len(in.Dims[i]) > 0 && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}
