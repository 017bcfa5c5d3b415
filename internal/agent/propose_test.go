package agent

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"saturate/internal/optimize"
	"saturate/internal/probe"
	"saturate/internal/run"
	"saturate/internal/stat"
	"saturate/internal/verify"
)

// standIn plays the agent: its edit depends on how often it was asked. It keeps the task, to be looked at.
const standIn = `import os, re, sys
task = sys.stdin.read()
n = task.count('"what": "proposal/') + 1
open(os.environ["TASKS"] + "/%d" % n, "w").write(task)
text = open("train.py").read()
edit, said = {
    1: ("samples = 'first half'", "train on half of the samples"),
    2: ("seconds = 0.3", "wait after each step"),
    3: ("raise RuntimeError('boom')", "call something that does not exist"),
    4: ("seconds = 0.05", "halve the \x1b[31mstep"),
}.get(n, (None, "nothing left"))
if edit:
    open("train.py", "w").write(text + edit + "\n")
print("thinking")
print(said)
`

const program = "import torch\n"

// fakes make a program whose speed and samples stand in its source.
func fakes(dir, state string) optimize.Options {
	number := 0.0
	source := func(dir string) (text string, seconds float64) {
		raw, _ := os.ReadFile(filepath.Join(dir, "train.py"))
		seconds = 0.1
		for line := range strings.Lines(string(raw)) {
			fmt.Sscanf(line, "seconds = %g", &seconds)
		}
		return string(raw), seconds
	}
	steps := func(seconds float64, n int) (list []run.Step) {
		for i := range n {
			number++
			loss := stat.Number(2 - 0.01*float64(i))
			took := seconds * (1 + 0.01*float64(int(number*7)%5))
			list = append(list, run.Step{Index: i + 1, Seconds: took, Samples: 8, Loss: &loss, Parts: []run.Part{{Name: "data", Seconds: took / 2}, {Name: "forward", Seconds: took / 2}}})
		}
		return list
	}
	return optimize.Options{
		Dir: dir, Command: []string{"python", "train.py"}, State: state, Steps: 30,
		Profile: func(_ context.Context, home probe.Home, _ []string, _ int, _ string) (optimize.Profiled, error) {
			return optimize.Profiled{Run: run.Run{Steps: steps(0.1, 30)}, GPU: true}, nil
		},
		Execute: func(_ context.Context, t verify.Trial) (run.Run, error) {
			text, seconds := source(t.Dir)
			exit := 0
			if strings.Contains(text, "raise") {
				exit = 1
				return run.Run{ExitCode: &exit, Notes: []string{"RuntimeError: boom"}}, nil
			}
			return run.Run{ExitCode: &exit, State: run.Complete, Steps: steps(seconds, t.Steps)}, nil
		},
		Look: func(_ context.Context, t verify.Trial) (probe.Samples, error) {
			text, _ := source(t.Dir)
			var s probe.Samples
			for i := range 16 {
				value := float64(i)
				if strings.Contains(text, "first half") {
					value = float64(i % 8)
				}
				fields := []probe.Field{{Name: "x", Type: "float64", Hash: fmt.Sprint(value), Mean: &value}}
				s.Samples = append(s.Samples, probe.Sample{Index: float64(i), Fields: fields})
				s.Batches = append(s.Batches, probe.Batch{Number: i, Indexes: []any{float64(i)}, Fields: fields})
			}
			return s, nil
		},
		Prepare: func(context.Context, probe.Home, []string) error { return nil },
	}
}

// A good edit is kept; one that changes the samples, one that is slow and one that crashes are dropped, each with its
// reason.
func TestEditsOfAnAgent(t *testing.T) {
	python := os.Getenv("SATURATE_TEST_PYTHON")
	if python == "" {
		python = "python3"
	}
	dir, state, tasks := t.TempDir(), t.TempDir(), t.TempDir()
	write(t, filepath.Join(dir, "train.py"), program)
	write(t, filepath.Join(tasks, "agent.py"), standIn)
	asking := Asking{
		Command: []string{python, filepath.Join(tasks, "agent.py")}, Environ: append(os.Environ(), "TASKS="+tasks), Project: dir, State: state,
		Limit: time.Minute, Tell: func(text string) { t.Log(text) },
	}
	o := fakes(dir, state)
	o.Propose = asking.Propose
	result, err := optimize.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	want := []struct {
		decision optimize.Decision
		because  string
	}{{optimize.Wrong, "sample"}, {optimize.Harmful, ""}, {optimize.Broken, "boom"}, {optimize.Kept, ""}}
	if len(result.Ladder) != len(want) {
		t.Fatalf("%d edits: %+v", len(result.Ladder), result.Ladder)
	}
	for i, rung := range result.Ladder {
		if rung.Decision != want[i].decision || !strings.Contains(rung.Because, want[i].because) {
			t.Errorf("edit %d, %q: %s because %s", i+1, rung.Title, rung.Decision, rung.Because)
		}
		text, err := os.ReadFile(filepath.Join(state, fmt.Sprintf("agent-%d.patch", i+1)))
		if err != nil || strings.Count(string(text), "\n+") != 2 {
			t.Errorf("its patch: %v\n%s", err, text)
		}
	}
	if title := result.Ladder[3].Title; title != "halve the step" {
		t.Errorf("title %q", title)
	}
	if result.Final == nil || result.Final.Verdict != verify.Faster || !strings.Contains(result.Diff, "+seconds = 0.05") || strings.Count(result.Diff, "\n+") != 2 {
		t.Errorf("%+v\n%s", result.Final, result.Diff)
	}
	if text, _ := os.ReadFile(filepath.Join(dir, "train.py")); string(text) != program {
		t.Errorf("the user's file is %q", text)
	}
	last, err := os.ReadFile(filepath.Join(tasks, "5"))
	if err != nil || !strings.Contains(string(last), `"decision": "wrong"`) || !strings.Contains(string(last), `"left"`) {
		t.Errorf("the last task: %v\n%s", err, last)
	}
}

// An agent that leaves its folder is noticed, and one that fails or hangs has no idea.
func TestAgentsThatMisbehave(t *testing.T) {
	for _, test := range []struct {
		name, script, problem string
		limit                 time.Duration
	}{
		{"writes to the project", "echo x >> \"$PROJECT/train.py\"", "changed train.py in your project", time.Minute},
		{"fails", "echo x >> train.py; exit 3", "", time.Minute},
		{"hangs", "sleep 600 & wait", "", 200 * time.Millisecond},
		{"does nothing", "true", "", time.Minute},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := os.Stat("/bin/sh"); err != nil {
				t.Skip("needs sh")
			}
			project, copied := t.TempDir(), t.TempDir()
			write(t, filepath.Join(project, "train.py"), program)
			write(t, filepath.Join(copied, "train.py"), program)
			asking := Asking{
				Command: []string{"/bin/sh", "-c", test.script}, Environ: append(os.Environ(), "PROJECT="+project), Project: project, State: t.TempDir(),
				Limit: test.limit, Tell: func(text string) { t.Log(text) },
			}
			p, err := asking.Propose(t.Context(), optimize.Task{Dir: copied, Round: 1})
			if p.Title != "" || (err != nil) != (test.problem != "") || err != nil && !strings.Contains(err.Error(), test.problem) {
				t.Errorf("%+v, %v", p, err)
			}
		})
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
