import argparse

import torch

from models import table

parser = argparse.ArgumentParser()
parser.add_argument("--model", choices=sorted(table))
args = parser.parse_args()


def main(loader):
    model = table[args.model](512).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x in loader:
        loss = model(x.cuda(non_blocking=True)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
