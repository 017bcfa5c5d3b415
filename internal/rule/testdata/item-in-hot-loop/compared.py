import math

import torch
from torch import nn


class Mask(nn.Module):
    def forward(self, x):
        length = torch.randint(2, 9, (x.size(0), 1), device=x.device)
        most = max(1, x.size(1) - length.max())  # want SAT301 "max.* waits"
        widest = max(x.size(0), x.size(1))
        return x[:, : min(most, widest)]


def train(loader):
    model = nn.Sequential(nn.Linear(8, 8), Mask()).cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    for x in loader:
        loss = model(x.cuda()).mean()
        loss.backward()
        total = 0
        for w in model.parameters():
            total += (w.grad.data * 0.1).sum()
        scale = min(1, math.sqrt(0.1 / total))  # want SAT301 "math.sqrt.* waits"
        for group in optimizer.param_groups:
            group["lr"] = scale
        optimizer.step()
        optimizer.zero_grad()
