import torch
import torch.nn.functional as F
from torch import nn


class Generator(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Linear(64, 256)

    def forward(self, z):
        return self.layers(z)


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Linear(256, 1)

    def forward(self, x):
        return self.layers(x)


def switched_off(loader):
    net_g, net_d = Generator().cuda(), Critic().cuda()
    opt_g, opt_d = torch.optim.Adam(net_g.parameters()), torch.optim.Adam(net_d.parameters())
    for z, real in loader:
        fake = net_g(z.cuda())
        opt_d.zero_grad()
        (net_d(fake.detach()).mean() - net_d(real.cuda()).mean()).backward()
        opt_d.step()
        opt_g.zero_grad()
        net_d.requires_grad_(False)
        (-net_d(fake).mean()).backward()
        net_d.requires_grad_(True)
        opt_g.step()


def train_only(net, on):
    for p in net.parameters():
        p.requires_grad = on


def switched_by_helper(loader):
    net_g, net_d = Generator().cuda(), Critic().cuda()
    opt_g, opt_d = torch.optim.Adam(net_g.parameters()), torch.optim.Adam(net_d.parameters())
    for z, real in loader:
        fake = net_g(z.cuda())
        train_only(net_d, True)
        opt_d.zero_grad()
        (net_d(fake.detach()).mean() - net_d(real.cuda()).mean()).backward()
        opt_d.step()
        train_only(net_d, False)
        opt_g.zero_grad()
        (-net_d(fake).mean()).backward()
        opt_g.step()


def for_inputs(loader):
    net_g, net_d = Generator().cuda(), Critic().cuda()
    opt_g, opt_d = torch.optim.Adam(net_g.parameters()), torch.optim.Adam(net_d.parameters())
    for z, real in loader:
        fake = net_g(z.cuda())
        opt_d.zero_grad()
        (net_d(fake.detach()).mean() - net_d(real.cuda()).mean()).backward()
        opt_d.step()
        opt_g.zero_grad()
        (-net_d(fake).mean()).backward(inputs=list(net_g.parameters()))
        opt_g.step()


def one_update_of_both(loader):
    encoder, head = Generator().cuda(), Critic().cuda()
    opt_all = torch.optim.Adam(list(encoder.parameters()) + list(head.parameters()))
    opt_head = torch.optim.Adam(head.parameters())
    for x, y in loader:
        opt_head.zero_grad()
        F.mse_loss(head(encoder(x.cuda()).detach()), y.cuda()).backward()
        opt_head.step()
        opt_all.zero_grad()
        F.mse_loss(head(encoder(x.cuda())), y.cuda()).backward()
        opt_all.step()


def gradients_kept(loader):
    net_g, net_d = Generator().cuda(), Critic().cuda()
    opt_g, opt_d = torch.optim.Adam(net_g.parameters()), torch.optim.Adam(net_d.parameters())
    for z, real in loader:
        fake = net_g(z.cuda())
        opt_g.zero_grad()
        (-net_d(fake).mean()).backward()  # reversed by hand below
        opt_g.step()
        (net_d(fake.detach()).mean() - net_d(real.cuda()).mean()).backward()
        opt_d.step()
        opt_d.zero_grad()


class Together:
    """One optimizer holds both models."""

    def __init__(self, lr):
        self.first, self.second = Generator().cuda(), Critic().cuda()
        self.both = torch.optim.Adam(list(self.first.parameters()) + list(self.second.parameters()), lr=lr)
        self.judge = torch.optim.Adam(self.second.parameters(), lr=lr)

    def train(self, loader):
        for a in loader:
            a = a.cuda()
            self.judge.zero_grad()
            self.second(self.first(a).detach()).mean().backward()
            self.judge.step()
            self.both.zero_grad()
            self.second(self.first(a)).mean().backward()
            self.both.step()
