package analyze

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"saturate/internal/trace"
)

// Replay is a CUDA graph that the trace launches, by the operators that were captured into it: in this trace, or in
// another that was recorded while the program captured.
type Replay struct {
	Capture   string             `json:"capture"`             // name that the program gave to the capture, else the file
	Path      string             `json:"path"`                // trace with the capture
	Launches  int                `json:"launches"`            // of graphs with this capture, or with equal ones
	Work      int                `json:"work"`                // kernels, copies and fills in all of them
	TotalNS   int64              `json:"total_ns"`            // of all that work
	Unknown   int                `json:"unknown,omitempty"`   // launches of other graphs: no capture has their kernels
	Ambiguous int                `json:"ambiguous,omitempty"` // launches that fit several captures with different shapes
	Operators []ReplayedOperator `json:"operators"`           // most GPU time first
}

// ReplayedOperator sums what calls of one operator with the same inputs run on the GPU when the graph is launched.
type ReplayedOperator struct {
	Operator  string    `json:"operator"`              // that was captured
	Place     string    `json:"place,omitempty"`       // module or Python function that called it
	Shapes    [][]int64 `json:"shapes,omitempty"`      // of its inputs that are tensors
	Types     []string  `json:"types,omitempty"`       // of those, each once
	Calls     int       `json:"calls"`                 // in all launches
	Work      int       `json:"work"`                  // kernels, copies and fills
	TotalNS   int64     `json:"total_ns"`              // of those
	TFLOPPerS float64   `json:"tflop_per_s,omitempty"` // where the shapes tell the work
	RoofRatio float64   `json:"roof_ratio,omitempty"`  // the least time by shapes and the GPU's peaks, over the time it took
	Bound     Bound     `json:"bound,omitempty"`       // what sets that least time
}

// replaySum collects a ReplayedOperator.
type replaySum struct {
	ReplayedOperator
	flop  float64
	least roof
	end   int64 // of the work so far
}

// replays links the work of launched graphs to what was captured.
func (v *view) replays() (out []Replay) {
	captures := v.captures
	for _, t := range v.opt.Captures {
		other := &view{t: t, meanings: meanings(t), copies: map[trace.NameID]ends{}, window: t.Window(), peak: v.peak}
		captures = append(captures, other.findCaptures()...)
	}
	if len(captures) == 0 {
		return nil
	}
	launches := v.graphLaunches()
	rows := map[string]*Replay{}
	sums := map[string]map[string]*replaySum{}
	var order []string
	unknown, ambiguous := 0, 0
	for _, work := range launches {
		best, calls, several := v.captureOf(captures, work)
		switch {
		case several:
			ambiguous++
			continue
		case best == nil:
			unknown++
			continue
		}
		name := cmp.Or(best.name, filepath.Base(best.v.t.Meta().Path))
		r := rows[name]
		if r == nil {
			r = &Replay{Capture: name, Path: best.v.t.Meta().Path}
			rows[name], sums[name] = r, map[string]*replaySum{}
			order = append(order, name)
		}
		r.Launches++
		r.add(v, best, work, calls, sums[name])
	}
	for _, name := range order {
		r := rows[name]
		for _, key := range slices.Sorted(maps.Keys(sums[name])) {
			s := sums[name][key]
			if s.TotalNS > 0 {
				s.TFLOPPerS = s.flop / float64(s.TotalNS) / 1000
				if least := s.least.ns(); least > 0 {
					s.RoofRatio, s.Bound = least/float64(s.TotalNS), s.least.bound()
				}
			}
			r.Operators = append(r.Operators, s.ReplayedOperator)
		}
		slices.SortStableFunc(r.Operators, func(a, b ReplayedOperator) int { return cmp.Compare(b.TotalNS, a.TotalNS) })
		r.Operators = r.Operators[:v.top(len(r.Operators))]
		r.Unknown, r.Ambiguous = unknown, ambiguous
		out = append(out, *r)
	}
	if len(out) == 0 && unknown+ambiguous > 0 {
		out = []Replay{{Unknown: unknown, Ambiguous: ambiguous, Operators: []ReplayedOperator{}}}
	}
	return out
}

