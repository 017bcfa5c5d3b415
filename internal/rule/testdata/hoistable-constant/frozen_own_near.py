"""Models that take no gradients and change all the same, or whose answers differ between epochs."""

import copy

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Spectra(Dataset):
    def __init__(self, files):
        self.files = files

    def __getitem__(self, i):
        return torch.load(self.files[i]), i % 10

    def __len__(self):
        return len(self.files)


class Tower(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 256, 3, padding=1)

    def forward(self, x):
        return torch.relu(self.conv(x)).mean((2, 3))


class Masked(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 256, 3, padding=1)

    def forward(self, x):
        kept = torch.rand(x.shape[0], 1, 1, 1, device=x.device) > 0.5
        return torch.relu(self.conv(x * kept)).mean((2, 3))


class Momentum:
    def __init__(self):
        self.online, self.target = Tower().cuda(), Tower().cuda()
        self.target.requires_grad_(False)
        self.target.eval()
        self.optimizer = torch.optim.AdamW(self.online.parameters(), lr=1e-3, fused=True)

    def follow(self):
        with torch.no_grad():
            for a, b in zip(self.online.parameters(), self.target.parameters()):
                b.lerp_(a, 0.01)

    def step(self, x):
        with torch.no_grad():
            goal = self.target(x)
        loss = nn.functional.mse_loss(self.online(x), goal)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.follow()


class Late:
    def __init__(self):
        self.tower, self.head = Tower().cuda(), nn.Linear(256, 10).cuda()
        self.tower.requires_grad_(False)
        self.tower.eval()
        self.optimizer = torch.optim.AdamW([*self.tower.parameters(), *self.head.parameters()], lr=1e-3, fused=True)

    def thaw(self):
        self.tower.requires_grad_(True)

    def step(self, x):
        loss = self.head(self.tower(x)).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


def blend(target, online):
    for a, b in zip(online.parameters(), target.parameters()):
        b.data.mul_(0.99).add_(a.data, alpha=0.01)


def train(files):
    loader = DataLoader(Spectra(files), 32, shuffle=True, num_workers=4, pin_memory=True, persistent_workers=True)
    momentum, late = Momentum(), Late()
    masked = Masked().cuda().eval().requires_grad_(False)
    head = nn.Linear(256, 10).cuda()
    slow = copy.deepcopy(head).eval().requires_grad_(False)
    shadow = Tower().cuda().eval()
    shadow.requires_grad_(False)
    optimizer = torch.optim.AdamW(head.parameters(), lr=1e-3, fused=True)
    for epoch in range(30):
        if epoch == 5:
            late.thaw()
        for x, y in loader:
            x = x.cuda(non_blocking=True)
            momentum.step(x)
            late.step(x)
            with torch.no_grad():
                z = masked(x)
                w = shadow(x)
            loss = head(z + w).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            blend(shadow, momentum.online)
            blend(slow, head)
