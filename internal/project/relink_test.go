package project

import (
	"testing"
)

// marked tells of each line that a comment marks whether it runs in every training step.
func marked(t *testing.T, files map[string]string, hot map[string]bool) {
	t.Helper()
	p := loadText(t, files)
	checkMarked(t, "the project", p, "hot", hot, func(m *Module, at int32) bool {
		_, is := p.Hot(m, m.StatementAt(at))
		return is
	})
}

// An object that is handed on, put into a field, wrapped, and called there still trains.
func TestHandedObjectsTrain(t *testing.T) {
	marked(t, map[string]string{"train.py": `import torch
import functools
from parts import Stepper, Learner, play


def main():
    learner = Learner(torch.nn.Linear(2, 2)).to("cuda")
    held = {"learner": learner}
    while True:
        play(functools.partial(learner, training=False), 3)
        play(held["learner"], 100)


if __name__ == "__main__":
    main()
`, "parts.py": `import torch


class Stepper:
    def __init__(self, parameters):
        self.inner = torch.optim.Adam(parameters)

    def __call__(self, loss):
        loss.backward()  # backward
        self.inner.step()


class World(torch.nn.Module):
    def __init__(self, net):
        super().__init__()
        self.net = net
        self.stepper = Stepper(net.parameters())

    def _learn(self, x):
        loss = self.net(x).mean()
        return self.stepper(loss)  # learned


class Learner(torch.nn.Module):
    def __init__(self, net):
        super().__init__()
        self.world = World(net)
        self.world = torch.compile(self.world)

    def __call__(self, x, training=True):
        for _ in range(4):
            self.world._learn(x)  # called
        return x


def play(agent, steps):
    for step in range(steps):
        x = agent(torch.ones(2))
`}, map[string]bool{"# backward": true, "# learned": true, "# called": true})
}

// What a step always calls is a part of it, whatever it is called; what is only called now and then is not.
func TestStepsCallWhatTheyAlwaysCall(t *testing.T) {
	marked(t, map[string]string{"train.py": `import torch
from net import Net, eval_metrics, validate


def main():
    net = Net().cuda()
    optimizer = torch.optim.Adam(net.parameters())
    for step, (x, y) in enumerate(torch.utils.data.DataLoader([])):
        out = net(x)
        loss = out.mean()
        loss.backward()
        optimizer.step()
        scores = eval_metrics(out, y)
        if step > net.patience:
            validate(net)


main()
`, "net.py": `import torch


class Net(torch.nn.Module):
    class Head(torch.nn.Module):
        def forward(self, x):
            return x * 2  # nested

    def __init__(self):
        super().__init__()
        self.head = Net.Head()

    def forward(self, x):
        if self.training:
            return self.predict_parts(x)
        return self.generate(x)

    def predict_parts(self, x):
        return self.head(x)  # predicted

    def generate(self, x):
        return x  # generated


def eval_metrics(out, y):
    return (out == y).sum()  # metrics


def validate(net):
    net.eval()
    return [net(x) for x in range(9)]  # validated
`}, map[string]bool{"# predicted": true, "# nested": true, "# metrics": true, "# validated": false, "# generated": false})
}

// What lists, dicts of lists and compositions are filled with is called with their elements; an object from a place that the
// source does not show is of the only class that has such a method.
func TestElementsAreCalled(t *testing.T) {
	marked(t, map[string]string{"train.py": `import pickle
import torch
from parts import Average, Chain, Noise, Shift, Probe, Log


class Trainer:
    def __init__(self, net):
        self.net = net
        self.averages = {"step": [], "epoch": []}
        self.averages["step"].append(Average(net))
        self.chain = Chain([Noise()])
        self.watchers = {"loss": [Probe()], "norm": []}
        self.log = Log()
        with open("state.pkl", "rb") as f:
            self.other = pickle.load(f)

    def run(self, loader):
        optimizer = torch.optim.Adam(self.net.parameters())
        for step, x in enumerate(loader):
            loss = self.net(self.chain(x)).mean()
            loss.backward()
            optimizer.step()
            for average in self.averages["step"]:
                average.update()
            for probe in self.watchers["loss"]:
                probe(loss)
            self.other.keep_score(loss, step)
            self.log.write(step)


def main():
    Trainer(torch.nn.Linear(2, 2)).run(torch.utils.data.DataLoader([]))
    Chain([Shift()])


main()
`, "parts.py": `class Average:
    def __init__(self, net):
        self.net = net

    def update(self):
        return self.net  # averaged


class Chain:
    def __init__(self, parts):
        self.parts = parts

    def __call__(self, x):
        for part in self.parts:
            x = part(x)
        return x


class Noise:
    def __call__(self, x):
        return x + 1  # noise


class Shift:
    def __call__(self, x):
        return x - 1  # shift


class Probe:
    def __call__(self, x):
        return x  # probed

    def keep_score(self, loss, step):
        return loss  # kept


class Log:
    def due(self, step):
        if step % 10 == 0 and step > 0:
            return True
        return False

    def write(self, step):
        if self.due(step):
            self.show(step)

    def show(self, step):
        print(step)  # shown
`}, map[string]bool{"# averaged": true, "# noise": true, "# shift": true, "# probed": true, "# kept": true, "# shown": false})
}
