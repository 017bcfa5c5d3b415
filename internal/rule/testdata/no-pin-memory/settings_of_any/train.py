import torch
from settings import read
from torch import nn
from torch.utils.data import DataLoader
from torchvision.datasets import ImageFolder


def train(cfg):
    net = nn.Linear(64, 64).cuda()
    optimizer = torch.optim.Adam(net.parameters())
    common = dict(num_workers=cfg.data.workers, pin_memory=cfg.data.pinned)
    loader = DataLoader(ImageFolder("images"), batch_size=64, shuffle=True, **common)  # want SAT203 "pageable memory"
    for _ in range(9):
        for x, y in loader:
            loss = nn.functional.cross_entropy(net(x.cuda()), y.cuda())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


train(read("conf.yaml"))
