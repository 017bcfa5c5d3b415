package verify

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

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
