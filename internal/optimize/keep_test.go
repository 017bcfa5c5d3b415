package optimize

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"saturate/internal/probe"
	"saturate/internal/stat"
	"saturate/internal/verify"
)

// rungOf climbs one rung on a machine whose pairs are drawn, and gives the answer and how many pairs it took.
func rungOf(p *protocol, disturbed bool, pair func() float64) (answer, int) {
	var d []float64
	for {
		d = append(d, pair())
		if a := p.ask(pairs{ratios: d, disturbed: disturbed}); a != goOn {
			return a, len(d)
		}
	}
}

// TestErrorRate: of rungs that change nothing, at most one in a thousand is kept, on quiet machines and on bad ones; a
// gain of 10% is kept where the machine can show it.
func TestErrorRate(t *testing.T) {
	const (
		rungs  = 3000
		ladder = 8 // rungs that repair the same program
	)
	for _, m := range []struct {
		name   string
		spread float64
		bursts float64 // share of pairs in which one run is slower by half
		drift  float64 // of the pairs, one after the other
		lasts  float64 // chance that a neighbor, who slows the first or the second run of each pair by a third, comes or goes
		finds  float64 // share of rungs with a gain of 10% that are kept
	}{
		{"quiet", 0.005, 0, 0, 0, 0.99},
		{"ordinary", 0.02, 0, 0, 0, 0.9},
		{"noisy", 0.06, 0, 0, 0, 0.8},
		{"very noisy", 0.1, 0, 0, 0, 0.5},
		{"bursty", 0.02, 0.2, 0, 0, 0},
		{"drifting", 0.02, 0, 0.02, 0, 0},
		{"neighbor", 0.02, 0, 0, 0.2, 0.2},
	} {
		random := rand.New(rand.NewPCG(1, 2))
		p := &protocol{Options: Options{LadderPairs: DefaultLadderPairs}}
		count := func(gain float64) (kept, pairs int) {
			for i := range rungs {
				if i%ladder == 0 {
					p.state.Rungs = nil
				}
				at, taken, first, thrown := 0.0, 0.0, 1.0, 0
				var seen []float64
				a, n := rungOf(p, m.lasts > 0, func() (d float64) {
					defer func() { seen = append(seen, d) }()
					if random.Float64() < m.lasts {
						taken = 0.3 * float64(random.IntN(3)-1)
					}
					at += m.drift * random.NormFloat64()
					d = math.Log(1-gain) + m.spread*random.NormFloat64()
					if first = -first; thrown%2 == 0 {
						first = float64(1 - 2*random.IntN(2)) // of every two pairs one begins with each side, at random
					}
					thrown++
					d += first * (at + taken)
					if random.Float64() < m.bursts {
						d += 0.4 * float64(1-2*random.IntN(2))
					}
					return d
				})
				pairs += n
				p.state.Rungs = append(p.state.Rungs, Rung{Noise: stat.PairNoise(nil, seen)})
				if a == isFaster {
					kept++
				}
			}
			return kept, pairs
		}
		wrong, pairs := count(0)
		right, more := count(0.1)
		t.Logf("%-10s kept %d of %d that change nothing (%.1f pairs each), %d of %d that gain 10%% (%.1f pairs)", m.name, wrong, rungs, float64(pairs)/rungs, right, rungs, float64(more)/rungs)
		if share := float64(wrong) / rungs; share > errorRate+2*math.Sqrt(errorRate/rungs) { // chance explains so much
			t.Errorf("%s: %.1f%% of the rungs that change nothing are kept", m.name, 100*share)
		}
		if share := float64(right) / rungs; share < m.finds {
			t.Errorf("%s: %.0f%% of the rungs that gain 10%% are kept", m.name, 100*share)
		}
	}
}

// One pair is enough only for a large gain that a trace predicted, on a quiet machine, and beside earlier runs too.
func TestOnePairIsEnough(t *testing.T) {
	predicted := func(saves float64) Rung { return Rung{Candidate: Candidate{Saves: saves, Predicted: &Forecast{}}} }
	half := math.Log(0.5)
	for _, c := range []struct {
		name string
		rung Rung
		seen pairs
		want answer
	}{
		{"predicted and seen", predicted(0.4), pairs{[]float64{half}, false, half}, isFaster},
		{"not predicted", Rung{Candidate: Candidate{Saves: 0.4}}, pairs{[]float64{half}, false, half}, goOn},
		{"little predicted", predicted(0.1), pairs{[]float64{half}, false, half}, goOn},
		{"little seen", predicted(0.4), pairs{[]float64{-0.1}, false, half}, goOn},
		{"disturbed", predicted(0.4), pairs{[]float64{half}, true, half}, goOn},
		{"the old program was held up", predicted(0.4), pairs{[]float64{half}, false, -0.05}, goOn},
		{"nothing is known of earlier runs", predicted(0.4), pairs{[]float64{half}, false, 0}, goOn},
	} {
		p := &protocol{Options: Options{LadderPairs: DefaultLadderPairs}, trying: c.rung}
		if a := p.ask(c.seen); a != c.want {
			t.Errorf("%s: %v, want %v", c.name, a, c.want)
		}
	}
}

// A single pair that shows more than a fix can bring shows noise: --quick measures two more, and takes their mean.
func TestQuickAndImpossible(t *testing.T) {
	p := &protocol{Options: Options{Quick: true}, trying: Rung{Candidate: Candidate{Share: 0.11}}}
	for _, c := range []struct {
		ratios []float64
		want   answer
	}{
		{[]float64{-0.1}, isFaster},
		{[]float64{0.1}, isSlower},
		{[]float64{-0.3}, goOn},
		{[]float64{-0.3, 0.2}, goOn},
		{[]float64{-0.3, 0.2, 0.1}, isUseless},
		{[]float64{-0.3, -0.1, -0.05}, isFaster},
	} {
		if a := p.ask(pairs{ratios: c.ratios}); a != c.want {
			t.Errorf("%v: %v, want %v", c.ratios, a, c.want)
		}
	}
}

