import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(64, 64)

    def forward(self, x, state):
        state = self.cell(x, state)
        return state, state


def sample(model, x):
    with torch.no_grad():
        for t in range(1000):
            x, _ = model(x, x)
    return x


def sample_again(model, x):
    with torch.no_grad():
        for t in range(1000):
            x, _ = model(x, x)
    return x


def validate(model, data):
    """A language model goes on from where it was: nothing is generated."""
    state = torch.zeros(8, 64).cuda()
    with torch.no_grad():
        for i in range(0, len(data), 8):
            part = data[i : i + 8]
            out, state = model(part, state)
    return out


def train_epoch(model, loader, optimizer):
    for x in loader:
        loss = model(x.cuda(), x.cuda())[0].mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


def main(loader, held, epochs):
    model = Net().cuda()
    optimizer = torch.optim.Adam(model.parameters(), fused=True)
    for epoch in range(epochs):
        train_epoch(model, loader, optimizer)
        validate(model, held)
        sample(model, torch.zeros(4, 64).cuda())  # want SAT706 "training stops to generate"
        list(map(lambda n: sample_again(model, torch.zeros(n, 64).cuda()), [4, 8]))  # want SAT706 "training stops to generate"
    sample(model, torch.zeros(4, 64).cuda())
