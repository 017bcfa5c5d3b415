"""Encoders of the project itself, loaded, frozen and run on samples that never change."""

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


class Block(nn.Module):
    def __init__(self, a, b):
        super().__init__()
        self.conv = nn.Conv2d(a, b, 3, padding=1)

    def forward(self, x):
        return torch.relu(self.conv(x))


class Tower(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(Block(a, b) for a, b in zip([1, 64, 128], [64, 128, 256]))

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x.mean((2, 3))


TOWERS = {"cnn": Tower}


def build(name, weights):
    net = TOWERS[name]()
    net.load_state_dict(torch.load(weights))
    return net


class Tagger(nn.Module):
    def __init__(self, weights):
        super().__init__()
        self.tower = build("cnn", weights)
        for p in self.tower.parameters():
            p.requires_grad = False
        self.tower.eval()
        self.head = nn.Linear(256, 10)

    def embed(self, x):
        with torch.no_grad():
            return self.tower(x)  # want SAT318 "a frozen model computes the same for each sample in every epoch: self.tower"

    def forward(self, x):
        return self.head(self.embed(x))


def tag(files, weights):
    loader = DataLoader(Spectra(files), 32, shuffle=True, num_workers=4, pin_memory=True, persistent_workers=True)
    model = Tagger(weights).cuda()
    optimizer = torch.optim.AdamW(model.head.parameters(), lr=1e-3, fused=True)
    for epoch in range(30):
        for x, y in loader:
            x, y = x.cuda(non_blocking=True), y.cuda(non_blocking=True)
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


def probe(files, weights):
    loader = DataLoader(Spectra(files), 32, shuffle=True, num_workers=4, pin_memory=True, persistent_workers=True)
    tower = Tower()
    tower.load_state_dict(torch.load(weights))
    tower = tower.cuda().eval()
    tower.requires_grad_(False)
    head = nn.Linear(256, 10).cuda()
    optimizer = torch.optim.AdamW(head.parameters(), lr=1e-3, fused=True)
    for epoch in range(30):
        for x, y in loader:
            z = tower(x.cuda(non_blocking=True))  # want SAT318 "a frozen model computes the same for each sample in every epoch: tower"
            loss = nn.functional.cross_entropy(head(z), y.cuda(non_blocking=True))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


class Distiller:
    def __init__(self, weights, frozen=True):
        self.teacher = Tower().cuda()
        self.teacher.load_state_dict(torch.load(weights))
        self.teacher.eval()
        self.student = Block(1, 256).cuda()
        if frozen:
            for p in self.teacher.parameters():
                p.requires_grad_(False)
        self.optimizer = torch.optim.AdamW(self.student.parameters(), lr=1e-3, fused=True)

    def step(self, x):
        with torch.no_grad():
            goal = self.teacher(x)  # want SAT318 "a frozen model computes the same for each sample in every epoch: self.teacher"
        loss = nn.functional.mse_loss(self.student(x).mean((2, 3)), goal)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


def distill(files, weights):
    loader = DataLoader(Spectra(files), 32, shuffle=True, num_workers=4, pin_memory=True, persistent_workers=True)
    d = Distiller(weights)
    for epoch in range(30):
        for x, y in loader:
            d.step(x.cuda(non_blocking=True))
