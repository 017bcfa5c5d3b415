package probe_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"saturate/internal/probe"
)

func tuned(t *testing.T, module string) string {
	t.Helper()
	path, err := filepath.Abs(module)
	if err != nil {
		t.Fatal(err)
	}
	variable, err := probe.Tuning{Module: path, Plan: json.RawMessage(`{"threads":3}`), Results: true}.Variable()
	if err != nil {
		t.Fatal(err)
	}
	return variable
}

func reports(out probe.Outcome) string {
	var all []string
	for _, r := range out.Reports {
		all = append(all, string(r))
	}
	return strings.Join(all, " ")
}

// TestTuningIsHeard: a program without steps, too, has its settings and their end told.
func TestTuningIsHeard(t *testing.T) {
	t.Parallel()
	command := []string{plainPython(t), "-c", "import os\npid = os.fork()\nif pid: os.waitpid(pid, 0)"}
	out, said := watchAny(t, probe.Plan{Command: command, Env: []string{tuned(t, "testdata/tuning/settings.py")}})
	want := `{"what":"start","plan":{"threads":3}} {"what":"finish","polls":0}`
	if got := reports(out); got != want || out.Exit != 0 {
		t.Errorf("reports %s, want %s; exit %d\n%s", got, want, out.Exit, said)
	}
}

// TestTuningThatIsNotThere must not keep the program from running.
func TestTuningThatIsNotThere(t *testing.T) {
	t.Parallel()
	command := []string{plainPython(t), "-c", "print('it ran')"}
	out, said := watchAny(t, probe.Plan{Command: command, Env: []string{tuned(t, "testdata/tuning/nothing.py"), "SATURATE_PROBE_DEBUG="}})
	if out.Exit != 0 || !strings.Contains(said, "it ran") || len(out.Run.Notes) == 0 || !strings.Contains(strings.Join(out.Run.Notes, " "), "the settings") {
		t.Errorf("exit %d, notes %q\n%s", out.Exit, out.Run.Notes, said)
	}
}

// TestTuningOfSteps: the module is asked at the end of each step, its failure stays with the probe, it hears of the end
// of a program that is stopped, and the results of an inference are told.
func TestTuningOfSteps(t *testing.T) {
	t.Parallel()
	program := `
import torch
model = torch.nn.Linear(4, 4)
torch.nn.init.constant_(model.weight, 1.0); torch.nn.init.constant_(model.bias, 0.0)
with torch.no_grad():
    for i in range(20):
        model(torch.full((2, 4), -float(i)))
`
	out, said := watchAny(t, probe.Plan{Command: []string{python(t), "-c", program}, Steps: 5, Loss: true, Env: []string{tuned(t, "testdata/tuning/settings.py"), "SATURATE_PROBE_DEBUG="}})
	if got, want := reports(out), `{"what":"start","plan":{"threads":3}} {"what":"torch"} {"what":"finish","polls":5}`; got != want || !out.Stopped {
		t.Errorf("reports %s, want %s; stopped %v\n%s", got, want, out.Stopped, said)
	}
	if n := len(out.Run.Steps); n != 5 {
		t.Fatalf("%d steps, want 5\n%s", n, said)
	}
	for i, s := range out.Run.Steps {
		if s.Loss == nil || float64(*s.Loss) != 4*float64(i) {
			t.Errorf("step %d tells %v, want %d, the mean magnitude of its result", s.Index, s.Loss, 4*i)
		}
	}
	if !strings.Contains(strings.Join(out.Run.Notes, " "), "a setting that breaks") {
		t.Errorf("notes %q do not tell of the failure", out.Run.Notes)
	}
}
