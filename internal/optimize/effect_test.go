package optimize

import (
	"math"
	"slices"
	"testing"

	"saturate/internal/finding"
	"saturate/internal/probe"
	"saturate/internal/rule"
	"saturate/internal/run"
)

// A repair of the optimizer saves no more than the optimizer takes.
func TestOptimizerShare(t *testing.T) {
	r := run.Run{}
	for i := range 30 {
		r.Steps = append(r.Steps, run.Step{Index: i + 1, Seconds: 0.1, Parts: []run.Part{
			{Name: "data", Seconds: 0.082}, {Name: "forward", Seconds: 0.01}, {Name: "backward", Seconds: 0.0074}, {Name: "optimizer", Seconds: 0.0006},
		}})
	}
	b, err := baselineOf(Profiled{Run: r})
	if err != nil {
		t.Fatal(err)
	}
	p := &protocol{}
	saves := func(code string) float64 {
		found := []finding.Finding{{Code: code, Where: &finding.Location{Path: "train.py", Line: 1}}}
		return p.candidate(group{id: code, areas: areasOf(code)}, found, 0, b.Shares, tree{}).Saves
	}
	if got := saves("SAT406"); math.Abs(got-0.006) > 1e-9 {
		t.Errorf("a fused optimizer is to save %.4f where it takes 0.006", got)
	}
	if saves("SAT106") <= saves("SAT406") || saves("SAT420") <= saves("SAT406") {
		t.Errorf("SAT106 %.4f, SAT420 %.4f, SAT406 %.4f", saves("SAT106"), saves("SAT420"), saves("SAT406"))
	}
}

// Samples that sleep take no core; programs that a worker starts do.
func TestComputing(t *testing.T) {
	if got := computing(probe.Made{Samples: 400, Seconds: 6.25, CPUSeconds: 1.16, CoreSeconds: 1.2}); math.Abs(got-0.003) > 1e-9 {
		t.Errorf("%g s a sample", got)
	}
	if got := computing(probe.Made{}); got != 0 {
		t.Errorf("no samples take %g s", got)
	}
}

// Where there is no GPU, what acts on one is listed, not tried; compiling is tried where it is asked for.
func TestNotHere(t *testing.T) {
	for _, tt := range []struct {
		code  string
		fix   int
		only  []string
		tried bool
	}{
		{"SAT106", 0, nil, true},
		{"SAT201", 0, nil, true},
		{"SAT203", 0, nil, false},
		{"SAT313", 0, nil, true},
		{"SAT401", 0, nil, false},
		{"SAT406", 0, nil, true},
		{"SAT420", 0, nil, true},
		{"SAT801", 0, nil, true},
		{"SAT411", 0, nil, false},
		{"SAT411", 0, []string{"SAT4"}, false},
		{"SAT411", 0, []string{"SAT411"}, true},
		{"SAT411", 0, []string{"no-torch-compile"}, true},
		{"SAT411", 1, []string{"SAT411"}, false}, // CUDA graphs
	} {
		p := &protocol{Options: Options{Rules: rule.Selection{Select: tt.only}}}
		if why := p.notHere(Candidate{Codes: []string{tt.code}, Fix: tt.fix}); (why == "") != tt.tried {
			t.Errorf("%s, repair %d, --only %v: %q", tt.code, tt.fix, tt.only, why)
		}
	}
	p := &protocol{}
	if why := p.notHere(Candidate{Codes: []string{"SAT201", "SAT203"}}); why != "" {
		t.Errorf("a loader's workers are not tried for its pinned memory: %s", why)
	}
	for _, r := range rule.All() {
		if r.NeedsGPU && r.Safety == rule.NoFix {
			t.Errorf("%s has no repair that could need a GPU", r.Code)
		}
	}
}

// A place with several findings is named once.
func TestPlacesAreNamedOnce(t *testing.T) {
	at := func(code string, line int) finding.Finding {
		return finding.Finding{Code: code, Where: &finding.Location{Path: "train.py", Line: line}}
	}
	c := (&protocol{}).candidate(loaderGroup, []finding.Finding{at("SAT201", 63), at("SAT203", 63), at("SAT311", 70)}, 0, Shares{}, tree{})
	if !slices.Equal(c.Places, []string{"train.py:63", "train.py:70"}) || len(c.Codes) != 3 {
		t.Errorf("%v at %v", c.Codes, c.Places)
	}
}

// What a run without a GPU cannot say: how much several GPUs would gain, or one. And no run says how much of what the
// model computes is what a rule is about.
func TestMayShorten(t *testing.T) {
	b := &Baseline{Shares: Shares{Compute: 0.9, Host: 0.1, Apart: 0.3}}
	for code, want := range map[string]float64{"SAT601": 0, "SAT301": 0, "SAT409": 0, "SAT709": 0.3} {
		if got := b.mayShorten(*rule.Find(code)); got != want {
			t.Errorf("%s may save %v of a step on a CPU, not %v", code, got, want)
		}
	}
	b.GPU = true
	if got := b.mayShorten(*rule.Find("SAT301")); got != 0.1 {
		t.Errorf("SAT301 may save %v of a step", got)
	}
}
