"""Modules that make constants in every step, compute weights nobody reads, add what is taken away again, and write out gelu."""
# repairs: SAT318 SAT414 SAT417 SAT421 SAT505
import math

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint
from torch.utils.data import DataLoader

torch.backends.cudnn.benchmark = True
device = "cuda" if torch.cuda.is_available() else "cpu"


class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.conv = nn.Conv1d(2, width, 3, padding=1)
        self.norm = nn.BatchNorm1d(width)
        self.attention = nn.MultiheadAttention(width, 2, batch_first=True)
        self.head = nn.Linear(width, 1)

    def forward(self, x):
        scale = torch.tensor([0.2, 0.8], device=x.device)
        shift = torch.linspace(-1, 1, 2).to(x.device)
        x = self.norm(self.conv(x * scale[:, None] + shift[:, None])).transpose(1, 2)
        out, _ = self.attention(x, x, x)
        x = x + out
        x = 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
        return checkpoint(self.head, x)


def collate(rows):
    return nn.utils.rnn.pad_sequence(rows, batch_first=True).transpose(1, 2)


def main():
    random = torch.Generator().manual_seed(0)
    model = Net(8).to(device)
    for name, weight in model.named_parameters():
        nn.init.constant_(weight, 0.1) if weight.dim() < 2 else weight.data.copy_(torch.linspace(-0.5, 0.5, weight.numel()).view_as(weight))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    clips = [torch.randn(5 + i, 2, generator=random) for i in range(8)]
    for epoch in range(2):
        for x in DataLoader(clips, batch_size=4, collate_fn=collate):
            loss = model(x.to(device)).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            print(f"{loss.item():.4f}")
    print(len(model.state_dict()) - ("conv.bias" in model.state_dict()))


if __name__ == "__main__":
    main()
