import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.token = nn.Parameter(torch.zeros(1, 1, 64))
        self.lin = nn.Linear(64, 64)
        self.conv = nn.Conv1d(128, 64, 1)

    def pooled(self, points):
        count = points.size(2)
        x = self.conv(points)
        x = x.max(dim=-1, keepdim=True)[0]
        x = x.repeat(1, 1, count)  # want SAT425 "expand does not"
        x = torch.cat((x, points), dim=1)
        best = torch.max(points, 2, keepdim=True)[0].view(-1, 128, 1).repeat(1, 1, count)
        return torch.cat([best, x], 1)

    def forward(self, x, points):
        whole = self.lin(x)
        near = whole.unsqueeze(2).repeat(1, 1, points.size(2)) * points  # want SAT425 "expand does not"
        tokens = torch.cat((self.token.repeat(x.size(0), 1, 1), near), 1)
        far = whole[:, None].repeat([1, 64, 1])
        order = whole.argsort(-1)
        picked = torch.gather(points, 1, order.unsqueeze(-1).repeat(1, 1, points.size(2)))
        return picked.sum() + near.sum() + tokens.sum() + (far - near).sum() + self.pooled(points).sum()


def train(loader):
    net = Net().cuda()
    optimizer = torch.optim.Adam(net.parameters(), fused=True)
    for x, points in loader:
        loss = net(x.cuda(), points.cuda())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
