import torch
from torch import nn


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 1))

    def forward(self, x):
        return self.layers(x)


def penalty(critic, real, fake):
    mixed = real.lerp(fake, torch.rand(real.size(0), 1, device=real.device)).requires_grad_()
    judged = critic(mixed)
    slope = torch.autograd.grad(judged, mixed, torch.ones_like(judged), create_graph=True)[0]
    return ((slope.norm(2, dim=1) - 1) ** 2).mean()


def main(loader):
    critic = Critic().cuda()
    optimizer = torch.optim.Adam(critic.parameters())
    for real, fake in loader:
        real, fake = real.cuda(), fake.cuda()
        loss = critic(fake).mean() - critic(real).mean() + 10 * penalty(critic, real, fake)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
