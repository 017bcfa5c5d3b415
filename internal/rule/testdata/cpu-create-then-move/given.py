import torch
from torch import nn
from torch.nn import functional as F


class Weighted(nn.Module):
    def __init__(self, weights):
        super().__init__()
        self.weights = weights

    def forward(self, out, target):
        weights = self.weights.to(out.device)  # want SAT312 "is the same in every step"
        return F.binary_cross_entropy_with_logits(out, target, pos_weight=weights)


class Moved(nn.Module):
    def __init__(self, weights):
        super().__init__()
        self.weights = weights

    def forward(self, out, target):
        return F.binary_cross_entropy_with_logits(out, target, pos_weight=self.weights.to(out.device))


class Smooth(nn.Module):
    def forward(self, out, target):
        chosen = torch.zeros(out.size()).scatter_(1, target.unsqueeze(1).cpu(), 1)
        return -(chosen.to(out.device) * out.log_softmax(1)).sum()  # want SAT312 "is created on the host"


def train(loader):
    counts = torch.zeros(64)
    for _, y in loader:
        counts[y] += 1
    net = nn.Linear(64, 64).cuda()
    weighted = Weighted((len(loader) / counts.clamp(min=1)).log1p())
    moved = Moved(counts.cuda())
    smooth = Smooth()
    optimizer = torch.optim.Adam(net.parameters())
    for x, y in loader:
        x, y = x.cuda(non_blocking=True), y.cuda(non_blocking=True)
        out = net(x)
        loss = weighted(out, y) + moved(out, y) + smooth(out, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


train([])
