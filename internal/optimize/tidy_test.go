package optimize

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"saturate/internal/probe"
	"saturate/internal/run"
	"saturate/internal/verify"
)

// A program that will not start where its checkpoints are runs in a copy without them, for each measurement; what
// repairs brought stays.
func TestProgramThatRefusesToStartAgain(t *testing.T) {
	w := newWorld(1, effect{shows: "num_workers", seconds: 0.5, loss: 1})
	o := w.options(t)
	execute, failed := o.Execute, 1
	o.Execute = func(ctx context.Context, trial verify.Trial) (run.Run, error) {
		if err := os.Mkdir(filepath.Join(trial.Dir, "checkpoints"), 0o755); err != nil {
			return run.Run{ExitCode: &failed, Notes: []string{"checkpoints is there already"}}, nil
		}
		if err := os.WriteFile(filepath.Join(trial.Dir, "checkpoints/last.pt"), nil, 0o644); err != nil {
			return run.Run{}, err
		}
		return execute(ctx, trial)
	}
	result, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if got := decisions(result); got["loader"] != Kept || result.Final == nil || result.Final.Verdict != verify.Faster {
		t.Errorf("decisions %v, proof %v", got, result.Final)
	}
	if _, err := os.Stat(filepath.Join(o.Dir, "checkpoints")); err == nil {
		t.Error("and the user's folder has them")
	}
}

// A repair that only works on what an earlier run left behind fails in the ladder, for each run starts from the project
// as the user has it; and a file of the project that a run has overwritten is the user's again.
func TestRunsStartClean(t *testing.T) {
	w := newWorld(1, effect{shows: "num_workers", seconds: 0.5, loss: 1})
	o := w.options(t)
	if err := os.WriteFile(filepath.Join(o.Dir, "counts.txt"), []byte("0"), 0o644); err != nil {
		t.Fatal(err)
	}
	execute, runs := o.Execute, 0
	o.Execute = func(ctx context.Context, trial verify.Trial) (run.Run, error) {
		runs++
		counts := filepath.Join(trial.Dir, "counts.txt")
		if text, err := os.ReadFile(counts); err != nil || string(text) != "0" {
			t.Errorf("run %d: counts.txt is %q, %v", runs, text, err)
		}
		if _, err := os.Stat(filepath.Join(trial.Dir, "cache/features.npy")); err == nil {
			t.Errorf("run %d finds what another has left", runs)
		}
		err := errors.Join(os.WriteFile(counts, []byte("1"), 0o644), os.MkdirAll(filepath.Join(trial.Dir, "cache"), 0o755),
			os.WriteFile(filepath.Join(trial.Dir, "cache/features.npy"), nil, 0o644))
		if err != nil {
			return run.Run{}, err
		}
		return execute(ctx, trial)
	}
	if _, err := Run(t.Context(), o); err != nil || runs < 6 {
		t.Fatalf("%d runs, %v", runs, err)
	}
}

// TestOwnLog: many programs write over files of their own project, such as results and copies of their sources. That
// changes nothing about what is measured.
func TestOwnLog(t *testing.T) {
	w := newWorld(1, effect{shows: "num_workers", seconds: 0.5, loss: 1})
	o := w.options(t)
	write := func(dir, name, text string) error {
		path := filepath.Join(dir, name)
		return errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644))
	}
	if err := errors.Join(write(o.Dir, "results.json", "{}"), write(o.Dir, "log/old/train.py", "pass")); err != nil {
		t.Fatal(err)
	}
	runs := 0
	logs := func(dir string) error {
		runs++
		source, err := os.ReadFile(filepath.Join(dir, "train.py"))
		return errors.Join(err, write(dir, "results.json", fmt.Sprint(runs)), write(dir, "log/old/train.py", string(source)), write(dir, "log/new/train.py", string(source)))
	}
	execute, profile := o.Execute, o.Profile
	o.Execute = func(ctx context.Context, t verify.Trial) (run.Run, error) {
		return first(logs(t.Dir), func() (run.Run, error) { return execute(ctx, t) })
	}
	o.Profile = func(ctx context.Context, home probe.Home, command []string, steps int, scratch string) (Profiled, error) {
		return first(logs(home.Root), func() (Profiled, error) { return profile(ctx, home, command, steps, scratch) })
	}
	r, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if decisions(r)["loader"] != Kept || r.Final == nil || r.Final.Verdict != verify.Faster {
		t.Errorf("%v, %+v", decisions(r), r.Final)
	}
	if strings.Contains(r.Diff, "log/") || strings.Contains(r.Diff, "results.json") {
		t.Errorf("the patch holds what the program wrote:\n%s", r.Diff)
	}
	if text, err := os.ReadFile(filepath.Join(o.Dir, "results.json")); err != nil || string(text) != "{}" {
		t.Errorf("the user's own file: %q, %v", text, err)
	}
}

func first[T any](err error, then func() (T, error)) (none T, _ error) {
	if err != nil {
		return none, err
	}
	return then()
}
