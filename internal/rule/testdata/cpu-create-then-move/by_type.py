import torch
from torch import nn
from torch.autograd import Variable


class Segments(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(64, 64, 1)

    def pad(self, x, size):
        batch, channels, length = x.shape
        gap = size - (size // 2 + length % size) % size
        if gap > 0:
            rest = Variable(torch.zeros(batch, channels, gap)).type(x.type())  # want SAT312 "created on the host"
            x = torch.cat([x, rest], 2)
        sides = torch.Tensor(torch.zeros(batch, channels, size // 2)).type(x.type())  # want SAT312 "created on the host"
        counts = torch.zeros(batch).type(torch.long)
        return torch.cat([sides, x, sides], 2), counts

    def forward(self, x):
        x, counts = self.pad(self.conv(x), 100)
        return x


def train(loader):
    net = Segments().cuda()
    optimizer = torch.optim.Adam(net.parameters(), fused=True)
    for x in loader:
        loss = net(x.cuda(non_blocking=True)).sum()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
