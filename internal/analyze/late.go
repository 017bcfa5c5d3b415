package analyze

import (
	"cmp"
	"maps"
	"slices"
)

// Late is the rank that makes the others wait, and why.
type Late struct {
	Rank        int    `json:"rank"`           // the late rank
	Collectives int    `json:"collectives"`    // matched across the ranks, with this one in them
	LastIn      int    `json:"last_in"`        // of those, in which it arrived last
	WaitNS      int64  `json:"wait_ns"`        // how long each of the others waits for it in a step, on average
	Cause       string `json:"cause"`          // what it spends longer on than the others: data loader, host code, garbage collection, forward compute …
	CauseNS     int64  `json:"cause_ns"`       // on that, in a step
	OthersNS    int64  `json:"others_ns"`      // the others, in the middle
	Place       string `json:"place"`          // where, as far as the trace tells
	Steps       int    `json:"steps"`          // in which it was late
	OfSteps     int    `json:"of_steps"`       // steps that were compared
	Work        Share  `json:"work_ratio"`     // how much it had to compute there, against the others: blocks of kernels, or elements of tensors
	Launches    Share  `json:"launches_ratio"` // and in how many kernels or operators

	stretch stretch
}

// Turns is a job in which no single rank is late: now one, now another makes the others wait, for it has more to
// compute.
type Turns struct {
	WaitNS  int64 `json:"wait_ns"` // a rank waits in a step, on average
	Heavier int   `json:"heavier"` // collectives to which the last rank came with more work
	Count   int   `json:"count"`   // collectives that a rank was noticeably late for
}

// turns looks for a job whose ranks wait for each other in turn; nil where they do not.
func turns(list []match, steps, step int64) *Turns {
	t := &Turns{}
	last := map[int]int{}
	for i := range list {
		x := &list[i]
		t.WaitNS += x.waited / int64(len(x.who))
		if own := x.seen[x.last].before.work; 100*x.late > step && own > 0 {
			t.Count++
			last[x.who[x.last]]++
			if usual := x.usual(func(m *meeting) int64 { return m.before.work }); 20*own > 21*usual {
				t.Heavier++
			}
		}
	}
	t.WaitNS /= steps
	if t.Count < 4 || 20*t.WaitNS < step || 3*t.Heavier < 2*t.Count || len(last) < 2 {
		return nil
	}
	return t
}

// Share is one amount over another; 0 when unknown.
type Share float64

// blame is what one rank makes the others wait for.
type blame struct {
	wait   int64 // of the others, on average, all collectives together
	excess [numStretches]int64
	own    [numStretches]int64 // what it spent there
	usual  [numStretches]int64 // what the others spent, in the middle
	places map[string]int64
	steps  map[int32]bool
	work   [2]int64 // its own, the others'
	ops    [2]int64
}

// blamed says of each rank how long the others wait for it because of what it did itself. A rank that came late because
// it had waited for another is not to blame: its own approach was as long as the others'. Nobody is, where a rank that
// is not here may have come last.
func blamed(list []match, clocks []int64) (of map[int]*blame, steps int64) {
	of = map[int]*blame{}
	counted := map[int32]bool{}
	begun := map[int32]bool{} // steps that are not all in the recording
	for i := range list {
		if list[i].begins() {
			begun[list[i].step] = true
		}
	}
	usable := slices.ContainsFunc(list, func(x match) bool { return !begun[x.step] })
	for i := range list {
		x := &list[i]
		if begun[x.step] && usable || !x.whole() {
			continue
		}
		counted[x.step] = true
		r := x.who[x.last]
		b := of[r]
		if b == nil {
			b = &blame{places: map[string]int64{}, steps: map[int32]bool{}}
			of[r] = b
		}
		own := &x.seen[x.last].before
		var arrivals, totals []int64
		for k := range x.who {
			if k != x.last {
				arrivals = append(arrivals, x.seen[k].start-clocks[x.who[k]])
				totals = append(totals, x.seen[k].before.total())
			}
		}
		late := x.seen[x.last].start - clocks[r] - median(arrivals)
		excess := min(late, own.total()-median(totals))
		if late <= 0 || excess <= 0 {
			continue
		}
		others := int64(len(x.who) - 1)
		b.wait += int64(float64(x.waited/others) * float64(excess) / float64(late))
		if 10*excess > late {
			b.steps[x.step] = true
		}
		for s := range numStretches {
			usual := x.usual(func(m *meeting) int64 { return m.before.ns[s] })
			b.own[s] += own.ns[s]
			b.usual[s] += usual
			b.excess[s] += own.ns[s] - usual
		}
		b.places[own.place] += excess
		b.work[0], b.work[1] = b.work[0]+own.work, b.work[1]+x.usual(func(m *meeting) int64 { return m.before.work })
		b.ops[0], b.ops[1] = b.ops[0]+own.ops, b.ops[1]+x.usual(func(m *meeting) int64 { return m.before.ops })
	}
	return of, int64(max(1, len(counted)))
}

// begins reports whether what some rank did before the collective is not all in its recording.
func (x *match) begins() bool {
	return slices.ContainsFunc(x.seen, func(m *meeting) bool { return m.first })
}

// usual is the middle of what the ranks have that did not come last.
func (x *match) usual(of func(*meeting) int64) int64 {
	var list []int64
	for k := range x.who {
		if k != x.last {
			list = append(list, of(x.seen[k]))
		}
	}
	return median(list)
}

// latest is the rank to blame most, in figures for a step.
func latest(list []match, of map[int]*blame, steps int64) *Late {
	if len(of) == 0 {
		return nil
	}
	ranks := slices.Sorted(maps.Keys(of))
	r := slices.MaxFunc(ranks, func(a, b int) int { return cmp.Or(cmp.Compare(of[a].wait, of[b].wait), cmp.Compare(b, a)) })
	b := of[r]
	l := &Late{Rank: r, WaitNS: b.wait / steps, Steps: len(b.steps)}
	seen := map[int32]bool{}
	for i := range list {
		if x := &list[i]; slices.Contains(x.who, r) {
			l.Collectives++
			seen[x.step] = true
			if x.who[x.last] == r {
				l.LastIn++
			}
		}
	}
	l.OfSteps = len(seen)
	l.stretch = worstStretch(b)
	l.Cause, l.CauseNS, l.OthersNS = l.stretch.String(), b.own[l.stretch]/steps, b.usual[l.stretch]/steps
	if l.stretch.computes() {
		l.computing(b, steps)
	}
	if !l.stretch.computes() {
		for _, p := range slices.Sorted(maps.Keys(b.places)) {
			if b.places[p] > b.places[l.Place] || l.Place == "" {
				l.Place = p
			}
		}
	}
	l.Work, l.Launches = over(b.work), over(b.ops)
	return l
}

// computing says "compute" of a rank that is slow in several phases of its step, as one with a slow GPU is.
func (l *Late) computing(b *blame, steps int64) {
	var excess, own, usual int64
	for s := range numStretches {
		if s.computes() {
			excess, own, usual = excess+max(0, b.excess[s]), own+b.own[s], usual+b.usual[s]
		}
	}
	if 4*b.excess[l.stretch] < 3*excess {
		l.Cause, l.CauseNS, l.OthersNS = "compute", own/steps, usual/steps
	}
}

func over(x [2]int64) Share {
	if x[1] <= 0 {
		return 0
	}
	return Share(float64(x[0]) / float64(x[1]))
}

// worstStretch is what a rank spends most longer on than the others.
func worstStretch(b *blame) (worst stretch) {
	for s := range numStretches {
		if b.excess[s] > b.excess[worst] {
			worst = s
		}
	}
	return worst
}
