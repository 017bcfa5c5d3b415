package verify

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"saturate/internal/device"
	"saturate/internal/run"
)

// together are experiments against one baseline on a machine that gets slower with every run.
func together(t *testing.T) (parts []Part, execute Execute, runs map[string]int) {
	dir := t.TempDir()
	for _, name := range []string{"faster", "crashing", "same"} {
		plan := testPlan()
		plan.Calibration, plan.After = 0, Variant{Name: name, Command: []string{name}}
		parts = append(parts, Part{Plan: plan, Dir: filepath.Join(dir, name)})
	}
	factor, slower := map[string]float64{"faster": 0.8, "a": 1, "same": 1}, 1.0
	runs = map[string]int{}
	return parts, func(_ context.Context, trial Trial) (run.Run, error) {
		name := trial.Command[0]
		runs[name]++
		slower *= 1.01
		if name == "crashing" {
			code := 1
			return run.Run{ExitCode: &code}, nil
		}
		return steady(trial.Steps, factor[name]*slower), nil
	}, runs
}

func TestTogether(t *testing.T) {
	parts, execute, runs := together(t)
	results, err := Together(context.Background(), parts, Options{Execute: execute})
	if err != nil {
		t.Fatal(err)
	}
	if runs["a"] != 6 || runs["faster"] != 6 || runs["same"] != 6 || runs["crashing"] != 1 {
		t.Errorf("runs %v: want the baseline once in each of 6 rounds, and what crashes once", runs)
	}
	if r := results[0]; r.Verdict != Faster || r.Pairs != 6 {
		t.Errorf("faster: %s with %d pairs: %s", r.Verdict, r.Pairs, r.Reason)
	}
	if r := results[1]; r.Verdict != Invalid || r.Cause != ByProgram || r.Blamed != After {
		t.Errorf("crashing: %s, %s, blamed on %s", r.Verdict, r.Cause, r.Blamed)
	}
	if r := results[2]; r.Verdict == Faster || r.Verdict == Slower {
		t.Errorf("same: %s on a machine that gets slower: %s", r.Verdict, r.Reason)
	}
	for _, r := range []Result{results[0], results[2]} {
		first := 0
		for _, b := range r.Blocks {
			first += b.Order[0]
		}
		if first != 3 {
			t.Errorf("%s runs first in %d of 6 rounds", r.Plan.After.Name, first)
		}
	}
}

func TestTogetherGoesOn(t *testing.T) {
	parts, execute, runs := together(t)
	ctx, cancel := context.WithCancel(context.Background())
	_, err := Together(ctx, parts, Options{Execute: func(c context.Context, trial Trial) (run.Run, error) {
		if runs["a"] == 3 {
			cancel()
		}
		return execute(c, trial)
	}})
	if stopped := new(Stopped); !errors.As(err, &stopped) || stopped.Done < 2 {
		t.Fatalf("error %v, want it stopped after two rounds or more", err)
	}
	results, err := Together(context.Background(), parts, Options{Execute: execute})
	if err != nil {
		t.Fatal(err)
	}
	if runs["a"] > 8 || results[0].Verdict != Faster || results[0].Pairs != 6 {
		t.Errorf("%d runs of the baseline, %s with %d pairs", runs["a"], results[0].Verdict, results[0].Pairs)
	}
	other := parts[0]
	other.Plan.Pairs = 7
	if _, err := Together(context.Background(), []Part{parts[1], other}, Options{Execute: execute}); err == nil {
		t.Error("experiments of different lengths were carried out together")
	}
}

// TestTogetherNeverComparesARunWithItself: a candidate that is nothing else than the baseline gets runs of its own.
func TestTogetherNeverComparesARunWithItself(t *testing.T) {
	parts, execute, runs := together(t)
	parts[2].Plan.After = parts[2].Plan.Before
	results, err := Together(context.Background(), []Part{parts[0], parts[2]}, Options{Execute: execute})
	if err != nil {
		t.Fatal(err)
	}
	if runs["a"] != 12 || runs["faster"] != 6 {
		t.Errorf("runs %v: want the baseline twice in each of 6 rounds", runs)
	}
	for _, b := range results[1].Blocks {
		if b.Outcomes[0].Steps[5].Seconds == b.Outcomes[1].Steps[5].Seconds {
			t.Fatalf("block %d holds one run twice", b.Number)
		}
	}
}

