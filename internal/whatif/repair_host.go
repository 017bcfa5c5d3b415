package whatif

import (
	"errors"

	"saturate/internal/trace"
)

// What remains of taking a batch that is ready: a queue, a pipe, a few tensors.
var takeBatch = Range{20_000, 100_000, 500_000}

// loaderFree takes the time of preparing batches away.
func loaderFree(p *Plan) error {
	if len(p.g.loading()) == 0 {
		return errNothing
	}
	for i, ns := range p.g.loading() {
		ns = scaled(ns, p.host.Loader)
		p.gap[i] -= ns - min(ns, int64(takeBatch.at(p.bias)))
	}
	return nil
}

// A batch that another process made is read for the first time from shared memory: 38 MB took 15 ms of a step on an
// H200 machine. Bytes a nanosecond.
var sharedRate = Range{6, 2.5, 1.2}

// The cores that workers share with the rest slow them down.
var workerSlowdown = Range{1, 1.1, 1.5}

// workers lets n processes prepare batches while the step runs.
func workers(n int) func(*Plan) error {
	return func(p *Plan) error {
		switch {
		case len(p.g.loading()) == 0:
			return errNothing
		case !p.g.facts.InProcess:
			return errors.New("the batches are already prepared by other processes, and the trace does not show how many")
		}
		const prefetched = 2 // batches that torch lets each worker prepare ahead
		p.fetch, p.ahead = make([]int64, len(p.gap)), int64(prefetched*n)
		read := int64(p.g.inputBytes() / sharedRate.at(p.bias))
		for i, ns := range p.g.loading() {
			ns = scaled(ns, p.host.Loader)
			take := min(ns, int64(takeBatch.at(p.bias)))
			p.gap[i] -= ns - take - read
			p.fetch[i] = max(1, int64(float64(ns)*workerSlowdown.at(p.bias)/float64(n)))
		}
		return nil
	}
}

// inputBytes is what is copied to the GPU for each batch that is taken.
func (g *Graph) inputBytes() (bytes float64) {
	for k, class := range g.class {
		if class == PageableIn || class == PinnedIn {
			n, _ := g.t.Int(g.work[k], trace.Bytes)
			bytes += float64(n)
		}
	}
	return bytes / float64(max(1, len(g.loading())))
}

// waitsGone drops waits of some sorts.
func waitsGone(sorts ...Wait) func(*Plan) error {
	var mask uint16
	for _, w := range sorts {
		mask |= 1 << w
	}
	return func(p *Plan) error {
		found := false
		for i, w := range p.g.wait {
			found = found || mask&(1<<w) != 0 && p.g.on[i] != none
		}
		if !found {
			return errNothing
		}
		p.noWait |= mask
		return nil
	}
}

// hostTimes multiplies the host's time in operators, ranges or functions of a name.
func hostTimes(name string, by float64) func(*Plan) error {
	return func(p *Plan) error {
		var spans []trace.Interval
		for _, track := range p.g.facts.Threads {
			tr := p.g.t.Track(track)
			for id := tr.First; id < tr.Last; id++ {
				if p.g.t.Name(id) == name && (len(spans) == 0 || p.g.t.Start(id) >= spans[len(spans)-1].End) {
					spans = append(spans, p.g.t.Interval(id))
				}
			}
		}
		if len(spans) == 0 {
			return errors.New("no operator, range or function has this name")
		}
		p.scaleHost(merged(spans), by)
		return nil
	}
}

// scaleHost multiplies the host's own time in some intervals: the gaps, and what calls take without waiting.
func (p *Plan) scaleHost(spans []trace.Interval, by float64) {
	for i, ns := range p.g.hostWithin(spans) {
		if p.g.gap[i] > 0 {
			p.gap[i] -= int64(float64(p.gap[i]) * (1 - by) * float64(ns) / float64(p.g.gap[i]))
		}
	}
	for _, i := range p.g.callsWithin(spans) {
		p.lead[i], p.cost[i] = scaled(p.lead[i], by), scaled(p.cost[i], by)
	}
}
