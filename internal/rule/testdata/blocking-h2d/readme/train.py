"""The README shows how the program is started: with what makes the copies."""

import argparse

import torch
from torch.utils.data import DataLoader

parser = argparse.ArgumentParser()
parser.add_argument("--noise", action="store_true")
args = parser.parse_args()


def train(loader, model, optimizer):
    for x, y in loader:
        x, y = x.cuda(non_blocking=True), y.cuda(non_blocking=True)
        if args.noise:
            z = torch.empty(0)
            y = y.cuda()  # want SAT311 "waits for the copy"
        loss = torch.nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def main(data):
    model = torch.nn.Linear(80, 10).cuda()
    loader = DataLoader(data, batch_size=64, num_workers=4, pin_memory=True)
    train(loader, model, torch.optim.SGD(model.parameters(), lr=0.1))
