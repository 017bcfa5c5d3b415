package analyze

import (
	"cmp"
	"math"
	"slices"

	"saturate/internal/trace"
)

// Kernel sums the kernels of one name.
type Kernel struct {
	Name        string      `json:"name"`                           // of the kernel
	Count       int         `json:"count"`                          // launches
	TotalNS     int64       `json:"total_ns"`                       // sum of the durations
	Share       float64     `json:"share"`                          // of all kernels' time
	MeanNS      int64       `json:"mean_ns"`                        // mean duration
	MinNS       int64       `json:"min_ns"`                         // shortest duration
	MaxNS       int64       `json:"max_ns"`                         // longest duration
	TensorCores TensorCores `json:"tensor_cores"`                   // yes, no, unknown or not_applicable
	Operator    string      `json:"operator,omitempty"`             // that launched most of it
	Module      string      `json:"module,omitempty"`               // around that
	Shapes      [][]int64   `json:"shapes,omitempty"`               // of the operator's inputs, where it took longest
	Occupancy   float64     `json:"occupancy,omitempty"`            // estimated by the profiler, mean over time, 0 to 1
	BlocksPerSM float64     `json:"blocks_per_sm,omitempty"`        // mean over time
	Registers   int32       `json:"registers_per_thread,omitempty"` // per thread
	TFLOPPerS   float64     `json:"tflop_per_s,omitempty"`          // estimated from shapes, where they tell
	RoofRatio   float64     `json:"roof_ratio,omitempty"`           // the least time by shapes and the GPU's peaks, over the time it took
	Bound       Bound       `json:"bound,omitempty"`                // what sets that least time
	PerStep     float64     `json:"per_step,omitempty"`             // launches a step
}

// kernelSum collects what becomes a Kernel.
type kernelSum struct {
	name           trace.NameID
	units          TensorCores
	count          int
	total          int64
	least, most    int64
	longest        trace.EventID
	occupied, seen float64 // occupancy and blocks, weighed by time
	blocks         float64
	flop           float64
	flopTime       int64
	roof           roof
	byOperator     map[trace.NameID]int64
}

// kernelSums groups the kernels of all GPUs by name, most time first.
func (v *view) kernelSums() []*kernelSum {
	sums := make([]*kernelSum, v.t.Names())
	var list []*kernelSum
	for i := range v.gpus {
		for _, id := range v.gpus[i].work {
			if v.t.Kind(id) != trace.Kernel {
				continue
			}
			name := v.t.NameID(id)
			k := sums[name]
			if k == nil {
				k = &kernelSum{
					name: name, units: tensorCores(v.t.String(name)), least: math.MaxInt64,
					byOperator: map[trace.NameID]int64{},
				}
				sums[name] = k
				list = append(list, k)
			}
			k.add(v, id)
		}
	}
	slices.SortStableFunc(list, func(a, b *kernelSum) int { return cmp.Compare(b.total, a.total) })
	return list
}

func (k *kernelSum) add(v *view, id trace.EventID) {
	ns := v.clip(id).Length()
	if k.count == 0 || ns > k.most {
		k.most, k.longest = ns, id
	}
	k.count++
	k.total += ns
	k.least = min(k.least, ns)
	if c := v.t.Config(id); c != nil {
		k.occupied += float64(c.Occupancy) * float64(ns)
		k.blocks += float64(c.BlocksPerSM) * float64(ns)
		k.seen += float64(ns)
	}
	if op, ok := v.t.Operator(id); ok {
		k.byOperator[v.t.NameID(op)] += ns
		if k.units != NotMultiplying {
			if e := v.effort(op); e.flop > 0 {
				r := v.roof(op, e, k.units)
				k.flop += e.flop
				k.flopTime += ns
				k.roof.compute += r.compute
				k.roof.memory += r.memory
			}
		}
	}
}

// operator is the one that launched most of it.
func (k *kernelSum) operator() (best trace.NameID, ok bool) {
	for name, ns := range k.byOperator {
		if !ok || ns > k.byOperator[best] || ns == k.byOperator[best] && name < best {
			best, ok = name, true
		}
	}
	return best, ok
}

// kernels lists all of them, most time first.
func (v *view) kernels(sums []*kernelSum) []Kernel {
	var all int64
	for _, k := range sums {
		all += k.total
	}
	out := make([]Kernel, 0, len(sums))
	for _, k := range sums {
		out = append(out, v.kernel(k, all))
	}
	return out
}

func (v *view) kernel(k *kernelSum, all int64) Kernel {
	row := Kernel{
		Name: v.t.String(k.name), Count: k.count, TotalNS: k.total, Share: share(k.total, all),
		MeanNS: k.total / int64(k.count), MinNS: k.least, MaxNS: k.most,
		TensorCores: k.units, Module: v.module(k.longest),
	}
	if name, ok := k.operator(); ok {
		row.Operator = v.t.String(name)
	}
	if op, ok := v.t.Operator(k.longest); ok {
		if in := v.t.Inputs(op); in != nil {
			for _, dims := range in.Dims {
				if len(dims) > 0 {
					row.Shapes = append(row.Shapes, dims)
				}
			}
		}
	}
	if k.seen > 0 {
		row.Occupancy, row.BlocksPerSM = k.occupied/k.seen/100, k.blocks/k.seen
	}
	if c := v.t.Config(k.longest); c != nil {
		row.Registers = c.Registers
	}
	if k.flopTime > 0 {
		row.TFLOPPerS = k.flop / float64(k.flopTime) / 1000
		if least := k.roof.ns(); least > 0 {
			row.RoofRatio, row.Bound = least/float64(k.flopTime), k.roof.bound()
		}
	}
	if len(v.steps) > 0 {
		row.PerStep = float64(k.count) / float64(len(v.steps))
	}
	return row
}

// module is the nn.Module, or what the framework calls the scope, around a launch.
func (v *view) module(gpu trace.EventID) string {
	if m := v.t.Text(gpu, trace.Module); m != "" {
		return m
	}
	if m := v.t.Text(gpu, trace.FrameworkOp); m != "" {
		return m
	}
	call, ok := v.t.Launch(gpu)
	if !ok {
		return ""
	}
	for id := range v.t.Ancestors(call) {
		if _, ok := v.t.Int(id, trace.PythonModule); ok && v.t.Kind(id) == trace.Python {
			return v.t.Name(id)
		}
		if m := v.t.Text(id, trace.Module); m != "" {
			return m
		}
	}
	return ""
}

// top is how many rows of n are kept.
func (v *view) top(n int) int { return v.opt.top(n) }

func (o Options) top(n int) int {
	switch {
	case o.Top < 0:
		return n
	case o.Top == 0:
		return min(n, 10)
	}
	return min(n, o.Top)
}
