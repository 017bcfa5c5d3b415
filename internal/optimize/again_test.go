package optimize

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"saturate/internal/finding"
	"saturate/internal/run"
	"saturate/internal/stat"
)

// A fix that seemed faster and ran out of pairs is measured again if the budget has time left, once.
func TestAgain(t *testing.T) {
	now := time.Unix(0, 0)
	list := []Candidate{{ID: "SAT406", Saves: 0.05}, {ID: "loader/2", Saves: 0.12}, {ID: "loader/1", Saves: 0.12}}
	short := func(id string, ratio float64) Rung {
		return Rung{Candidate: Candidate{ID: id}, Decision: Useless, Short: true, Ratio: stat.Number(ratio), Pairs: 3, From: baseTree}
	}
	calm := []Rung{short("SAT406", 0.95), short("loader/2", 0.8), {Candidate: Candidate{ID: "loader/1"}, Decision: Useless, Ratio: 0.7, Pairs: 12, From: baseTree}}
	disturbed := slices.Clone(calm)
	for i := range disturbed {
		disturbed[i].Warnings = []string{"all CPU cores were busy in 3 of 6 runs"}
	}
	for _, tt := range []struct {
		name  string
		left  time.Duration
		rungs []Rung
		want  string
		part  float64
	}{
		{"the one with the most gain", time.Hour, calm, "loader/2", 0.5},
		{"few pairs of a disturbed machine used up nothing", time.Hour, disturbed, "loader/2", 1},
		{"no time for more pairs than before", time.Minute, calm, "", 0},
		{"a disturbed machine takes eight", 220 * time.Second, disturbed, "", 0},
		{"a calm one takes one more", 220 * time.Second, calm, "loader/2", 0.5},
		{"not a third time", time.Hour, append(slices.Clone(calm), short("loader/2", 0.8)), "SAT406", 0.5},
	} {
		p := &protocol{Options: Options{Pairs: 6, Steps: 20, Budget: tt.left, Now: func() time.Time { return now }}, deadline: now.Add(tt.left)}
		p.state = state{Best: baseTree, Rungs: tt.rungs, Baseline: &Baseline{SecondsPerStep: 0.5, StartSeconds: 1, WallSeconds: 11}, Start: 1}
		c, _ := p.again(list, p.state.Baseline)
		if c.ID != tt.want || c.again != tt.part {
			t.Errorf("%s: %q with %v of the error rate, want %q with %v", tt.name, c.ID, c.again, tt.want, tt.part)
		}
	}
}

// Measured with few pairs and then again, a fix that changes nothing is kept as rarely as one that has all its pairs.
func TestAgainKeepsNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	kept := 0
	const trials = 4000
	for range trials {
		p := &protocol{affordable: 3}
		for try := range 2 {
			seen := pairs{}
			for p.ask(seen) == goOn {
				seen.ratios = append(seen.ratios, 0.05*random.NormFloat64())
			}
			if p.ask(seen) == isFaster {
				kept++
				break
			}
			if try == 0 {
				p.affordable, p.trying.again = 12, 0.5
			}
		}
	}
	if share := float64(kept) / trials; share > errorRate {
		t.Errorf("%.2f%% of fixes that change nothing are kept", 100*share)
	}
}

// What takes the time of samples is told, and a part that a listed fix is about is not listed beside it.
func TestPartsLeft(t *testing.T) {
	here := &Baseline{Shares: Shares{Data: 0.6}, SamplesPerStep: 4096, Costs: []run.Function{
		{Function: "fetch", Path: "torch/utils/data/_utils/fetch.py", Own: 0.8, Inside: "data"},
		{Function: "Data.__getitem__", Path: "data.py", Line: 7, Own: 0.2, Inside: "data"},
	}}
	p := &protocol{}
	left := p.parts(here, nil)
	if len(left) != 1 || left[0].ID != "data" || !strings.Contains(strings.Join(left[0].Advice, ""), "__getitems__") {
		t.Errorf("%+v", left)
	}
	if left := p.parts(here, []Candidate{{ID: "loader/2", Codes: []string{"SAT201"}, Saves: 0.55}}); len(left) != 0 {
		t.Errorf("beside the loader: %+v", left)
	}
	here.SamplesPerStep, here.Costs[0].Own, here.Costs[1].Own = 16, 0.1, 0.9
	if got, want := here.onSamples(), "90% of the time for a sample is spent in Data.__getitem__ (data.py:7)."; len(got) != 1 || got[0] != want {
		t.Errorf("%q, want %q", got, want)
	}
	if c := (Candidate{ID: offlineGroup.id}); !c.about(finding.WorkersArea) || c.about(finding.HostArea) {
		t.Error("what is made offline is about data and workers")
	}
}
