import torch
import torch.nn
from torch import nn


def seed_all(seed=0, strict=True):
    torch.manual_seed(seed)
    cudnn = torch.backends.cudnn
    cudnn.deterministic, cudnn.benchmark = strict, not strict  # want SAT413 "is restricted"


def train(loader):
    seed_all()
    model = nn.Conv2d(3, 64, 3).to("cuda")
    optimizer = torch.optim.AdamW(model.parameters())
    for x in loader:
        loss = model(x).mean()
        loss.backward()
        optimizer.step()
