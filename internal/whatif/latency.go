package whatif

import (
	"slices"

	"saturate/internal/trace"
)

// findLatencies finds what each piece of work waits for on the GPU: its launch, the work before it on its stream, or
// work of another stream. What held it up in the trace keeps its exact delay. The others get the usual delay of the
// trace, so that they can hold it up once that is gone.
func (g *Graph) findLatencies() {
	n := len(g.work)
	g.lag, g.rest, g.before, g.after = make([]int64, n), make([]int64, n), make([]int32, n), make([]int32, n)
	last := map[trace.TrackID]int32{}
	for k := range g.work {
		track := g.t.Event(g.work[k]).Track
		g.before[k], g.after[k] = none, none
		if p, ok := last[track]; ok {
			g.before[k] = p
		}
		last[track] = int32(k)
	}
	usualLag, usualRest := g.usualDelays()
	several := len(last) > 1
	for k := range g.work {
		start := g.t.Start(g.work[k])
		launched := g.launchedAt(int32(k))
		g.lag[k] = start - launched
		p := g.before[k]
		if p == none {
			continue
		}
		end := g.recordedEnd(p)
		g.rest[k] = start - end
		if end >= launched+usualLag || g.rest[k] <= usualRest { // it waited for the work before it
			g.lag[k] = min(g.lag[k], usualLag)
		} else {
			g.rest[k] = min(g.rest[k], usualRest)
		}
		if several && g.lag[k] < start-launched && g.rest[k] > 2*usualRest+clockSlack {
			g.dependAcross(int32(k), start, usualRest, last)
		}
	}
	for i := range g.call {
		g.findLead(i, usualLag)
	}
	if several {
		for k := range g.work { // those held up although launched, with nothing before them on their stream
			start := g.t.Start(g.work[k])
			if g.after[k] == none && g.lag[k] > 4*usualLag+longCall/4 {
				g.dependAcross(int32(k), start, usualRest, last)
				if g.after[k] != none {
					g.lag[k] = min(g.lag[k], usualLag)
				}
			}
		}
	}
}

// dependAcross finds the work of another stream that a piece of work waited for: the one that ended right before it
// began, or else one that kept the GPU busy until it could begin beside it.
func (g *Graph) dependAcross(k int32, start, usualRest int64, streams map[trace.TrackID]int32) {
	const least, most = 10_000, 100_000
	near := min(max(least, max(g.rest[k], g.lag[k])/4), most) // the longer it waited, the less does a delay behind its cause say against that
	own := g.t.Event(g.work[k]).Track
	best, running := none, none
	for track := range streams {
		if track == own {
			continue
		}
		id, ok := g.t.Before(track, start)
		for ; ok && g.t.End(id) > start+clockSlack; id-- {
			if running == none {
				running = g.numberOf(id, k)
			}
			ok = id > g.t.Track(track).First
		}
		if !ok || start-g.t.End(id) > near {
			continue
		}
		if o := g.numberOf(id, k); o != none && (best == none || g.recordedEnd(o) > g.recordedEnd(best)) {
			best = o
		}
	}
	if best == none {
		best = running
	}
	if best == none {
		return
	}
	g.after[k] = best
	if p := g.before[k]; p != none {
		g.rest[k] = min(g.rest[k], usualRest)
	}
}

// numberOf is the number of a piece of work that was launched before another; none if it was not.
func (g *Graph) numberOf(id trace.EventID, than int32) int32 {
	host, ok := g.t.Launch(id)
	if !ok {
		return none
	}
	i, found := slices.BinarySearch(g.begin, g.t.Start(host))
	if !found {
		return none
	}
	for ; i < len(g.begin) && g.begin[i] == g.t.Start(host); i++ {
		for k := g.works[i]; k < g.works[i+1] && k < than; k++ {
			if g.work[k] == id {
				return k
			}
		}
	}
	return none
}

// launchedAt is when a piece of work was launched in the trace: at the beginning of its call, or when that had room in
// the queue.
func (g *Graph) launchedAt(k int32) int64 {
	i := g.from[k]
	if g.wait[i] == queueWait {
		return g.t.Start(g.work[g.on[i]]) + g.waitRest[i]
	}
	return g.begin[i] + g.lead[i]
}

// findLead moves a long delay between the beginning of a call and its work into the call: the host did something before
// it launched.
func (g *Graph) findLead(i int, usualLag int64) {
	first := g.works[i]
	if first == g.works[i+1] || g.call[i] == trace.None || g.wait[i] == queueWait || g.lag[first] <= 4*usualLag {
		return
	}
	start := g.t.Start(g.work[first])
	if g.lag[first] < start-g.begin[i] || start > g.end[i] { // something else held it up, or the call had returned
		return
	}
	g.lead[i] = g.lag[first] - usualLag
	launched := g.begin[i] + g.lead[i]
	if g.on[i] == none {
		g.cost[i] -= g.lead[i]
	} else {
		g.cost[i] = min(g.cost[i], max(0, g.end[i]-launched))
	}
	for k := first; k < g.works[i+1]; k++ {
		g.lag[k] = min(g.lag[k], g.t.Start(g.work[k])-launched)
	}
}

// usualDelays are the medians of the two delays, each where only that one can have held the work up.
func (g *Graph) usualDelays() (lag, rest int64) {
	const most = 1 << 16
	var lags, rests []int64
	for k := range g.work {
		p := g.before[k]
		if p == none || g.from[k] == 0 || len(lags)+len(rests) > most {
			continue
		}
		start, launched, end := g.t.Start(g.work[k]), g.launchedAt(int32(k)), g.recordedEnd(p)
		switch {
		case end < launched:
			lags = append(lags, start-launched)
		case end > launched+50_000:
			rests = append(rests, start-end)
		}
	}
	lag, rest = 5_000, 1_000 // what an NVIDIA GPU takes, where the trace does not tell
	if len(lags) > 8 {
		slices.Sort(lags)
		lag = max(0, lags[len(lags)/2])
	}
	if len(rests) > 8 {
		slices.Sort(rests)
		rest = max(0, rests[len(rests)/2])
	}
	return lag, rest
}
