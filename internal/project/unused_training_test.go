package project

import (
	"maps"
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
		p := loadText(t, map[string]string{
			"learner.py": learner,
			"train.py":   "from torch.utils.data import DataLoader\nfrom learner import Learner\n\nif __name__ == \"__main__\":\n    loader = DataLoader(range(9))\n    " + call + "\n",
		})
		checkUnused(t, call, p, map[string]bool{"# search": unused, "# training": false})
	}
}

// A function that trains and that nothing calls is not run where programs train by a namesake, or where they use its module for
// something else and train without it.
func TestTrainingOfNamesakes(t *testing.T) {
	const train = `
def fit(model, loader, optimizer):
    for x in loader:
        optimizer.zero_grad()
        model(x.cuda()).mean().backward()
        optimizer.step()  # %s


def rate(step):
    return 0.1 / (step + 1)
`
	const program = `from torch.utils.data import DataLoader
import torch
%s

def main():
    loader = DataLoader(range(9))
    model = torch.nn.Linear(1, 1).cuda()
    optimizer = torch.optim.SGD(model.parameters(), rate(0))
    model.fit = "fit"
    %s


if __name__ == "__main__":
    main()
`
	helper, own := strings.ReplaceAll(train, "%s", "helper"), "import torch\n"+strings.ReplaceAll(train, "%s", "own")
	for name, c := range map[string]struct {
		imports, call string
		files         map[string]string
		unused        bool
	}{
		"namesake":   {"from other import fit\nfrom helpers import rate\n", "fit(model, loader, optimizer)", map[string]string{"other.py": own, "setup.py": "setup()\n"}, true},
		"nested":     {"from helpers import rate\n", "fit()", nil, true},
		"called":     {"from helpers import rate, fit\n", "fit(model, loader, optimizer)", nil, false},
		"by module":  {"import helpers\nfrom helpers import rate\n", "helpers.fit(model, loader, optimizer)", nil, false},
		"without":    {"from helpers import rate\n", "for x in loader:\n        optimizer.zero_grad()\n        model(x.cuda()).mean().backward()\n        optimizer.step()", nil, true},
		"imported":   {"from helpers import rate, fit\n", "for x in loader:\n        optimizer.zero_grad()\n        model(x.cuda()).mean().backward()\n        optimizer.step()", nil, false},
		"library":    {"from helpers import rate\n", "for x in loader:\n        optimizer.zero_grad()\n        model(x.cuda()).mean().backward()\n        optimizer.step()", map[string]string{"setup.py": "setup()\n"}, false},
		"by command": {"from helpers import rate\n", "fit(model, loader, optimizer)", map[string]string{"go.yaml": "run: helpers:fit\n"}, false},
		"none train": {"from helpers import rate\n", "print(loader)", nil, false},
	} {
		text := strings.Replace(strings.Replace(program, "%s", c.imports, 1), "%s", c.call, 1)
		if name == "nested" {
			text = strings.Replace(text, "    fit()", "    def fit():\n        for x in loader:\n            optimizer.zero_grad()\n            model(x.cuda()).mean().backward()\n            optimizer.step()\n    fit()", 1)
		}
		files := map[string]string{"train.py": text, "mode.yaml": "mode: fit\n", "helpers.py": helper}
		maps.Copy(files, c.files)
		want := map[string]bool{"# helper": c.unused}
		if name == "namesake" {
			want["# own"] = false
		}
		checkUnused(t, name, loadText(t, files), want)
	}
}
