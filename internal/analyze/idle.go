package analyze

import (
	"cmp"
	"slices"

	"saturate/internal/trace"
)

// IdleCause is idle time of one GPU with one cause and one place.
type IdleCause struct {
	Cause string `json:"cause"` // why the GPU was idle
	NS    int64  `json:"ns"`    // idle time
	Gaps  int    `json:"gaps"`  // in how many gaps it has a part
	Place string `json:"place"` // function, operator or call that the host was in
}

// Gap is a time in which a GPU had nothing to do.
type Gap struct {
	StartNS int64  `json:"start_ns"` // start of the gap
	EndNS   int64  `json:"end_ns"`   // end of the gap
	Cause   string `json:"cause"`    // of its largest part
	Place   string `json:"place"`    // function, operator or call that the host was in
	Next    string `json:"next"`     // the work that ended it; empty at the end of a part of the trace
}

// NS is how long the gap lasted.
func (g Gap) NS() int64 { return g.EndNS - g.StartNS }

// gap is a Gap before its names are looked up.
type gap struct {
	trace.Interval
	place place
	last  trace.EventID // the work that ended before it; None at the beginning
	next  trace.EventID
}

// idle is all idle time of one GPU in the window, with its causes.
//
// A gap is the time between the running maximum of ends and the next start, over all
// streams: kernels of one stream may overlap, so the end of the one before is not enough.
// The time before the first work and after the last is explained too, but is not a gap.
type idle struct {
	v       *view
	gaps    []gap // by start
	causes  map[place]*tally
	perStep [][numCauses]int64       // of gaps and edges
	inSteps map[place]int64          // the same by place
	largest map[place]trace.Interval // the longest gap of each place
	held    tally                    // KernelWait that is longer than any kernel takes to start

	pieces []piece // of all gaps and edges, by start
	parts  []piece // of the current gap
	at     int     // the current step
}

type tally struct {
	ns   int64
	gaps int
}

func (v *view) idleTimes(g *gpuWork) *idle {
	idle := &idle{
		v: v, causes: map[place]*tally{}, inSteps: map[place]int64{}, largest: map[place]trace.Interval{},
		perStep: make([][numCauses]int64, len(v.steps)),
	}
	e := v.newExplainer(g.work)
	inside := g.busy.bounds(v, g.work)
	idle.edge(e, trace.Interval{Start: v.edgeStart(), End: inside.Start}, g.work[0])
	last := trace.None
	end := inside.Start // a step, or the part of a trace that was asked for, has no edges: they are gaps
	for _, id := range g.work {
		if i := (trace.Interval{Start: end, End: v.t.Start(id)}); i.Positive() {
			idle.gap(e, i, last, id)
		}
		if to := v.clip(id).End; to >= end {
			end, last = to, id
		}
	}
	rest := trace.Interval{Start: end, End: v.edgeEnd()}
	if v.endless() {
		idle.edge(e, rest, trace.None)
	} else if rest.Positive() {
		idle.gap(e, rest, last, trace.None)
	}
	return idle
}

// edgeStart is where the explained time begins: with the first step, if there are steps.
func (v *view) edgeStart() int64 {
	if v.whole && len(v.steps) > 0 {
		return v.steps[0].window.Start
	}
	return v.window.Start
}

func (v *view) edgeEnd() int64 {
	if v.whole && len(v.steps) > 0 {
		return v.steps[len(v.steps)-1].window.End
	}
	return v.window.End
}

// gap explains one gap. Its largest part gives it its cause.
func (idle *idle) gap(e *explainer, i trace.Interval, last, next trace.EventID) {
	idle.explain(e, i, next)
	var best place
	most := int64(-1)
	for k, p := range idle.parts {
		if idle.countedBefore(k) {
			continue
		}
		sum := int64(0)
		for _, q := range idle.parts[k:] {
			if q.place == p.place {
				sum += q.Length()
			}
		}
		t := idle.causes[p.place]
		if t == nil {
			t = &tally{}
			idle.causes[p.place] = t
		}
		t.ns += sum
		t.gaps++
		if p.place.cause == KernelWait && sum > consecutive {
			idle.held.ns += sum
			idle.held.gaps++
		}
		if sum > most {
			best, most = p.place, sum
		}
	}
	idle.gaps = append(idle.gaps, gap{i, best, last, next})
	if i.Length() > idle.largest[best].Length() {
		idle.largest[best] = i
	}
}

