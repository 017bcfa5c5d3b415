package whatif

import (
	"cmp"
	"slices"

	"saturate/internal/trace"
)

const (
	clockSlack  = 2_000  // the clocks of host and GPU agree to about this
	returnDelay = 50_000 // a call that waited returns this soon after the work has ended
	deepQueue   = 256    // so much launched work ahead, and a launch that blocks waits for room
)

// findWaits finds for each call the work that it waits for, and how long it takes without the wait.
//
// A synchronisation waits for the last work that had been launched and has ended when the call returns. A launch that
// takes long while far more work is queued than usual waits for room in the queue. Another long call waits for work if
// it returns right after all launched work has ended: cudaFree does.
func (g *Graph) findWaits() {
	n := len(g.call)
	g.lead = make([]int64, n)
	g.cost, g.wait, g.on, g.waitRest = make([]int64, n), make([]Wait, n), make([]int32, n), make([]int64, n)
	ended := make([]int32, len(g.work)) // by end
	for k := range ended {
		ended[k] = int32(k)
	}
	slices.SortFunc(ended, func(a, b int32) int { return cmp.Compare(g.recordedEnd(a), g.recordedEnd(b)) })
	usual := g.usualCosts()
	at := 0 // works ended[:at] have ended when the current call returns
	for i := range g.call {
		g.cost[i], g.on[i] = g.end[i]-g.begin[i], none
		id := g.call[i]
		if id == trace.None {
			continue
		}
		for at < len(ended) && g.recordedEnd(ended[at]) <= g.end[i]+clockSlack {
			at++
		}
		for at > 0 && g.recordedEnd(ended[at-1]) > g.end[i]+clockSlack { // calls of several threads overlap
			at--
		}
		wait := g.facts.Wait(id)
		if wait == NoWait && g.cost[i] < longCall {
			continue
		}
		on := g.lastOf(ended[:at], int32(i), wait != NoWait)
		if on == none {
			continue
		}
		end := g.recordedEnd(on)
		switch own := usual[g.t.NameID(id)]; {
		case wait != NoWait:
			g.wait[i], g.on[i] = wait, on
			g.waitRest[i] = min(g.end[i]-end, returnDelay)
			if end > g.begin[i] { // it did wait
				g.waitRest[i], g.cost[i] = g.end[i]-end, min(g.cost[i], own)
			}
		case end <= g.begin[i]:
		case g.works[i] < g.works[i+1]:
			if g.works[i]-on >= deepQueue {
				own = min(own, max(0, g.end[i]-end))
				g.wait[i], g.on[i], g.cost[i] = queueWait, g.runningAt(g.end[i]-own, ended[at:], on, int32(i)), own
				g.waitRest[i] = g.end[i] - own - g.t.Start(g.work[g.on[i]])
			}
		case g.end[i]-end <= returnDelay && !g.pending(int32(i), g.end[i]):
			g.wait[i], g.on[i] = blockWait, on
			g.waitRest[i], g.cost[i] = g.end[i]-end, min(g.cost[i], own)
		}
	}
}

// runningAt is the work that runs at an instant, of those that end later; else the last one that ended. Room in the
// queue comes while work runs, not at its end.
func (g *Graph) runningAt(ns int64, later []int32, last, call int32) int32 {
	const near = 16
	for _, k := range later[:min(near, len(later))] {
		if g.from[k] < call && g.t.Start(g.work[k]) <= ns && g.recordedEnd(k) > ns {
			return k
		}
	}
	return last
}

// lastOf is the last work of the list, which is sorted by end, that was launched by then; own says whether the call's
// own work counts.
func (g *Graph) lastOf(ended []int32, call int32, own bool) int32 {
	const most = 4096 // work of later calls that ended before: only clocks that disagree make such
	for k := len(ended) - 1; k >= max(0, len(ended)-most); k-- {
		if from := g.from[ended[k]]; from < call || own && from == call {
			return ended[k]
		}
	}
	return none
}

// pending reports whether launched work has not ended at the instant.
func (g *Graph) pending(call int32, ns int64) bool {
	for k := g.works[call] - 1; k >= max(0, g.works[call]-64); k-- {
		if g.recordedEnd(k) > ns+clockSlack {
			return true
		}
	}
	return false
}

// usualCosts is how long calls of each name take when they do not wait: the median of the short ones.
func (g *Graph) usualCosts() map[trace.NameID]int64 {
	const short, unknown = 50_000, 5_000
	times := map[trace.NameID][]int64{}
	names := map[trace.NameID]int64{}
	for i, id := range g.call {
		if id == trace.None {
			continue
		}
		name := g.t.NameID(id)
		names[name] = unknown
		if d := g.end[i] - g.begin[i]; d < short && len(times[name]) < 4096 {
			times[name] = append(times[name], d)
		}
	}
	for name, list := range times {
		slices.Sort(list)
		names[name] = list[len(list)/2]
	}
	return names
}
