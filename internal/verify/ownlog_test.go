//go:build unix

package verify

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

// A program that a signal ends is told as a shell tells it, with the steps that it wrote.
func TestOwnLogOfAKilledProgram(t *testing.T) {
	scratch := t.TempDir()
	script := `i=1; while [ $i -le 3 ]; do echo "{\"step\": $i, \"s\": 0.1}" >>"$0"; i=$((i+1)); done; echo dying; kill -SEGV $$`
	trial := Trial{Name: "x", Side: After, Dir: scratch, Command: []string{"sh", "-c", script, "{steps}"}, Scratch: scratch}
	r, err := Programs(os.Environ())(context.Background(), trial)
	if err != nil || *r.ExitCode != 128+11 || len(r.Steps) != 3 {
		t.Fatalf("%d steps, exit %d, %v", len(r.Steps), *r.ExitCode, err)
	}
	if got, want := failure(r, trial), "failed with exit code 139 (segmentation fault) after 3 steps: dying"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	trial.Scratch = filepath.Join(scratch, "none")
	if err := os.Mkdir(trial.Scratch, 0o755); err != nil {
		t.Fatal(err)
	}
	if r, err := Programs(os.Environ())(cancelled, trial); err != nil || *r.ExitCode == 0 || len(r.Steps) != 0 {
		t.Errorf("a program that was never started: %+v, %v", r, err)
	}
}
