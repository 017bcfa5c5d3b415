"""The updates of a critic and a generator do not share a graph."""

import torch
import torch.nn.functional as F
from torch import nn


class Maker(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Linear(64, 256)

    def forward(self, x):
        return self.layers(x)


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Linear(256, 1)

    def forward(self, x):
        return self.layers(x)


class Adversarial(nn.Module):
    def __init__(self):
        super().__init__()
        self.critic = Critic().cuda()
        self.optimizer = torch.optim.Adam(self.critic.parameters())

    def forward(self, made, real):
        fixed = made.detach()
        self.optimizer.zero_grad()
        loss = F.softplus(self.critic(fixed)).mean() + F.softplus(-self.critic(real)).mean()
        self.last = loss.item()
        loss.backward(retain_graph=True)  # want SAT514 "nothing goes through it again"
        self.optimizer.step()
        return F.softplus(-self.critic(made)).mean()


def by_module(loader):
    maker, adversarial = Maker().cuda(), Adversarial()
    optimizer = torch.optim.Adam(maker.parameters())
    for noise, real in loader:
        made = maker(noise.cuda())
        loss = adversarial(made, real.cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def in_turn(loader):
    maker, critic = Maker().cuda(), Critic().cuda()
    opt_m, opt_c = torch.optim.Adam(maker.parameters()), torch.optim.Adam(critic.parameters())
    for real in loader:
        real = real.cuda()
        ones = torch.Tensor(real.size(0), 1).fill_(1.0).cuda()
        noise = torch.randn(real.size(0), 64, device="cuda")
        made = maker(noise)
        loss_c = F.binary_cross_entropy_with_logits(critic(real), ones) + critic(made.detach()).mean()
        opt_c.zero_grad()
        loss_c.backward(retain_graph=True)  # want SAT514 "nothing goes through it again"
        opt_c.step()
        loss_m = F.binary_cross_entropy_with_logits(critic(made), ones)
        opt_m.zero_grad()
        loss_m.backward()
        opt_m.step()
        print(loss_c.item(), loss_m.item())


def shared(loader):
    maker, critic = Maker().cuda(), Critic().cuda()
    opt_m, opt_c = torch.optim.Adam(maker.parameters()), torch.optim.Adam(critic.parameters())
    for noise, real in loader:
        made = maker(noise.cuda())
        judged = critic(made)
        loss_c = judged.mean() - critic(real.cuda()).mean()
        opt_c.zero_grad()
        loss_c.backward(retain_graph=True, inputs=list(critic.parameters()))
        loss_m = -judged.mean()
        opt_m.zero_grad()
        loss_m.backward()
        opt_c.step()
        opt_m.step()


def returned(maker, critic, opt_c, noise, real):
    loss = critic(maker(noise).detach()).mean() - critic(real).mean()
    opt_c.zero_grad()
    loss.backward(retain_graph=True)
    opt_c.step()
    return loss


def outside(loader):
    maker, critic = Maker().cuda(), Critic().cuda()
    opt_m, opt_c = torch.optim.Adam(maker.parameters()), torch.optim.Adam(critic.parameters())
    for noise, real in loader:
        loss = returned(maker, critic, opt_c, noise.cuda(), real.cuda()) + maker(noise.cuda()).mean()
        opt_m.zero_grad()
        loss.backward()
        opt_m.step()
