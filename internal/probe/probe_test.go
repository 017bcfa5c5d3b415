package probe_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"saturate/internal/probe"
)

// python is the interpreter with torch and its friends.
func python(t *testing.T) string {
	t.Helper()
	p := os.Getenv("SATURATE_TEST_PYTHON")
	if p == "" {
		t.Skip("SATURATE_TEST_PYTHON is not set: no Python with torch to watch")
	}
	return p
}

// watch runs a program of testdata and fails when the program does.
func watch(t *testing.T, plan probe.Plan, program string, args ...string) probe.Outcome {
	t.Helper()
	plan.Command = append([]string{python(t), filepath.Join("testdata", "programs", program)}, args...)
	return watchCommand(t, plan)
}

func watchCommand(t *testing.T, plan probe.Plan) probe.Outcome {
	t.Helper()
	var said bytes.Buffer
	plan.Root, plan.Stdout, plan.Stderr = t.TempDir(), &said, &said
	plan.Env = append(plan.Env, "SATURATE_PROBE_DEBUG=1", "OMP_NUM_THREADS=1")
	out, err := probe.Watch(context.Background(), plan)
	if err != nil {
		t.Fatal(err)
	}
	if out.Exit != 0 || len(out.Run.Notes) > 0 {
		t.Errorf("exit %d, notes %q; the program said:\n%s", out.Exit, out.Run.Notes, said.String())
	}
	return out
}

func TestPlainLoop(t *testing.T) {
	out := watch(t, probe.Plan{Loss: true}, "plain.py", "steps=12", "data=.005", "forward=.02")
	if len(out.Run.Steps) != 12 {
		t.Fatalf("%d steps, want 12", len(out.Run.Steps))
	}
	for _, s := range out.Run.Steps {
		if s.Samples != 4 || s.Elements != 36 || s.Loss == nil {
			t.Errorf("step %d: %v samples, %v elements, loss %v; want 4, 36 and a loss", s.Index, s.Samples, s.Elements, s.Loss)
		}
		t.Logf("%+v", s)
	}
	t.Logf("%+v %+v", out.Facts, out.Run.Environment.Versions)
}
