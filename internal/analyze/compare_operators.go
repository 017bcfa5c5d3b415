package analyze

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"saturate/internal/trace"
)

// OperatorDiff says which operators and calls the host makes more or less often, as HTA's trace diff does. Counts are
// means per step, or of the whole trace where a side has no steps.
type OperatorDiff struct {
	Added     []CountChange `json:"added"`     // only after
	Deleted   []CountChange `json:"deleted"`   // only before
	Increased []CountChange `json:"increased"` // more often than before
	Decreased []CountChange `json:"decreased"` // less often than before
	Unchanged int           `json:"unchanged"` // how many names
}

// CountChange is how often something is called, and how long its calls take on the host.
type CountChange struct {
	Name     string  `json:"name"`      // of the operator or call
	Before   float64 `json:"before"`    // calls
	After    float64 `json:"after"`     // calls
	BeforeNS int64   `json:"before_ns"` // of those calls, what they call included
	AfterNS  int64   `json:"after_ns"`  // of those calls, what they call included
}

// Changed is how many names are not called as often as before.
func (d *OperatorDiff) Changed() int {
	return len(d.Added) + len(d.Deleted) + len(d.Increased) + len(d.Decreased)
}

// hostCalls are the operators and calls of one name that began in a step.
type hostCalls struct {
	count, steps int
	ns           int64
}

// hostCalls counts operators and calls of the runtime by name, in steps where there are any.
func (v *view) hostCalls() map[string]hostCalls {
	windows := []trace.Window{v.window}
	if len(v.steps) > 0 {
		windows = windows[:0]
		if marks := v.t.StepMarkers(); len(marks) > 0 { // the host's own, also where steps are counted by the GPU
			for _, m := range marks {
				if v.window.Contains(m.Window.Start) {
					windows = append(windows, m.Window)
				}
			}
		}
		if len(windows) == 0 {
			for _, s := range v.steps {
				windows = append(windows, s.window)
			}
		}
	}
	sums := make([]hostCalls, v.t.Names())
	for id := range v.t.OfKind(trace.CPUOp, trace.Runtime, trace.Driver) {
		at := v.t.Start(id)
		i := sort.Search(len(windows), func(i int) bool { return windows[i].End > at })
		if i == len(windows) || !windows[i].Contains(at) || v.means(id, isStep) {
			continue
		}
		s := &sums[v.t.NameID(id)]
		s.count++
		s.ns += v.t.Duration(id)
	}
	out := map[string]hostCalls{}
	for name, s := range sums {
		if s.count > 0 {
			s.steps = len(windows)
			out[v.t.String(trace.NameID(name))] = s
		}
	}
	return out
}

// diffOperators compares how often each name is called.
func (c *Comparison) diffOperators(a, b Analysis) (d OperatorDiff) {
	d = OperatorDiff{
		Added: []CountChange{}, Deleted: []CountChange{}, Increased: []CountChange{},
		Decreased: []CountChange{},
	}
	of := func(h hostCalls) (float64, int64) {
		if !c.PerStep || h.steps == 0 {
			return float64(h.count), h.ns
		}
		return float64(h.count) / float64(h.steps), h.ns / int64(h.steps)
	}
	names := map[string]bool{}
	for name := range a.all.calls {
		names[name] = true
	}
	for name := range b.all.calls {
		names[name] = true
	}
	for name := range names {
		was, now := a.all.calls[name], b.all.calls[name]
		ch := CountChange{Name: name}
		ch.Before, ch.BeforeNS = of(was)
		ch.After, ch.AfterNS = of(now)
		switch {
		case was.count == 0:
			d.Added = append(d.Added, ch)
		case now.count == 0:
			d.Deleted = append(d.Deleted, ch)
		case ch.After > ch.Before:
			d.Increased = append(d.Increased, ch)
		case ch.After < ch.Before:
			d.Decreased = append(d.Decreased, ch)
		default:
			d.Unchanged++
		}
	}
	for _, list := range [][]CountChange{d.Added, d.Deleted, d.Increased, d.Decreased} {
		slices.SortFunc(list, func(x, y CountChange) int {
			return cmp.Or(cmp.Compare(math.Abs(y.After-y.Before), math.Abs(x.After-x.Before)), cmp.Compare(x.Name, y.Name))
		})
	}
	return d
}
