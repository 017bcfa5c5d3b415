package bench

import (
	"fmt"
	"math"
	"slices"

	"saturate/internal/stat"
)

// Roof is the most that a device does with a framework and a type: measured here by a large matrix product and a
// copy, and beside that what its maker says. Zero is not known.
type Roof struct {
	Framework      string  `json:"framework"`                  // go, torch or jax
	DType          string  `json:"dtype"`                      // type of the numbers: fp32, bf16
	FLOPS          float64 `json:"flop_per_s"`                 // FLOP/s of a large matrix product
	FLOPSBy        string  `json:"flop_by,omitempty"`          // the size of the product that reached it
	Raised         bool    `json:"raised,omitempty"`           // a part was faster than the large product
	Bandwidth      float64 `json:"b_per_s"`                    // bytes read plus bytes written
	BandwidthBy    string  `json:"b_by,omitempty"`             // size of the copy that reached it
	TableFLOPS     float64 `json:"table_flop_per_s,omitempty"` // FLOP/s by its maker
	TableBandwidth float64 `json:"table_b_per_s,omitempty"`    // bytes per second by its maker
	TableSource    string  `json:"table_source,omitempty"`     // where the maker says so
	FromTable      bool    `json:"from_table,omitempty"`       // nothing was measured: the maker's figures count
}

// Ridge is the intensity from which on arithmetic is the limit; 0 where a roof is not known.
func (r Roof) Ridge() float64 {
	if !r.known() {
		return 0
	}
	return r.FLOPS / r.Bandwidth
}

// known reports whether anything can be held against it.
func (r Roof) known() bool { return r.FLOPS > 0 && r.Bandwidth > 0 }

// seconds is the least time for some work, and what limits it.
func (r Roof) seconds(w Work) (s float64, bound Bound) {
	compute, memory := w.FLOPs/r.FLOPS, w.Bytes/r.Bandwidth
	if memory > compute {
		return memory, memoryBound
	}
	return compute, computeBound
}

// Bound is what limits a part at best.
type Bound string

// The two roofs.
const (
	computeBound Bound = "compute"
	memoryBound  Bound = "memory"
)

// roofOf is the roof for a framework and type: the best call of the best size, since it is what can be reached.
func (m Measured) roofOf(framework, dtype string) Roof {
	r := Roof{Framework: framework, DType: dtype}
	for _, c := range m.Ceilings {
		if c.Framework != framework || c.What == "gemm" && c.DType != dtype {
			continue
		}
		rate := c.Amount / float64(stat.Summarize(stat.Series{Unit: "s", Values: c.Seconds}).Min)
		switch {
		case math.IsNaN(rate) || math.IsInf(rate, 0):
		case c.What == "gemm" && rate > r.FLOPS:
			r.FLOPS, r.FLOPSBy = rate, c.Size
		case c.What == "copy" && rate > r.Bandwidth:
			r.Bandwidth, r.BandwidthBy = rate, c.Size
		}
	}
	machine, ok := m.machineOf(framework)
	if ok && !machine.Accelerated() {
		m.raise(&r)
	}
	if ok && machine.Peak != nil {
		r.TableBandwidth, r.TableSource = machine.Peak.GBps*1e9, machine.Peak.Source
		if d := dtypeOf(dtype); d.peak != nil {
			r.TableFLOPS = d.peak(*machine.Peak) * 1e12
		}
	}
	if !r.known() && r.TableFLOPS > 0 && r.TableBandwidth > 0 {
		r.FLOPS, r.Bandwidth, r.FromTable = r.TableFLOPS, r.TableBandwidth, true
	}
	return r
}

// raise lifts the compute roof of a processor to the fastest product among the parts: other programs may have had
// the processor while the large one ran. A GPU is not shared like that; there, above the roof is a mistake to be shown.
func (m Measured) raise(r *Roof) {
	for _, c := range m.Cases {
		for _, p := range c.Components {
			part, known := componentOf(p.Name)
			samples := p.counted().samples()
			if c.Framework != r.Framework || c.DType != r.DType || !known || part.Name == "softmax" || len(samples) == 0 ||
				r.FLOPS == 0 {
				continue
			}
			if rate := part.Work(c.Shape, dtypeOf(c.DType).Bytes).FLOPs / slices.Min(samples); rate > r.FLOPS &&
				!math.IsInf(rate, 0) {
				r.FLOPS, r.Raised = rate, true
				r.FLOPSBy = fmt.Sprintf("%s at batch %d, sequence %d, width %d", part.Title, c.Batch, c.Seq, c.DModel)
			}
		}
	}
}

func (m Measured) machineOf(framework string) (Machine, bool) {
	i := slices.IndexFunc(m.Machines, func(x Machine) bool { return x.Framework == framework })
	if i < 0 {
		return Machine{}, false
	}
	return m.Machines[i], true
}

// Accelerated reports whether the work was done by something else than the CPU.
func (m Machine) Accelerated() bool { return m.Backend != "" && m.Backend != "cpu" }
