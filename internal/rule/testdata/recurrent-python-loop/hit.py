import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.LSTMCell(80, 256)
        self.gate = nn.GRUCell(80, 256)

    def forward(self, x):
        h = c = x.new_zeros(x.size(0), 256)
        outputs = []
        for t in range(x.size(1)):
            h, c = self.cell(x[:, t], (h, c))  # want SAT416 "Python loop over time"
            outputs.append(h)
        state = h
        for frame in x.unbind(1):
            state = self.gate(frame, state)  # want SAT416 "Python loop over time"
        return torch.stack(outputs, 1)


def train(loader, optimizer):
    model = Encoder().cuda()
    for x in loader:
        model(x.cuda()).mean().backward()
        optimizer.step()
