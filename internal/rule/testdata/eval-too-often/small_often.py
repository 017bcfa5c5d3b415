import argparse

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(64, 64)

    def forward(self, x):
        return self.layer(x)


@torch.no_grad()
def window(net, scan):
    out = torch.zeros(scan.shape, device=scan.device)
    for i in range(0, scan.size(0), 96):
        out[i : i + 96] = net(scan[i : i + 96])
    return out


def check(net, scans):
    net.eval()
    total = 0.0
    for scan in scans:
        total += window(net, scan.cuda()).mean()
    net.train()
    return total


@torch.inference_mode()
def scores(net, loader):
    net.eval()
    found = [net(x.cuda()) for x in loader]
    net.train()
    return torch.cat(found)


class Distance:
    @torch.no_grad()
    def of(self, net, count):
        seen = 0
        while seen < count:
            seen += net(torch.randn(64, 64, device="cuda")).size(0)
        return seen

    @torch.no_grad()
    def sheet(self, net):
        return net(torch.randn(64, 64, device="cuda"))


def train(args, loader, held, scans):
    net = Net().cuda()
    kept = Net().cuda()
    optimizer = torch.optim.Adam(net.parameters())
    distance = Distance()
    for step, x in enumerate(loader):
        loss = net(x.cuda()).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % args.every == 0:
            print(check(net, scans))  # want SAT707 "every 500 steps: check"
            print(scores(net, held))  # want SAT707 "every 500 steps: scores"
            print(distance.of(kept, 10_000))  # want SAT707 "every 500 steps: distance.of"
            print(distance.sheet(kept))
        if step % 2000 == 0:
            print(check(net, scans))


parser = argparse.ArgumentParser()
parser.add_argument("--every", type=int, default=500)
train(parser.parse_args(), [], [], [])
