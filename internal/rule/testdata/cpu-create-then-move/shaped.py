import torch
from torch import nn


class Labels(nn.Module):
    def forward(self, x, labels):
        rows = x.size(0)
        seen = torch.FloatTensor(rows, 8)
        seen.zero_()
        seen = seen.to(x.device)  # want SAT312 "FloatTensor.rows, 8. is copied from the host"
        return seen.scatter_(1, labels.unsqueeze(1), 1) + x


def train(loader, optimizer):
    model = Labels().cuda()
    for x, labels in loader:
        model(x.cuda(), labels.cuda()).mean().backward()
        optimizer.step()
