package whatif

import "fmt"

// Times is when everything happens under a plan.
type Times struct {
	callBegin, callEnd []int64
	launched           []int64 // of each call: when its work counts as launched
	workBegin, workEnd []int64
	held               []uint8 // by what each piece of work was held up
	steps              []int64 // the length of each step
	begins             []int64 // and where it begins
	hostSteps          []int64 // the same as the host marks them
	hostBegins         []int64
}

const (
	byLaunch uint8 = iota
	byStream
	byOther
)

// Run computes when everything happens, in one pass: what a node waits for has a smaller number.
func (g *Graph) Run(p *Plan, reuse *Times) *Times {
	t := reuse
	if t == nil {
		t = &Times{}
	}
	t.callBegin, t.callEnd, t.launched = fit(t.callBegin, len(g.call)), fit(t.callEnd, len(g.call)), fit(t.launched,
		len(g.call))
	t.workBegin, t.workEnd, t.held = fit(t.workBegin, len(g.work)), fit(t.workEnd, len(g.work)), fit(t.held, len(g.work))
	now := g.origin
	ready := g.origin // when the loader has the next batch, where workers prepare it
	for i := range g.call {
		begin := now + p.gap[i]
		if p.fetch != nil && p.fetch[i] > 0 { // a batch is taken here
			ready = max(ready, begin-p.ahead*p.fetch[i]) + p.fetch[i]
			begin = max(begin, ready)
		}
		launched := begin + p.lead[i]
		on := g.on[i]
		if on != none && g.wait[i] == queueWait {
			launched = max(begin, t.workBegin[on]+g.roomAfter(p, i, on))
		}
		t.callBegin[i], t.launched[i] = begin, launched
		for k := g.works[i]; k < g.works[i+1]; k++ {
			g.runWork(p, t, k, launched)
		}
		end := launched + p.cost[i]
		if on != none && g.wait[i] != queueWait && !p.free(i) {
			end = max(end, t.workEnd[on]+g.waitRest[i])
		}
		t.callEnd[i] = end
		now = end
	}
	g.cut(p, t)
	return t
}

// roomAfter is how long after the beginning of a piece of work a blocked launch finds room: the same part of it as
// recorded.
func (g *Graph) roomAfter(p *Plan, call int, on int32) int64 {
	rest, was, is := g.waitRest[call], g.dur[on], max(0, p.dur[on])
	switch {
	case is == was:
		return rest
	case rest >= was:
		return is + rest - was
	}
	return int64(float64(rest) * float64(is) / float64(was))
}

func (g *Graph) runWork(p *Plan, t *Times, k int32, launched int64) {
	if p.dur[k] == gone { // nothing is launched any more, and nothing waits here
		at := launched
		if b := g.before[k]; b != none {
			at = t.workEnd[b]
		}
		t.workBegin[k], t.workEnd[k], t.held[k] = at, at, byStream
		return
	}
	start, held := launched+g.lag[k], byLaunch
	if b := g.before[k]; b != none && !p.apart(k) {
		for p.apart(b) && g.before[b] != none { // runs beside this stream
			b = g.before[b]
		}
		if s := t.workEnd[b] + g.restAfter(p, k, b); s > start {
			start, held = s, byStream
		}
	}
	if a := g.after[k]; a != none && !p.beside(a) {
		if s := t.workEnd[a] + g.afterRest(k, a); s > start {
			start, held = s, byOther
		}
	}
	t.workBegin[k], t.held[k] = start, held
	t.workEnd[k] = start + p.dur[k]
}

// restAfter is the delay behind the work before. Work that began before that had ended still overlaps it by the same
// part.
func (g *Graph) restAfter(p *Plan, k, before int32) int64 {
	rest, was := g.rest[k], g.dur[before]
	if rest >= 0 || was <= 0 || p.dur[before] == was || rest < -was {
		return rest
	}
	return rest * p.dur[before] / was
}

// afterRest is the recorded delay between two pieces of work of different streams.
func (g *Graph) afterRest(k, after int32) int64 {
	return g.t.Start(g.work[k]) - g.recordedEnd(after)
}

func fit[T any](s []T, n int) []T {
	if cap(s) >= n {
		return s[:n]
	}
	return make([]T, n)
}

// Exact says where computed times differ from the recorded ones; nil where none does.
func (g *Graph) Exact(t *Times) error {
	for i := range g.call {
		if t.callBegin[i] != g.begin[i] || t.callEnd[i] != g.end[i] {
			return fmt.Errorf("call %d: computed %d to %d, recorded %d to %d", i, t.callBegin[i], t.callEnd[i], g.begin[i],
				g.end[i])
		}
	}
	for k, id := range g.work {
		if t.workBegin[k] != g.t.Start(id) || t.workEnd[k] != g.t.End(id) {
			return fmt.Errorf("work %d: computed %d to %d, recorded %d to %d", k, t.workBegin[k], t.workEnd[k],
				g.t.Start(id), g.t.End(id))
		}
	}
	return nil
}
