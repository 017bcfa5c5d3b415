package rule

import (
	"strings"
	"testing"

	"saturate/internal/patch"
)

const recordedClass = `import torch
from torch import nn
from net import Net


class Trainer:
    def __init__(self, lr):
        self.device, self.scale = torch.device("cuda"), 1.0
        self.model = Net().to(self.device)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=lr, fused=True)
        self.criterion = nn.CrossEntropyLoss()

    def train_step(self, x, y):
        x, y = x.to(self.device), y.to(self.device)
        self.optimizer.zero_grad()
        loss = self.criterion(self.model(x), y) * self.scale
        loss.backward()
        self.optimizer.step()
        return loss

`

const recordedNet = `from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.warm = nn.Sequential(nn.Linear(512, 512), nn.ReLU()), 1.0

    def forward(self, x):
        return self.body(x) * self.warm

    def set_warmth(self, value):
        self.warm = value

    def size(self):
        return sum(p.numel() for p in self.parameters())
`

// A step that is a method is recorded within it, as long as nobody changes what it reads. The model may have no list of layers.
func TestRecordedFunction(t *testing.T) {
	for name, test := range map[string]struct {
		more string
		not  bool
	}{
		"plain": {more: `
    def fit(self, loader):
        for x, y in loader:
            loss = self.train_step(x, y)
        print(loss, self.model.size())
`},
		"a part is replaced": {not: true, more: `
    def fit(self, loader):
        for epoch in range(3):
            self.scale = 1 / (1 + epoch)
            for x, y in loader:
                self.train_step(x, y)
`},
		"a part is replaced from elsewhere": {not: true, more: `
    def fit(self, loader):
        for x, y in loader:
            self.train_step(x, y)


def schedule(trainer):
    trainer.scale *= 0.5
`},
		"a method sets something": {not: true, more: `
    def fit(self, loader):
        for i, (x, y) in enumerate(loader):
            self.model.set_warmth(1 / (1 + i))
            self.train_step(x, y)
`},
		"made by a method of the constructor": {more: `
    def fit(self, loader):
        for x, y in loader:
            self.train_step(x, y)


class Other:
    def __init__(self):
        self.build()

    def build(self):
        self.scale = 2.0
`},
	} {
		t.Run(name, func(t *testing.T) {
			text := recordedClass + strings.TrimPrefix(test.more, "\n")
			found := scan(t, Selection{Select: []string{"SAT411"}, All: true}, map[string]string{"train.py": text, "net.py": recordedNet}).Findings
			if len(found) != 1 || len(found[0].Fixes) < 2 {
				t.Fatalf("the model is not found: %+v", found)
			}
			fixes := found[0].Fixes[2:]
			if test.not != (len(fixes) == 0) {
				t.Fatalf("%d steps are recorded", len(fixes))
			}
			if test.not {
				return
			}
			out, err := patch.Edits([]byte(text), fixes[0].Edits)
			if err != nil {
				t.Fatal(err)
			}
			want := `        x, y = x.to(self.device), y.to(self.device)

        @saturate_gpu.replay.replayed(self.optimizer)
        def recorded_step(x, y):
            self.optimizer.zero_grad()
            loss = self.criterion(self.model(x), y) * self.scale
            loss.backward()
            self.optimizer.step()
            return loss

        loss = recorded_step(x, y)
        return loss
`
			if !strings.Contains(string(out), want) || !strings.Contains(string(out), "self.model.compile(dynamic=False)\n") || fixes[0].Asks[0] != "launch=step" {
				t.Errorf("it becomes\n%s", out)
			}
		})
	}
}

// The model is made in one module, and its step stands in another, which is given all it needs.
func TestRecordedElsewhere(t *testing.T) {
	main := `import torch
from engine import train_one_epoch
from net import Net


def main(loader, args):
    model = Net().to("cuda")
    optimizer = torch.optim.AdamW(model.parameters())
    for epoch in range(args.epochs):
        train_one_epoch(model, loader, optimizer, args)


main(load(), parse())
`
	engine := `import torch
import torch.nn.functional as F


def train_one_epoch(model, loader, optimizer, args):
    for x, y in loader:
        loss = step(model, optimizer, x.cuda(), y.cuda(), args)
    print(loss.item())


def step(model, optimizer, x, y, args):
    loss = F.mse_loss(model(x), y.float())
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), args.clip)
    optimizer.step()
    return loss
`
	found := scan(t, Selection{Select: []string{"SAT411"}, All: true}, map[string]string{"train.py": main, "engine.py": engine, "net.py": recordedNet}).Findings
	if len(found) != 1 || len(found[0].Fixes) != 3 {
		t.Fatalf("no step is recorded: %+v", found)
	}
	var edits []patch.Edit
	for _, e := range found[0].Fixes[2].Edits {
		if strings.HasSuffix(e.Path, "engine.py") {
			edits = append(edits, e)
		}
	}
	out, err := patch.Edits([]byte(engine), edits)
	if want := `def step(model, optimizer, x, y, args):
    @saturate_gpu.replay.replayed(optimizer)
    def train_step(x, y):
        loss = F.mse_loss(model(x), y.float())
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), args.clip)
        optimizer.step()
        return loss

    loss = train_step(x, y)
    return loss
`; err != nil || !strings.Contains(string(out), want) {
		t.Errorf("%v\n%s", err, out)
	}
}
