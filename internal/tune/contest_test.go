package tune

import (
	"context"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"saturate/internal/probe"
	"saturate/internal/run"
	"saturate/internal/tune/setting"
	"saturate/internal/verify"
)

func TestPairsThatCanDecide(t *testing.T) {
	for candidates, want := range map[int]int{0: 6, 1: 6, 2: 7, 3: 7, 4: 8, 6: 8, 7: 9} {
		if got := pairsFor(candidates); got != want {
			t.Errorf("%d candidates need %d pairs, want %d", candidates, got, want)
		}
	}
	second := time.Second
	for _, tt := range []struct {
		name   string
		walls  []time.Duration
		apart  bool
		budget time.Duration
		pairs  int
		kept   []int
		of     int
	}{
		{"all", slices.Repeat([]time.Duration{second}, 6), false, 10 * time.Minute, 0, []int{0, 1, 2, 3, 4, 5}, 8},
		{"the first ones", slices.Repeat([]time.Duration{10 * second}, 6), false, 6 * time.Minute, 0, []int{0, 1, 2}, 7},
		{"the longest goes", []time.Duration{second, 60 * second, second}, false, 2 * time.Minute, 0, []int{0, 2}, 7},
		{"none", []time.Duration{60 * second}, false, time.Minute, 0, nil, 0},
		{"no limit", slices.Repeat([]time.Duration{time.Hour}, 6), false, 0, 0, []int{0, 1, 2, 3, 4, 5}, 8},
		{"as many pairs as were asked for", []time.Duration{60 * second, 60 * second}, false, 5 * time.Minute, 2, []int{0}, 2},
		{"33 runs", []time.Duration{second, second}, false, 37 * second, 0, []int{0, 1}, 7},
		{"40 runs", []time.Duration{second, second}, true, 37 * second, 0, []int{0}, 6},
		{"time for 40 runs", []time.Duration{second, second}, true, 44 * second, 0, []int{0, 1}, 7},
		{"24 runs, with nothing beside", []time.Duration{second}, true, 27 * second, 0, []int{0}, 6},
	} {
		kept, of := fitting(second, tt.walls, tt.apart, tt.budget, tt.pairs)
		if !slices.Equal(kept, tt.kept) || of != tt.of {
			t.Errorf("%s: %v with %d pairs, want %v with %d", tt.name, kept, of, tt.kept, tt.of)
		}
	}
}

// contested is a level 2 with all that can become of a candidate.
func contested(t *testing.T) (*program, Options) {
	p := &program{
		factor:  map[string]float64{"base": 0.95, "fast": 0.8, "faster": 0.7, "slow": 1.2, "wrong": 0.8},
		loss:    map[string]float64{"wrong": 0.5},
		crashes: []string{"bad"}, parameters: 5_000_000,
	}
	o := simulated(t, p)
	o.Level = setting.Measured
	o.Selection.Use = choices(0, "base")
	o.Selection.Candidates = choices(2, "fast", "slow", "nothing", "bad")
	wrong, faster := choice("wrong", 2, setting.Changed), choice("faster", 2, setting.Same)
	faster.Group, o.Selection.Candidates[0].Group = "threads", "threads"
	o.Selection.Candidates = append(o.Selection.Candidates, wrong, faster, choice("dead", 2, setting.Same), choice("sixth", 2, setting.Same), choice("seventh", 2, setting.Same))
	p.reports = func(on []string) (all []setting.Observation) {
		for _, name := range on {
			for _, when := range []string{"applied", "exit"} {
				all = append(all, setting.Observation{Setting: name, When: when, Read: name != "dead", InEffect: truth(name != "dead")})
			}
		}
		return all
	}
	return p, o
}

