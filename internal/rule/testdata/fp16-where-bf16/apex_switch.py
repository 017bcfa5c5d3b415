import argparse

import torch
from apex import amp

parser = argparse.ArgumentParser()
parser.add_argument("--fp16", action="store_true")
args = parser.parse_args()


def train(model, loader):
    model.cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    if args.fp16:
        model, optimizer = amp.initialize(model, optimizer, opt_level="O2")  # off, which is SAT401's matter
    for x in loader:
        loss = model(x.cuda()).mean()
        loss.backward()
        optimizer.step()


def train_plainly(model, optimizer):
    return amp.initialize(model, optimizer, opt_level="O0")
