import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(8, 8), nn.Linear(8, 8)
        self.layers = nn.ModuleList([nn.Linear(8, 8), nn.Linear(8, 8)])

    def forward(self, x, t):
        for layer in self.layers:
            x = layer(x)
        return self.first(x) + self.second(x)


class Sampler(nn.Module):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def step(self, x, t):
        return x - self.net(x, t)

    def forward(self, x):
        for t in reversed(range(1000)):
            x = self.step(x, t)
        return x


def train(loader):
    net = Net().cuda()
    sampler = Sampler(net).cuda()
    optimizer = torch.optim.AdamW(net.parameters())
    for step, x in enumerate(loader):
        loss = net(x.cuda(), step).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        if step % 1000 == 0:
            with torch.no_grad():
                show(sampler(torch.randn(64, 8).cuda()))  # want SAT706 "sampler"
                show(net(x.cuda(), step))


def show(x):
    print(x.shape)
