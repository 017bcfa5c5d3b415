package optimize

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"saturate/internal/device"
)

// TestAA climbs the ladder with programs whose repairs change nothing. What is kept there is noise: by the rule of
// keep.go at most one rung in a thousand. SATURATE_AA names a file for the raw results.
func TestAA(t *testing.T) {
	python := os.Getenv("SATURATE_TEST_PYTHON")
	if python == "" || os.Getenv("SATURATE_ACCEPT") == "" {
		t.Skip("twenty ladders with real programs: set SATURATE_ACCEPT=1 and SATURATE_TEST_PYTHON")
	}
	source, err := filepath.Abs("testdata/useless")
	if err != nil {
		t.Fatal(err)
	}
	ladders, rungs, kept := 0, 0, 0
	for _, work := range []string{"sleep", "layout", "compute", "memory", "python"} {
		for try := range 4 {
			t.Run(fmt.Sprintf("%s/%d", work, try), func(t *testing.T) {
				o := inForks(t, Options{
					Dir: source, Command: []string{python, "train.py", work}, State: filepath.Join(t.TempDir(), "state"),
					Steps: 40, Pairs: 1, Timeout: time.Minute, System: device.Host{}, // which notices when others disturb it
				})
				o.Profile = newWorld(1).profile // a GPU that computes half of the time, so that every repair is tried
				result, err := Run(t.Context(), o)
				if err != nil {
					t.Fatal(err)
				}
				if n := o.Forked(); n == 0 {
					t.Error("no run was forked")
				}
				ladders++
				for _, r := range result.Ladder {
					switch r.Decision {
					case Kept, Superseded:
						kept++
						rungs++
					case Useless, Harmful:
						rungs++
					case NotNeeded:
					default:
						t.Errorf("%s is %s: %s", r.ID, r.Decision, r.Because)
					}
					t.Logf("%s %s: ratio %.4f in %d pairs: %s", r.ID, r.Decision, r.Ratio, r.Pairs, r.Because)
				}
				record(t, map[string]any{"work": work, "try": try, "ladder": result.Ladder})
			})
		}
	}
	t.Logf("%d of %d rungs kept in %d ladders", kept, rungs, ladders)
	if kept > 1 { // of 160 rungs with 0.1% each, two come in one case of a hundred
		t.Errorf("%d of %d rungs kept", kept, rungs)
	}
}

func record(t *testing.T, what any) {
	t.Helper()
	path := os.Getenv("SATURATE_AA")
	if path == "" {
		return
	}
	line, err := json.Marshal(what)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(append(line, '\n')); err != nil {
		t.Fatal(err)
	}
}
