package view

import (
	"slices"
	"strings"
	"testing"

	"saturate/internal/analyze"
	"saturate/internal/finding"
	"saturate/internal/probe"
	"saturate/internal/report"
	"saturate/internal/run"
)

// starved is a program on a GPU that waits for data most of the time.
func starved() probe.Outcome {
	o := probe.Outcome{
		Run: run.Run{ID: "0b1c2d3e", Name: "train", State: run.Complete},
		Facts: probe.Facts{
			GPUs:    []probe.GPU{{Name: "H200", Backend: "cuda"}},
			Loaders: []probe.Loader{{Dataset: "Clips", Samples: 200, BatchSize: 16, Batches: 12}},
		},
		Traces: []string{"runs/x/profiler_traces/1.pt.trace.json"},
	}
	for i := range 40 {
		o.Run.Steps = append(o.Run.Steps, run.Step{
			Index: i + 1, Seconds: 1.16, Samples: 16,
			Parts: []run.Part{{Name: "data", Seconds: 1.01}, {Name: "forward", Seconds: 0.05}, {Name: "backward", Seconds: 0.09}},
			Host:  []run.Part{{Name: "data", Seconds: 1.05}, {Name: "forward", Seconds: 0.02}, {Name: "backward", Seconds: 0.03}},
		})
	}
	o.Ranks = []probe.Rank{{Rank: 0, World: 2, Steps: o.Run.Steps}, {Rank: 1, World: 2, Steps: o.Run.Steps}}
	return o
}

func TestOfProfile(t *testing.T) {
	trace := &analyze.Analysis{
		GPUs:    []analyze.GPU{{}},
		Verdict: analyze.Verdict{Sentence: "The GPU is idle."},
		Findings: []finding.Finding{
			{Code: "TRC119", Name: "unfused-attention", Severity: finding.Advice},
			{Code: "TRC101", Name: "loader-in-main-process", Severity: finding.Error},
			{Code: "TRC112", Name: "launch-bound", Severity: finding.Error},
		},
	}
	r := OfProfile(starved(), trace)
	if want := "The GPU waited for data 87% of the time: 1.01 of 1.16 s per step on average."; r.Summary[0] != want {
		t.Errorf("the answer is %q, want %q", r.Summary[0], want)
	}
	var codes []string
	for _, f := range r.Findings {
		codes = append(codes, f.Code)
	}
	if got := strings.Join(codes, " "); got != "PRF101 TRC112 TRC119" {
		t.Errorf("findings are %s: worst first, and one that steps and trace both show said once", got)
	}
	if data := r.Data.(ProfileData); len(data.Findings) != len(r.Findings) {
		t.Errorf("%d findings in the JSON", len(data.Findings))
	}
	var b strings.Builder
	if err := report.Render(&b, r, "text", report.Options{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"waiting for data   1.010 s    87%  1.050 s", "Clips", "What the trace says", "Ranks", "1.pt.trace.json"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, b.String())
		}
	}
}

// Workers that are started anew for each epoch are more than the loader says that it has.
func TestWorkersOfSeveralEpochs(t *testing.T) {
	for name, test := range map[string]struct {
		loaders   []probe.Loader
		world     int
		processes int
		hint      string
	}{
		"anew each epoch":   {[]probe.Loader{{Workers: 6, Epochs: 3}}, 1, 18, "(12 replaced"},
		"one epoch":         {[]probe.Loader{{Workers: 6, Epochs: 1}}, 1, 6, ""},
		"two loaders":       {[]probe.Loader{{Workers: 6, Epochs: 1}, {Workers: 2, Epochs: 1}}, 1, 8, ""},
		"one of four works": {[]probe.Loader{{Workers: 4, Epochs: 1}, {Workers: 4, Epochs: 10}}, 1, 41, "(36 replaced"},
		"kept":              {[]probe.Loader{{Workers: 6, Epochs: 3, PersistentWorkers: true}}, 1, 6, ""},
		"of two ranks":      {[]probe.Loader{{Workers: 6, Epochs: 2}}, 2, 24, "(12 replaced"},
	} {
		o := starved()
		o.Facts.Loaders, o.Facts.World = test.loaders, test.world
		o.Workers = probe.Workers{Processes: test.processes, Made: probe.Made{Samples: 10, Seconds: 1}}
		if foot := loadersTable(o).Foot; strings.Contains(foot, "persistent_workers=True") != (test.hint != "") || !strings.Contains(foot, test.hint) {
			t.Errorf("%s: %s, want %s", name, foot, test.hint)
		}
	}
}

