package whatif

import (
	"errors"
	"math"
)

// Untraced is what is known of steps that nobody recorded.
type Untraced struct {
	StepNS float64 // the mean step
	LowNS  float64 // between which it varies from run to run; both 0 where that is unknown
	HighNS float64
	DataNS float64 // of it waiting for the loader; negative where that is unknown
}

const (
	// What is left of the host's time without the profiler: 0.46 and 0.54 of it on two H200 traces.
	leastHost = 0.35
	usualHost = 0.5
	// The host decides how long a step takes where halving it changes the step by more than this.
	hostBound = 0.08
)

// hosts are the multipliers of the host's times that fit what is known.
type hosts struct {
	mid, low, high Host
	scale          float64 // what remains between the computed step and the known one
}

// calibrate finds by how much the profiler stretched the host: the multiplier by which the replay gives the untraced
// step. Where the GPU decides the step, any multiplier up to some value fits.
func (g *Graph) calibrate(u Untraced, step func(Host) float64) (hosts, error) {
	if !(u.StepNS > 0) || math.IsInf(u.StepNS, 0) {
		return hosts{}, errors.New("the time of an unrecorded step must be positive")
	}
	loader := func(other float64) float64 { return other }
	if recorded := g.loadingPerStep(); u.DataNS >= 0 && recorded > 0 {
		own := min(4, u.DataNS/recorded)
		loader = func(float64) float64 { return own }
	}
	at := func(f float64) Host { return Host{loader(f), f} }
	solve := func(target float64) float64 {
		low, high := 0.0, 4.0
		for range 18 {
			if mid := (low + high) / 2; step(at(mid)) <= target {
				low = mid
			} else {
				high = mid
			}
		}
		return low
	}
	const tolerance = 1.01
	f := solve(u.StepNS * tolerance)
	if 2*f < leastHost { // the GPU alone takes longer than the unrecorded step: the host says nothing
		f = usualHost
	}
	h := hosts{mid: at(f), low: at(f), high: at(f)}
	other := step(Host{loader(f), f / 2})
	if full := step(at(f)); full-other < hostBound*full { // the GPU decides, or the loader
		most := min(f, 1)
		own := loader(f)
		h.low, h.mid, h.high = Host{own, min(leastHost, most)}, Host{own, min(usualHost, most)}, Host{own, most}
	} else {
		low, high := u.LowNS, u.HighNS
		if !(low > 0 && low <= u.StepNS && high >= u.StepNS) {
			low, high = 0.95*u.StepNS, 1.05*u.StepNS
		}
		h.low, h.high = at(min(f, solve(low))), at(max(f, solve(high)))
	}
	h.scale = u.StepNS / step(h.mid)
	return h, nil
}

// loadingPerStep is the recorded time in the loader, a step.
func (g *Graph) loadingPerStep() (ns float64) {
	for _, n := range g.loading() {
		ns += float64(n)
	}
	return ns / float64(g.Steps())
}
