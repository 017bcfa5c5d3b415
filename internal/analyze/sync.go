package analyze

import (
	"cmp"
	"slices"

	"saturate/internal/trace"
)

// Sync sums the host's waits for the GPU at one place.
type Sync struct {
	Place     string  `json:"place"`              // function or operator that waits
	Call      string  `json:"call"`               // the waiting call: cudaStreamSynchronize
	Count     int     `json:"count"`              // waits
	HostNS    int64   `json:"host_ns"`            // in the waits
	PerStep   float64 `json:"per_step,omitempty"` // waits per step
	scalar    bool    // reads one value back
	shape     bool    // has to know a shape
	device    bool    // waits for everything
	copyOut   bool    // waits for a copy to the host
	first     trace.Interval
	placement place
}

// newSync is the first wait at a place.
func (v *view) newSync(id trace.EventID, p place) *Sync {
	s := &Sync{
		Place: v.text(p), Call: v.t.Name(id), first: v.t.Interval(id),
		device: v.means(id, isDeviceSync), placement: p,
	}
	for a := range v.t.Ancestors(id) {
		s.scalar = s.scalar || v.means(a, isScalarRead)
		s.shape = s.shape || v.means(a, isShapeRead)
	}
	return s
}

// syncs lists where the host waits for the GPU. Waits for copies to the GPU are transfers.
func (v *view) syncs() []Sync {
	e := &explainer{v: v}
	byPlace := map[place]*Sync{}
	for i := range v.t.Tracks() {
		tr := v.t.Track(trace.TrackID(i))
		if tr.Domain != trace.HostThread {
			continue
		}
		for id := tr.First; id < tr.Last; id++ {
			if !v.means(id, isSync) || !v.window.Contains(v.t.Start(id)) || v.outsideSteps(id) || v.inside(id, isSync) {
				continue
			}
			class := v.copyBefore(id)
			if class == copyIn {
				continue
			}
			p := e.waitPlace(id)
			s := byPlace[p]
			if s == nil {
				s = v.newSync(id, p)
				byPlace[p] = s
			}
			s.copyOut = s.copyOut || class == copyOut
			s.Count++
			s.HostNS += v.t.Duration(id)
		}
	}
	list := make([]Sync, 0, len(byPlace))
	for _, s := range byPlace {
		if len(v.steps) > 0 {
			s.PerStep = float64(s.Count) / float64(len(v.steps))
		}
		list = append(list, *s)
	}
	slices.SortFunc(list, func(a, b Sync) int {
		return cmp.Or(cmp.Compare(b.HostNS, a.HostNS), cmp.Compare(a.Place, b.Place), cmp.Compare(a.Call, b.Call))
	})
	return list
}

// outsideSteps reports whether a wait comes before the first step or after the last: the
// profiler itself waits for the GPU when it starts and when it stops. Without steps, its waits
// are those for the whole GPU before anything was launched, or after all was.
func (v *view) outsideSteps(id trace.EventID) bool {
	start := v.t.Start(id)
	if n := len(v.steps); n > 0 {
		return start < v.steps[0].host.Start || start >= v.steps[n-1].host.End
	}
	return v.whole && v.means(id, isDeviceSync) && v.launching.Positive() && !v.launching.Contains(start)
}

// launchTimes is from the first call that launched work to the last; nothing where no work is linked to its call.
func (v *view) launchTimes() (w trace.Interval) {
	for i := range v.gpus {
		for _, id := range v.gpus[i].work {
			call, ok := v.t.Launch(id)
			if !ok {
				continue
			}
			at := v.t.Interval(call)
			if (w == trace.Interval{}) {
				w = at
			}
			w = trace.Interval{Start: min(w.Start, at.Start), End: max(w.End, at.End)}
		}
	}
	return w
}
