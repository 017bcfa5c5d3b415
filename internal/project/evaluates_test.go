package project

import "testing"

// What evaluates is told by what it does; the names say nothing here.
func TestEvaluates(t *testing.T) {
	for name, c := range map[string]struct {
		body  string
		wants bool
	}{
		"switches a model and runs it over batches":   {"    net.eval()\n    for x in items:\n        total += net(x)\n", true},
		"runs it over batches without gradients":      {"    with torch.no_grad():\n        for x in items:\n            total += net(x)\n    net.parameters()\n", true},
		"hands it to what runs it":                    {"    net.eval()\n    for x in items:\n        total += library.score(net, x)\n", true},
		"switches it and gives it back":               {"    net.eval()\n    for x in items:\n        total += x\n", false},
		"learns from it":                              {"    net.eval()\n    for x in items:\n        net(x).backward()\n", false},
		"updates weights":                             {"    net.eval()\n    for x in items:\n        rule.zero_grad()\n        rule.step(net(x))\n", false},
		"runs it in turns over numbers":               {"    with torch.no_grad():\n        for i in range(9):\n            total += net(i)\n    net.parameters()\n", false},
		"runs it once":                                {"    net.eval()\n    total = net(items)\n", false},
		"switches it to training first, and then not": {"    net.train()\n    for x in items:\n        step(net(x))\n    net.eval()\n    for x in items:\n        total += net(x)\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			p := loadText(t, map[string]string{"run.py": "import torch\nimport library\n\n\ndef zq(net, items, rule, step, total=0):\n" + c.body + "    return total\n"})
			for _, f := range p.Modules[0].Functions {
				if f.Name == "zq" && p.evaluates(f) != c.wants {
					t.Errorf("evaluates: %v, want %v", !c.wants, c.wants)
				}
			}
		})
	}
}

// What only functions that evaluate call, or make objects of, evaluates, too.
func TestEvaluatesForOthers(t *testing.T) {
	p := loadText(t, map[string]string{"run.py": `import torch


class Meter:
    def __init__(self):
        self.total = 0

    def put(self, x):
        self.total += x


def rounded(x):
    return round(x)


def shared(x):
    return x * 2


def look(net, items):
    meter = Meter()
    net.eval()
    for x in items:
        meter.put(rounded(shared(net(x))))
    return meter


def learn(net, items):
    for x in items:
        shared(net(x)).backward()


class Plan:
    def __init__(self, net):
        net.eval()
        for layer in net.children():
            net(layer)
`})
	wants := map[string]bool{"Meter.__init__": true, "Meter.put": true, "rounded": true, "look": true}
	for _, f := range p.Modules[0].Functions {
		if p.evaluates(f) != wants[f.Name] {
			t.Errorf("%s evaluates: %v", f.Name, !wants[f.Name])
		}
	}
}

// The use of a loader is told by the loops that go over it, through calls and branches.
func TestLoaderUseThroughCalls(t *testing.T) {
	p := loadText(t, map[string]string{"run.py": `import torch
from torch.utils.data import DataLoader


class Rows(torch.utils.data.Dataset):
    def __getitem__(self, i):
        return self.rows[i]


def look(net, first, second):
    net.eval()
    for x in first:
        net(x)
    return {name: look_again(net, second) for name in "ab"}


def look_again(net, items):
    return [net(x) for x in items]


def learn(net, items):
    for x in items:
        net(x).mean().backward()


def main(net, wide):
    here, there = Rows(), Rows()
    if wide:
        a = DataLoader(there, 2)
    else:
        a = DataLoader(there, 4)
    b = DataLoader(Rows())
    c = DataLoader(here)
    learn(net, c)
    look(net, a, b)
`})
	want := map[string]Use{"DataLoader(there, 2)": LooksAt, "DataLoader(there, 4)": LooksAt, "DataLoader(Rows())": LooksAt, "DataLoader(here)": Trains}
	m := p.Modules[0]
	for _, s := range m.Sites {
		if use, asked := want[string(m.Text[s.Node.Start:s.Node.End])]; asked && p.LoaderUse(s) != use {
			t.Errorf("%s: %d, want %d", m.Text[s.Node.Start:s.Node.End], p.LoaderUse(s), use)
		}
	}
}
