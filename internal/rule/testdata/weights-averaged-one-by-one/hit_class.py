import torch
from torch import nn


class Average:
    def __init__(self, model, decay):
        self.decay = decay
        self.shadow = [w.clone() for w in model.parameters()]

    @torch.no_grad()
    def update(self, model):
        for a, w in zip(self.shadow, model.parameters()):  # want SAT320 "one tensor at a time"
            a.mul_(self.decay).add_(w, alpha=1 - self.decay)


def train(loader):
    model = nn.Linear(8, 8).cuda()
    slow = Average(model, 0.999)
    optimizer = torch.optim.AdamW(model.parameters())
    for x in loader:
        loss = model(x.cuda()).mean()
        loss.backward()
        optimizer.step()
        slow.update(model)
        optimizer.zero_grad()


def follow(net, target, tau):
    for w, a in zip(net.parameters(), target.parameters()):  # want SAT320 "one tensor at a time"
        a.data.copy_(tau * w.data + (1 - tau) * a.data)


class Agent:
    def __init__(self, every):
        self.net = nn.Linear(8, 8).cuda()
        self.target = nn.Linear(8, 8).cuda()
        self.optimizer = torch.optim.AdamW(self.net.parameters())
        self.every = every

    def update(self, x, step):
        loss = self.net(x).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        if step % self.every == 0:
            follow(self.net, self.target, 0.01)


def act(loader, agent: Agent):
    for step, x in enumerate(loader):
        agent.update(x.cuda(), step)
