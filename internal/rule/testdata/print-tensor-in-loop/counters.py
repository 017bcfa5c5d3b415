import argparse

import torch
from torch.utils.data import DataLoader

parser = argparse.ArgumentParser()
parser.add_argument("--warm", type=int, default=0)
parser.add_argument("--early", type=int, default=5)
parser.add_argument("--epochs", type=int, default=60)
opt = parser.parse_args()


def train(model, loader, optimizer):
    for epoch in range(opt.epochs):
        for x, y in loader:
            loss = model(x.cuda()).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if epoch < opt.early:
                print("early", loss)  # want SAT302 "in every step"
            if epoch >= opt.warm:
                print("warm", loss)  # want SAT302 "in every step"


def restart(model, loader, optimizer):
    for epoch in range(opt.epochs):
        epoch -= 3
        for x, y in loader:
            loss = model(x.cuda()).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if epoch < opt.warm:
                print("before", loss)  # want SAT302 "in every step"


if __name__ == "__main__":
    model = torch.nn.Linear(8, 8).cuda()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    loader = DataLoader(torch.rand(100, 8), num_workers=2, pin_memory=True)
    train(model, loader, optimizer)
    restart(model, loader, optimizer)
