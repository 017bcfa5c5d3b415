package whatif

import "saturate/internal/trace"

// cut divides the time into steps, in two ways. The host's steps run from mark to mark. A step as the GPU does it ends
// when the host has reached the mark and all work launched by then is done; the next begins there.
func (g *Graph) cut(p *Plan, t *Times) {
	n := g.Steps()
	t.steps, t.begins = fit(t.steps, n), fit(t.begins, n)
	t.hostSteps, t.hostBegins = fit(t.hostSteps, n), fit(t.hostBegins, n)
	done := g.origin // all work launched by the current mark
	next := int32(0)
	until := func(m mark) (host, both int64) {
		for ; next < g.works[m.call]; next++ {
			done = max(done, t.workEnd[next])
		}
		host = g.timeOf(p, t, m)
		return host, max(host, done)
	}
	for k := range n {
		hostBegin, begin := until(g.marks[2*k])
		if k > 0 && g.marks[2*k] == g.marks[2*k-1] {
			begin = t.begins[k-1] + t.steps[k-1]
		}
		hostEnd, end := until(g.marks[2*k+1])
		t.hostBegins[k], t.hostSteps[k] = hostBegin, hostEnd-hostBegin
		t.begins[k], t.steps[k] = begin, max(0, end-begin)
	}
}

// timeOf is when the host reaches a mark: the gap before its call shrinks evenly.
func (g *Graph) timeOf(p *Plan, t *Times, m mark) int64 {
	offset := m.offset
	if gap := g.gap[m.call]; gap > 0 && offset <= gap && p.gap[m.call] != gap {
		offset = int64(float64(offset) * float64(max(0, p.gap[m.call])) / float64(gap))
	}
	return t.callBegin[m.call] - offset
}

// Mean is the mean step as the GPU does it.
func (t *Times) Mean() float64 { return mean(t.steps) }

// HostMean is the mean step from mark to mark of the host.
func (t *Times) HostMean() float64 { return mean(t.hostSteps) }

func mean(values []int64) float64 {
	var sum int64
	for _, v := range values {
		sum += v
	}
	return float64(sum) / float64(max(1, len(values)))
}

// Windows are the steps as the GPU does them.
func (t *Times) Windows() []trace.Interval {
	out := make([]trace.Interval, len(t.steps))
	for k := range out {
		out[k] = trace.Interval{Start: t.begins[k], End: t.begins[k] + t.steps[k]}
	}
	return out
}

// Lag is how much later than the host the GPU ends a step, where that is most.
func (t *Times) Lag() (most int64) {
	for k := range t.steps {
		most = max(most, t.begins[k]+t.steps[k]-t.hostBegins[k]-t.hostSteps[k])
	}
	return most
}