// countedBefore reports whether an earlier part of the gap has the same place.
func (idle *idle) countedBefore(k int) bool {
	for _, p := range idle.parts[:k] {
		if p.place == idle.parts[k].place {
			return true
		}
	}
	return false
}

// explain puts the parts of a gap in idle.parts, neighbors of one place as one, and adds
// them to the steps.
func (idle *idle) explain(e *explainer, i trace.Interval, next trace.EventID) {
	idle.parts = idle.parts[:0]
	e.explain(i, next, func(p piece) {
		if n := len(idle.parts); n > 0 && idle.parts[n-1].place == p.place {
			idle.parts[n-1].End = p.End
		} else {
			idle.parts = append(idle.parts, p)
		}
	})
	idle.pieces = append(idle.pieces, idle.parts...)
	steps := idle.v.steps
	for _, p := range idle.parts {
		for idle.at < len(steps) && steps[idle.at].window.End <= p.Start {
			idle.at++
		}
		for k := idle.at; k < len(steps) && steps[k].window.Start < p.End; k++ {
			ns := steps[k].window.Overlap(p.Interval)
			idle.perStep[k][p.place.cause] += ns
			idle.inSteps[p.place] += ns
		}
	}
}

// edge explains time that only the steps count.
func (idle *idle) edge(e *explainer, i trace.Interval, next trace.EventID) {
	if i.Positive() {
		idle.explain(e, i, next)
	}
}

// byCause lists causes and places, most time first; they add up to the idle time.
func (idle *idle) byCause() []IdleCause {
	list := make([]IdleCause, 0, len(idle.causes))
	for p, t := range idle.causes {
		list = append(list, IdleCause{p.cause.String(), t.ns, t.gaps, idle.v.text(p)})
	}
	slices.SortFunc(list, func(a, b IdleCause) int {
		return cmp.Or(cmp.Compare(b.NS, a.NS), cmp.Compare(a.Cause, b.Cause), cmp.Compare(a.Place, b.Place))
	})
	return list
}

// longest lists the longest gaps.
func (idle *idle) longest(top int) []Gap {
	best, _ := idle.longestOf(top, func(gap) bool { return true })
	out := make([]Gap, 0, top)
	for _, g := range best {
		next := ""
		if g.next != trace.None {
			next = idle.v.t.Name(g.next)
		}
		out = append(out, Gap{g.Start, g.End, g.place.cause.String(), idle.v.text(g.place), next})
	}
	return out
}

// longestOf are the longest of the gaps that `wanted` accepts, and how many it accepts.
func (idle *idle) longestOf(top int, wanted func(gap) bool) (best []gap, all int) {
	order := func(a, b gap) int { return cmp.Or(cmp.Compare(b.Length(), a.Length()), cmp.Compare(a.Start, b.Start)) }
	best = make([]gap, 0, 2*top+1)
	for _, g := range idle.gaps {
		if !wanted(g) {
			continue
		}
		all++
		// Sorting now and then keeps the list short, so that all gaps cost one pass.
		if best = append(best, g); len(best) > 2*top {
			slices.SortFunc(best, order)
			best = best[:top]
		}
	}
	slices.SortFunc(best, order)
	return best[:min(top, len(best))], all
}

// sums is the idle time of each place; together it is that of the GPU's Span.
func (idle *idle) sums() map[place]int64 {
	sums := make(map[place]int64, len(idle.causes))
	for p, t := range idle.causes {
		sums[p] = t.ns
	}
	return sums
}
