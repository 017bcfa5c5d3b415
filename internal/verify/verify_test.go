package verify

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"saturate/internal/files"
	"saturate/internal/run"
	"saturate/internal/stat"
)

// steady makes a run of n steps of the given seconds, with a loss that falls.
func steady(n int, seconds float64) run.Run {
	code := 0
	r := run.Run{State: run.Complete, ExitCode: &code}
	for i := range n {
		loss := stat.Number(2 / math.Sqrt(1+float64(i)))
		s := seconds * (1 + 0.001*math.Sin(float64(i*i)))
		if i == 0 {
			s *= 5
		}
		r.Steps = append(r.Steps, run.Step{Index: i, Seconds: s, Samples: 8, Loss: &loss})
	}
	return r
}

func testPlan() Plan {
	return Plan{
		Before: Variant{Name: "old", Command: []string{"a"}}, After: Variant{Name: "new", Command: []string{"b"}},
		Pairs: 6, Calibration: 2, Steps: 30, Seed: 7,
	}
}

// bySide runs each side as told.
func bySide(before, after func() run.Run) Execute {
	return func(_ context.Context, t Trial) (run.Run, error) {
		if t.Side == After {
			return after(), nil
		}
		return before(), nil
	}
}

// TestFiguresAgree: on a machine whose runs differ by a factor of eight, the samples per second are still those of the
// time per step.
func TestFiguresAgree(t *testing.T) {
	n := 0
	r, err := Run(context.Background(), testPlan(), Options{Execute: func(context.Context, Trial) (run.Run, error) {
		n++
		return steady(30, 0.1*float64(1+7*(n/8%2))), nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	for side, s := range r.Sides {
		if samples := float64(s.Speed * s.Median); math.Abs(samples-8) > 1e-6 {
			t.Errorf("%s: %v s per step and %v samples per second make %v samples per step, want 8", side, s.Median, s.Speed, samples)
		}
	}
}

func TestSchedule(t *testing.T) {
	for pairs := 1; pairs < 20; pairs++ {
		p := Plan{Pairs: pairs, Calibration: 3, Seed: uint64(pairs)}
		slots := schedule(p)
		if !slices.Equal(slots, schedule(p)) {
			t.Fatal("one seed gives two orders")
		}
		first := map[bool][2]int{}
		for _, s := range slots {
			count := first[s.calibration]
			count[s.order[0]]++
			first[s.calibration] = count
			if s.order[0]+s.order[1] != 1 {
				t.Errorf("order %v", s.order)
			}
		}
		if n := first[false]; n[0]+n[1] != pairs || max(n[0]-n[1], n[1]-n[0]) > 1 {
			t.Errorf("%d pairs begin %v times with before and after", pairs, n)
		}
		if n := first[true]; n[0]+n[1] != 3 {
			t.Errorf("%v A/A pairs, want 3", n)
		}
	}
	p := Plan{Pairs: 12, Seed: 1}
	q := Plan{Pairs: 12, Seed: 2}
	if slices.EqualFunc(schedule(p), schedule(q), func(a, b slot) bool { return a.order == b.order }) {
		t.Error("two seeds give one order")
	}
}

// A stopped experiment goes on where it was, and ends as if it had never been stopped.
func TestResume(t *testing.T) {
	plan := testPlan()
	whole, err := Run(context.Background(), plan, Options{Execute: bySide(
		func() run.Run { return steady(30, 0.1) }, func() run.Run { return steady(30, 0.08) })})
	if err != nil {
		t.Fatal(err)
	}
	if whole.Verdict != Faster {
		t.Fatalf("%s: %s", whole.Verdict, whole.Reason)
	}

	dir := t.TempDir()
	trials := 0
	for attempt := 0; ; attempt++ {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		left := 5 // the third block of each attempt is interrupted
		got, err := Run(ctx, plan, Options{Dir: dir, Execute: func(ctx context.Context, tr Trial) (run.Run, error) {
			trials++
			if left--; left == 0 {
				cancel()
				return steady(3, 0.1), ctx.Err()
			}
			if tr.Side == After {
				return steady(30, 0.08), nil
			}
			return steady(30, 0.1), nil
		}})
		if err == nil {
			if diff := cmp.Diff(whole.Ratio, got.Ratio); diff != "" || got.Verdict != whole.Verdict {
				t.Errorf("%s after being stopped %d times: %s", got.Verdict, attempt, diff)
			}
			if diff := cmp.Diff(whole.Guard, got.Guard, cmpopts.EquateNaNs()); diff != "" {
				t.Error(diff)
			}
			if attempt != 3 || trials != 16+3 { // 8 blocks, 2 of them whole in each attempt
				t.Errorf("%d trials in %d attempts", trials, attempt+1)
			}
			break
		}
		var stopped *Stopped
		if !errors.As(err, &stopped) || stopped.Done != 2*(attempt+1) || !errors.Is(err, context.Canceled) {
			t.Fatalf("attempt %d: %v", attempt, err)
		}
		if blocks, same := Kept(dir, plan); blocks != stopped.Done || !same {
			t.Errorf("%d blocks kept, want %d", blocks, stopped.Done)
		}
	}

	other := plan
	other.Pairs = 9
	if _, err := Run(context.Background(), other, Options{Dir: dir}); err == nil || !strings.Contains(err.Error(), "holds another experiment") {
		t.Errorf("a changed plan: %v", err)
	}
	if _, same := Kept(dir, other); same {
		t.Error("a changed plan passes for the same")
	}
	block := filepath.Join(dir, "blocks", "000-0.json")
	if err := os.WriteFile(block, []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Run(context.Background(), plan, Options{Dir: dir}); err == nil || !strings.Contains(err.Error(), block) {
		t.Errorf("a damaged block: %v", err)
	}
}

// The same command, typed twice, does not mix its blocks.
func TestOneAtATime(t *testing.T) {
	opt := Options{Dir: t.TempDir()}
	tried := false
	opt.Execute = func(ctx context.Context, _ Trial) (run.Run, error) {
		if !tried {
			tried = true
			if _, err := Run(ctx, testPlan(), opt); !errors.Is(err, files.ErrBusy) {
				t.Errorf("a second experiment in the folder: %v", err)
			}
		}
		return steady(30, 0.1), nil
	}
	if _, err := Run(t.Context(), testPlan(), opt); err != nil || !tried {
		t.Fatalf("error %v", err)
	}
}

func TestBudget(t *testing.T) {
	now := time.Unix(0, 0)
	plan := testPlan()
	plan.Budget, plan.Calibration = 10*time.Minute, 0
	got, err := Run(context.Background(), plan, Options{
		Now: func() time.Time { return now },
		Execute: func(context.Context, Trial) (run.Run, error) {
			now = now.Add(2 * time.Minute)
			return steady(30, 0.1), nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got.Verdict != Inconclusive || got.Pairs != 3 || !slices.ContainsFunc(got.Warnings, func(w string) bool { return strings.Contains(w, "used up after 3 of 6 pairs") }) {
		t.Errorf("%s with %d pairs: %v", got.Verdict, got.Pairs, got.Warnings)
	}
}

func TestPrograms(t *testing.T) {
	good := func() run.Run { return steady(30, 0.1) }
	for _, test := range []struct {
		name          string
		before, after func() run.Run
		change        func(*Plan)
		verdict       Verdict
		cause         Cause
		blamed        Side
		reason        string
		gate          GateOutcome
	}{
		{"faster", good, func() run.Run { return steady(30, 0.05) }, nil, Faster, "", "", "50.0% less time", GatePassed},
		{"slower", good, func() run.Run { return steady(30, 0.12) }, nil, Slower, "", "", "20.0% more time", GateFailed},
		{"slower within the gate", good, func() run.Run { return steady(30, 0.103) }, nil, Slower, "", "", "3.0% more time", GatePassed},
		{"same", good, good, nil, TheSame, "", "", "within ±1%", GatePassed},
		{"too few pairs", good, func() run.Run { return steady(30, 0.05) }, func(p *Plan) { p.Pairs = 5 }, Inconclusive, "", "", "fewer than 6 pairs", GatePassed},
		{"two pairs", good, func() run.Run { return steady(30, 0.05) }, func(p *Plan) { p.Pairs = 2 }, Inconclusive, "", "", "fewer than 6 pairs", GateUndecided},
		{"crash", good, func() run.Run {
			r, code := steady(12, 0.1), 1
			r.ExitCode, r.Notes = &code, []string{"CUDA out of memory"}
			return r
		}, nil, Invalid, ByProgram, After, "after (new) failed with exit code 1 after 12 steps: CUDA out of memory", GateFailed},
		{"crash of the baseline", func() run.Run {
			r, code := steady(0, 0.1), 2
			r.ExitCode = &code
			return r
		}, good, nil, Invalid, ByProgram, Before, "before (old) failed with exit code 2 after 0 steps", GateUndecided},
		{"a crash behind the last step that was asked for", good, func() run.Run {
			r, code := steady(30, 0.1), 1
			r.ExitCode = &code
			return r
		}, nil, TheSame, "", "", "", GatePassed},
		{"no steps", good, func() run.Run { return steady(0, 0.1) }, nil, Invalid, ByProgram, After, "ran no training step", GateFailed},
		{"fewer steps", good, func() run.Run { return steady(15, 0.1) }, nil, Invalid, ByWork, After, "30 steps before, 15 after", GateFailed},
		{"not a number", good, func() run.Run {
			r := steady(30, 0.05)
			*r.Steps[17].Loss = stat.Number(math.NaN())
			return r
		}, nil, Invalid, ByAccuracy, After, "the loss after the change is NaN at step 17", GateFailed},
		{"not a number before", func() run.Run {
			r := steady(30, 0.05)
			*r.Steps[2].Loss = stat.Number(math.Inf(1))
			return r
		}, good, nil, Invalid, ByAccuracy, Before, "the loss before the change is +Inf at step 2", GateUndecided},
		{"not a number, unchecked", good, func() run.Run {
			r := steady(30, 0.05)
			*r.Steps[17].Loss = stat.Number(math.NaN())
			return r
		}, func(p *Plan) { p.Numerics = Unchecked }, Faster, "", "", "", GatePassed},
		{"slow checkpoints", func() run.Run {
			return steady(30, 0.1)
		}, func() run.Run {
			r := steady(30, 0.09)
			r.Steps[20].Seconds, r.Steps[20].Tags = 3, []string{"checkpoint"}
			return r
		}, nil, Inconclusive, "", "", "all steps together", GatePassed},
	} {
		t.Run(test.name, func(t *testing.T) {
			plan := testPlan()
			if test.change != nil {
				test.change(&plan)
			}
			got, err := Run(context.Background(), plan, Options{Execute: bySide(test.before, test.after)})
			if err != nil {
				t.Fatal(err)
			}
			if got.Verdict != test.verdict || got.Cause != test.cause || got.Blamed != test.blamed || !strings.Contains(got.Reason, test.reason) {
				t.Errorf("%s, %q of %q: %s", got.Verdict, got.Cause, got.Blamed, got.Reason)
			}
			if gate := got.Gate(0.05); gate != test.gate {
				t.Errorf("gate %v, want %v", gate, test.gate)
			}
		})
	}
}

// A loader with eight workers gives seven quick steps and a slow one: the slow ones count.
func TestRareSlowStepsCount(t *testing.T) {
	uneven := func(slow float64) func() run.Run {
		return func() run.Run {
			r := steady(50, 0.01)
			for i := range r.Steps {
				if i%8 == 7 {
					r.Steps[i].Seconds = slow
				}
			}
			return r
		}
	}
	got, err := Run(context.Background(), testPlan(), Options{Execute: bySide(uneven(0.2), uneven(0.1))})
	if err != nil {
		t.Fatal(err)
	}
	if got.Verdict != Faster || got.Ratio > 0.75 {
		t.Errorf("%s, ratio %.2f: %s", got.Verdict, got.Ratio, got.Reason)
	}
}

func TestHang(t *testing.T) {
	plan := testPlan()
	plan.Timeout = 20 * time.Millisecond
	got, err := Run(context.Background(), plan, Options{Execute: func(ctx context.Context, tr Trial) (run.Run, error) {
		if tr.Side == After {
			<-ctx.Done()
			return steady(4, 0.1), nil
		}
		return steady(30, 0.1), nil
	}})
	if err != nil || got.Verdict != Invalid || !strings.Contains(got.Reason, "was stopped after 20ms and 4 steps") {
		t.Errorf("%v, %s: %s", err, got.Verdict, got.Reason)
	}
}

func TestBadPlans(t *testing.T) {
	for _, test := range []struct {
		change func(*Plan)
		want   string
	}{
		{func(p *Plan) { p.After.Command = nil }, "command is missing"},
		{func(p *Plan) { p.Pairs = -1 }, "--pairs must be 1 to 1000"},
		{func(p *Plan) { p.Steps = 5 }, "--steps must be at least 10, not 5"},
		{func(p *Plan) { p.Threshold = 1.5 }, "between 0% and 100%"},
		{func(p *Plan) { p.Measure = "epoch" }, "use step or sample"},
		{func(p *Plan) { p.Numerics = "bf16" }, "same, changed or unchecked"},
	} {
		plan := testPlan()
		test.change(&plan)
		if _, err := Run(context.Background(), plan, Options{}); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %q", err, test.want)
		}
	}
	if _, err := Run(context.Background(), testPlan(), Options{Execute: func(context.Context, Trial) (run.Run, error) {
		return run.Run{}, errors.New("no such program")
	}}); err == nil || !strings.Contains(err.Error(), "no such program") {
		t.Errorf("a program that cannot be run: %v", err)
	}
}
