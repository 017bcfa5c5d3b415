package probe_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"saturate/internal/probe"
	"saturate/internal/run"
)

// TestFindsStepsAndPlantedTime runs a small program of every kind. Each sleeps in places that it is told
// and writes down how long; the probe has to count the steps exactly and find the sleep where it was.
func TestFindsStepsAndPlantedTime(t *testing.T) {
	const steps = "steps=10"
	all := []string{steps, "data=.06", "forward=.06", "backward=.06", "optimizer=.06", "between=.2"}
	tests := []struct {
		program   string
		args      []string
		launcher  []string
		inference bool
		micro     int
		samples   float64
		trace     *probe.Schedule
		parts     map[string][]string // what was planted, and the parts that hold it, where they differ
	}{
		{program: "plain.py", args: all, samples: 4},
		{program: "trainer.py", args: all, samples: 4},
		{program: "lightning_fit.py", args: all, samples: 4},
		{program: "accelerated.py", args: all, micro: 2, samples: 8},
		{program: "ranks.py", args: all, samples: 4, launcher: []string{"-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"}},
		{program: "jax_loop.py", trace: &probe.Schedule{Wait: 1, Active: 2, Unit: "step"}, args: []string{steps, "forward=.1", "between=.1"}, parts: map[string][]string{"forward": {"jit", "wait"}}},
		{program: "inference.py", args: []string{steps, "forward=.1", "between=.1"}, inference: true, samples: 4},
	}
	for _, tt := range tests {
		t.Run(tt.program, func(t *testing.T) {
			t.Parallel()
			planted := filepath.Join(t.TempDir(), "planted")
			command := append([]string{python(t)}, tt.launcher...)
			out := watchCommand(t, probe.Plan{
				Loss: true, Trace: tt.trace, Env: []string{"PLANTED=" + planted},
				Command: append(append(command, filepath.Join("testdata", "programs", tt.program)), tt.args...),
			})
			if len(out.Run.Steps) != 10 {
				t.Fatalf("%d steps, want 10", len(out.Run.Steps))
			}
			if out.Inference != tt.inference {
				t.Errorf("inference is %v", out.Inference)
			}
			if out.Run.Environment.Versions["torch"] == "" {
				t.Errorf("versions are %v, want torch's among them", out.Run.Environment.Versions)
			}
			for i, s := range out.Run.Steps {
				if s.Index != i+1 || s.Samples != tt.samples || s.Micro != tt.micro || !tt.inference && s.Loss == nil {
					t.Errorf("step %d is %+v, want %v samples, %d backward passes and a loss", i+1, s, tt.samples, tt.micro)
				}
			}
			if len(tt.launcher) > 0 && (len(out.Ranks) != 2 || len(out.Ranks[1].Steps) != 10 || out.Ranks[1].Rank != 1) {
				t.Errorf("ranks are %+v, want two with 10 steps each", out.Ranks)
			}
			if tt.trace != nil && len(out.Traces) == 0 {
				t.Error("no trace was recorded")
			}
			if tt.inference && out.Workers.Samples == 0 {
				t.Error("nothing was heard of the loader's workers")
			}
			for name, slept := range readPlanted(t, planted) {
				parts := tt.parts[name]
				if parts == nil {
					parts = []string{map[string]string{"between": run.Other}[name]}
					if parts[0] == "" {
						parts[0] = name
					}
				}
				perStep := math.Round(float64(len(slept)) / float64(10*max(1, len(out.Ranks))))
				seen := ofParts(out.Run.Steps, parts)
				// The quickest step is the one that other programs on this machine disturbed least.
				want, got := perStep*slices.Min(slept), slices.Min(seen)
				if got < 0.99*want || got > 1.05*want {
					t.Errorf("%s: slept %.1f ms a step, but %v took %.1f ms", name, 1e3*want, parts, 1e3*got)
				}
				t.Logf("%s: slept %.2f ms, seen %.2f ms (medians %.2f and %.2f)", name, 1e3*want, 1e3*got, 1e3*perStep*median(slept), 1e3*median(seen))
			}
		})
	}
}

// readPlanted gathers how long each process slept, by the name of the place.
func readPlanted(t *testing.T, prefix string) map[string][]float64 {
	t.Helper()
	files, _ := filepath.Glob(prefix + ".*")
	if len(files) == 0 {
		t.Fatal("the program did not tell how long it slept")
	}
	slept := map[string][]float64{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var one map[string][]float64
		if err := json.Unmarshal(data, &one); err != nil {
			t.Fatal(err)
		}
		for name, times := range one {
			slept[name] = append(slept[name], times...)
		}
	}
	return slept
}

// ofParts is how long each ordinary step spent in some parts together.
func ofParts(steps []run.Step, parts []string) []float64 {
	var times []float64
	for _, s := range steps {
		if len(s.Tags) > 0 {
			continue
		}
		sum := 0.0
		for _, p := range s.Parts {
			if slices.Contains(parts, p.Name) {
				sum += p.Seconds
			}
		}
		if slices.Contains(parts, run.Other) {
			sum += s.Other()
		}
		times = append(times, sum)
	}
	return times
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	if len(sorted) == 0 {
		return math.NaN()
	}
	return sorted[len(sorted)/2]
}

// TestRecordedSteps: on a device the parts are by its own clock, and a step that was recorded as a graph is
// over when the graph has been replayed. There is no device here: events and graphs are pretended.
func TestRecordedSteps(t *testing.T) {
	t.Parallel()
	planted := filepath.Join(t.TempDir(), "planted")
	out := watch(t, probe.Plan{Loss: true, Env: []string{"PLANTED=" + planted}}, "pretended_gpu.py", "steps=10", "data=.03", "forward=.03", "replay=.05")
	if len(out.Run.Steps) != 10 {
		t.Fatalf("%d steps, want 10", len(out.Run.Steps))
	}
	for _, s := range out.Run.Steps {
		if s.Loss == nil || s.Samples != 4 || len(s.Host) == 0 {
			t.Errorf("step %d is %+v, want 4 samples, a loss and the host's times", s.Index, s)
		}
		if warm := slices.Contains(s.Tags, "warmup"); warm != (s.Index == 1 || s.Index == 4) {
			t.Errorf("step %d has the tags %q: the first and the one that was recorded are no ordinary steps", s.Index, s.Tags)
		}
	}
	slept, replayed := readPlanted(t, planted), out.Run.Steps[4:]
	for name, part := range map[string]string{"replay": "graph", "data": "data"} {
		want, got := slices.Min(slept[name]), slices.Min(ofParts(replayed, []string{part}))
		if got < 0.99*want || got > 1.05*want {
			t.Errorf("%s: slept %.1f ms, but %s took %.1f ms", name, 1e3*want, part, 1e3*got)
		}
	}
	if !slices.ContainsFunc(replayed[0].Parts, func(p run.Part) bool { return p.Name == "h2d" }) {
		t.Errorf("the parts of a step are %v, want a copy to the device among them", replayed[0].Parts)
	}
}
