"""Sizes and counts that torch or Python must know as numbers, and that are tensors of the GPU."""

import sys

import torch
import torch.nn.functional as F
import yaml


def positions(lengths):
    longest = lengths.max()
    steps = torch.arange(longest)  # want SAT301 "torch.arange.longest. waits"
    return steps.to(lengths.device)[None] < lengths[:, None]


def pooled(pictures, heights, widths):
    grid = [F.interpolate(p[None], size=(h, w)) for p, h, w in zip(pictures, heights, widths)]  # want SAT301 "F.interpolate"
    return torch.cat([g.flatten(2).mean(-1) for g in grid])


def repeated(x, counts):
    total = counts.sum()
    kept = x.new_zeros(total, x.size(1))  # want SAT301 "x.new_zeros"
    for i in range(total):  # told SAT301 "range.total. waits"
        kept[i] = x[i % x.size(0)]
    return kept


def longest_of(lengths):
    best = max(lengths)  # want SAT301 "max.lengths. waits"
    order = sorted(lengths)  # told SAT301 "sorted.lengths. waits"
    return best, order


def reference(x, rows):
    sums = [row.sum() for row in x]
    return torch.tensor(sums, device=x.device)  # want SAT301 "torch.tensor.sums"


def main(path):
    with open(path) as f:
        cfg = yaml.safe_load(f)
    device = cfg["device"]
    model = torch.nn.Linear(8, 8).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.rand(64, 8)), batch_size=8)
    for (x,) in loader:
        x = x.to(device)
        lengths = (x > 0).sum(1)
        mask = positions(lengths)
        out = model(x)
        longest_of(lengths)
        kept = repeated(out, lengths)
        loss = kept.mean() + pooled(out.view(8, 1, 2, 4), lengths, lengths).mean() + reference(out, 8).mean() + mask.float().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


main(sys.argv[1])
