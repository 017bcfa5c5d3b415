package optimize

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"saturate/internal/analyze"
	"saturate/internal/probe"
	"saturate/internal/run"
)

// Workers that make samples on the cores that the model needs cost time though the loop does not wait for them; beside
// a GPU they do not.
func TestWorkersOnTheModelsCores(t *testing.T) {
	var steps []run.Step
	for i := range 30 {
		steps = append(steps, run.Step{Index: i + 1, Seconds: 0.2, Samples: 2, Parts: []run.Part{
			{Name: "data", Seconds: 0.004}, {Name: "forward", Seconds: 0.09}, {Name: "backward", Seconds: 0.09}, {Name: "optimizer", Seconds: 0.016},
		}})
	}
	for _, tt := range []struct {
		making float64
		cores  int
		gpu    bool
		want   float64
	}{
		{0, 2, false, 0}, // no workers
		{0.15, 2, false, 0.75},
		{0.15, 16, false, 0.09375},
		{0.15, 64, false, 0.0234375}, // not worth a word, and counted in none
		{0.9, 2, false, 1},
		{0.15, 2, true, 0},
	} {
		b, err := baselineOf(Profiled{Run: run.Run{Steps: steps}, GPU: tt.gpu, Making: tt.making, Cores: tt.cores})
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(b.Shares.Workers-tt.want) > 1e-9 || strings.Contains(b.Sentence, "of the CPU") != (tt.want >= noticed) {
			t.Errorf("%+v: %.3f, %s", tt, b.Shares.Workers, b.Sentence)
		}
		p := &protocol{}
		offline, loader := p.candidate(offlineGroup, nil, 0, b.Shares, tree{}), p.candidate(loaderGroup, nil, 0, b.Shares, tree{})
		counted := tt.want
		if counted < noticed {
			counted = 0
		}
		if want := math.Min(1, 0.02+counted); math.Abs(offline.Share-want) > 1e-9 || math.Abs(loader.Share-0.02) > 1e-9 {
			t.Errorf("%+v: offline can shorten %.3f and the loader %.3f", tt, offline.Share, loader.Share)
		}
		if strings.Contains(offline.Reason, "cores") != (counted > 0) {
			t.Errorf("%+v: %s", tt, offline.Reason)
		}
	}
}

// A loop that is seen to wait for its data is asked for its workers, also where the source shows no GPU and no work
// that takes long.
func TestSeenToWait(t *testing.T) {
	for _, tt := range []struct {
		data float64
		want bool
	}{{0.9, true}, {0.02, false}} {
		o := newWorld(1).options(t)
		o.PlanOnly = true
		plain := strings.NewReplacer(".cuda()", "", `        x, y = x.to("cuda"), y.to("cuda")`+"\n", "").Replace(slowProgram)
		if err := os.WriteFile(filepath.Join(o.Dir, "train.py"), []byte(plain), 0o644); err != nil {
			t.Fatal(err)
		}
		o.Profile = func(context.Context, probe.Home, []string, int, string) (Profiled, error) {
			r := run.Run{}
			for i := range 30 {
				r.Steps = append(r.Steps, run.Step{Index: i + 1, Seconds: 0.1, Parts: []run.Part{{Name: "data", Seconds: 0.1 * tt.data}, {Name: "forward", Seconds: 0.1 * (1 - tt.data)}}})
			}
			return Profiled{Run: r}, nil
		}
		result, err := Run(t.Context(), o)
		if err != nil && !errors.Is(err, ErrNothing) {
			t.Fatal(err)
		}
		if got := slices.ContainsFunc(result.Candidates, func(c Candidate) bool { return c.ID == "loader" }); got != tt.want {
			t.Errorf("waiting for data %.0f%%: loader planned %v, want %v", 100*tt.data, got, tt.want)
		}
	}
}

// A step that was recorded or compiled whole is computing too.
func TestComputeOfWholeSteps(t *testing.T) {
	for _, name := range []string{"graph", "jit"} {
		var steps []run.Step
		for i := range 30 {
			steps = append(steps, run.Step{Index: i + 1, Seconds: 0.1, Parts: []run.Part{{Name: "data", Seconds: 0.02}, {Name: name, Seconds: 0.08}}})
		}
		b, err := baselineOf(Profiled{Run: run.Run{Steps: steps}, GPU: true})
		if err != nil || math.Abs(b.Shares.Compute-0.8) > 1e-9 {
			t.Errorf("%s: computing is %+v, want 0.8 of a step; %v", name, b, err)
		}
	}
}

// TestEpochStartsCount: a trace of ordinary steps does not see that each epoch begins with waiting. What it says of the
// GPU and of repairs holds for its steps alone.
func TestEpochStartsCount(t *testing.T) {
	var ordinary, all []run.Step
	for i := range 32 {
		s := run.Step{Index: i, Seconds: 0.02, Parts: []run.Part{{Name: "data", Seconds: 0.001}, {Name: "forward", Seconds: 0.019}}}
		if i%16 == 0 {
			s.Seconds, s.Parts[0].Seconds = 0.5, 0.48
		} else {
			ordinary = append(ordinary, s)
		}
		all = append(all, s)
	}
	b := stepsOf(all)
	b.Busy, b.Bottleneck = 0.95, analyze.ByCompute
	b.Forecasts = []Forecast{{freeLoader, 0.019, 0.018, 0.02}, {"launch=graphs", 0.01, 0.009, 0.011}}
	b.countEpochs(stepsOf(ordinary))
	if b.Bottleneck != analyze.ByData || !strings.Contains(b.Sentence, "first steps of epochs") || b.Busy > 0.5 {
		t.Errorf("%s: %s; busy %.2f", b.Bottleneck, b.Sentence, b.Busy)
	}
	saves := func(i int) float64 { return 1 - b.Forecasts[i].Seconds/b.SecondsPerStep }
	if free, graphs := saves(0), saves(1); math.Abs(free-0.6186) > 1e-3 || math.Abs(graphs-0.2) > 1e-3 {
		t.Errorf("a free loader saves %.4f, graphs %.4f", free, graphs)
	}

	b = stepsOf(ordinary)
	b.Busy, b.Bottleneck, b.Forecasts = 0.95, analyze.ByCompute, []Forecast{{"launch=graphs", 0.01, 0.009, 0.011}}
	b.countEpochs(stepsOf(ordinary))
	if b.Bottleneck != analyze.ByCompute || math.Abs(b.Busy-0.95) > 1e-9 || math.Abs(b.Forecasts[0].Seconds-0.01) > 1e-9 {
		t.Errorf("without epochs: %+v", b)
	}
}
