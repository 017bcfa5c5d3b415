package analyze

import (
	"slices"

	"saturate/internal/trace"
)

// stretch is what a rank did between two collectives, instead of arriving at the second.
type stretch uint8

const (
	inLoader stretch = iota
	inHostCode
	inGC
	inCheckpoint
	inSync
	inCopyWait
	inLaunch
	inAllocation
	inCompilation
	forwardCompute
	backwardCompute
	optimizerCompute
	inCopies
	inNothing // for a reason that the trace does not tell
	numStretches
)

// stretchNames say what a late rank spent its time on.
var stretchNames = [numStretches]string{
	"data loader", "host code", "garbage collection", "checkpoint", "synchronization", "copy wait", "launching",
	"memory allocation", "compilation",
	"forward compute", "backward compute", "optimizer", "copies", "unknown",
}

func (s stretch) String() string { return stretchNames[s] }

// computes reports whether the rank computed: then its kernels are slower, or it has more of them to do.
func (s stretch) computes() bool {
	return s == forwardCompute || s == backwardCompute || s == optimizerCompute
}

// approach is what a rank did between two collectives.
type approach struct {
	ns    [numStretches]int64
	place string // where most of the host's part was spent
	ops   int64  // kernels, or operators without a GPU
	work  int64  // their blocks, or the elements of their tensors: how much there was to do
}

func (a *approach) total() (sum int64) {
	for _, ns := range a.ns {
		sum += ns
	}
	return sum
}

// timeline is what a rank did all the time, each instant once.
type timeline struct {
	sets   [numStretches]spans
	pieces []piece // of the host, by start
	text   func(place) string
	work   []amount // by time
}

// amount is how much a kernel or operator had to do.
type amount struct {
	at    int64
	units int64
}

// approaches says what the rank did before each meeting, since the last one that had ended by then. The list is sorted
// by start.
func (v *view) approaches(list []meeting) {
	if len(list) == 0 {
		return
	}
	var line *timeline
	if g := v.device(); g != nil {
		line = v.deviceTimeline(g)
	} else {
		line = v.hostTimeline()
	}
	ended := int64(0)
	first := true
	for i := range list {
		m := &list[i]
		w := trace.Interval{Start: ended, End: m.start}
		if first && len(v.steps) > 0 {
			w.Start = min(m.start, v.steps[0].window.Start)
		} else if first {
			w.Start = min(m.start, v.window.Start)
		}
		m.first = first
		if w.Positive() {
			m.before = line.in(w)
		}
		if first || m.end > ended {
			ended = m.end
		}
		first = false
	}
}

// in is what was done in a time.
func (l *timeline) in(w trace.Interval) (a approach) {
	for s := range numStretches {
		a.ns[s] = l.sets[s].within(w)
	}
	from, _ := slices.BinarySearchFunc(l.pieces, w.Start, func(p piece, ns int64) int {
		if p.End <= ns {
			return -1
		}
		return 1
	})
	sums := map[place]int64{}
	var best place
	for _, p := range l.pieces[from:] {
		if p.Start >= w.End {
			break
		}
		if sums[p.place] += p.Overlap(w); sums[p.place] > sums[best] || best == (place{}) {
			best = p.place
		}
	}
	if best != (place{}) {
		a.place = l.text(best)
	}
	first, _ := slices.BinarySearchFunc(l.work, w.Start, func(x amount, ns int64) int {
		if x.at < ns {
			return -1
		}
		return 1
	})
	for _, x := range l.work[first:] {
		if x.at >= w.End {
			break
		}
		a.ops++
		a.work += x.units
	}
	return a
}

// stretchOf is what idle time of a cause is spent on.
func (v *view) stretchOf(p place) stretch {
	switch p.cause {
	case DataLoading:
		return inLoader
	case HostPython:
		if p.how == at && v.meanings[p.a]&isCollect != 0 {
			return inGC
		}
		return inHostCode
	case Checkpoint:
		return inCheckpoint
	case Synchronization:
		return inSync
	case TransferCause:
		return inCopyWait
	case LaunchCause:
		return inLaunch
	case MemoryAllocation:
		return inAllocation
	case Compilation:
		return inCompilation
	}
	return inNothing
}

// deviceTimeline is what a GPU computed, and what the host did while it had nothing to do.
func (v *view) deviceTimeline(g *gpuWork) *timeline {
	l := &timeline{text: v.text, pieces: v.idle.pieces}
	var computed spans
	phases := map[trace.EventID]stretch{}
	for _, id := range g.work {
		if v.classOf(id) != compute {
			continue
		}
		phase := forwardCompute
		if call, ok := v.t.Launch(id); ok {
			var seen bool
			if phase, seen = phases[v.t.Parent(call)]; !seen || v.t.Parent(call) == trace.None {
				phase = v.phaseOf(call)
				phases[v.t.Parent(call)] = phase
			}
		}
		when := v.clip(id)
		l.sets[phase] = l.sets[phase].add(when)
		computed = computed.add(when)
		units := int64(0)
		if c := v.t.Config(id); c != nil {
			units = int64(c.Grid[0]) * int64(c.Grid[1]) * int64(c.Grid[2])
		}
		l.work = append(l.work, amount{when.Start, units})
	}
	l.sets[inCopies] = g.busy.memory().minus(computed)
	for _, p := range l.pieces {
		s := v.stretchOf(p.place)
		l.sets[s] = l.sets[s].add(p.Interval)
	}
	return l
}

// phaseOf is the part of a step that a call or an operator belongs to.
func (v *view) phaseOf(id trace.EventID) stretch {
	for up := id; up != trace.None; up = v.t.Parent(up) {
		switch m := v.meanings[v.t.NameID(up)]; {
		case m&isBackward != 0:
			return backwardCompute
		case m&isOptimizer != 0:
			return optimizerCompute
		}
	}
	return forwardCompute
}

// hostTimeline is what the main thread of a rank without a GPU did.
func (v *view) hostTimeline() *timeline {
	l := &timeline{text: v.text}
	e := &explainer{v: v, main: v.thread(v.main)}
	h := v.thread(v.main)
	end := v.window.End
	for now := max(v.window.Start, v.t.Start(v.t.Track(v.main).First)); now < end; {
		a := h.at(now)
		when := trace.Interval{Start: now, End: min(a.End, end)}
		switch a.state {
		case operating, launching, copying, waiting, allocating:
			phase := v.phaseOf(a.by)
			l.sets[phase] = l.sets[phase].add(when)
		default:
			p := place{HostPython, nowhere, 0, 0}
			switch a.state {
			case loading, saving, collecting, compiling, recording:
				p = e.placeOf(a, h, trace.None, trace.None)
			default:
				if q, ok := e.pythonPlace(a, h); ok && when.Length() >= longStretch {
					p = q
				}
			}
			l.pieces = append(l.pieces, piece{when, p})
			s := v.stretchOf(p)
			l.sets[s] = l.sets[s].add(when)
		}
		now = when.End
	}
	tr := v.t.Track(v.main)
	for id := tr.First; id < tr.Last; id++ {
		if v.t.Kind(id) != trace.CPUOp {
			continue
		}
		units := int64(0)
		if in := v.t.Inputs(id); in != nil {
			for _, dims := range in.Dims {
				if len(dims) > 0 {
					units += elements(dims)
				}
			}
		}
		l.work = append(l.work, amount{v.t.Start(id), units})
	}
	return l
}
