package probe_test

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"saturate/internal/probe"
	"saturate/internal/run"
	"saturate/internal/trace/open"
)

// profiled are the steps that the profiler slowed down.
func profiled(out probe.Outcome) (steps []int) {
	for _, s := range out.Run.Steps {
		if slices.Contains(s.Tags, "profiled") {
			steps = append(steps, s.Index)
		}
	}
	return steps
}

func TestTraceBySteps(t *testing.T) {
	t.Parallel()
	schedule := probe.DefaultSchedule()
	out := watch(t, probe.Plan{Trace: &schedule}, "plain.py", "steps=14")
	if len(out.Traces) != 2 {
		t.Fatalf("traces are %v, want two", out.Traces)
	}
	// Three units are skipped, then two times one to warm up and three to record; the step
	// after each pays for writing the trace.
	if got, want := profiled(out), []int{4, 5, 6, 7, 8, 9, 10, 11, 12}; !slices.Equal(got, want) {
		t.Errorf("profiled steps are %v, want %v", got, want)
	}
	traces, err := open.Read(context.Background(), out.Traces, open.Options{MaxBytes: open.DefaultMaxBytes})
	if err != nil {
		t.Fatal(err)
	}
	for i, tr := range traces {
		text, err := os.ReadFile(out.Traces[i])
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"DataLoading", "Forward", "Backward", "Optimizer"} {
			if !strings.Contains(string(text), `"`+name+`"`) {
				t.Errorf("%s is not in the trace", name)
			}
		}
		if steps := len(tr.StepMarkers()); steps != 3 {
			t.Errorf("the trace marks %d steps, want 3", steps)
		}
		optimizersWithinSteps(t, text)
	}
	if !slices.ContainsFunc(out.Run.Artefacts, func(a run.Artefact) bool {
		return a.Kind == "trace" && strings.HasPrefix(a.Path, "profiler_traces/") && strings.HasSuffix(a.Path, ".pt.trace.json")
	}) {
		t.Errorf("artefacts are %v", out.Run.Artefacts)
	}
}

// optimizersWithinSteps: a step ends after the optimizer's own range, or stopping the profiler would count as the
// optimizer's time.
func optimizersWithinSteps(t *testing.T, text []byte) {
	t.Helper()
	type event struct {
		Name    string
		Ph      string
		TS, Dur float64
	}
	var recorded struct{ TraceEvents []event }
	if err := json.Unmarshal(text, &recorded); err != nil {
		t.Fatal(err)
	}
	var steps, optimizers []event
	for _, e := range recorded.TraceEvents {
		switch {
		case e.Ph == "X" && strings.HasPrefix(e.Name, "ProfilerStep#"):
			steps = append(steps, e)
		case e.Ph == "X" && strings.HasPrefix(e.Name, "Optimizer.step#"):
			optimizers = append(optimizers, e)
		}
	}
	if len(optimizers) != 3 {
		t.Errorf("%d steps of the optimizer are in the trace, want 3", len(optimizers))
	}
	for _, o := range optimizers {
		if !slices.ContainsFunc(steps, func(s event) bool { return s.TS <= o.TS && o.TS+o.Dur <= s.TS+s.Dur }) {
			t.Errorf("the optimizer's step of %.0f µs at %.0f is in none of the steps %v", o.Dur, o.TS, steps)
		}
	}
}

// TestTraceOfAThread: the profiler records the thread that starts it, which has to be the one that trains. One that is
// recording already when another thread turns out to train cannot be stopped, which would crash the program.
func TestTraceOfAThread(t *testing.T) {
	t.Parallel()
	out := watch(t, probe.Plan{Trace: &probe.Schedule{Wait: 1, Active: 3, Unit: "step"}}, "threaded.py", "steps=6")
	if len(out.Run.Steps) != 6 || len(out.Traces) != 1 {
		t.Fatalf("%d steps, traces %v; want 6 and one", len(out.Run.Steps), out.Traces)
	}
	if text, err := os.ReadFile(out.Traces[0]); err != nil || !strings.Contains(string(text), "aten::addmm") {
		t.Errorf("the trace holds nothing of the model (%v)", err)
	}
	out, said := watchAny(t, probe.Plan{
		Trace:   &probe.Schedule{Active: 3, Unit: "step"},
		Command: programOf(t, "threaded.py", "steps=6"),
	})
	if out.Exit != 0 || len(out.Run.Steps) != 6 || len(out.Run.Notes) != 1 || !strings.Contains(out.Run.Notes[0], "wait: 1") {
		t.Errorf("exit %d, %d steps, notes %q; the program said:\n%s", out.Exit, len(out.Run.Steps), out.Run.Notes, said)
	}
}

func TestTraceByEpochs(t *testing.T) {
	t.Parallel()
	out := watch(t, probe.Plan{Trace: &probe.Schedule{Warmup: 1, Active: 1, Unit: "epoch", Gzip: true}}, "plain.py", "steps=12")
	if len(out.Traces) != 1 || !strings.HasSuffix(out.Traces[0], ".pt.trace.json.gz") {
		t.Errorf("traces are %v, want one, compressed", out.Traces)
	}
	if got := profiled(out); len(got) != 12 {
		t.Errorf("profiled steps are %v, want all 12", got)
	}
}

func TestTraceThatIsTooLong(t *testing.T) {
	schedule := probe.DefaultSchedule()
	_, err := probe.Watch(context.Background(), probe.Plan{Command: []string{"python"}, Root: t.TempDir(), Trace: &schedule, Steps: 10})
	if err == nil || !strings.Contains(err.Error(), "= 11") {
		t.Errorf("error %v, want that 11 steps are needed", err)
	}
	t.Run("unknown length", func(t *testing.T) {
		t.Parallel()
		out, _ := watchAny(t, probe.Plan{Command: programOf(t, "plain.py", "steps=8"), Trace: &schedule})
		if len(out.Traces) != 1 || len(out.Run.Notes) != 1 || !strings.Contains(out.Run.Notes[0], "1 of 2 traces are complete") {
			t.Errorf("traces %v, notes %q; want one trace and that one is missing", out.Traces, out.Run.Notes)
		}
	})
}
