package verify

import (
	"os"
	"testing"

	"saturate/internal/run"
)

// TestRecomputed: a layer that checkpointing computes again in the backward pass is given no sample. A program without it
// trains on the same ones.
func TestRecomputed(t *testing.T) {
	const model = "model = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1))"
	variant := func(name, first string) Variant {
		v := loop(t, name, model, `
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = torch.nn.Linear(16, 32), torch.nn.Linear(32, 1)

    def forward(self, x):
        return self.last(torch.relu(`+first+`))


model = Net()`)
		v.Command = v.Command[:len(v.Command)-2] // it does not write its own steps
		return v
	}
	quicker := bySide(func() run.Run { return steady(30, 0.1) }, func() run.Run { return steady(30, 0.05) })
	plan := testPlan()
	plan.Before = variant("before", "torch.utils.checkpoint.checkpoint(self.first, x, use_reentrant=False)")
	plan.After = variant("after", "self.first(x)")
	r, err := Run(t.Context(), plan, Options{Execute: quicker, Look: Samples(os.Environ(), nil)})
	if err != nil {
		t.Fatal(err)
	}
	if g := r.Guard.Samples; r.Verdict != Faster || g.State != Passed {
		t.Errorf("%s, samples %s: %s", r.Verdict, g.State, g.Reason)
	}
}
