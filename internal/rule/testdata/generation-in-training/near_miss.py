import torch
from torch import nn


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(64, 64)
        self.out = nn.Linear(64, 64)

    def step(self, x, state):
        state = self.cell(x, state)
        return self.out(state), state

    def forward(self, x, length):
        state, outs = torch.zeros_like(x), []
        for _ in range(length):  # the model that is trained
            x, state = self.step(x, state)
            outs.append(x)
        return torch.stack(outs)


def validate(model, loader):
    total = 0
    with torch.no_grad():
        for x in loader:  # each turn has its own input
            x = x.cuda()
            out = model(x, 8)
            total += out.mean()
    return total


def rollout(model, x):
    with torch.no_grad():
        for _ in range(10):
            x = model.step(x, x)[0]
    return x


def train(loader, held, optimizer, epochs):
    model = Decoder().cuda()
    for epoch in range(epochs):
        for x in loader:
            x = rollout(model, x.cuda())  # what each step trains with
            loss = model(x, 20).mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
        validate(model, held)
