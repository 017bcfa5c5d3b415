package optimize

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"saturate/internal/run"
	"saturate/internal/verify"
)

// filesIn are the names of all files below a folder.
func filesIn(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if name, _ := filepath.Rel(dir, path); err == nil && !d.IsDir() {
			names = append(names, filepath.ToSlash(name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// treesOf are the copies that a protocol has left.
func treesOf(o Options) []string {
	var names []string
	entries, _ := os.ReadDir(filepath.Join(o.State, "trees"))
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// A copy of the project holds nothing that saturate has put into it, wherever that is; what else lies there is the
// user's.
func TestCopiesHoldNoCopies(t *testing.T) {
	o := newWorld(1).options(t)
	o.PlanOnly = true
	o.State = filepath.Join(o.Dir, "work") // as by --state
	if _, err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	recorder, err := run.Create(filepath.Join(o.Dir, "runs"), "train", run.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := recorder.Finish(0); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"runs/.optimize-1f2e3d4c/trees/base/job/train.py": "ours",
		"out/.verify-1f2e3d4c/variants/before/train.py":   "ours",
		"runs/exp/last.pt":          "a checkpoint",
		"data/state.json":           `{"_data_files": []}`,
		"records/run.json":          `{"run": 1}`,
		"work/trees/x/job/train.py": "ours",
	} {
		path := filepath.Join(o.Dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	parent := filepath.Join(t.TempDir(), "copy")
	if _, err := plant(o.Dir, parent, t.TempDir()); err != nil {
		t.Fatal(err)
	}
	got := filesIn(t, filepath.Join(parent, "job"))
	if fmt.Sprint(got) != "[data/state.json data.py records/run.json runs/.gitignore runs/exp/last.pt train.py]" {
		t.Errorf("the copy holds %v", got)
	}
	// Nor do such copies make another project of it: the same command goes on.
	o.State = filepath.Join(o.Dir, "work")
	if _, err := Run(t.Context(), o); err != nil {
		t.Error(err)
	}
}

// Only the trees that something needs are there, on the way and at the end.
func TestTreesThatAreLeft(t *testing.T) {
	loader := effect{shows: "num_workers", seconds: 0.5, loss: 1}
	for _, tt := range []struct {
		name    string
		effects []effect
		plan    bool
		want    int
	}{
		{"a plan", nil, true, 0},
		{"nothing kept", nil, false, 0},
		{"a repair kept", []effect{loader, {shows: "fused=True", seconds: 1.2, loss: 1}, {shows: ".compile(", crash: true}}, false, 1},
		{"several, one superseded", []effect{loader, {shows: ".compile(", seconds: 0.8, loss: 1}, {shows: "reduce-overhead", seconds: 0.5, loss: 1}}, false, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(1, tt.effects...)
			o := w.options(t)
			o.PlanOnly = tt.plan
			o.Execute = func(ctx context.Context, trial verify.Trial) (run.Run, error) {
				// The project, the best, the one that it was made from, and the one that is tried.
				if trees := treesOf(o); len(trees) > 4 {
					t.Errorf("%v while %s is measured", trees, trial.Dir)
				}
				return w.execute(ctx, trial)
			}
			first, err := Run(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			if trees := treesOf(o); len(trees) != tt.want || slices.Contains(trees, baseTree) {
				t.Fatalf("left: %v", trees)
			}
			// The same command says the same without another run, and leaves no more.
			ran := len(w.ran)
			again, err := Run(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			if len(w.ran) != ran || again.Diff != first.Diff || fmt.Sprint(decisions(again)) != fmt.Sprint(decisions(first)) || len(treesOf(o)) != tt.want {
				t.Errorf("%d more runs, decisions %v, left %v", len(w.ran)-ran, decisions(again), treesOf(o))
			}
			if (again.Final == nil) != (first.Final == nil) || first.Final != nil && first.Final.Ratio != again.Final.Ratio {
				t.Errorf("proof %v, then %v", first.Final, again.Final)
			}
			// More pairs are a proof of their own, in a fresh copy of the project.
			o.Pairs = 8
			more, err := Run(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			if tt.want > 0 && (more.Final == nil || more.Final.Pairs != 8) || tt.want == 0 && len(w.ran) != ran {
				t.Errorf("after %d more runs the proof is %v", len(w.ran)-ran, more.Final)
			}
		})
	}
}

// What is under way keeps its trees, also when only the plan is asked for meanwhile.
func TestPlanLeavesWhatIsUnderWay(t *testing.T) {
	w := newWorld(1, effect{shows: "num_workers", seconds: 0.5, loss: 1})
	o := w.options(t)
	ctx, cancel := context.WithCancel(t.Context())
	o.Execute = func(ctx context.Context, trial verify.Trial) (run.Run, error) {
		if len(w.ran) == 3 {
			cancel()
			return run.Run{}, ctx.Err()
		}
		return w.execute(ctx, trial)
	}
	if _, err := Run(ctx, o); err == nil {
		t.Fatal("it was not stopped")
	}
	o.Execute, o.PlanOnly = w.execute, true
	if _, err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if trees := treesOf(o); !slices.Contains(trees, baseTree) {
		t.Errorf("left: %v", trees)
	}
	o.PlanOnly = false
	if result, err := Run(t.Context(), o); err != nil || result.Final == nil {
		t.Errorf("it does not go on: %v", err)
	}
}

func TestStateInThePlaceOfTheProject(t *testing.T) {
	o := newWorld(1).options(t)
	o.State = o.Dir
	if _, err := Run(t.Context(), o); err == nil {
		t.Error("the project was taken for the folder of copies")
	}
	if got := filesIn(t, o.Dir); len(got) != 2 {
		t.Errorf("%v", got)
	}
}
