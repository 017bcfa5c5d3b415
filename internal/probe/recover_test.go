package probe_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
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
		forked    bool // needs nothing but torch, and is started as every program is by SATURATE_ACCEPT only
		args      []string
		ranks     int
		inference bool
		micro     int
		samples   float64
		trace     *probe.Schedule
		tags      map[int]string      // of each step; not looked at when nil
		parts     map[string][]string // what was planted, and the parts that hold it, where they differ
	}{
		{program: "plain.py", args: all, samples: 4, tags: map[int]string{1: "first-of-epoch warmup", 6: "checkpoint evaluation first-of-epoch"}},
		{program: "trainer.py", args: all, samples: 4},
		{program: "lightning_fit.py", args: all, samples: 4},
		{program: "accelerated.py", forked: true, args: all, micro: 2, samples: 8},
		{program: "bar.py", forked: true, args: []string{steps, "forward=.06", "logging=.06", "between=.06"}, samples: 4},
		{program: "ranks.py", args: all, samples: 4, ranks: 2},
		{program: "jax_loop.py", trace: &probe.Schedule{Wait: 1, Active: 2, Unit: "step"}, args: []string{steps, "forward=.1", "between=.1"}, parts: map[string][]string{"forward": {"jit", "wait"}}},
		{program: "jax_eager.py", args: []string{steps, "forward=.1", "between=.1"}, parts: map[string][]string{"forward": {"gradient", "wait"}}},
		{program: "inference.py", forked: true, args: []string{steps, "forward=.1", "between=.1"}, inference: true, samples: 4},
	}
	for _, tt := range tests {
		t.Run(tt.program, func(t *testing.T) {
			t.Parallel()
			planted := filepath.Join(t.TempDir(), "planted")
			command := []string{python(t)}
			accept := os.Getenv("SATURATE_ACCEPT") != ""
			switch {
			case tt.ranks > 0 && accept:
				command = torchrun(python(t))
			case tt.ranks > 0: // TestStopsAfterSteps has torchrun itself
				command = forked.Ranks(t, python(t), tt.ranks)
			case tt.forked && !accept:
				command = forked.Command(t, python(t))
			}
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
				if got := strings.Join(s.Tags, " "); tt.tags != nil && got != tt.tags[s.Index] {
					t.Errorf("step %d has the tags %q, want %q", s.Index, got, tt.tags[s.Index])
				}
			}
			if tt.ranks > 0 && (len(out.Ranks) != 2 || len(out.Ranks[1].Steps) != 10 || out.Ranks[1].Rank != 1) {
				t.Errorf("ranks are %+v, want two with 10 steps each", out.Ranks)
			}
			if l := out.Facts.Loaders; tt.samples > 0 && (len(l) == 0 || l[0].BatchSize != 4 || l[0].Epochs == 0) {
				t.Errorf("loaders are %+v, want batches of 4", l)
			}
			if tt.trace != nil && len(out.Traces) == 0 {
				t.Error("no trace was recorded")
			}
			if w := out.Workers; tt.inference && (w.Samples == 0 || w.CoreSeconds <= 0) {
				t.Errorf("of the loader's workers was heard %+v", w)
			}
			compare(t, out.Run.Steps, readPlanted(t, planted, out.Ranks[0].PID), tt.parts)
		})
	}
}

// compare requires that what a program planted in its steps was seen in the parts of the same name, or in
// others where parts says so: never less than that, and no other place's sleep beside it in the step that
// other programs on this machine disturbed least. On a quiet machine, where make accept runs, it has to agree
// within 5%.
func compare(t *testing.T, steps []run.Step, planted []map[string]float64, parts map[string][]string) {
	t.Helper()
	excess := map[string][]float64{}
	for i, s := range steps {
		if len(s.Tags) > 0 {
			continue
		}
		for name, slept := range planted[i] {
			seen, in := 0.0, parts[name]
			switch {
			case in != nil:
			case name == "between":
				in = []string{run.Other}
			default:
				in = []string{name}
			}
			for _, p := range s.Parts {
				if slices.Contains(in, p.Name) {
					seen += p.Seconds
				}
			}
			if slices.Contains(in, run.Other) {
				seen += s.Other()
			}
			if seen < 0.99*slept {
				t.Errorf("step %d: slept %.1f ms in %s, but only %.1f ms were seen in %v", s.Index, 1e3*slept, name, 1e3*seen, in)
			}
			excess[name] = append(excess[name], seen/slept-1)
		}
	}
	if len(excess) == 0 {
		t.Error("no ordinary step to compare")
	}
	for name, shares := range excess {
		slices.Sort(shares)
		allowed, least := 0.5, shares[0]
		if os.Getenv("SATURATE_ACCEPT") != "" {
			allowed, least = 0.05, shares[min(2, len(shares)-1)]
		}
		if least > allowed {
			t.Errorf("%s: %.1f%% more was seen than was slept", name, 100*least)
		}
		t.Logf("%s: seen / slept - 1 is %.2f%% at the least, median %.2f%%, %d steps", name, 100*shares[0], 100*shares[len(shares)/2], len(shares))
	}
}

// torchrun starts two ranks.
func torchrun(python string) []string {
	return []string{python, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"}
}

// readPlanted is how long a process slept in each of its steps, by the name of the place.
func readPlanted(t *testing.T, path string, pid int) []map[string]float64 {
	t.Helper()
	data, err := os.ReadFile(fmt.Sprintf("%s.%d", path, pid))
	if err != nil {
		t.Fatal(err)
	}
	var steps []map[string]float64
	if err := json.Unmarshal(data, &steps); err != nil {
		t.Fatal(err)
	}
	return steps
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
	replayed := out.Run.Steps[4:]
	compare(t, replayed, readPlanted(t, planted, out.Ranks[0].PID)[4:], map[string][]string{"replay": {"graph"}})
	if !slices.ContainsFunc(replayed[0].Parts, func(p run.Part) bool { return p.Name == "h2d" }) {
		t.Errorf("the parts of a step are %v, want a copy to the device among them", replayed[0].Parts)
	}
}
