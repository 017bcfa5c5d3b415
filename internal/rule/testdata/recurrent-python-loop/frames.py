"""A decoder that runs once for each frame, on its own state; a loop over layers is not one over frames."""
import torch
from torch import nn


class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRUCell(8, 8)
        self.out = nn.Linear(8, 8)

    def forward(self, x, state):
        state = self.rnn(x, state)
        return self.out(state), state


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = Cell()
        self.count = 4

    def forward(self, mel):
        _, frames, _ = mel.size()
        state = mel.new_zeros(mel.size(0), 8)
        made = []
        for t in range(1, frames):  # want SAT416 "self.cell once for each frame"
            frame, state = self.cell(mel[:, t - 1], state)
            made.append(frame)
        for _ in range(self.count):
            frame, state = self.cell(frame, state)
        return torch.stack(made, 1) + frame[:, None]


def train(loader):
    model = Decoder().cuda()
    optimizer = torch.optim.SGD(model.parameters())
    for mel in loader:
        loss = model(mel.cuda()).mean()
        loss.backward()
        optimizer.step()
