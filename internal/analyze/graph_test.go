package analyze

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"saturate/internal/trace/open"
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
			if got, want := replayed(t, v.newGraph()), recordedStep(v); math.Abs(got-want) > 1e-3*want {
				t.Errorf("a step of %.0f ns was computed, %.0f recorded", got, want)
			}
		})
	}
}

// Traces of others, as many as there are: SATURATE_TRACES names a folder of them. With -v each is a line of a table.
func TestReplayOfOtherTraces(t *testing.T) {
	dir := os.Getenv("SATURATE_TRACES")
	if dir == "" {
		t.Skip("SATURATE_TRACES does not name a folder of traces")
	}
	paths, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			traces, err := open.Read(t.Context(), []string{path}, open.Options{})
			if err != nil {
				t.Skip(err)
			}
			v, err := newView(traces[0], All)
			if err != nil {
				t.Fatal(err)
			}
			g := v.newGraph()
			if g == nil {
				t.Skip("no GPU work")
			}
			got, want := replayed(t, g), recordedStep(v)
			if len(v.steps) == 0 {
				want = float64(v.activeTime().Length())
			}
			byGPU := ""
			if v.byGPU {
				byGPU, got = ", by the GPU's work", v.replayed.Mean()
			}
			if math.Abs(got-want) > 1e-3*want {
				t.Errorf("a step of %.0f ns was computed, %.0f recorded", got, want)
			}
			t.Logf("%d events, %d steps: step %.6f ms%s, off by %.4f%%, critical path %.6f ms",
				v.t.Len(), len(v.steps), want/1e6, byGPU, 100*math.Abs(got/want-1), float64(g.Path(g.Run(g.Recorded(), nil), v.byGPU).TotalNS)/1e6)
		})
	}
}

// replayed is the mean step of a plan that nothing changed. Every time must be the recorded one, and the critical path
// as long as the step.
func replayed(t *testing.T, g *whatif.Graph) float64 {
	t.Helper()
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
		if want := map[bool]float64{false: times.HostMean(), true: times.Mean()}[byGPU]; math.Abs(float64(p.TotalNS)-want) > 1000 {
			t.Errorf("the critical path is %d ns, the step %.0f", p.TotalNS, want)
		}
	}
	return times.HostMean()
}

func recordedStep(v *view) (ns float64) {
	for _, s := range v.steps {
		ns += float64(s.window.Length()) / float64(len(v.steps))
	}
	return ns
}
