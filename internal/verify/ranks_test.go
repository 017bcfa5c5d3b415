package verify

import (
	"context"
	"os"
	"strings"
	"testing"

	"saturate/internal/device"
	"saturate/internal/probe/probetest"
)

// Two ranks over Gloo, of which one loads its samples slowly: the whole job is faster without that, and computes the
// same.
func TestRealRanks(t *testing.T) {
	if !accepting() {
		t.Skip("SATURATE_ACCEPT is not set: it times programs")
	}
	const program = `import os, time, torch, torch.distributed as dist
torch.set_num_threads(1)
torch.manual_seed(0)


class Samples(torch.utils.data.Dataset):
    def __len__(self):
        return 112

    def __getitem__(self, i):
        if os.environ["RANK"] == "1":
            time.sleep(SLEEP)
        return torch.full((8,), i / 112)


dist.init_process_group("gloo")
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
data = Samples()
for x in torch.utils.data.DataLoader(data, batch_size=4, sampler=torch.utils.data.DistributedSampler(data, shuffle=False)):
    loss = model(x).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
dist.destroy_process_group()
`
	plan := Plan{Pairs: 6, Steps: 12}
	for side, sleep := range map[*Variant]string{&plan.Before: "0.005", &plan.After: "0"} {
		dir := t.TempDir()
		probetest.Write(t, dir, map[string]string{"train.py": strings.Replace(program, "SLEEP", sleep, 1)})
		var err error
		if *side, err = InFolder("sleep "+sleep, dir, append(twoRanks(t), "train.py")); err != nil {
			t.Fatal(err)
		}
	}
	r, err := Run(context.Background(), plan, Options{Dir: t.TempDir(), Execute: Programs(os.Environ()), System: device.Host{}})
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != Faster {
		t.Errorf("%s: %s; %s", r.Verdict, r.Reason, strings.Join(r.Warnings, "; "))
	}
}
