package probe_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"saturate/internal/probe"
	"saturate/internal/run"
)

// hand is what a program of testdata/programs/costs has counted itself.
type hand struct {
	Function float64 `json:"function"`
	Part     float64 `json:"part"`
	Training float64 `json:"training"`
}

// TestNamesWhatCosts: the function that costs is named for the part of the step that it is in, with the share that the
// program itself has counted. Without SATURATE_ACCEPT one program costs in its own process and one in a worker; the
// other parts of a step are found by the same code, and TestFindsStepsAndPlantedTime tells them apart.
func TestNamesWhatCosts(t *testing.T) {
	accept := os.Getenv("SATURATE_ACCEPT") != ""
	for _, c := range []struct {
		program, function, inside string
		always                    bool
	}{
		{"collate_tokenizer", "encode", "data", true},
		{"installed_apart", "Images.rescale", "data", true},
		{"dataset_decode", "Clips.decode", "data", false},
		{"worker_resample", "resample", "data", true},
		{"worker_collate", "key", "data", false},
		{"evaluation_each_step", "word_error_rate", "evaluation", false},
		{"evaluation_loading", "decode", "evaluation", false},
		{"evaluation_without_loader", "beam_search", "evaluation", false},
		{"checkpoint_each_step", "pack", "checkpoint", false},
		{"logging_each_step", "Table.format", "logging", false},
		{"host_metrics", "keep_history", "host", false},
	} {
		t.Run(c.program, func(t *testing.T) {
			steps := 300
			switch {
			case accept:
				steps = 1200 // so that chance moves a share by little more than a point
			case c.program == "collate_tokenizer":
				steps = 600 // they are short
			case !c.always:
				t.Skip("SATURATE_ACCEPT is not set")
			}
			file := filepath.Join(t.TempDir(), "hand")
			out := watch(t, probe.Plan{Sample: true, Env: []string{"HAND=" + file}}, filepath.Join("costs", c.program+".py"), fmt.Sprint(steps))
			counted := readHand(t, file)
			found, ok := named(out.Run.Functions, c.function, c.inside)
			if !ok {
				t.Fatalf("%s is not named inside %s: %+v", c.function, c.inside, out.Run.Functions)
			}
			if first, _ := probe.Costliest(out.Run.Functions, c.inside); first.Own > found.Own && c.program != "dataset_decode" {
				t.Errorf("%s is named first, not %s", first.Function, c.function)
			}
			if counted.Part > 0 {
				closeTo(t, "of "+c.inside, found.Share, counted.Function/counted.Part)
			}
			if counted.Training > 0 {
				closeTo(t, "of training", found.Training, counted.Function/counted.Training)
			}
			if found.Line == 0 || filepath.Base(found.Path) != c.program+".py" {
				t.Errorf("it is placed at %s:%d", found.Path, found.Line)
			}
		})
	}
}

func named(functions []run.Function, name, inside string) (run.Function, bool) {
	for _, f := range functions {
		if f.Function == name && f.Inside == inside {
			return f, true
		}
	}
	return run.Function{}, false
}

func closeTo(t *testing.T, what string, got, want float64) {
	t.Helper()
	t.Logf("%s: %.1f%%, by hand %.1f%%", what, 100*got, 100*want)
	allowed := 0.25 // a short run on a busy machine has few looks: `make accept` tells whether it is right
	if os.Getenv("SATURATE_ACCEPT") != "" {
		allowed = 0.05
	}
	if math.Abs(got-want) > allowed {
		t.Errorf("%s: %.1f%%, by hand %.1f%%", what, 100*got, 100*want)
	}
}

// readHand adds up what the processes of a program have counted.
func readHand(t *testing.T, file string) (all hand) {
	t.Helper()
	paths, err := filepath.Glob(file + ".*")
	if err != nil || len(paths) == 0 {
		t.Fatalf("the program has counted nothing: %v", err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var one hand
		if err := json.Unmarshal(data, &one); err != nil {
			t.Fatal(err)
		}
		all.Function, all.Part, all.Training = all.Function+one.Function, all.Part+one.Part, all.Training+one.Training
	}
	return all
}

// TestSamplingIsNotNoticed: forks, execs, sleeps, the program's own signals and its recursion end as they would without
// it, and the function that costs is found, in the main thread and in another.
func TestSamplingIsNotNoticed(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{ // one started as every program is, one forked
		"main":   "children (3, 0) 0\nslept True\ndeep 0\nalarms True\n",
		"thread": "children (3, 0) 0\nslept True\ndeep 0\n",
	} {
		command := []string{python(t), filepath.Join("testdata", "programs", "survives.py"), args}
		if args == "thread" {
			command = programOf(t, "survives.py", args)
		}
		out, said := watchAny(t, probe.Plan{Command: command, Sample: true})
		if out.Exit != 0 || said != want || len(out.Run.Steps) != 40 {
			t.Errorf("%s: exit %d, %d steps, said %q, want %q", args, out.Exit, len(out.Run.Steps), said, want)
		}
		if f, known := named(out.Run.Functions, "spin", "host"); !known || f.Share == 0 { // how large it is depends on how long the children take
			t.Errorf("%s: %+v are named, want spin among them", args, out.Run.Functions)
		}
	}
}
