package view

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"saturate/internal/report"
	"saturate/internal/report/reporttest"
	"saturate/internal/run"
	"saturate/internal/stat"
)

// training is a Run of n steps after two slow ones.
func training(name string, seed uint64, n int, median float64) run.Run {
	code := 0
	r := run.Run{
		Schema: run.Schema, ID: fmt.Sprintf("%08x-0000-4000-8000-000000000000", seed), Name: name, State: run.Complete, ExitCode: &code,
		Command: []string{"python", "train.py", "--steps", fmt.Sprint(n)}, Started: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
		Dir: "runs/" + name, StepCount: n + 2,
		Environment: run.Environment{
			Machine:  run.Machine{Host: "node7", OS: "linux", Arch: "amd64", CPU: "EPYC 9654", Cores: 96, UsableCores: 16, MemoryBytes: 128 << 30},
			GPUs:     []run.GPU{{Name: "NVIDIA H200", Backend: "cuda", Architecture: "sm_90", Driver: "570.86", MemoryBytes: 150_754_820_096}},
			Versions: map[string]string{"python": "3.13.1", "torch": "2.9.0"},
		},
		Artefacts: []run.Artefact{{Path: "profiler_traces/1.pt.trace.json", Kind: "trace"}},
	}
	for i, s := range append([]float64{9 * median, 2 * median}, steps(seed, n, median, 0.03)...) {
		loss := stat.Number(4 / (1 + 0.1*float64(i)))
		step := run.Step{
			Index: i, Seconds: s, Samples: 16, Loss: &loss,
			Parts: []run.Part{{Name: "data", Seconds: s - 0.5*median}, {Name: "forward", Seconds: 0.17 * median}, {Name: "backward", Seconds: 0.25 * median}},
		}
		if i < 2 {
			step.Tags = []string{"warmup"}
		}
		r.Steps = append(r.Steps, step)
		r.WallSeconds += s
	}
	return r
}

func damaged() run.Run {
	return run.Run{ID: "deadbeef", Name: "broken", State: run.Damaged, Dir: "runs/broken", Notes: []string{"there is no run.json in it"}}
}

func TestRunReports(t *testing.T) {
	before, after := training("before", 1, 50, 1.42), training("after", 2, 48, 0.61)
	after.Environment.GPUs = []run.GPU{{Name: "NVIDIA H200", Backend: "cuda", Architecture: "sm_90", Driver: "570.124", MemoryBytes: 150_754_820_096}}
	same := training("again", 9, 50, 1.42)
	failed := training("failed", 3, 20, 0.5)
	code := 137
	failed.State, failed.ExitCode = run.Failed, &code
	failed.Steps[7].Seconds = math.NaN()
	for i := range failed.Steps {
		failed.Steps[i].Parts, failed.Steps[i].Loss, failed.Steps[i].Samples = nil, nil, 0
	}
	failed.Series = []stat.Series{{Name: "copy speed", Unit: "B/s", Values: []float64{2.1e10, 2.2e10, 2.15e10}}}
	empty := run.Run{ID: "e", Name: "empty", State: run.Complete}
	one := training("one", 4, 1, 0.3)

	for name, test := range map[string]struct {
		report  report.Report
		outcome report.Outcome
	}{
		"run":             {OfRuns([]run.Run{before}), report.Done},
		"run-failed":      {OfRuns([]run.Run{failed}), report.Done},
		"run-one-step":    {OfRuns([]run.Run{one}), report.Done},
		"run-damaged":     {OfRuns([]run.Run{damaged()}), report.Undecided},
		"run-empty":       {OfRuns([]run.Run{empty}), report.Undecided},
		"runs":            {OfRuns([]run.Run{before, after, damaged()}), report.Done},
		"runs-alike":      {OfRuns([]run.Run{before, same, training("slow", 7, 50, 2.8)}), report.Done},
		"runs-same":       {OfRuns([]run.Run{before, same}), report.Done},
		"runs-none":       {OfRuns(nil), report.Undecided},
		"runs-many":       {OfRuns([]run.Run{before, after, same, failed, one, before, after}), report.Done},
		"compare-faster":  {CompareRuns(before, after), report.Done},
		"compare-slower":  {CompareRuns(after, before), report.Found},
		"compare-same":    {CompareRuns(before, same), report.Undecided},
		"compare-itself":  {CompareRuns(before, before), report.Undecided},
		"compare-empty":   {CompareRuns(before, empty), report.Undecided},
		"compare-damaged": {CompareRuns(damaged(), after), report.Undecided},
		"compare-few":     {CompareRuns(one, training("two", 5, 1, 0.2)), report.Undecided},
	} {
		t.Run(name, func(t *testing.T) {
			if test.report.Outcome != test.outcome {
				t.Errorf("outcome %d, want %d", test.report.Outcome, test.outcome)
			}
			reporttest.Golden(t, name+".txt", render(t, test.report, "text", report.Options{Width: 100, Details: name == "run-failed"}))
			reporttest.Page(t, render(t, test.report, "html", report.Options{}))
			for _, f := range report.Formats() {
				reporttest.Harmless(t, f, render(t, test.report, f, report.Options{}))
			}
		})
	}
}

func TestRunJSON(t *testing.T) {
	r := training("nan", 1, 10, 1)
	r.Steps[4].Seconds = math.NaN()
	r.WallSeconds = math.Inf(1)
	loss := stat.Number(math.NaN())
	r.Steps[5].Loss = &loss
	var got struct {
		Schema string
		Runs   []struct {
			ID    string
			Steps []struct {
				S    any
				Loss any
			}
			SPerIt struct {
				N      int
				Median float64
			} `json:"s_per_it"`
		}
	}
	if err := json.Unmarshal(render(t, OfRuns([]run.Run{r}), "json", report.Options{}), &got); err != nil {
		t.Fatal(err)
	}
	v := got.Runs[0]
	if got.Schema != "saturate/report/1" || len(v.Steps) != 12 || v.Steps[4].S != "NaN" || v.Steps[3].S == "NaN" || v.Steps[5].Loss != "NaN" || v.SPerIt.N == 0 {
		t.Errorf("%+v", got)
	}
}

func render(t *testing.T, r report.Report, format string, opt report.Options) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := report.Render(&b, r, format, opt); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// steps are believable step times: noise around a median, some stragglers, a slow start.
func steps(seed uint64, n int, median, spread float64) []float64 {
	random := rand.New(rand.NewPCG(seed, 7))
	values := make([]float64, n)
	for i := range values {
		values[i] = median * (1 + spread*random.NormFloat64())
		if random.IntN(25) == 0 {
			values[i] *= 1.2
		}
	}
	return values
}