// TestSeenPairs: what was measured of a loader with two workers on a virtual machine whose host took CPU time, and as
// much again.
func TestSeenPairs(t *testing.T) {
	seen := []float64{-0.014, -0.152, -0.199, -0.005, -0.068, -0.073, -0.093, -0.392, -0.067, -0.291, -0.216, -0.149}
	p := &protocol{Options: Options{LadderPairs: DefaultLadderPairs}}
	at := -1
	if a, n := rungOf(p, true, func() float64 { at++; return seen[at%len(seen)] }); a != isFaster {
		t.Errorf("faster in all pairs, by 13%%: %v after %d", a, n)
	}
}

// One pair decides only where --quick asks for it, and then the ladder says so.
func TestQuick(t *testing.T) {
	for _, quick := range []bool{false, true} {
		w := newWorld(1, effect{shows: "num_workers", seconds: 0.5, loss: 1})
		o := w.options(t)
		o.Quick, o.LadderPairs = quick, 1
		r, err := Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		for _, rung := range r.Ladder {
			if rung.ID != "loader" {
				continue
			}
			if quick != (rung.Pairs == 1) || quick != rung.Unproven || quick != strings.Contains(rung.Because, "unproven") {
				t.Errorf("quick %v: %d pairs, unproven %v: %s", quick, rung.Pairs, rung.Unproven, rung.Because)
			}
		}
	}
}

// A repair that changes what the model is trained on is dropped with the first difference, however fast it is and
// whatever the loss says.
func TestDropsOtherSamples(t *testing.T) {
	w := newWorld(1, effect{shows: "num_workers", seconds: 0.5, loss: 1}, effect{shows: "fused=True", seconds: 0.7, loss: 1})
	o := w.options(t)
	looks := map[string]int{} // by the name of the tree
	o.Look = func(_ context.Context, trial verify.Trial) (probe.Samples, error) {
		source, err := sourceOf(trial)
		looks[filepath.Base(filepath.Dir(trial.Dir))]++
		hash := "right"
		if strings.Contains(source, "num_workers") {
			hash = "wrong"
		}
		field := probe.Field{Name: "label", Hash: hash, Type: "int", Value: hash}
		return probe.Samples{Batches: []probe.Batch{{Indexes: []any{7.0}, Fields: []probe.Field{field}}}, Samples: []probe.Sample{{Index: 7.0, Fields: []probe.Field{field}}}}, err
	}
	r, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	d := decisions(r)
	if d["loader"] != Wrong || d["SAT406"] != Kept {
		t.Errorf("decisions %v", d)
	}
	for _, rung := range r.Ladder {
		if rung.ID == "loader" && (!strings.Contains(rung.Because, "index 7, field label: right before, wrong after") || rung.Samples.First == nil || rung.Pairs != 0) {
			t.Errorf("after %d pairs: %s", rung.Pairs, rung.Because)
		}
	}
	// A fused optimizer changes no sample, so it is looked at in the proof only. Nothing else assumes that it did not.
	for _, rung := range r.Ladder {
		if rung.ID == "SAT406" && (rung.Samples.State != verify.NotChecked || looks[rung.Tree] != 1) {
			t.Errorf("the samples of the fused optimizer: %q, %d looks", rung.Samples.State, looks[rung.Tree])
		}
	}
	if strings.Contains(r.Diff, "num_workers") || r.Final == nil || r.Final.Guard.Samples.State != verify.Passed {
		t.Errorf("the patch holds what was dropped, or is not proven")
	}
}

// TestBusyMachine: what the measurements say about the machine stands in a report that is not finished.
func TestBusyMachine(t *testing.T) {
	one := Rung{Warnings: []string{"all CPU cores were busy in 3 of 6 runs (other programs used 1.5 cores on average), which widens the interval", "something else"}}
	for ladder, want := range map[int]string{1: one.Warnings[0], 3: "all CPU cores were busy while 3 of 3 fixes were measured, which widens their intervals"} {
		p := &protocol{}
		p.result.Ladder = slices.Repeat([]Rung{one}, ladder)
		p.weather()
		if len(p.result.Notes) != 1 || p.result.Notes[0] != want {
			t.Errorf("%q", p.result.Notes)
		}
	}
}

func sourceOf(t verify.Trial) (string, error) {
	text, err := os.ReadFile(filepath.Join(t.Dir, "train.py"))
	return string(text), err
}

// A gain that the budget left no pairs to show is told apart from none.
func TestTooFewPairs(t *testing.T) {
	p := &protocol{state: state{Baseline: &Baseline{}}, affordable: 3}
	p.LadderPairs = 3
	times := func(after float64) verify.Result {
		noisy := []float64{after, 1.3 * after, 0.9 * after}
		return verify.Result{Sides: map[verify.Side]verify.Speeds{
			verify.Before: {SecondsPerStep: []float64{1, 1, 1}}, verify.After: {SecondsPerStep: noisy},
		}}
	}
	for after, want := range map[float64]string{
		0.7:  "not shown to be 2% faster in 3 pairs (faster in 3, slower in 0); the budget allows too few pairs to show it",
		0.95: "not shown to be 2% faster in 3 pairs (faster in 2, slower in 1)",
	} {
		var r Rung
		if p.byPairs(&r, times(after)); r.Decision != Useless || r.Because != want {
			t.Errorf("%s: %s, want %s", r.Decision, r.Because, want)
		}
	}
}