func TestContest(t *testing.T) {
	p, o := contested(t)
	r := tuned(t, o)
	want := map[string]string{
		"fast": "faster helps more", "slow": "slower", "nothing": "no", "bad": "the program crashes",
		"wrong": "", "dead": "not in effect: reads back as false", "seventh": "only 6 candidates",
	}
	for name, because := range want {
		l := line(t, r, name)
		if l.Used || !strings.Contains(l.Dropped+l.Unmeasured, because) {
			t.Errorf("%s: used %v, dropped %q; want %q", name, l.Used, l.Dropped+l.Unmeasured, because)
		}
	}
	if l := line(t, r, "wrong"); l.Guard != verify.Failed && l.Guard != verify.NotShown {
		t.Errorf("the guard of a candidate that spoils the loss is %s", l.Guard)
	}
	if l := line(t, r, "faster"); !l.Used || l.Effect == nil || l.Effect.Pairs != 9 || l.Effect.Adjusted > 0.05 || l.Effect.Adjusted <= l.Effect.P {
		t.Errorf("the winner: %+v, %+v", l, l.Effect)
	}
	if l := line(t, r, "base"); !l.Used || !l.Together || l.Effect == nil || l.Effect.Verdict != verify.Faster {
		t.Errorf("levels 0 and 1: %+v", l)
	}
	if r.Confirmed == nil || r.Confirmed.Verdict != verify.Faster || r.Confirmed.Pairs != confirmPairs || !slices.Equal(r.Winner, []string{"faster"}) {
		t.Errorf("confirmed %+v of %v", r.Confirmed, r.Winner)
	}
	if last := p.ran[len(p.ran)-1]; !slices.Equal(last, []string{"base", "faster"}) || !r.Ran {
		t.Errorf("the program ran with %v", last)
	}

	// The same call measures nothing again but what crashed, and says the same.
	trials := p.trials
	again := tuned(t, o)
	if diff := cmp.Diff(text(t, r), text(t, again)); diff != "" || p.trials > trials+2 {
		t.Errorf("%d further trials; %s", p.trials-trials, diff)
	}
	o.Selection.Candidates = o.Selection.Candidates[:1]
	changed := tuned(t, o)
	if !strings.Contains(strings.Join(changed.Fallback, " "), "or different settings") || !changed.Ran {
		t.Errorf("another contest in the same folder: fallback %q, ran %v", changed.Fallback, changed.Ran)
	}
}

// TestWinnersCurse: what helped by chance while candidates were compared does not survive fresh runs.
func TestWinnersCurse(t *testing.T) {
	p := &program{factor: map[string]float64{"lucky": 0.8}, parameters: 5_000_000, flukes: 12}
	o := simulated(t, p)
	o.Level = setting.Measured
	o.Selection.Candidates = choices(2, "lucky")
	r := tuned(t, o)
	if l := line(t, r, "lucky"); l.Used || !strings.Contains(l.Dropped, "not confirmed") || r.Confirmed == nil || r.Confirmed.Verdict == verify.Faster {
		t.Errorf("%+v, confirmed %+v", l, r.Confirmed)
	}
	if last := p.ran[len(p.ran)-1]; len(last) != 0 || !r.Ran {
		t.Errorf("the program ran with %v", last)
	}
}

// TestTwoWinners: they are confirmed together, each is named for what it replaces, and neither is blamed alone.
func TestTwoWinners(t *testing.T) {
	for name, test := range map[string]struct {
		flukes int
		words  map[string]string // why a setting is not used
		ran    []string
	}{
		"confirmed": {0, map[string]string{"all": "half helps more, and only one of the two can be used"}, []string{"other", "kept", "half"}},
		"by chance": {35, map[string]string{
			"half": "gain with kept not confirmed on fresh runs", "kept": "gain with half not confirmed on fresh runs",
		}, []string{"all", "other"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := &program{factor: map[string]float64{"half": 0.7, "kept": 0.8}, parameters: 5_000_000, flukes: test.flukes}
			o := simulated(t, p)
			o.Level = setting.Measured
			o.Selection = Selection{Use: choices(1, "all", "other"), Candidates: choices(2, "kept", "half")}
			o.Selection.Use[0].Group, o.Selection.Candidates[1].Group = "threads", "threads"
			r := tuned(t, o)
			if last := p.ran[len(p.ran)-1]; !slices.Equal(last, test.ran) || !slices.Equal(r.Winner, []string{"kept", "half"}) {
				t.Errorf("the program ran with %v; the winner is %v, %+v", last, r.Winner, r.Confirmed)
			}
			for name, words := range test.words {
				if l := line(t, r, name); l.Used || l.Dropped != words {
					t.Errorf("%s: used %v, dropped %q, want %q", name, l.Used, l.Dropped, words)
				}
			}
		})
	}
}

// TestMeasureDropsWhatDoesNotHelp is --measure at level 0.
func TestMeasureDropsWhatDoesNotHelp(t *testing.T) {
	p := &program{factor: map[string]float64{"good": 0.8, "harmful": 1.1}, parameters: 5_000_000}
	o := simulated(t, p)
	o.Measure = true
	o.Selection.Use = choices(0, "good", "idle", "harmful")
	r := tuned(t, o)
	if last := p.ran[len(p.ran)-1]; !slices.Equal(last, []string{"good"}) {
		t.Errorf("the program ran with %v, want what helps alone", last)
	}
	for _, name := range []string{"idle", "harmful"} {
		if l := line(t, r, name); l.Used || l.Dropped == "" || l.Effect == nil {
			t.Errorf("%s: %+v", name, l)
		}
	}
}

