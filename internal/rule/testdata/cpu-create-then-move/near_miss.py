import numpy as np
import torch

windows = {}


def window(size, device):
    if size not in windows:
        windows[size] = torch.hann_window(size).to(device)
    return windows[size]


def train(model, loader, optimizer, device, values):
    start = torch.zeros(1).to(device)
    model.to(device)
    for step, (x, y) in enumerate(loader):
        x = x.to(device, non_blocking=True)
        there = torch.zeros(3, device=device)
        like = torch.zeros_like(x).to(device)
        copied = torch.tensor(values).to(device)
        array = torch.from_numpy(np.load("array.npy")).to(device)
        cast = torch.ones(3, device=device).to(torch.float16)
        if step % 100 == 0:
            extra = torch.zeros(1).to(device)
        loss = model(x).mean() + there.sum() + window(400, device).sum()
        loss.backward()
        optimizer.step()


def infer(model, x, device):
    for _ in range(10):
        x = model(x, torch.zeros(1).to(device))
    return x


class Flow(torch.nn.Module):
    """What is made in a fallback for a mask, or on the way back, is not made in training."""

    def forward(self, x, x_mask=None, reverse=False):
        if x_mask is None:
            x_mask = torch.ones(x.size(0), 1, x.size(2)).to(x.device)
        if reverse:
            x = x + torch.zeros(x.size(0)).to(x.device)
        else:
            x = -x
        return x * x_mask

    def squeeze(self, x, x_mask=None):
        if x_mask is not None:
            x_mask = x_mask[:, :, 1::2]
        else:
            x_mask = torch.ones(x.size(0), 1, x.size(2)).to(x.device)
        return x * x_mask


class Durations(torch.nn.Module):
    def forward(self, x, durations=None, reverse=False):
        if not reverse:
            return x - durations
        return x + torch.zeros(x.size(0), 2).to(x.device)


class Noise(torch.nn.Module):
    def forward(self, x, inverse=False):
        if not inverse:
            return x
        else:
            return x + torch.randn(x.size(0), 2).to(x.device)

    def sample(self, x):
        return self(x, inverse=True)


def train_flow(flow: Flow, durations: Durations, loader, optimizer):
    flow.cuda()
    for x, mask, d in loader:
        x = flow(flow.squeeze(x.cuda(non_blocking=True), mask), mask)
        loss = durations(x, d).mean()
        loss.backward()
        optimizer.step()


class Positions(torch.nn.Module):
    """The table is kept, and made again only when a longer input comes."""

    def __init__(self):
        super().__init__()
        self.table = None

    def forward(self, x):
        if self.table is None or x.shape[1] > self.table.shape[0]:
            self.table = torch.arange(x.shape[1]).to(x.device)
        return x + self.table[: x.shape[1]]


def train_positions(positions: Positions, loader, optimizer):
    positions.cuda()
    for x in loader:
        positions(x.cuda(non_blocking=True)).mean().backward()
        optimizer.step()


def filled_on_the_host(model, loader, optimizer, device):
    """What the host fills or reads before the copy is not one kernel, and what branches make may be anything."""
    model.to(device)
    for x, lengths in loader:
        mask = torch.zeros(len(lengths), 80)
        for i, n in enumerate(lengths):
            mask[i, :n] = x[i, :n].mean()
        mask = mask.to(device)
        order = torch.randperm(len(lengths))
        lengths = lengths[order]
        order = order.to(device)
        if lengths.sum() > 10:
            weight = torch.ones(3)
        else:
            weight = torch.tensor(model.weights)
        weight = weight.to(device)
        loss = model(x.to(device, non_blocking=True), mask, order, weight).mean()
        loss.backward()
        optimizer.step()
