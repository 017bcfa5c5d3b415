package optimize

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"saturate/internal/device"
	"saturate/internal/process"
	"saturate/internal/verify"
)

// A program that saves beside its project, in its home and by a whole path. The copy sees its neighbours through links.
const careless = `import os, sys
import torch

model = torch.nn.Linear(8, 8)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(40):
    loss = model(torch.ones(4, 8)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    for path in ("../ckpt/last.pt", os.path.expanduser("~/notes.txt"), os.environ["TOP"] + "/data/list.csv"):
        with open(path, "w") as f:
            f.write(str(step))
`

// TestUsersFilesStay: under optimize and optimize --plan the user's files keep their bytes and times, and the result names them.
func TestUsersFilesStay(t *testing.T) {
	python := os.Getenv("SATURATE_TEST_PYTHON")
	if python == "" {
		t.Skip("SATURATE_TEST_PYTHON is not set")
	}
	if process.How() != process.Overlay {
		t.Skipf("programs are confined by %q here", process.How())
	}
	top := t.TempDir()
	job, home := filepath.Join(top, "job"), filepath.Join(top, "home")
	users := []string{filepath.Join(top, "ckpt/last.pt"), filepath.Join(home, "notes.txt"), filepath.Join(top, "data/list.csv")}
	for path, text := range map[string]string{users[0]: "mine", users[1]: "mine", users[2]: "mine", filepath.Join(job, "train.py"): careless} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	long := time.Now().Add(-time.Hour).Truncate(time.Second)
	for _, path := range users {
		if err := os.Chtimes(path, long, long); err != nil {
			t.Fatal(err)
		}
	}
	env := append(os.Environ(), "HOME="+home, "TOP="+top)
	r, err := Run(t.Context(), Options{
		Dir: job, Command: []string{python, "train.py"}, State: filepath.Join(top, "state"), Steps: 20, PlanOnly: true, Timeout: 5 * time.Minute,
		Profile: WithProbe(env, nil), Execute: verify.Programs(env), Prepare: ByCommand(env, nil, time.Minute), System: device.Host{},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range users {
		info, err := os.Stat(path)
		text, _ := os.ReadFile(path)
		if err != nil || string(text) != "mine" || !info.ModTime().Equal(long) {
			t.Errorf("%s is %q, of %v: %v", path, text, info.ModTime(), err)
		}
	}
	if text := strings.Join(r.Notes, "\n"); !strings.Contains(text, users[0]) || !strings.Contains(text, "your files are unchanged") {
		t.Errorf("notes %q", r.Notes)
	}
}