func TestHarmfulSettingsAreGivenUp(t *testing.T) {
	p := &program{factor: map[string]float64{"hardware": 1.3}, parameters: 5_000_000}
	o := simulated(t, p)
	o.Level = setting.Measured
	o.Selection.Use = append(choices(0, "safe"), choices(1, "hardware")...)
	o.Selection.Candidates = choices(2, "nothing")
	r := tuned(t, o)
	if last := p.ran[len(p.ran)-1]; !slices.Equal(last, []string{"safe"}) || !strings.Contains(strings.Join(r.Fallback, " "), "dropped in favor of safe") {
		t.Errorf("the program ran with %v; %q", last, r.Fallback)
	}
}

func TestSmallModelOnRequest(t *testing.T) {
	p := &program{parameters: 12_345, factor: map[string]float64{"fast": 0.8}}
	o := simulated(t, p)
	o.Level, o.Measure = setting.Measured, true
	o.Selection = Selection{Candidates: choices(2, "fast")}
	if r := tuned(t, o); r.Skipped != "" || p.trials == 0 || !line(t, r, "fast").Used {
		t.Errorf("skipped %q after %d trials", r.Skipped, p.trials)
	}
}

func TestNotWorthMeasuring(t *testing.T) {
	tests := []struct {
		name string
		p    program
		set  func(*Options)
		want string
	}{
		{"a small model", program{parameters: 12_345}, nil, "12,345 parameters; models with less than a million are measured only with --measure"},
		{"no steps", program{whole: -1}, nil, "no steps to measure"},
		{"few steps", program{whole: 4}, nil, "ends after 4 steps; at least 10"},
		{"a budget for nothing", program{parameters: 5_000_000, perStep: 60}, nil, "a budget of 1h0m0s is for 3 runs"},
		{"it fails", program{whole: 3, own: 1}, nil, "fails without settings"},
		{"no candidate", program{parameters: 5_000_000}, func(o *Options) { o.Selection = Selection{} }, "nothing to measure"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := tt.p
			o := simulated(t, &p)
			if p.whole < 0 {
				p.whole = 0
			}
			o.Level = setting.Measured
			o.Selection = Selection{Use: choices(0, "base"), Candidates: choices(2, "fast")}
			if tt.set != nil {
				tt.set(&o)
			}
			r := tuned(t, o)
			if !strings.Contains(r.Skipped, tt.want) || p.trials > 0 || !r.Ran {
				t.Errorf("skipped %q after %d trials, ran %v; want %q", r.Skipped, p.trials, r.Ran, tt.want)
			}
		})
	}
}

// TestFullDisk: where the steps of a trial could not be written, the disk is blamed and not the program, which runs all
// the same.
func TestFullDisk(t *testing.T) {
	p := &program{parameters: 5_000_000}
	o := simulated(t, p)
	o.Level, o.Selection = setting.Measured, Selection{Use: choices(0, "base"), Candidates: choices(2, "fast")}
	watch := o.Watch
	o.Watch = func(ctx context.Context, a Attempt) (probe.Outcome, error) {
		out, err := watch(ctx, a)
		out.Run.Steps, out.Lost = nil, syscall.ENOSPC
		return out, err
	}
	if r := tuned(t, o); r.Skipped != "" || !r.Ran || !strings.Contains(strings.Join(r.Fallback, " "), syscall.ENOSPC.Error()) {
		t.Errorf("skipped %q, ran %v, fell back: %q", r.Skipped, r.Ran, r.Fallback)
	}
}

// TestCandidateInPlaceOfTheBase: of a group only one is set at a time, and what a winner replaces is told.
func TestCandidateInPlaceOfTheBase(t *testing.T) {
	p := &program{factor: map[string]float64{"half": 0.7}, parameters: 5_000_000}
	o := simulated(t, p)
	o.Level = setting.Measured
	o.Selection = Selection{Use: choices(1, "all", "other"), Candidates: choices(2, "half")}
	o.Selection.Use[0].Group, o.Selection.Candidates[0].Group = "threads", "threads"
	execute := o.Execute
	o.Execute = func(ctx context.Context, trial verify.Trial) (run.Run, error) {
		if on := set(trial.Env); slices.Contains(on, "all") && slices.Contains(on, "half") {
			t.Fatalf("a run has %v: two of a group", on)
		}
		return execute(ctx, trial)
	}
	r := tuned(t, o)
	if last := p.ran[len(p.ran)-1]; !slices.Equal(last, []string{"other", "half"}) {
		t.Errorf("the program ran with %v", last)
	}
	if l := line(t, r, "all"); l.Used || l.Dropped != "half helps more, and only one of the two can be used" {
		t.Errorf("what was replaced: used %v, dropped %q", l.Used, l.Dropped)
	}
}

