package optimize

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"saturate/internal/rule"
	"saturate/internal/verify"
)

// augmented waits for samples that are cropped and flipped at random.
const augmented = `import time

import torch
from torch.utils.data import DataLoader, Dataset


class Pictures(Dataset):
    def __len__(self):
        return 256

    def __getitem__(self, index):
        time.sleep(0.01)
        x = torch.randn(3, 20, 20, generator=torch.Generator().manual_seed(index))
        a, b = torch.randint(0, 5, (2,)).tolist()
        x = x[:, a : a + 16, b : b + 16]
        return (x.flip(-1) if torch.rand(()) < 0.5 else x), index % 50


def main():
    torch.manual_seed(1)
    torch.set_num_threads(1)
    loader = DataLoader(Pictures(), batch_size=16, shuffle=True, drop_last=True)
    model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(768, 32), torch.nn.ReLU(), torch.nn.Linear(32, 50))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.3, momentum=0.9)
    for epoch in range(20):
        for x, y in loader:
            loss = torch.nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    main()
`

// Fixes are tried in forks of one process, and the proof is not; workers that draw other crops are not called wrong for
// it.
func TestTriedInForks(t *testing.T) {
	python := os.Getenv("SATURATE_TEST_PYTHON")
	if python == "" {
		t.Skip("SATURATE_TEST_PYTHON is not set")
	}
	dir := filepath.Join(t.TempDir(), "job")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "train.py"), []byte(augmented), 0o644); err != nil {
		t.Fatal(err)
	}
	o := inForks(t, Options{
		Dir: dir, Command: []string{python, "train.py"}, State: filepath.Join(t.TempDir(), "state"), Steps: 40, Pairs: 1, Quick: true,
		Rules: rule.Selection{Select: []string{"SAT201"}},
	})
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	proven := os.Getenv("SATURATE_ACCEPT") != "" // the proof starts three more processes that import torch
	o.Tell = func(e Event) {
		if e.Rung != nil && !proven {
			stop()
		}
	}
	result, err := Run(ctx, o)
	if err != nil && (proven || !errors.Is(err, context.Canceled)) {
		t.Fatal(err)
	}
	if len(result.Ladder) == 0 || result.Ladder[0].Choice != "loader" || result.Ladder[0].Decision != Kept {
		t.Fatalf("%+v", result.Ladder)
	}
	// The samples of before and after, and a pair for each rung; the baseline and the proof have processes of their own.
	if tried := result.Ladder[0]; result.Forked < 4 || tried.Samples.State != verify.Passed || tried.Samples.Equal != tried.Samples.Checked {
		t.Errorf("%d runs were forked, samples %+v", result.Forked, tried.Samples)
	}
	if !proven {
		return
	}
	if result.Final == nil || result.Final.Verdict == verify.Invalid {
		t.Errorf("the proof: %+v", result.Final)
	}
}
