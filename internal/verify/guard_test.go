package verify

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"saturate/internal/run"
	"saturate/internal/stat"
)

// lossRun is a run whose loss at each step is given.
func lossRun(n int, loss func(i int) float64) run.Run {
	r := steady(n, 0.1)
	for i := range r.Steps {
		v := stat.Number(loss(i))
		r.Steps[i].Loss = &v
	}
	return r
}

// Where worker processes draw other random numbers, the loss may differ as its steps vary, and not by more: only where
// the samples were shown to be the same with chance pinned.
func TestGuardOverRedrawnSamples(t *testing.T) {
	falls := func(i int) float64 { return 4 + math.Exp(-float64(i)/15) }
	equal := SampleGuard{State: Passed, By: "batch", Checked: 64, Equal: 64}
	for _, test := range []struct {
		name         string
		noise, shift float64
		redraws      bool
		samples      SampleGuard
		state        GuardState
		reason       string
	}{
		{"chance", 0.04, 0, true, equal, Passed, "with the draws pinned, all samples are equal"},
		{"not said beforehand", 0.04, 0, false, equal, Failed, "the margin is 1%"},
		{"samples not looked at", 0.04, 0, true, SampleGuard{State: NotChecked}, Failed, "the margin is 1%"},
		{"samples only alike", 0.04, 0, true, SampleGuard{State: Passed, By: "distribution", Checked: 64, Equal: 64}, Failed, "the margin is 1%"},
		{"worse by more than chance", 0.01, 0.06, true, equal, Failed, "its steps vary by"},
		{"better by more than chance", 0.01, -0.06, true, equal, Failed, "its steps vary by"},
		{"so noisy that nothing shows", 1, 0.3, true, equal, Failed, "more than chance may explain (10%)"},
		{"no noise", 0, 0.02, true, equal, Failed, "its steps vary by"},
	} {
		t.Run(test.name, func(t *testing.T) {
			plan := testPlan()
			plan.Numerics, plan.Redraws = Changed, test.redraws
			plan = plan.Defaults()
			var blocks []Block
			for i, s := range schedule(plan) {
				random := rand.New(rand.NewPCG(3, 5)) // each run of a program that seeds itself is the same
				drawn := func(shift float64) run.Run {
					return lossRun(40, func(i int) float64 { return falls(i) * (1 + shift + test.noise*random.NormFloat64()) })
				}
				before := drawn(0)
				b := Block{Number: i, Calibration: s.calibration, Order: s.order, Seed: s.seed}
				b.Outcomes = [2]Outcome{outcomeOf(before, Conditions{}), outcomeOf(before, Conditions{})}
				if !s.calibration {
					b.Outcomes[1] = outcomeOf(drawn(test.shift), Conditions{})
				}
				blocks = append(blocks, b)
			}
			g := Judge(plan, blocks, &test.samples).Guard
			if g.State != test.state || !strings.Contains(g.Reason, test.reason) {
				t.Errorf("%s: %s", g.State, g.Reason)
			}
		})
	}
}

