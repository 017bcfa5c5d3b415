package bench

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// standIn is a program in Python's place: it is called with the runner and "--plan -", and says what it is told to.
func standIn(t *testing.T, script string) Python {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in is a shell script")
	}
	path := filepath.Join(t.TempDir(), "python")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return Python{Name: "torch", Interpreter: path, Environ: os.Environ(), Dir: t.TempDir()}
}

func torchPlan() Plan {
	p := somePlan()
	p.Frameworks = []string{"torch"}
	return p
}

const deviceLine = `echo '{"kind": "device", "when": "before", "framework": "torch", "name": "CPU", "type": "cpu"}'`

func TestPythonProcess(t *testing.T) {
	part := `echo '{"kind": "component", "framework": "torch", "dtype": "fp32", "batch": 1, "seq": 16, "d_model": 8, "heads": 2, "name": "softmax", "warm": {"wall_ms": [1], "steady": true}}'`
	end := `echo '{"kind": "end"}'`
	for _, test := range []struct {
		name, script string
		fails        string
		missing      bool
		cases        int
	}{
		{"all is well", deviceLine + "\n" + part + "\n" + end, "", false, 1},
		{"it dies", deviceLine + "\n" + part + "\necho 'first' >&2; echo 'Segmentation fault' >&2; exit 139", "crashed while measuring with torch (exit status 139): Segmentation fault", false, 1},
		{"it ends in silence", part, "exited early", false, 1},
		{"it says nonsense", "echo hello", "cannot parse line 1 of its output", false, 0},
		{"torch is not installed", `echo '{"kind": "problem", "fatal": true, "what": "framework", "message": "torch cannot be imported"}'; exit 2`, "torch cannot be imported", true, 0},
		{"no such GPU", `echo '{"kind": "problem", "fatal": true, "what": "device", "message": "there is no cuda:7"}'; exit 2`, "torch: there is no cuda:7", true, 0},
		{"a plan it refuses", `echo '{"kind": "problem", "fatal": true, "what": "plan", "message": "no"}'; exit 2`, "no", false, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			m, err := standIn(t, test.script).Measure(context.Background(), torchPlan(), func(Event) {})
			var missing *MissingError
			switch {
			case test.fails == "" && err != nil, test.fails != "" && (err == nil || !strings.Contains(err.Error(), test.fails)):
				t.Errorf("%v, want %q", err, test.fails)
			case errors.As(err, &missing) != test.missing:
				t.Errorf("%v: missing is %t", err, !test.missing)
			case len(m.Cases) != test.cases:
				t.Errorf("%d cases kept, want %d", len(m.Cases), test.cases)
			}
		})
	}
	if _, err := (Python{Name: "jax", Why: "there is no Python in PATH"}).Measure(context.Background(), torchPlan(), nil); err == nil || err.Error() != "jax: there is no Python in PATH" {
		t.Error(err)
	}
}

func TestPythonIsStopped(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	script := deviceLine + "\n" + `echo '{"kind": "progress", "done": 0, "of": 1, "what": "x"}'` + "\nsleep 600 & wait"
	if _, err := standIn(t, script).Measure(ctx, torchPlan(), func(Event) { cancel() }); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// Full float32 and TF32 are settings of a whole process.
func TestPythonPlans(t *testing.T) {
	plan := torchPlan()
	plan.DTypes, plan.Cold = []string{"fp32", "tf32", "bf16"}, true
	parts := Python{Name: "torch"}.parts(plan)
	if len(parts) != 2 || parts[0].FP32 != "ieee" || len(parts[0].Attention) != 2 || parts[1].FP32 != "tf32" || parts[1].Attention[0].DType != "fp32" || len(parts[0].Cache) != 2 {
		t.Errorf("%+v", parts)
	}
	plan.Task = Layer
	parts = Python{Name: "torch", Layers: []LayerPlan{{Layer: "transformer", Depth: 1}}}.parts(plan)
	if len(parts) != 2 || strings.Join(parts[0].Layers[0].Precision, " ") != "fp32 bf16" || parts[0].Layers[0].FFN != 32 || parts[1].Layers[0].Precision[0] != "fp32" {
		t.Errorf("%+v", parts)
	}
	text, err := json.Marshal(parts[0])
	if err != nil || !strings.Contains(string(text), `"layers":[{"layer":"transformer","batch":1,"seq":16`) {
		t.Errorf("%v %s", err, text)
	}
	plan.Frameworks = []string{"go"}
	plan.Task = Attention
	if parts := (Python{Name: "torch"}).parts(plan); len(parts) != 0 {
		t.Errorf("%+v", parts)
	}
}
