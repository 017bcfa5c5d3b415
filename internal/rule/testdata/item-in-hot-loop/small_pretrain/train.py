import argparse

import torch
from torch import nn

from data import batches

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=10)
parser.add_argument("--pretrain", action="store_true")
parser.add_argument("--augment", type=str, nargs="*", default=[])
opt = parser.parse_args()


def mixed(x):
    if "mixup" in opt.augment:
        share = x.std().item()  # want SAT301 "it needs .mixup. in opt.augment"
        x = share * x + (1 - share) * x.flip(0)
    return x


def scaled(x):
    if len(opt.augment) > 0:
        x = x / x.std().item()  # want SAT301 "it needs len.opt.augment. > 0"
    return x


model = nn.Sequential(nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10)).cuda()
loader = batches()
if opt.pretrain:
    from pretraining import pretrain

    pretrain(model, loader, opt)
optimizer = torch.optim.Adam(model.parameters())
for epoch in range(opt.epochs):
    for x, y in loader:
        x, y = x.cuda(non_blocking=True), y.cuda(non_blocking=True)
        x = mixed(x) + scaled(x)
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
