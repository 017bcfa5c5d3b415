package optimize

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"saturate/internal/probe/probetest"
	"saturate/internal/rule"
	"saturate/internal/verify"
)

// ranked trains on as many ranks as are started, with Gloo on the CPU. Each rank waits for its samples.
const ranked = `import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset, DistributedSampler

torch.set_num_threads(1)
torch.manual_seed(0)


class Samples(Dataset):
    def __len__(self):
        return 112

    def __getitem__(self, i):
        time.sleep(0.005)
        return torch.full((8,), i / 112)


dist.init_process_group("gloo")
model = DistributedDataParallel(torch.nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
data = Samples()
loader = DataLoader(data, batch_size=4, sampler=DistributedSampler(data, shuffle=False))
for x in loader:
    loss = model(x).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
dist.destroy_process_group()
`

// TestTwoRanks climbs the ladder of a job of two ranks: the loader is repaired on both, both train on the samples that
// they had, and the patch is of the one program that both run.
func TestTwoRanks(t *testing.T) {
	python := os.Getenv("SATURATE_TEST_PYTHON")
	if python == "" {
		t.Skip("SATURATE_TEST_PYTHON is not set")
	}
	command := forked.Ranks(t, python, 2)
	if os.Getenv("SATURATE_ACCEPT") != "" { // the real launcher imports torch three times in each run
		command = []string{python, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"}
	}
	dir := filepath.Join(t.TempDir(), "job")
	probetest.Write(t, dir, map[string]string{"train.py": ranked})
	result, err := Run(t.Context(), Options{
		Dir: dir, Command: append(command, "train.py"), State: filepath.Join(t.TempDir(), "state"),
		Steps: 12, Quick: true, Pairs: 1, Timeout: time.Minute, Rules: rule.Selection{Select: []string{"SAT201"}},
		Profile: WithProbe(os.Environ(), nil, nil), Execute: verify.Programs(os.Environ()), Look: verify.Samples(os.Environ(), nil),
		Prepare: ByCommand(os.Environ(), nil, time.Minute),
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(result.Ladder) == 0 {
		t.Fatalf("nothing was tried: %+v", result.End)
	}
	rung := result.Ladder[0]
	t.Logf("%s: %s; samples %+v", rung.Decision, rung.Because, rung.Samples)
	if rung.Decision == Wrong || rung.Decision == Broken || rung.Samples == nil || rung.Samples.State != verify.Passed {
		t.Errorf("a right repair is dropped")
	}
	if rung.Decision == Kept && strings.Count(result.Diff, "+loader = DataLoader(") != 1 {
		t.Errorf("the patch:\n%s", result.Diff)
	}
}
