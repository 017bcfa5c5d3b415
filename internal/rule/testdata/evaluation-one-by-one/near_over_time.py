import torch
from torch import nn
from torch.utils.data import DataLoader


class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(80, 80), nn.Tanh())

    def forward(self, x, state):
        return self.layers(x + state)


class Decoder(nn.Module):
    """Goes through the time of a batch, in training as in validation."""

    def __init__(self):
        super().__init__()
        self.cell = Cell()

    def forward(self, frames):
        made = []
        state = frames[0:1] * 0
        for i in range(frames.shape[0]):
            frame = frames[i : i + 1, :]
            state = self.cell(frame, state)
            made += [state]
        return torch.cat(made)


def validate(model, clips, batch_size):
    model.eval()
    total = 0
    with torch.no_grad():
        for frames in DataLoader(clips, batch_size=batch_size):
            total += model(frames.cuda()).mean()
    model.train()
    return total.item()


def train(model, clips, batch_size):
    optimizer = torch.optim.Adam(model.parameters())
    step = 0
    for frames in DataLoader(clips, batch_size=batch_size, num_workers=2, pin_memory=True):
        loss = model(frames.cuda(non_blocking=True)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        step += 1
        if step % 500 == 0:
            print(validate(model, clips, batch_size))


if __name__ == "__main__":
    train(Decoder().cuda(), torch.rand(100, 80), 16)
