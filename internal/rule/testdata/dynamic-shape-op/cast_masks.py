import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)

    def forward(self, x):
        x = self.layer(x)
        keep = torch.floor(x.mean(0)).type(torch.bool)
        kept = x[:, keep]  # want SAT306 "depends on GPU values"
        order = x.argsort(1)[0].long()
        return kept.sum() + x[:, order].sum()


def train(loader, optimizer):
    model = Net().cuda()
    for x in loader:
        loss = model(x.cuda())
        loss.backward()
        optimizer.step()
