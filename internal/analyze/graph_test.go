package analyze

import (
	"math"
	"testing"

	"saturate/internal/whatif"
)

// A plan that nothing changed gives the recorded times back, and the critical path adds up to the step.
func TestReplayIsExact(t *testing.T) {
	for _, name := range []string{"starved", "fixed", "compiled", "launchbound", "jax/vm.trace.json.gz", "jax/vm.xplane.pb"} {
		t.Run(name, func(t *testing.T) {
			v, err := newView(load(t, name), All)
			if err != nil {
				t.Fatal(err)
			}
			g := v.newGraph()
			times := g.Run(g.Plan(whatif.AsRecorded, 0), nil)
			if err := g.Exact(times); err != nil {
				t.Error(err)
			}
			for _, byGPU := range []bool{false, true} {
				p := g.Path(times, byGPU)
				var parts, segments int64
				for _, part := range p.Parts {
					parts += part.NS
				}
				for _, s := range p.Segments() {
					segments += s.Length()
				}
				if parts != p.TotalNS {
					t.Errorf("the parts add up to %d, the step is %d", parts, p.TotalNS)
				}
				if n := int64(g.Steps()); segments/n != p.TotalNS {
					t.Errorf("the path is %d long, %d steps of %d", segments, n, p.TotalNS)
				}
			}
			if want := recordedStep(v); math.Abs(times.HostMean()-want) > 1e-3*want {
				t.Errorf("a step of %.0f ns was computed, %.0f recorded", times.HostMean(), want)
			}
		})
	}
}

func recordedStep(v *view) (ns float64) {
	for _, s := range v.steps {
		ns += float64(s.window.Length()) / float64(len(v.steps))
	}
	return ns
}