// The samples are those of the job, and the steps that recur are said beside the ordinary ones.
func TestSpeedOfTheJob(t *testing.T) {
	o := starved()
	for i := range o.Run.Steps {
		if s := &o.Run.Steps[i]; i%8 == 7 {
			s.Seconds, s.Tags = 4.06, []string{"evaluation"}
		}
	}
	r := OfProfile(o, nil)
	want := []string{
		"A step takes 1.16 s, 27.6 samples per second of all 2 ranks.",
		"Median of 35 steady steps, 95% interval 1.16…1.16 s.",
		"With evaluations: 1.52 s on average, 21.0 samples per second of all 2 ranks.",
	}
	if got := r.Summary[1:]; len(got) < 3 || !slices.Equal(got[:3], want) {
		t.Errorf("the speed is %q, want %q", got, want)
	}
	if data := r.Data.(ProfileData).Run; data.Ranks != 2 || data.WholeStepTime < 1.52 || data.SamplesPerSecond.Median < 27 {
		t.Errorf("in JSON: %d ranks, %v s, %+v", data.Ranks, data.WholeStepTime, data.SamplesPerSecond)
	}
}

func TestOfProfileWithoutSteps(t *testing.T) {
	r := OfProfile(probe.Outcome{Run: run.Run{ID: "0b1c2d3e", Name: "train", State: run.Complete}}, nil)
	if len(r.Findings) > 0 || len(r.Figures) > 0 || !strings.HasPrefix(r.Summary[0], "No steady step") {
		t.Errorf("report is %+v", r)
	}
}

// A program that fails before its first step is not explained: its error is.
func TestOfProfileDied(t *testing.T) {
	o := probe.Outcome{Run: run.Run{ID: "0b1c2d3e", Name: "train", State: run.Failed, Command: []string{"python", "src/train.py", "--fast"}}, Exit: 1}
	o.Crash = &probe.Crash{Error: "No module named 'numpy'", Type: "ModuleNotFoundError", Lines: []string{"    import numpy", "ModuleNotFoundError: No module named 'numpy'"}}
	r := OfProfile(o, nil)
	if want := "train.py stopped before its first step: No module named 'numpy'"; r.Summary[0] != want || len(r.Summary) != 1 {
		t.Errorf("it says %q, want %q", r.Summary, want)
	}
	if len(r.Next) > 0 || len(r.Warnings) > 0 || len(r.Blocks) != 1 || !strings.HasSuffix(r.Blocks[0].Code, "No module named 'numpy'") {
		t.Errorf("next %q, warnings %q, blocks %+v; want the end of the traceback alone", r.Next, r.Warnings, r.Blocks)
	}
	if o.Crash = nil; OfProfile(o, nil).Summary[0] != "train.py stopped before its first step: exit code 1" {
		t.Errorf("without an exception it says %q", OfProfile(o, nil).Summary)
	}
}

// The function that costs stands beside the answer, in a table and in JSON.
func TestOfProfileNamesFunctions(t *testing.T) {
	o := starved()
	o.Run.Functions = []run.Function{
		{Function: "BPE.encode", Path: "collate.py", Line: 14, Share: 0.71, Own: 0.71, Training: 0.62, Inside: "data"},
		{Function: "pad", Path: "collate.py", Line: 30, Share: 0.2, Own: 0.2, Training: 0.17, Inside: "data", Library: "torch.stack"},
	}
	o.Flame = run.Flame{Name: "training", Seconds: 10, Calls: []run.Flame{{Name: "data", Seconds: 8, Calls: []run.Flame{{Name: "BPE.encode", Path: "collate.py", Line: 14, Seconds: 6}}}}}
	r := OfProfile(o, nil)
	if !strings.HasSuffix(r.Summary[0], " 71% of that is BPE.encode, collate.py:14.") {
		t.Errorf("it says %q", r.Summary[0])
	}
	var table *report.Table
	var flame report.Plot
	for _, b := range r.Blocks {
		switch b.Heading {
		case "What costs the time":
			table = b.Table
		case "Which calls the time goes to":
			flame = b.Plot
		}
	}
	if table == nil || flame == nil || len(table.Rows) != 2 || !slices.Equal(table.Rows[1], []string{"data", "pad [torch.stack]", "collate.py:30", "20%", "17%"}) {
		t.Fatalf("table %+v, flame %v", table, flame)
	}
	if text := flame.Text(); text != "BPE.encode 60%, collate.py:14; waiting for data 20%" {
		t.Errorf("the flame graph says %q", text)
	}
	if data := r.Data.(ProfileData); len(data.Functions) != 2 || data.Run.Functions != nil {
		t.Errorf("in JSON: %+v, and once more %+v", data.Functions, data.Run.Functions)
	}
}

// Times of a machine that others had a part of are told as such.
func TestOfProfileCrowded(t *testing.T) {
	o := starved()
	o.Run.OtherCores, o.Run.Stolen = 1.5, 0.25
	r := OfProfile(o, nil)
	for _, want := range []string{
		"the CPU was full: other programs used 1.5 cores on average, so steps are slower and vary more",
		"the host took 25% of this virtual machine's CPU time (steal), so steps are slower and vary more",
	} {
		if !slices.Contains(r.Warnings, want) {
			t.Errorf("%q is not among %q", want, r.Warnings)
		}
	}
	if data := r.Data.(ProfileData); data.Run.Stolen != 0.25 {
		t.Errorf("the JSON says that %g was taken", data.Run.Stolen)
	}
}