func TestGuard(t *testing.T) {
	falls := func(i int) float64 { return 0.5 + 2*math.Exp(-float64(i)/15) }
	times := func(f float64) func(int) float64 { return func(i int) float64 { return f * falls(i) } }
	random := rand.New(rand.NewPCG(3, 4))
	// unseeded programs have another loss in each run.
	noisy := func(loss func(int) float64, by float64) func(int) float64 {
		return func(i int) float64 { return loss(i) * (1 + by*random.NormFloat64()) }
	}
	for _, test := range []struct {
		name          string
		before, after func(i int) float64
		change        func(*Plan)
		state         GuardState
		reason        string
	}{
		{"identical", falls, falls, nil, Passed, "both variants have the same losses; the baseline's losses are the same in every run"},
		{"rounded otherwise", falls, func(i int) float64 { return falls(i) * (1 + 1e-6*float64(i)) }, nil, Passed, "of the value"},
		{"half", falls, times(0.5), nil, Failed, "differ by 50%"},
		{"one per cent", falls, times(1.01), nil, Failed, "differ by 1%"},
		{"from the middle on", falls, func(i int) float64 {
			if i < 20 {
				return falls(i)
			}
			return falls(i) * 1.2
		}, nil, Failed, "first at step 20"},
		{"does not learn", falls, func(int) float64 { return 2.5 }, nil, Failed, "differ by"},
		{"diverges", falls, func(i int) float64 { return falls(i) * math.Exp(float64(i)/5) }, nil, Failed, "the loss diverges after the change"},
		{"unseeded", noisy(falls, 0.05), noisy(falls, 0.05), nil, Passed, "the baseline's vary by up to"},
		{"unseeded and too high at the end", noisy(falls, 0.05), noisy(func(i int) float64 { return falls(i) + 0.1*float64(i)/30 }, 0.05), nil, Failed, "over the last quarter"},
		{"on purpose, within the margin", falls, times(1.004), func(p *Plan) { p.Numerics = Changed }, Passed, "the margin is 1%"},
		{"on purpose, better within the margin", falls, times(0.995), func(p *Plan) { p.Numerics = Changed }, Passed, "the margin is 1%"},
		{"on purpose, better than rounding can make it", falls, times(0.36), func(p *Plan) { p.Numerics = Changed }, Failed, "so the model may see other data"},
		{"on purpose, beyond the margin", falls, times(1.1), func(p *Plan) { p.Numerics = Changed }, Failed, "the margin is 1%"},
		{"on purpose, noisy", noisy(falls, 0.3), noisy(falls, 0.3), func(p *Plan) { p.Numerics = Changed }, NotShown, "too few"},
		{"on purpose, few pairs", falls, falls, func(p *Plan) { p.Numerics, p.Pairs = Changed, 3 }, NotShown, "too few pairs (3)"},
		{"negative", func(i int) float64 { return -falls(i) }, func(i int) float64 { return -falls(i) }, nil, Passed, ""},
		{"zero", func(int) float64 { return 0 }, func(int) float64 { return 0 }, nil, Passed, ""},
		{"unchecked", falls, times(9), func(p *Plan) { p.Numerics = Unchecked }, NotChecked, "turned off by --numerics unchecked"},
	} {
		t.Run(test.name, func(t *testing.T) {
			plan := testPlan()
			if test.change != nil {
				test.change(&plan)
			}
			plan = plan.Defaults()
			var blocks []Block
			for i, s := range schedule(plan) {
				b := Block{Number: i, Calibration: s.calibration, Order: s.order, Seed: s.seed}
				b.Outcomes[0] = outcomeOf(lossRun(30, test.before), Conditions{})
				b.Outcomes[1] = outcomeOf(lossRun(30, test.after), Conditions{})
				if s.calibration {
					b.Outcomes[1] = outcomeOf(lossRun(30, test.before), Conditions{})
				}
				blocks = append(blocks, b)
			}
			g := guard(plan, blocks)
			if g.State != test.state || !strings.Contains(g.Reason, test.reason) {
				t.Errorf("%s: %s", g.State, g.Reason)
			}
		})
	}
}

// losses judges pairs and A/A pairs whose runs are made by the given functions.
func losses(plan Plan, before, after func() run.Run) Guard {
	plan = plan.Defaults()
	var blocks []Block
	for i, s := range schedule(plan) {
		b := Block{Number: i, Calibration: s.calibration, Order: s.order, Seed: s.seed}
		b.Outcomes[0], b.Outcomes[1] = outcomeOf(before(), Conditions{}), outcomeOf(after(), Conditions{})
		if s.calibration {
			b.Outcomes[1] = outcomeOf(before(), Conditions{})
		}
		blocks = append(blocks, b)
	}
	return guard(plan, blocks)
}

// With many classes the loss hardly moves from ln(1000), and a thousandth of it is more than all that the data does to
// it.
func TestGuardByMovement(t *testing.T) {
	hardly := func(of func(int) float64) func() run.Run {
		return func() run.Run { return lossRun(30, func(i int) float64 { return math.Log(1000) + 0.004*of(i) }) }
	}
	before := hardly(func(i int) float64 { return math.Sin(float64(i * i)) })
	for _, test := range []struct {
		name  string
		after func(int) float64
		state GuardState
	}{
		{"rounded otherwise", func(i int) float64 { return math.Sin(float64(i*i)) + 0.01*math.Cos(float64(i)) }, Passed},
		{"other batches", func(i int) float64 { return math.Sin(float64((i + 1) * (i + 1))) }, Failed},
		{"the same sample each time", func(int) float64 { return 0.3 }, Failed},
	} {
		if g := losses(testPlan(), before, hardly(test.after)); g.State != test.state {
			t.Errorf("%s: %s: %s", test.name, g.State, g.Reason)
		}
	}
}

