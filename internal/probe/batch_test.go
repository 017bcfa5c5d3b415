package probe_test

import (
	"path/filepath"
	"slices"
	"testing"

	"saturate/internal/probe"
)

// TestChangesTheBatchSize runs programs of every kind with batches of eight instead of four.
func TestChangesTheBatchSize(t *testing.T) {
	number := func(n int) *int { return &n }
	for _, tt := range []struct {
		program  string
		loader   *int
		samples  float64 // of a step
		trainer  string
		longest  bool // an evaluation follows
		stopped  bool
		obstacle string
	}{
		{program: "plain.py", loader: number(0), samples: 8},
		{program: "accelerated.py", samples: 16, trainer: "accelerate"},
		{program: "batch_lengths.py", samples: 8, longest: true},
		{program: "batch_whole.py", loader: number(0), samples: 4, obstacle: "Whole gives whole batches: the loader has batch_size=None"},
	} {
		t.Run(tt.program, func(t *testing.T) {
			t.Parallel()
			plan := probe.BatchPlan{Batch: 8, Steps: 6, Memory: 1 << 40, Loader: tt.loader, Lengths: filepath.Join(t.TempDir(), "lengths")}
			if tt.program == "accelerated.py" { // its loader is made twice: by the program, and by Accelerate
				plan.Loader = nil
			}
			variable, err := plan.Variable()
			if err != nil {
				t.Fatal(err)
			}
			out := watchCommand(t, probe.Plan{
				Command: append(forked.Command(t, python(t)), filepath.Join("testdata", "programs", tt.program), "steps=10"), Env: []string{variable, "PLANTED=" + filepath.Join(t.TempDir(), "planted")},
			})
			told := out.Trial
			if told == nil || told.Allocated == 0 || told.Total != 1<<40 {
				t.Fatalf("told %+v", told)
			}
			if tt.obstacle != "" {
				if told.Obstacle == nil || told.Obstacle.What != tt.obstacle || filepath.Base(told.Obstacle.File) != tt.program {
					t.Errorf("obstacle %+v", told.Obstacle)
				}
				return
			}
			if len(out.Run.Steps) != 6 && !(tt.loader == nil && tt.program == "accelerated.py") {
				t.Errorf("%d steps, want 6", len(out.Run.Steps))
			}
			if tt.program != "accelerated.py" {
				for _, s := range out.Run.Steps {
					if s.Samples != tt.samples {
						t.Errorf("step %d has %v samples, want %v", s.Index, s.Samples, tt.samples)
					}
				}
			}
			if told.Trainer != tt.trainer {
				t.Errorf("trainer %q", told.Trainer)
			}
			if tt.longest {
				first := out.Run.Steps[0].Elements / out.Run.Steps[0].Samples
				if most := out.Run.Steps[3].Elements / out.Run.Steps[3].Samples; most != 65 || first >= most {
					t.Errorf("the longest has %v numbers, the first %v", most, first)
				}
				if !told.Lengths.Varies || told.Lengths.Seen != 64 || told.Lengths.Quantile() != 1 {
					t.Errorf("lengths %+v", told.Lengths)
				}
				if !slices.ContainsFunc(told.Phases, func(p probe.Phase) bool { return p.Name == "evaluation" }) {
					t.Errorf("phases %+v", told.Phases)
				}
			}
		})
	}
}

func TestStretch(t *testing.T) {
	for _, c := range []struct {
		of   probe.Lengths
		want float64
	}{
		{probe.Lengths{Seen: 100, Samples: 100, Varies: true, Longest: 10, Tail: 1}, 1},
		{probe.Lengths{Seen: 100, Samples: 1000, Longest: 10, Tail: 1}, 1},
		{probe.Lengths{Seen: 100, Samples: 27183, Varies: true, Longest: 10, Tail: 1}, 1.86},
	} {
		if got := c.of.Stretch(); got < c.want-0.01 || got > c.want+0.01 {
			t.Errorf("%+v: %v, want %v", c.of, got, c.want)
		}
	}
}
