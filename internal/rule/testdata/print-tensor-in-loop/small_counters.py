import argparse

import torch
from torch.utils.data import DataLoader
from tqdm import tqdm

parser = argparse.ArgumentParser()
parser.add_argument("--warm", type=int, default=0)
parser.add_argument("--late", type=int, default=100)
parser.add_argument("--early", type=int, default=5)
parser.add_argument("--epochs", type=int, default=60)
opt = parser.parse_args()


def train(epoch, model, loader, optimizer):
    for x, y in loader:
        loss = model(x.cuda()).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if epoch < opt.warm:
            print("warm", loss)  # want SAT302 "the defaults leave it out: it needs epoch < opt.warm"


def finish(model, loader, optimizer):
    for epoch in tqdm(range(1, opt.epochs)):
        for x, y in loader:
            loss = model(x.cuda()).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if epoch >= opt.late:
                print("late", loss)  # want SAT302 "it needs epoch >= opt.late"


if __name__ == "__main__":
    model = torch.nn.Linear(8, 8).cuda()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    loader = DataLoader(torch.rand(100, 8), num_workers=2, pin_memory=True)
    for epoch in range(opt.epochs):
        train(epoch, model, loader, optimizer)
    finish(model, loader, optimizer)
