import torch
from torch import nn


class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(64, 64)

    def forward(self, x, state=None):
        return self.layer(x if state is None else x + state)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(64, 10)

    def forward(self, x):
        return self.layer(x)


def over_time(loader):
    cell = Cell().cuda()
    optimizer = torch.optim.AdamW(cell.parameters())
    for x in loader:
        x = x.cuda()
        state = torch.zeros(1, 64, device="cuda")
        for t in range(x.size(0)):
            state = cell(x[t].unsqueeze(0), state)  # one after the other
        optimizer.zero_grad()
        state.sum().backward()
        optimizer.step()


def over_parts(loader):
    net = Net().cuda()
    optimizer = torch.optim.AdamW(net.parameters())
    for x in loader:
        optimizer.zero_grad()
        for i in range(0, x.size(0), 16):
            net(x[i : i + 16].cuda()).sum().backward()
        optimizer.step()


def with_mask(batches, steps):
    net = Cell().cuda()
    optimizer = torch.optim.AdamW(net.parameters())
    for step in range(steps):
        batch = next(batches)
        x = batch["x"].cuda()
        mask = torch.ones(x.shape[1], x.shape[1], device="cuda").tril()
        loss = net(x, mask[None, None]).sum()  # one mask for all rows
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
