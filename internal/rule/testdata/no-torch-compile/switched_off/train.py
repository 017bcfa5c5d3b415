import argparse

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--compile", action="store_true")
args = parser.parse_args()


def train(loader):
    model = nn.Transformer().cuda()  # want SAT411 "the switch for it is off"
    if args.compile:
        model = torch.compile(model)
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    for x, y in loader:
        loss = model(x.cuda(), y.cuda()).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
