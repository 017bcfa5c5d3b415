package project

import (
	"context"
	"strings"
	"testing"
)

// What no run gets to is not used, and neither is what only such code names.
func TestUnreached(t *testing.T) {
	const train = `import torch
import argparse
from net import Net, Other
from parts.helpers import collate

FLAG = False


def looked_at(x):
    return x.item()


def shown(x):
    return x.item()


def loss_of(out, debug=False):
    if debug:
        shown(out)  # debug
    return out.mean()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--chunks", type=int, default=1)
    parser.add_argument("--kind", type=int, default=0)
    parser.add_argument("--depth", type=int, default=0)
    parser.add_argument("--do_train", action="store_true")
    args = parser.parse_args()
    if args.kind == 0:
        model = Net()
    else:
        model = Other()  # kind
    if args.depth > 0:
        model.deepen()  # scripted
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    if args.do_train:
        for step, x in enumerate(collate()):
            if args.chunks > 1:
                print("chunks")  # chunks
            loss = loss_of(model(x))
            loss.backward()  # trained
            optimizer.step()
            if step < 0:
                print("counted")  # counted
            if x is None:
                continue
                looked_at(loss)  # behind
            if FLAG:
                print("flag")  # constant


if __name__ == "__main__":
    main()
`
	const net = `import torch


class Net(torch.nn.Module):
    def forward(self, x):
        return x  # made


class Other(torch.nn.Module):
    def forward(self, x):
        return x  # other
`
	const vendored = `import torch


def train():
    for x in range(3):
        torch.ones(1).backward()  # vendored


if __name__ == "__main__":
    train()
`
	p, err := FromSources(context.Background(), map[string][]byte{
		"train.py": []byte(train), "net.py": []byte(net), "run.sh": []byte("python train.py --depth 3\npython train.py\n"),
		"parts/__init__.py": nil, "parts/helpers.py": []byte("def collate():\n    return [1]\n"), "parts/train_alone.py": []byte(vendored),
	})
	if err != nil {
		t.Fatal(err)
	}
	checkUnused(t, "train.py", p, map[string]bool{
		"# debug": true, "# kind": true, "# other": true, "# chunks": true, "# behind": true, "# constant": true, "# vendored": true,
		"# made": false, "# trained": false, "# scripted": false, "# counted": false,
	})
	m := p.Modules[len(p.Modules)-1]
	if at := int32(strings.Index(string(m.Text), "return x.item()")); !p.Unused(m, at) {
		t.Error("looked_at, which only unreached code calls, is used")
	}
}

// A script that gives another option, of a longer name, says nothing.
func TestContainsWhole(t *testing.T) {
	for text, want := range map[string]bool{
		"python train.py --chunks 4": true, "python train.py --chunks_each 4": false, "python train.py --chunks-each 4": false,
		"train.py chunks=4": true, "train.py more_chunks=4": false,
	} {
		if got := containsWhole([]byte(text), "-chunks") || containsWhole([]byte(text), "chunks="); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}
