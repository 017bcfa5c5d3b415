package cli

import (
	"os"
	"testing"

	"saturate/internal/mcp"
)

// A scripted agent goes from the example's source to a verdict, with few calls and little to read. It takes minutes on
// CPUs.
func TestAgentOnTheExample(t *testing.T) {
	python := os.Getenv("SATURATE_TEST_PYTHON")
	if os.Getenv("SATURATE_ACCEPT") == "" || python == "" {
		t.Skip("SATURATE_ACCEPT and SATURATE_TEST_PYTHON are not set: trains the example")
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../examples/whisper-tts")); err != nil {
		t.Fatal(err)
	}
	c := newClient(t, dir, []string{python, "train.py", "--size", "tiny"}, nil)
	a := c.call("scan", nil)
	if len(a.Findings) == 0 || a.NextStep.Tool != "profile" {
		t.Fatalf("scan: %+v", a)
	}
	a = c.call("profile", map[string]any{"steps": 16})
	if a.Status == mcp.Failed || a.Run == "" {
		t.Fatalf("profile: %+v", a)
	}
	t.Logf("profile: %v", a.Summary)
	t.Logf("analyze: %v", c.call("analyze", map[string]any{"run": a.Run}).Summary)
	a = c.call("propose", nil)
	if a.Patch == nil || a.Patch.Path == "" {
		t.Fatalf("propose: %+v", a)
	}
	a = c.call("verify", map[string]any{"patch": a.Patch.Path, "pairs": 1, "steps": 12})
	if a.Verdict == nil || a.Verdict.Pairs != 1 {
		t.Fatalf("verify: %+v", a)
	}
	t.Logf("verify: %+v", *a.Verdict)
	if c.calls > 8 || c.read > 4*12_000 {
		t.Errorf("%d calls, %d bytes of tool text", c.calls, c.read)
	}
	t.Logf("%d calls, %d bytes of tool text, about %d tokens", c.calls, c.read, c.read/4)
}
