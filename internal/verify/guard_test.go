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
		{"identical", falls, falls, nil, Passed, "differ by nothing; the baseline's are the same in every run"},
		{"rounded otherwise", falls, func(i int) float64 { return falls(i) * (1 + 1e-6*float64(i)) }, nil, Passed, "of their value"},
		{"half", falls, times(0.5), nil, Failed, "differ by 50%"},
		{"one per cent", falls, times(1.01), nil, Failed, "differ by 1%"},
		{"from the middle on", falls, func(i int) float64 {
			if i < 20 {
				return falls(i)
			}
			return falls(i) * 1.2
		}, nil, Failed, "first at step 20"},
		{"does not learn", falls, func(int) float64 { return 2.5 }, nil, Failed, "differ by"},
		{"diverges", falls, func(i int) float64 { return falls(i) * math.Exp(float64(i)/5) }, nil, Failed, "the loss of after diverges"},
		{"unseeded", noisy(falls, 0.05), noisy(falls, 0.05), nil, Passed, "from run to run by up to"},
		{"unseeded and too high at the end", noisy(falls, 0.05), noisy(func(i int) float64 { return falls(i) + 0.1*float64(i)/30 }, 0.05), nil, Failed, "over the last quarter"},
		{"on purpose, within the margin", falls, times(1.004), func(p *Plan) { p.Numerics = Changed }, Passed, "the margin is 1%"},
		{"on purpose, better", falls, times(0.9), func(p *Plan) { p.Numerics = Changed }, Passed, "the margin is 1%"},
		{"on purpose, beyond the margin", falls, times(1.1), func(p *Plan) { p.Numerics = Changed }, Failed, "the margin is 1%"},
		{"on purpose, noisy", noisy(falls, 0.3), noisy(falls, 0.3), func(p *Plan) { p.Numerics = Changed }, NotShown, "too few"},
		{"on purpose, few pairs", falls, falls, func(p *Plan) { p.Numerics, p.Pairs = Changed, 3 }, NotShown, "too few pairs (3)"},
		{"negative", func(i int) float64 { return -falls(i) }, func(i int) float64 { return -falls(i) }, nil, Passed, ""},
		{"zero", func(int) float64 { return 0 }, func(int) float64 { return 0 }, nil, Passed, ""},
		{"unchecked", falls, times(9), func(p *Plan) { p.Numerics = Unchecked }, NotChecked, "nobody asked"},
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

// Of a baseline that ran once nobody knows how far it is from itself.
func TestGuardOfOneBaseline(t *testing.T) {
	plan := testPlan().Defaults()
	one := outcomeOf(lossRun(30, func(int) float64 { return 2 }), Conditions{})
	g := guard(plan, []Block{{Outcomes: [2]Outcome{one, one}}})
	if want := "over 30 steps the losses of the variants differ by nothing"; g.State != Passed || g.Reason != want || !strings.Contains(strings.Join(g.Warnings, "\n"), "ran only once") {
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
		{"no samples", nil, each(func(s *run.Step) { s.Samples = 0 }), "", "do not tell their samples"},
		{"tokens", each(func(s *run.Step) { s.Tokens = 100 }), each(func(s *run.Step) { s.Tokens = 50 }), "3000 tokens in 30 steps before, 1500 after", ""},
		{"epochs", tag("first-of-epoch", 0, 20), tag("first-of-epoch", 0, 10, 20), "an epoch is 20 steps before and 10 steps after", ""},
		{"an epoch one step early", tag("first-of-epoch", 0, 20), tag("first-of-epoch", 0, 19), "", ""},
		{"an epoch that ends only after", tag("first-of-epoch", 0), tag("first-of-epoch", 0, 15), "more than 29 steps before and 15 steps after", ""},
		{"an epoch that ends only before", tag("first-of-epoch", 0, 12), tag("first-of-epoch", 0), "12 steps before and more than 29 steps after", ""},
		{"no epochs told", tag("first-of-epoch", 0, 12), nil, "", ""},
		{"data set", series("samples of the data set", 1000), series("samples of the data set", 500), "samples of the data set: 1000 before, 500 after", ""},
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
