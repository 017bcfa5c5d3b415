"""What is done with a loader tells whether it trains, whatever it is called."""
import torch
from torch.utils.data import DataLoader

place = torch.device("cuda")


def zq1(net, items):
    net.eval()
    total = 0
    for x in items:
        total += net(x.to(place)).sum()
    return total


def zq2(net, items, rule):
    for x in items:
        net(x.to(place, non_blocking=True)).mean().backward()
        rule.step()


def main(net, first, second, wide):
    rule = torch.optim.SGD(net.parameters(), 0.1)
    a = DataLoader(first, batch_size=16, num_workers=4, pin_memory=True)
    if wide:
        b = DataLoader(second, batch_size=32, num_workers=4)
    else:
        b = DataLoader(second, batch_size=16, num_workers=4)
    for _ in range(9):
        zq2(net, a, rule)
        zq1(net, b)