// graphLaunches are the pieces of work of each launch of a graph, in the order of their capture as far as that is known.
func (v *view) graphLaunches() (list [][]trace.EventID) {
	at := map[trace.EventID]int{}
	for i := range v.gpus {
		for _, id := range v.gpus[i].work {
			call, ok := v.t.Launch(id)
			if !ok || !strings.Contains(v.t.Name(call), "GraphLaunch") {
				continue
			}
			k, known := at[call]
			if !known {
				k = len(list)
				at[call] = k
				list = append(list, nil)
			}
			list[k] = append(list[k], id)
		}
	}
	for _, work := range list {
		slices.SortStableFunc(work, func(a, b trace.EventID) int {
			m, hasA := v.t.Int(a, trace.GraphNode)
			n, hasB := v.t.Int(b, trace.GraphNode)
			if !hasA || !hasB {
				return 0 // by start
			}
			return cmp.Compare(m, n)
		})
	}
	return list
}

// captureOf is the capture that a launch replays, and the captured call of each piece of work. Several is set where
// captures fit that have different shapes.
func (v *view) captureOf(captures []captured, work []trace.EventID) (best *captured, calls []trace.EventID, several bool) {
	for i := range captures {
		c := &captures[i]
		fitting := c.fit(v.t, work)
		switch {
		case fitting == nil:
		case best == nil:
			best, calls = c, fitting
		case !best.alike(c):
			return nil, nil, true
		}
	}
	return best, calls, false
}

// add counts one launch.
func (r *Replay) add(v *view, c *captured, work, calls []trace.EventID, sums map[string]*replaySum) {
	seen := map[trace.EventID]bool{}
	for i, id := range work {
		when := v.clip(id)
		r.Work++
		r.TotalNS += when.Length()
		op := c.operator(calls[i])
		fresh := &replaySum{end: math.MinInt64, ReplayedOperator: ReplayedOperator{Operator: v.t.Name(id), Place: c.place(calls[i])}}
		if op != trace.None {
			fresh.Operator = c.v.t.Name(op)
			if in := c.v.t.Inputs(op); in != nil {
				fresh.Shapes, fresh.Types = tensors(in), typesOf(in)
			}
		}
		key := fmt.Sprint(op == trace.None, fresh.Operator, fresh.Place, fresh.Shapes, fresh.Types)
		s := sums[key]
		if s == nil {
			s = fresh
			sums[key] = s
		}
		s.Work++
		s.TotalNS += max(0, when.End-max(when.Start, s.end)) // parts of one product may overlap
		s.end = max(s.end, when.End)
		if op == trace.None { // a kernel that Python launched itself
			s.Calls++
			continue
		}
		if seen[op] {
			continue
		}
		seen[op] = true
		s.Calls++
		e := c.v.effort(op)
		s.flop += e.flop
		least := c.v.roof(op, e, tensorCores(v.t.Name(id)))
		s.least.compute += least.compute
		s.least.memory += least.memory
	}
}

// place is the class of the module that made a captured call, else the function.
func (c *captured) place(call trace.EventID) (function string) {
	for a := range c.v.t.Ancestors(call) {
		if c.v.t.Kind(a) != trace.Python {
			continue
		}
		name := c.v.t.Name(a)
		if module, ok := strings.CutPrefix(name, "nn.Module: "); ok {
			if class, number, ok := cutLast(module, "_"); ok && strings.Trim(number, "0123456789") == "" {
				return class
			}
			return module
		}
		if function == "" && !c.v.means(a, isLibrary) {
			function = name
		}
	}
	return function
}

func cutLast(s, sep string) (before, after string, ok bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}
