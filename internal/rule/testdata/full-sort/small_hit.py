"""Of a length that is not known."""
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)

    def forward(self, x, lengths, count):
        x = self.layer(x)
        lengths, order = lengths.sort(0, descending=True)
        _, back = order.sort(0)  # want SAT427 "to invert them"
        return x.sort(dim=-1)[0][:, :count].mean() + x[order][back].mean()  # want SAT427 "first elements"


def train(loader, count):
    net = Net().cuda()
    optimizer = torch.optim.Adam(net.parameters(), fused=True)
    for x, lengths in loader:
        loss = net(x.cuda(), lengths.cuda(), count)
        loss.backward()
        optimizer.step()