// A loss that the change hides is not a pass, nor one that it hides in most steps.
func TestGuardWithoutLossAfter(t *testing.T) {
	shown := func(every int) func() run.Run {
		return func() run.Run {
			r := steady(30, 0.1)
			for i := range r.Steps {
				if every == 0 || i%every != 0 {
					r.Steps[i].Loss = nil
				}
			}
			return r
		}
	}
	for _, test := range []struct {
		name          string
		before, after int
		state         GuardState
	}{
		{"not after", 1, 0, NotShown}, {"not before", 0, 1, NotShown}, {"seldom after", 1, 10, NotShown}, {"seldom in both", 10, 10, Passed}, {"in neither", 0, 0, NotChecked},
	} {
		if g := losses(testPlan(), shown(test.before), shown(test.after)); g.State != test.state {
			t.Errorf("%s: %s: %s", test.name, g.State, g.Reason)
		}
	}
	r, err := Run(t.Context(), testPlan(), Options{Execute: bySide(shown(1), func() run.Run {
		r := shown(0)()
		for i := range r.Steps {
			r.Steps[i].Seconds /= 2
		}
		return r
	})})
	if err != nil || r.Verdict != Inconclusive || !strings.Contains(r.Reason, "not proven") {
		t.Errorf("a loss that is gone: %s: %s, %v", r.Verdict, r.Reason, err)
	}
}

// A loss that is not a number ends the experiment in its first pair.
func TestGuardEndsAtNaN(t *testing.T) {
	runs := 0
	nan := func() run.Run {
		runs++
		return lossRun(30, func(i int) float64 {
			if i == 20 {
				return math.NaN()
			}
			return 1
		})
	}
	plan := testPlan()
	plan.Calibration = 0
	r, err := Run(t.Context(), plan, Options{Execute: bySide(func() run.Run { return steady(30, 0.1) }, nan)})
	if err != nil || r.Verdict != Invalid || r.Cause != ByAccuracy || r.Blamed != After || runs != 1 || !strings.Contains(r.Reason, "NaN at step 20") {
		t.Errorf("%s, %s after %d runs: %s, %v", r.Verdict, r.Cause, runs, r.Reason, err)
	}
}

// Per sample the losses are compared step by step as long as the batches are as large; where they are not, the result
// says what it checks.
func TestGuardPerSample(t *testing.T) {
	plan := testPlan()
	plan.Measure = PerSample
	wrong := func() run.Run { return lossRun(30, func(i int) float64 { return 2.01 / math.Sqrt(1+float64(i)) }) }
	if g := losses(plan, func() run.Run { return steady(30, 0.1) }, wrong); g.State != Failed || g.Numerics != Same {
		t.Errorf("batches of one size: %s, numerics %s: %s", g.State, g.Numerics, g.Reason)
	}
	larger := func() run.Run {
		r := steady(15, 0.1)
		for i := range r.Steps {
			r.Steps[i].Samples = 16
		}
		return r
	}
	g := losses(plan, func() run.Run { return steady(30, 0.1) }, larger)
	if g.Numerics != Changed || !strings.Contains(strings.Join(g.Warnings, " "), "batch size changes") {
		t.Errorf("larger batches: numerics %s, %q", g.Numerics, g.Warnings)
	}
}

// A baseline without a seed widens what is allowed, but only as long as the loss can still tell right from wrong.
func TestGuardOfUnseededBaseline(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	unseeded := func() run.Run {
		return lossRun(30, func(int) float64 { return 7 + 0.1*random.NormFloat64() })
	}
	if g := losses(testPlan(), unseeded, unseeded); g.State != NotShown || !strings.Contains(g.Reason, "seed the program") {
		t.Errorf("%s: %s", g.State, g.Reason)
	}
}

// Of a baseline that ran once nobody knows how far it is from itself.
func TestGuardOfOneBaseline(t *testing.T) {
	plan := testPlan().Defaults()
	one := outcomeOf(lossRun(30, func(int) float64 { return 2 }), Conditions{})
	g := guard(plan, []Block{{Outcomes: [2]Outcome{one, one}}})
	if want := "over 30 steps both variants have the same losses"; g.State != Passed || g.Reason != want || !strings.Contains(strings.Join(g.Warnings, "\n"), "ran only once") {
		t.Errorf("%s: %s, warnings %q; want %q and a warning", g.State, g.Reason, g.Warnings, want)
	}
}

