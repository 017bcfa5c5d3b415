"""What is made is written into, and would keep that for the next step: no repair."""
import torch
from torch import nn


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x):
        scale = torch.tensor([1.0, 2.0, 3.0], device=x.device)  # want SAT318 "created"
        scale += x.detach().mean()
        weight = torch.tensor([0.1, 0.2, 0.7], device=x.device)  # want SAT318 "created"
        weight[0] = 1.0
        other = torch.tensor([0.1, 0.2, 0.7], device=x.device)  # want SAT318 "created"
        other.mul_(2)
        return self.layer(x) * scale * weight * other


def train(loader):
    model = Scaled().cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    for x in loader:
        loss = model(x.cuda()).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
