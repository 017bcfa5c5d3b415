package optimize

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"saturate/internal/run"
	"saturate/internal/verify"
)

// A program that will not start where its checkpoints are runs in a copy without them, for each measurement; what repairs brought stays.
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
	if !slices.Contains(result.Notes, tidied) {
		t.Errorf("notes %q", result.Notes)
	}
	if _, err := os.Stat(filepath.Join(o.Dir, "checkpoints")); err == nil {
		t.Error("and the user's folder has them")
	}
}