// TestTogetherWithoutABaseline: when the baseline fails, nobody waits for candidates that have nothing to be compared
// with.
func TestTogetherWithoutABaseline(t *testing.T) {
	parts, execute, runs := together(t)
	order := arrangement(parts[0].Plan.Seed, 0, 1+len(parts))
	results, err := Together(context.Background(), parts, Options{Execute: func(ctx context.Context, trial Trial) (run.Run, error) {
		r, err := execute(ctx, trial)
		if code := 3; trial.Side == Before {
			r = run.Run{ExitCode: &code}
		}
		return r, err
	}})
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, n := range runs {
		total += n
	}
	if want := 1 + slices.Index(order, 0); total != want {
		t.Errorf("%d runs, want none after that of the baseline, the %d.", total, want)
	}
	for _, r := range results {
		if crashed := r.Plan.After.Name == "crashing" && runs["crashing"] > 0; r.Cause != ByProgram || (r.Blamed == Before) == crashed {
			t.Errorf("%s: %s, blamed on %s: %s", r.Plan.After.Name, r.Cause, r.Blamed, r.Reason)
		}
	}
}

// TestTogetherRepeatsWhatWasSpoilt: a disturbed run of a candidate costs its own experiment a repetition, and no other.
func TestTogetherRepeatsWhatWasSpoilt(t *testing.T) {
	parts, execute, runs := together(t)
	parts = []Part{parts[0], parts[2]}
	running, told := "", 0
	results, err := Together(context.Background(), parts, Options{
		Execute: func(ctx context.Context, trial Trial) (run.Run, error) {
			running = trial.Command[0]
			return execute(ctx, trial)
		},
		watch: func(context.Context, device.System) func(run.Run) Conditions {
			return func(run.Run) (c Conditions) {
				if running == "same" && runs["same"] <= 2 {
					c.Problems = []string{"it was throttled"}
				}
				return c
			}
		},
		Tell: func(e Event) {
			if e.Problem != "" {
				told++
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if runs["faster"] != 6 || runs["same"] != 8 || runs["a"] != 8 || told != 2 {
		t.Errorf("runs %v, %d problems told; want two repetitions of one experiment", runs, told)
	}
	for _, r := range results {
		if r.Pairs != 6 {
			t.Errorf("%s: %d pairs", r.Plan.After.Name, r.Pairs)
		}
	}
}

// TestTogetherAfterAKill: one experiment has kept its block of a round, another not yet.
func TestTogetherAfterAKill(t *testing.T) {
	parts, execute, runs := together(t)
	parts = []Part{parts[0], parts[2]}
	if _, err := Together(context.Background(), parts, Options{Execute: execute}); err != nil {
		t.Fatal(err)
	}
	for _, block := range []string{"004-0.json", "005-0.json"} {
		if err := os.Remove(filepath.Join(parts[1].Dir, blocksName, block)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(filepath.Join(parts[0].Dir, blocksName, "005-0.json")); err != nil {
		t.Fatal(err)
	}
	clear(runs)
	for i := range parts {
		parts[i].Plan.Budget = 1
	}
	now := time.Unix(0, 0)
	opt := Options{Execute: execute, Now: func() time.Time { now = now.Add(1); return now }}
	results, err := Together(context.Background(), parts, opt) // enough for one round: the fifth, of one experiment
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{5, 5} {
		if r := results[i]; r.Pairs != want || !strings.Contains(strings.Join(r.Warnings, " "), "budget") {
			t.Errorf("%s: %d pairs, want %d, and that the budget was used up: %q", r.Plan.After.Name, r.Pairs, want, r.Warnings)
		}
	}
	if runs["faster"] != 0 || runs["same"] != 1 || runs["a"] != 1 {
		t.Errorf("runs %v: want those of the block that is missing", runs)
	}
	opt.Now, parts[0].Plan.Budget, parts[1].Plan.Budget = nil, 0, 0
	if results, err = Together(context.Background(), parts, opt); err != nil || results[0].Pairs != 6 || results[1].Pairs != 6 || runs["a"] != 2 {
		t.Errorf("runs %v, error %v", runs, err)
	}
}

func TestTogetherNeedsOneDesign(t *testing.T) {
	for name, change := range map[string]func(*Plan){
		"seed":        func(p *Plan) { p.Seed++ },
		"steps":       func(p *Plan) { p.Steps++ },
		"pairs":       func(p *Plan) { p.Pairs++ },
		"timeout":     func(p *Plan) { p.Timeout = time.Second },
		"calibration": func(p *Plan) { p.Calibration = 1 },
	} {
		parts, execute, runs := together(t)
		change(&parts[1].Plan)
		_, err := Together(context.Background(), parts, Options{Execute: execute})
		if _, made := os.Stat(parts[0].Dir); err == nil || len(runs) > 0 || made == nil {
			t.Errorf("%s: error %v, runs %v, a folder was begun: %v", name, err, runs, made == nil)
		}
	}
}
