import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)

    def forward(self, x):
        return self.layer(x)


def train(loader):
    maker, judge, target = Net().cuda(), Net().cuda(), Net().cuda()
    optimizer = torch.optim.Adam([*judge.parameters(), *maker.parameters()])
    seen = []
    for noise, real in loader:
        fake = maker(noise.cuda())
        loss = judge(fake.detach()).mean() - judge(fake).mean()
        with torch.no_grad():
            goal = target(real.cuda())
        goal = goal.detach()
        out = judge(real.cuda())
        right = out.argmax(1) == 3
        loss = loss + F.mse_loss(out, goal)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        seen.append(loss.detach())
        print(right)


def straight_through(loader):
    coder = Net().cuda()
    optimizer = torch.optim.Adam(coder.parameters())
    for x in loader:
        code = coder(x.cuda())
        near = code.round()
        passed = code + (near - code).detach()
        loss = passed.mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@torch.no_grad()
def look(model, x):
    return model(x).argmax(1)
