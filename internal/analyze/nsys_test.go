package analyze

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"saturate/internal/trace"
	"saturate/internal/trace/open"
)

// An export of Nsight Systems, made by its schema from a Kineto trace, is explained as that trace is: the same
// bottleneck, busy times and kernels.
func TestSameByNsight(t *testing.T) {
	python := os.Getenv("SATURATE_TEST_PYTHON")
	if python == "" {
		t.Skip("SATURATE_TEST_PYTHON is not set")
	}
	names := []string{"starved"}
	if os.Getenv("SATURATE_ACCEPT") != "" {
		names = append(names, "compiled", "fixed")
	}
	for _, name := range names {
		out := filepath.Join(t.TempDir(), name+".sqlite")
		script := filepath.Join("..", "trace", "nsys", "testdata", "from_kineto.py")
		if text, err := exec.Command(python, script, filepath.Join("..", "..", "testdata", "traces", name+".pt.trace.json.gz"), out).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		traces, err := open.Read(context.Background(), []string{out}, open.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := Everything(context.Background(), []*trace.Trace{traces[0]}, All)
		if err != nil {
			t.Fatal(err)
		}
		want := analysed(t, name, All)
		if got.Verdict.Bottleneck != want.Verdict.Bottleneck || got.GPUs[0].Span != want.GPUs[0].Span || len(got.Steps) != len(want.Steps) {
			t.Errorf("%s: %s %+v, want %s %+v", name, got.Verdict.Bottleneck, got.GPUs[0].Span, want.Verdict.Bottleneck, want.GPUs[0].Span)
		}
		t.Logf("%s: %s\nKineto: %s", name, got.Verdict.Sentence, want.Verdict.Sentence)
	}
}
