package cli

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"saturate/internal/mcp"
)

// client is a scripted agent: it calls tools and counts what it had to read.
type client struct {
	*testing.T
	session *sdk.ClientSession
	calls   int
	read    int // bytes of tool text
}

// newClient connects an agent to the tools over dir. The answer to questions about programs is allow; nil for a client
// that cannot ask.
func newClient(t *testing.T, dir string, program []string, allow *bool) *client {
	t.Helper()
	env := &Env{Dir: dir, Vars: append(os.Environ(), "XDG_STATE_HOME="+t.TempDir()), Now: time.Now}
	server, err := mcp.New(mcp.Options{Version: "test", Roots: []string{dir}, Program: program, Limit: 10 * time.Minute, Runs: filepath.Join(dir, "runs"), Commands: env.inProcess})
	if err != nil {
		t.Fatal(err)
	}
	here, there := sdk.NewInMemoryTransports()
	if _, err := server.Connect(t.Context(), there); err != nil {
		t.Fatal(err)
	}
	var options sdk.ClientOptions
	if allow != nil {
		options.ElicitationHandler = func(context.Context, *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"allow": *allow}}, nil
		}
	}
	session, err := sdk.NewClient(&sdk.Implementation{Name: "script", Version: "1"}, &options).Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return &client{T: t, session: session}
}

// call uses a tool. Whatever it answers is one JSON object of at most 4 KB, the same in both forms.
func (c *client) call(tool string, arguments map[string]any) (a mcp.Answer) {
	c.Helper()
	result, err := c.session.CallTool(c.Context(), &sdk.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		c.Fatalf("%s: %v", tool, err)
	}
	if len(result.Content) != 1 {
		c.Fatalf("%s gave %d pieces of content", tool, len(result.Content))
	}
	text := result.Content[0].(*sdk.TextContent).Text
	c.calls++
	c.read += len(text)
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		c.Fatalf("%s: the answer is not JSON: %v\n%s", tool, err, text)
	}
	if len(text) > 4096 {
		c.Errorf("%s gave %d bytes", tool, len(text))
	}
	if a.NextStep.Why == "" {
		c.Errorf("%s says no next step: %s", tool, text)
	}
	if result.IsError != (a.Status == mcp.Failed || a.Status == mcp.Refused) {
		c.Errorf("%s: IsError %v with status %s", tool, result.IsError, a.Status)
	}
	return a
}

// follow does what the last answer advises.
func (c *client) follow(a mcp.Answer) mcp.Answer {
	c.Helper()
	return c.call(a.NextStep.Tool, a.NextStep.Arguments)
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

const agentProgram = `import torch
from torch.utils.data import DataLoader

loader = DataLoader(samples, batch_size=8, shuffle=True)
for x, y in loader:
    x = x.to("cuda")
    loss = model(x, y.to("cuda"))
    loss.backward()
    print(loss.item())
`

// An agent that only follows next_step, or knows the guide, gets from the source to a proof.
func TestAgentLoop(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "train.py", agentProgram)
	put(t, dir, "trainer.cfg", "-ms 6\n")
	trace, err := os.ReadFile("../../testdata/traces/starved.pt.trace.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	put(t, dir, "traces/starved.pt.trace.json.gz", string(trace))
	c := newClient(t, dir, []string{"trainer", "-log", "{steps}"}, nil)

	a := c.call("scan", nil)
	if a.Status != mcp.Found || len(a.Findings) == 0 || !strings.HasPrefix(a.Findings[0].Where, "train.py:") || a.NextStep.Tool != "profile" {
		t.Errorf("scan: %+v", a)
	}
	if d := c.call("explain", map[string]any{"where": a.Findings[0].Where}); d.Detail == nil || d.Detail.Code != a.Findings[0].Rule || d.Detail.Why == "" {
		t.Errorf("explain a finding: %+v", d)
	}
	a = c.call("analyze", map[string]any{"trace": "traces/starved.pt.trace.json.gz", "what_if": "loader=free"})
	if len(a.Predictions) == 0 || len(a.Gaps) == 0 || a.Predictions[0].HighMS <= 0 {
		t.Errorf("analyze: %+v", a)
	}
	if g := c.call("explain", map[string]any{"trace": "traces/starved.pt.trace.json.gz", "gap": 1}); len(g.Gaps) != 1 || g.Gaps[0].Cause == "" {
		t.Errorf("explain a gap: %+v", g)
	}
	before, _ := os.ReadFile(filepath.Join(dir, "train.py"))
	a = c.follow(a) // propose
	if a.Patch == nil || a.Patch.Path == "" || a.NextStep.Tool != "verify" {
		t.Fatalf("propose: %+v", a)
	}
	if now, _ := os.ReadFile(filepath.Join(dir, "train.py")); string(now) != string(before) {
		t.Error("propose changed the project")
	}

	a = c.call("verify", map[string]any{"diff": "--- a/trainer.cfg\n+++ b/trainer.cfg\n@@ -1 +1 @@\n--ms 6\n+-ms 2\n"})
	if a.Verdict == nil || a.Verdict.Word != "FASTER" || a.Verdict.Loss != "passed" || a.Verdict.Low < 2 || a.Verdict.High > 4 {
		t.Fatalf("verify: %+v %+v", a, a.Verdict)
	}
	if again := c.call("report", map[string]any{"run": a.Run}); again.Verdict == nil || *again.Verdict != *a.Verdict {
		t.Errorf("the Run says otherwise: %+v", again.Verdict)
	}
	if c.calls > 8 || c.read > 4*12_000 {
		t.Errorf("%d calls, %d bytes of tool text", c.calls, c.read)
	}
	t.Logf("%d calls, %d bytes of tool text, about %d tokens", c.calls, c.read, c.read/4)
}

// The guards of verify are not for the agent to switch off, nor for the project's settings.
func TestAgentCannotLoosenTheGuard(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "trainer.cfg", "-ms 6\n")
	put(t, dir, "saturate.toml", "[verify]\nnumerics = \"unchecked\"\nmargin = 0.9\nthreshold = 0.9\n")
	c := newClient(t, dir, []string{"trainer", "-log", "{steps}"}, nil)
	if a := c.call("verify", map[string]any{"diff": "x", "numerics": "unchecked"}); a.Status != mcp.Refused {
		t.Errorf("unchecked: %+v", a)
	}
	a := c.call("verify", map[string]any{"diff": "--- a/trainer.cfg\n+++ b/trainer.cfg\n@@ -1 +1 @@\n--ms 6\n+-ms 2 -loss 0.5\n"})
	if a.Verdict == nil || a.Verdict.Word != "INVALID" || a.Verdict.Loss != "failed" {
		t.Errorf("a broken loss passed: %+v", a.Verdict)
	}
	a = c.call("verify", map[string]any{"diff": "--- a/trainer.cfg\n+++ b/trainer.cfg\n@@ -1 +1 @@\n--ms 6\n+-ms 2 -crash 3\n"})
	if a.Verdict == nil || a.Verdict.Word != "INVALID" || !strings.Contains(strings.Join(a.Printed, " "), "RuntimeError") {
		t.Errorf("a crash: %+v %+v", a.Verdict, a.Printed)
	}
}
