package optimize

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"saturate/internal/device"
	"saturate/internal/probe/probetest"
	"saturate/internal/process"
	"saturate/internal/rule"
	"saturate/internal/verify"
)

// A program that saves beside its project, in its home and by a whole path, and that waits for its data. The copy sees
// its neighbors through links.
const careless = `import os, time
import torch
from torch.utils.data import DataLoader, Dataset


class Clips(Dataset):
    def __len__(self):
        return 400

    def __getitem__(self, i):
        time.sleep(0.01)
        return torch.full((8,), i / 400)


def main():
    model = torch.nn.Linear(8, 8)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x in DataLoader(Clips(), batch_size=4):
        loss = model(x).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        for path in ("../ckpt/last.pt", os.path.expanduser("~/notes.txt"), os.environ["TOP"] + "/data/list.csv"):
            with open(path, "w") as f:
                f.write(str(float(loss)))


if __name__ == "__main__":
    main()
`

// TestUsersFilesStay: under optimize and optimize --plan the user's files keep their bytes and times, and the result
// names them.
func TestUsersFilesStay(t *testing.T) {
	python := os.Getenv("SATURATE_TEST_PYTHON")
	if python == "" {
		t.Skip("SATURATE_TEST_PYTHON is not set")
	}
	if process.How() != process.Overlay {
		t.Skipf("programs are confined by %q here", process.How())
	}
	for _, plan := range []bool{true, false} {
		t.Run(map[bool]string{true: "plan", false: "all of it"}[plan], func(t *testing.T) {
			if !plan && os.Getenv("SATURATE_ACCEPT") == "" {
				t.Skip("a whole ladder with real programs: set SATURATE_ACCEPT=1")
			}
			top := t.TempDir()
			job, home := filepath.Join(top, "job"), filepath.Join(top, "home")
			users := []string{filepath.Join(top, "ckpt/last.pt"), filepath.Join(home, "notes.txt"), filepath.Join(top, "data/list.csv")}
			probetest.Write(t, top, map[string]string{"ckpt/last.pt": "mine", "home/notes.txt": "mine", "data/list.csv": "mine", "job/train.py": careless})
			long := time.Now().Add(-time.Hour).Truncate(time.Second)
			for _, path := range append(users, filepath.Join(job, "train.py")) {
				if err := os.Chtimes(path, long, long); err != nil {
					t.Fatal(err)
				}
			}
			env := append(os.Environ(), "HOME="+home, "TOP="+top)
			r, err := Run(t.Context(), Options{
				Dir: job, Command: []string{python, "train.py"}, State: filepath.Join(top, "state"), Steps: 20, PlanOnly: plan, Quick: true, Pairs: 1, Timeout: 5 * time.Minute,
				Rules:   rule.Selection{Select: []string{"SAT201"}},
				Profile: WithProbe(env, nil, nil), Execute: verify.Programs(env), Look: verify.Samples(env, nil), Prepare: ByCommand(env, nil, time.Minute), System: device.Host{},
			})
			if err != nil {
				t.Fatal(err)
			}
			kept := slices.ContainsFunc(r.Ladder, func(r Rung) bool { return r.Decision == Kept }) // one of the worker counts
			if got := decisions(r); !plan && !kept || len(r.Candidates) == 0 {
				t.Errorf("decisions %v of %d candidates: nothing was tried", got, len(r.Candidates))
			}
			for _, path := range append(users, filepath.Join(job, "train.py")) {
				info, err := os.Stat(path)
				text, _ := os.ReadFile(path)
				if err != nil || string(text) != "mine" && string(text) != careless || !info.ModTime().Equal(long) {
					t.Errorf("%s is %q, of %v: %v", path, text, info.ModTime(), err)
				}
			}
			text := strings.Join(r.Notes, "\n")
			t.Log(text)
			if !strings.Contains(text, users[0]) || !strings.Contains(text, "your files are unchanged") {
				t.Errorf("notes %q", r.Notes)
			}
		})
	}
}