// With {seed} in the command the runs of one seed are compared, and the A/A blocks say how far a run is from itself.
func TestGuardWithSeeds(t *testing.T) {
	plan := testPlan().Defaults()
	plan.Before.Command, plan.After.Command = []string{"a", "--seed={seed}"}, []string{"b", "--seed={seed}"}
	judge := func(factor float64) Guard {
		var blocks []Block
		for i, s := range schedule(plan) {
			of := func(f float64) Outcome {
				return outcomeOf(lossRun(30, func(step int) float64 {
					return f * (2 + math.Sin(float64(s.seed)*float64(step)))
				}), Conditions{})
			}
			b := Block{Number: i, Calibration: s.calibration, Order: s.order, Seed: s.seed, Outcomes: [2]Outcome{of(1), of(factor)}}
			if s.calibration {
				b.Outcomes[1] = of(1)
			}
			blocks = append(blocks, b)
		}
		return guard(plan, blocks)
	}
	if g := judge(1); g.State != Passed || g.Self != 0 {
		t.Errorf("%s: %s", g.State, g.Reason)
	}
	if g := judge(1.02); g.State != Failed {
		t.Errorf("%s: %s", g.State, g.Reason)
	}
}

func TestDifferentWork(t *testing.T) {
	with := func(change func(*run.Run)) run.Run {
		r := steady(30, 0.1)
		if change != nil {
			change(&r)
		}
		return r
	}
	tag := func(tag string, steps ...int) func(*run.Run) {
		return func(r *run.Run) {
			for _, i := range steps {
				r.Steps[i].Tags = append(r.Steps[i].Tags, tag)
			}
		}
	}
	series := func(name string, amount float64) func(*run.Run) {
		return func(r *run.Run) { r.Series = append(r.Series, stat.Series{Name: name, Values: []float64{amount}}) }
	}
	each := func(change func(*run.Step)) func(*run.Run) {
		return func(r *run.Run) {
			for i := range r.Steps {
				change(&r.Steps[i])
			}
		}
	}
	for _, test := range []struct {
		name          string
		before, after func(*run.Run)
		want, note    string
	}{
		{"equal", nil, nil, "", ""},
		{"steps", nil, func(r *run.Run) { r.Steps = r.Steps[:20] }, "30 steps before, 20 after", ""},
		{"samples", nil, each(func(s *run.Step) { s.Samples = 4 }), "240 samples in 30 steps before, 120 after", ""},
		{"one shorter batch", nil, func(r *run.Run) { r.Steps[9].Samples = 7 }, "", ""},
		{"no samples", nil, each(func(s *run.Step) { s.Samples = 0 }), "", "do not report their samples"},
		{"tokens", each(func(s *run.Step) { s.Tokens = 1e6 }), each(func(s *run.Step) { s.Tokens = 5e5 }), "30,000,000 tokens in 30 steps before, 15,000,000 after", ""},
		{"epochs", tag("first-of-epoch", 0, 20), tag("first-of-epoch", 0, 10, 20), "an epoch is 20 steps before and 10 steps after", ""},
		{"an epoch one step early", tag("first-of-epoch", 0, 20), tag("first-of-epoch", 0, 19), "", ""},
		{"an epoch that ends only after", tag("first-of-epoch", 0), tag("first-of-epoch", 0, 15), "more than 29 steps before and 15 steps after", ""},
		{"an epoch that ends only before", tag("first-of-epoch", 0, 12), tag("first-of-epoch", 0), "12 steps before and more than 29 steps after", ""},
		{"no epochs told", tag("first-of-epoch", 0, 12), nil, "", ""},
		{"dataset", series("samples of the dataset", 1000), series("samples of the dataset", 500), "samples of the dataset: 1000 before, 500 after", ""},
		{"other series", series("copy speed", 1000), series("copy speed", 500), "", ""},
		{"skipped steps", nil, tag("skipped", 3, 4, 5), "skipped 0 steps before, 3 after", ""},
	} {
		got, notes := differentWork(outcomeOf(with(test.before), Conditions{}), outcomeOf(with(test.after), Conditions{}), PerStep)
		if test.want == "" && got != "" || !strings.Contains(got, test.want) || !strings.Contains(strings.Join(notes, " "), test.note) {
			t.Errorf("%s: %q, %q", test.name, got, notes)
		}
	}
	if got, _ := differentWork(outcomeOf(with(nil), Conditions{}), outcomeOf(with(each(func(s *run.Step) { s.Samples = 24 })), Conditions{}), PerSample); got != "" {
		t.Errorf("a larger batch, by sample: %s", got)
	}
	if got, _ := differentWork(outcomeOf(with(nil), Conditions{}), outcomeOf(with(each(func(s *run.Step) { s.Samples = 0 })), Conditions{}), PerSample); got == "" {
		t.Error("seconds per sample without samples")
	}
}
