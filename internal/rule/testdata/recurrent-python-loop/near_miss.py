import torch
from torch import nn


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.LSTMCell(336, 256)
        self.out = nn.Linear(256, 80)
        self.lstm = nn.LSTM(80, 256)

    def forward(self, memory, frames):
        h = c = memory.new_zeros(memory.size(0), 256)
        y = frames[:, 0]
        outputs = []
        for t in range(frames.size(1)):
            context = (memory * h.unsqueeze(1)).sum(1)
            h, c = self.cell(torch.cat([y, context], -1), (h, c))  # its own output comes back
            y = self.out(h)
            outputs.append(y)
        out, _ = self.lstm(frames)
        return torch.stack(outputs, 1) + out


def train(loader, optimizer):
    model = Decoder().cuda()
    for x, y in loader:
        model(x.cuda(), y.cuda()).mean().backward()
        optimizer.step()
