"""A flag that only moves tensors is on for everybody who has a GPU, whatever its default."""

import argparse

import torch
from torch.utils.data import DataLoader

parser = argparse.ArgumentParser()
parser.add_argument("-gpu", action="store_true", default=False)
args = parser.parse_args()


def train(loader, model, optimizer):
    for x, y in loader:
        if args.gpu:
            y = y.cuda()  # want SAT311 "waits for the copy"
            x = x.cuda()
        loss = torch.nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def main(data):
    model = torch.nn.Linear(80, 10)
    if args.gpu:
        model = model.cuda()
    loader = DataLoader(data, batch_size=64, num_workers=4, pin_memory=True)
    train(loader, model, torch.optim.SGD(model.parameters(), lr=0.1))
