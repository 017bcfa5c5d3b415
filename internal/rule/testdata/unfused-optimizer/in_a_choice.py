import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--optimizer", default="adam")
args = parser.parse_args()


def train(model, loader):
    model.cuda()
    if args.optimizer == "sgd":
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    else:
        optimizer = torch.optim.Adam(model.parameters())  # want SAT406 "not fused"
    for x in loader:
        model(x.cuda()).sum().backward()
        optimizer.step()
