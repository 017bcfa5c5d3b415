package optimize

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"saturate/internal/probe"
	"saturate/internal/run"
	"saturate/internal/verify"
)

// guest is a program with bad manners: it reads beside its folder, writes into it, talks without end, asks
// for input and never stops.
const guest = `import sys, time, torch
from torch.utils.data import DataLoader, Dataset

words = open("../beside/words.txt").read().split()
assert sys.stdin.read() == ""

class Words(Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, index):
        time.sleep(0.004)
        return torch.full((8,), float(len(words[index % len(words)])))

model = torch.nn.Linear(8, 1)
if torch.cuda.is_available():
    model.cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
loader = DataLoader(Words(), batch_size=8)
step = 0
while True:
    for x in loader:
        loss = model(x).pow(2).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        step += 1
        print("x" * 100_000, flush=True)
        if step % 10 == 0:
            torch.save(model.state_dict(), "checkpoint.pt")
        if step == FAIL_AT:
            raise RuntimeError("planted at step %d" % step)
`

func guestProject(t *testing.T, failAt string) Options {
	t.Helper()
	python := os.Getenv("SATURATE_TEST_PYTHON")
	if python == "" {
		t.Skip("SATURATE_TEST_PYTHON is not set")
	}
	top := t.TempDir()
	dir := filepath.Join(top, "job")
	for path, text := range map[string]string{"job/train.py": strings.ReplaceAll(guest, "FAIL_AT", failAt), "beside/words.txt": "one two three"} {
		path = filepath.Join(top, path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o444)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(dir, 0o555); err != nil { // the user's folder may be read-only
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(dir, 0o755) })
	env := os.Environ()
	return Options{
		Dir: dir, Command: append(forked.Command(t, python), "train.py"), State: filepath.Join(top, "state"), Steps: 20, PlanOnly: true, Timeout: 5 * time.Minute,
		Profile: WithProbe(env, nil, nil), Execute: verify.Programs(env), Prepare: ByCommand(env, nil, time.Minute),
	}
}

func TestGuestWithBadManners(t *testing.T) {
	o := guestProject(t, "-1")
	result, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if b := result.Baseline; b.SecondsPerStep < 0.03 || b.Shares.Data < 0.5 || b.GPU {
		t.Errorf("baseline %+v", b)
	}
	if len(result.Candidates) == 0 || result.Candidates[0].Choice != "loader" {
		t.Errorf("plan %+v", result.Candidates)
	}
	left, err := os.ReadDir(o.Dir)
	if err != nil || len(left) != 1 {
		t.Errorf("the user's folder holds %v: %v", left, err)
	}
}

// ranks is a program of which two are started.
const ranks = `import time, torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler

dist.init_process_group("gloo")
torch.set_num_threads(1)

class Points(Dataset):
    def __len__(self):
        return 400

    def __getitem__(self, index):
        time.sleep(0.004)
        return torch.full((8,), index / 400)

model = torch.nn.Linear(8, 1)
if torch.cuda.is_available():
    model.cuda()
model = DistributedDataParallel(model)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
data = Points()
loader = DataLoader(data, batch_size=8, sampler=DistributedSampler(data))
for x in loader:
    loss = model(x).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
dist.destroy_process_group()
`

func TestRanks(t *testing.T) {
	o := guestProject(t, "-1")
	path := filepath.Join(o.Dir, "train.py")
	if err := errors.Join(os.Chmod(path, 0o644), os.WriteFile(path, []byte(ranks), 0o644)); err != nil {
		t.Fatal(err)
	}
	o.Command = append(forked.Ranks(t, o.Command[0], 2), "train.py")
	result, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if b := result.Baseline; b.SecondsPerStep < 0.03 { // eight samples take 32 ms, in each of the ranks
		t.Errorf("baseline %+v", b)
	}
	if !slices.ContainsFunc(result.Candidates, func(c Candidate) bool { return c.Choice == "loader" }) {
		t.Errorf("plan %+v", result.Candidates)
	}
}

func TestProgramThatFails(t *testing.T) {
	_, err := Run(t.Context(), guestProject(t, "7"))
	if err == nil || !strings.Contains(err.Error(), "exit code 1 after 7 steps") || !strings.Contains(err.Error(), "planted at step 7") {
		t.Errorf("error %v", err)
	}
}

// TestNoRoomForSteps: a program whose steps cannot be written was not without steps. This one does to the probe's
// folder what a full disk does.
func TestNoRoomForSteps(t *testing.T) {
	python := os.Getenv("SATURATE_TEST_PYTHON")
	if python == "" {
		t.Skip("SATURATE_TEST_PYTHON is not set")
	}
	full := "import json, os; os.remove(json.loads(os.environ['SATURATE_PROBE'])['folder'] + '/room')"
	_, err := WithProbe(os.Environ(), nil, nil)(t.Context(), probe.Home{Root: t.TempDir()}, []string{python, "-c", full}, 10, t.TempDir())
	if !isFull(err) {
		t.Errorf("%v", err)
	}
}

// The newest trace counts, with all its steps: one step alone may be a slow one.
func TestExplained(t *testing.T) {
	traces := []string{"../../testdata/traces/fixed.pt.trace.json.gz", "../../testdata/traces/starved.pt.trace.json.gz"}
	a, err := explained(t.Context(), run.Run{}, probe.Outcome{Ranks: make([]probe.Rank, 1), Traces: traces}.Latest(), nil)
	if err != nil || a == nil {
		t.Fatalf("there is no analysis: %v", err)
	}
	if a.Trace.Path != traces[1] || a.Window.Steps != 4 {
		t.Errorf("%d steps of %s are analysed, want the 4 of %s", a.Window.Steps, a.Trace.Path, traces[1])
	}
	if a, err := explained(t.Context(), run.Run{}, nil, nil); a != nil || err == nil {
		t.Errorf("no trace was analysed: %v", err)
	}
}
