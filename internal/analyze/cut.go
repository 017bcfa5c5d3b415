package analyze

import (
	"saturate/internal/trace"
	"saturate/internal/whatif"
)

const (
	// The host runs ahead where the GPU ends a step's work later than the host by this part of a step …
	aheadBy = 0.10
	// … and the steps counted by the GPU differ from those of the host by this part.
	stepsDiffer = 0.02
)

// cutByGPU lets steps end when the GPU has done their work, where the host runs ahead of it: then the time between the
// host's marks says how fast it launches, not how fast the program trains. Every step must have work of its own.
func (v *view) cutByGPU() {
	if v.opt.HTA || len(v.steps) < 2 || v.source == fromPeriodicity {
		return
	}
	g := v.newGraph()
	if g == nil {
		return
	}
	t := g.Run(g.Recorded(), nil)
	v.graph, v.replayed = g, t
	if !runsAhead(t) {
		return
	}
	v.byGPU = true
	for k, w := range t.Windows() {
		v.steps[k].window = w
	}
}

func runsAhead(t *whatif.Times) bool {
	host, gpu := t.HostMean(), t.Mean()
	if gpu-host < stepsDiffer*host && host-gpu < stepsDiffer*host {
		return false
	}
	for _, w := range t.Windows() {
		if !w.Positive() {
			return false
		}
	}
	return float64(t.Lag()) >= aheadBy*host
}

// hostMean is the mean step from mark to mark of the host; 0 where steps are counted so anyway.
func (v *view) hostMean() (ns int64) {
	if !v.byGPU {
		return 0
	}
	for _, s := range v.steps {
		ns += s.host.Length() / int64(len(v.steps))
	}
	return ns
}

// hostMarks are the steps as the host marks them.
func (v *view) hostMarks() []trace.Interval {
	marks := make([]trace.Interval, len(v.steps))
	for i, s := range v.steps {
		marks[i] = s.host
	}
	return marks
}
