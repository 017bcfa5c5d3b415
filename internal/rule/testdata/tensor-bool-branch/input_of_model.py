"""What a reader gives that nothing is known of goes through layers of a model on the GPU: it lies there."""
import torch
from reading import batches
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)

    def forward(self, x, length):
        assert torch.min(x) >= -1  # want SAT305 "decided on the host"
        if length > 3:
            return self.layer(x) / length
        return self.layer(x)


def train(optimizer):
    model = Net().cuda()
    for batch in batches():
        loss = model(batch["x"], batch["length"]).mean()
        loss.backward()
        optimizer.step()
