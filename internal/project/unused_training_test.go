package project

import (
	"context"
	"strings"
	"testing"
)

// Of two methods of a class that train, the one that nothing names is not run if a program calls the other; without that, users
// may call either.
func TestTrainingThatNothingCalls(t *testing.T) {
	const learner = `import torch


class Learner:
    def __init__(self, loader):
        self.loader = loader
        self.model = torch.nn.Linear(4, 4).cuda()
        self.optimizer = torch.optim.SGD(self.model.parameters())

    def find_lr(self):
        for x in self.loader:
            self.optimizer.zero_grad()
            self.model(x.cuda()).mean().backward()
            self.optimizer.step()  # search

    def train(self):
        for x in self.loader:
            self.optimizer.zero_grad()
            self.model(x.cuda()).mean().backward()
            self.optimizer.step()  # training
`
	for call, unused := range map[string]bool{"Learner(loader).train()": true, "Learner(loader)": false} {
		p, err := FromSources(context.Background(), map[string][]byte{
			"learner.py": []byte(learner),
			"train.py":   []byte("from torch.utils.data import DataLoader\nfrom learner import Learner\n\nif __name__ == \"__main__\":\n    loader = DataLoader(range(9))\n    " + call + "\n"),
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range p.Modules {
			for mark, want := range map[string]bool{"# search": unused, "# training": false} {
				if at := strings.Index(string(m.Text), mark); at > 0 && p.Unused(m, int32(at)-3) != want {
					t.Errorf("%s: %s: unused is %v", call, mark, !want)
				}
			}
		}
	}
}