// TestDeadCandidateAndATightBudget: what is left out after its rehearsal takes nobody's place.
func TestDeadCandidateAndATightBudget(t *testing.T) {
	p, o := contested(t)
	p.factor, p.perStep = map[string]float64{"base": 0.95, "fast": 0.8}, 1
	o.Selection.Candidates = append(choices(2, "dead"), choices(2, "fast", "cudnn-benchmark")...)
	o.Budget = 11 * time.Minute // 20 s a run: look, two rehearsals, and the 24 runs of one candidate
	r := tuned(t, o)
	if l := line(t, r, "fast"); !l.Used || l.Effect == nil || r.Base != nil {
		t.Errorf("fast: used %v, effect %+v, %q; base %+v", l.Used, l.Effect, l.Unmeasured, r.Base)
	}
	if l := line(t, r, "cudnn-benchmark"); !strings.Contains(l.Unmeasured, "(--budget)") {
		t.Errorf("cudnn-benchmark: %q", l.Unmeasured)
	}
}

// TestSlowRunsLeaveTimeToConfirm: where runs take longer than planned, later candidates wait.
func TestSlowRunsLeaveTimeToConfirm(t *testing.T) {
	p := &program{factor: map[string]float64{"fast": 0.8}, parameters: 5_000_000}
	o := simulated(t, p)
	o.Level, o.Selection.Candidates = setting.Measured, choices(2, "fast", "second", "third")
	now := time.Unix(0, 0)
	o.Now = func() time.Time { return now }
	execute := o.Execute
	o.Execute = func(ctx context.Context, trial verify.Trial) (run.Run, error) {
		now = now.Add(100 * time.Second)
		return execute(ctx, trial)
	}
	r := tuned(t, o)
	if l := line(t, r, "fast"); !l.Used || r.Confirmed == nil || r.Unfinished == "" || !strings.Contains(line(t, r, "third").Unmeasured, "longer than planned") {
		t.Errorf("fast: %+v, confirmed %+v, unfinished %q", l, r.Confirmed, r.Unfinished)
	}
}

// TestColdStart: a first run that is slow because nothing is in memory yet does not decide what there is time for.
func TestColdStart(t *testing.T) {
	p := &program{factor: map[string]float64{"fast": 0.8}, parameters: 5_000_000}
	o := simulated(t, p)
	o.Level, o.Selection.Candidates = setting.Measured, choices(2, "fast")
	watch := o.Watch
	o.Watch = func(ctx context.Context, a Attempt) (probe.Outcome, error) {
		out, err := watch(ctx, a)
		if len(p.ran) == 1 {
			out.Run.WallSeconds = 1000
		}
		return out, err
	}
	if r := tuned(t, o); r.Skipped != "" || r.Confirmed == nil || !line(t, r, "fast").Used {
		t.Errorf("skipped %q, confirmed %+v", r.Skipped, r.Confirmed)
	}
}

// TestStopped: a user who has had enough gets no program run, and the same call goes on.
func TestStopped(t *testing.T) {
	p, o := contested(t)
	ctx, cancel := context.WithCancel(context.Background())
	execute := o.Execute
	o.Execute = func(c context.Context, trial verify.Trial) (run.Run, error) {
		if p.trials == 20 {
			cancel()
		}
		return execute(c, trial)
	}
	if r, err := Run(ctx, o); err == nil || r.Ran {
		t.Fatalf("error %v, ran %v; want it stopped", err, r.Ran)
	}
	o.Execute = execute
	r := tuned(t, o)
	_, fresh := contested(t)
	if whole := tuned(t, fresh); len(r.Winner) != 1 || whole.Winner[0] != r.Winner[0] {
		t.Errorf("winner %v after a stop, %v without", r.Winner, whole.Winner)
	}
}

func TestBudgetThatRunsOut(t *testing.T) {
	p, o := contested(t)
	now := time.Unix(0, 0)
	o.Now = func() time.Time { now = now.Add(2 * time.Minute); return now }
	r := tuned(t, o)
	if r.Unfinished == "" || !r.Ran || len(p.ran[len(p.ran)-1]) == 0 {
		t.Errorf("unfinished %q, ran %v with %v", r.Unfinished, r.Ran, p.ran[len(p.ran)-1])
	}
}
