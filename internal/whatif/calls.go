package whatif

import (
	"cmp"
	"slices"

	"saturate/internal/trace"
)

// longCall is how long a call takes that matters even though it launches nothing.
const longCall = 100_000

// findCalls lists the calls of the steps by time: those that launched work, those that may wait, and long ones. What is
// between them is the host's own time.
func (g *Graph) findCalls(last int64) []trace.EventID {
	var calls []trace.EventID
	launching := g.launching()
	for _, track := range g.facts.Threads {
		tr := g.t.Track(track)
		kept := trace.None // the last one kept on this track
		for id := tr.First; id < tr.Last; id++ {
			start := g.t.Start(id)
			if start < g.origin {
				continue
			}
			if start >= last {
				break
			}
			launches := launching.has(id)
			if !launches && g.facts.Wait(id) == NoWait && !(g.t.Duration(id) >= longCall && g.t.Kind(id).API()) {
				continue
			}
			if kept != trace.None && start < g.t.End(kept) { // inside the one before
				switch outer := launching.has(kept); {
				case outer && !launches:
					continue
				case !outer: // the inner one is the one that works
					calls = calls[:len(calls)-1]
				}
			}
			calls, kept = append(calls, id), id
		}
	}
	slices.SortStableFunc(calls, func(a, b trace.EventID) int { return cmp.Compare(g.t.Start(a), g.t.Start(b)) })
	return calls
}

// eventSet is a set of events, a bit each.
type eventSet []uint64

func (s eventSet) has(id trace.EventID) bool { return s[id/64]&(1<<(id%64)) != 0 }

// launching are the calls that launched work.
func (g *Graph) launching() eventSet {
	s := make(eventSet, g.t.Len()/64+1)
	for _, dev := range g.t.Devices() {
		for id := range g.t.OnDevice(dev, trace.Window{Start: g.t.Window().Start, End: g.t.Window().End + 1}) {
			if host, ok := g.t.Launch(id); ok {
				s[host/64] |= 1 << (host % 64)
			}
		}
	}
	return s
}

// findWorks gives each call the work that it launched. Work that an earlier call launched and that still runs, or whose
// call is not in the trace, belongs to the last call before it.
func (g *Graph) findWorks() {
	type launch struct {
		call int32
		work trace.EventID
	}
	at := make(map[trace.EventID]int32, len(g.call))
	for i, id := range g.call {
		if id != trace.None {
			at[id] = int32(i)
		}
	}
	last := g.end[len(g.end)-1]
	var list []launch
	for _, dev := range g.t.Devices() {
		for id := range g.t.OnDevice(dev, trace.Window{Start: g.origin, End: g.t.Window().End + 1}) {
			host, linked := g.t.Launch(id)
			i, known := at[host]
			switch {
			case linked && known:
			case linked && g.t.Start(host) >= last:
				continue // of a later step
			case linked && g.t.Start(host) < g.origin:
				i = 0
			default:
				if g.t.Start(id) >= last {
					continue
				}
				i = g.callBefore(g.t.Start(id))
			}
			list = append(list, launch{i, id})
		}
	}
	slices.SortStableFunc(list, func(a, b launch) int { return cmp.Compare(a.call, b.call) })
	n := len(list)
	g.work, g.from, g.class, g.dur = make([]trace.EventID, n), make([]int32, n), make([]Class, n), make([]int64, n)
	g.works = make([]int32, len(g.call)+1)
	for k, l := range list {
		g.work[k], g.from[k], g.class[k], g.dur[k] = l.work, l.call, g.facts.Class(l.work), g.t.Duration(l.work)
		g.works[l.call+1]++
	}
	for i := range g.call {
		g.works[i+1] += g.works[i]
	}
}

// callBefore is the last call that began by the instant.
func (g *Graph) callBefore(ns int64) int32 {
	i, _ := slices.BinarySearch(g.begin, ns+1)
	return int32(min(max(i-1, 0), len(g.begin)-2))
}
