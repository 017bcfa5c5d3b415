"""What defaults leave out costs nothing as the project is shipped: only --all shows it."""
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--drop", type=float, default=0.0)
parser.add_argument("--seen", type=float, default=1.0)


class Normalized(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("ready", torch.zeros(1))
        self.register_buffer("mean", torch.zeros(1))

    def prepare(self, x):
        if self.ready:
            return
        print(x.mean().item())
        self.ready.data.copy_(torch.ones(1))

    def forward(self, x):
        self.prepare(x)
        boxes = x[:, 2:] <= x[:, :2]
        if boxes.any():
            worst = x.max().item()
            torch._assert(False, f"bad box {worst}")
        return x - self.mean


def default(value, other):
    return value if value is not None else other


def choose(number=None):
    number = default(number, 1)
    if number > 2:
        return number
    return None


def read(x):
    return x.detach().mean().item()


def train(loader, example):
    args = parser.parse_args()
    model = Normalized().cuda()
    optimizer = torch.optim.Adam(model.parameters())
    for ids, x in loader:
        x = x.cuda(non_blocking=True)
        out = model(default(x, None))
        loss = out.mean()
        loss.backward()
        optimizer.step()
        choose(3)
        if args.drop > 0:
            print(out.sum().item())
        if args.seen > 0:
            print(out.mean().item())  # want SAT301 "waits for the GPU"
        if example in ids:
            print(read(out))
