package optimize

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"saturate/internal/rule"
)

// The planted repairs of TestPlantedRepairs, in a real program: slower, crashing, diverging, hanging. Each is dropped
// with its reason, ten times out of ten, and no patch is left.
func TestMischief(t *testing.T) {
	if os.Getenv("SATURATE_ACCEPT") == "" {
		t.Skip("ten protocols with real programs: set SATURATE_ACCEPT=1")
	}
	python := os.Getenv("SATURATE_TEST_PYTHON")
	if python == "" {
		t.Skip("SATURATE_TEST_PYTHON is not set")
	}
	source, err := filepath.Abs("testdata/mischief")
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(1)
	for trial := range 10 {
		o := inForks(t, Options{
			Dir: source, Command: []string{python, "train.py"}, State: filepath.Join(t.TempDir(), "state"),
			Steps: 20, Quick: true, Pairs: 1, Timeout: 20 * time.Second, Rules: rule.Selection{Select: []string{"SAT201", "SAT401", "SAT406", "SAT411"}},
		})
		o.Profile, o.Look = w.profile, nil // a GPU that computes half of the time, so that every repair is tried
		result, err := Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]Rung{}
		for _, rung := range result.Ladder {
			got[rung.ID] = rung
		}
		for id, want := range map[string]struct {
			Decision
			because string
		}{
			"loader": {Harmful, "slower in"}, "SAT406": {Broken, "planted at step 7"}, "SAT401": {Wrong, "loss"}, "SAT411": {Broken, "it hangs"},
		} {
			if r := got[id]; r.Decision != want.Decision || !strings.Contains(r.Because, want.because) {
				t.Errorf("trial %d: %s is %q because %q, want %q", trial, id, r.Decision, r.Because, want.Decision)
			}
		}
		if result.Final != nil || result.Diff != "" {
			t.Errorf("trial %d: a patch of bad repairs:\n%s", trial, result.Diff)
		}
		t.Logf("trial %d: %v", trial, decisions(result))
	}
}

// A repair with which the program hangs is ended and dropped, and the ladder goes on.
func TestRepairThatHangs(t *testing.T) {
	w := newWorld(1, effect{shows: "num_workers", seconds: 0.5, loss: 1}, effect{shows: ".compile(", hang: true})
	o := w.options(t)
	o.Timeout = time.Second
	result, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range result.Ladder {
		if hung := strings.HasPrefix(r.ID, "SAT411"); hung && (r.Decision != Broken || !strings.Contains(r.Because, "it hangs")) {
			t.Errorf("%s is %q because %q", r.ID, r.Decision, r.Because)
		}
	}
	if result.Final == nil || strings.Contains(result.Diff, "compile") {
		t.Errorf("the patch:\n%s", result.Diff)
	}
}

// A bolder repair of the same finding takes the place of the one that was kept before it.
func TestSuperseded(t *testing.T) {
	w := newWorld(1, effect{shows: "autocast", seconds: 0.8, loss: 1}, effect{shows: "GradScaler", seconds: 0.5, loss: 1})
	o := w.options(t)
	result, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	got := decisions(result)
	if got["SAT401"] != Superseded || got["SAT401/2"] != Kept {
		t.Fatalf("decisions %v", got)
	}
	if !strings.Contains(result.Diff, "GradScaler") || strings.Contains(result.Diff, "bfloat16") {
		t.Errorf("the patch:\n%s", result.Diff)
	}
	again, err := Run(t.Context(), o)
	if err != nil || again.Diff != result.Diff {
		t.Errorf("resumed to another end: %v", err)
	}
}

// On a full disk nothing is decided about the repair at hand; with room again, the same call goes on.
func TestFullDisk(t *testing.T) {
	w := newWorld(1, effect{shows: "num_workers", seconds: 0.5, loss: 1}, effect{shows: "fused=True", seconds: 0.8, loss: 1})
	o := w.options(t)
	disk := smallDisk(t, "2m")
	o.State = filepath.Join(disk, "state")
	filler := filepath.Join(disk, "filler")
	told := o.Tell
	o.Tell = func(e Event) {
		if told != nil {
			told(e)
		}
		if e.Rung != nil { // right after the first decision the disk runs full
			_ = os.WriteFile(filler, make([]byte, 4<<20), 0o644)
		}
	}
	result, err := Run(t.Context(), o)
	if !isFull(err) || !strings.Contains(err.Error(), "free disk space") {
		t.Fatalf("error %v", err)
	}
	if len(result.Ladder) != 1 {
		t.Errorf("decided on a full disk: %v", decisions(result))
	}
	o.Tell = nil
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	if result, err = Run(t.Context(), o); err != nil || result.Final == nil {
		t.Fatalf("it did not go on: %v", err)
	}
}

// A program that finds no room is not a bad repair either.
func TestProgramOnFullDisk(t *testing.T) {
	w := newWorld(1, effect{shows: "num_workers", says: "OSError: [Errno 28] No space left on device", crash: true})
	o := w.options(t)
	result, err := Run(t.Context(), o)
	if !isFull(err) || len(result.Ladder) != 0 {
		t.Fatalf("error %v, decisions %v", err, decisions(result))
	}
	w.effects = []effect{{shows: "num_workers", seconds: 0.5, loss: 1}}
	if result, err = Run(t.Context(), o); err != nil || result.Final == nil {
		t.Fatalf("it did not go on: %v", err)
	}
}

// A program that the user stopped was not too slow.
func TestStoppedByTheUser(t *testing.T) {
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	if err := ended(stopped, 3, "none"); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
