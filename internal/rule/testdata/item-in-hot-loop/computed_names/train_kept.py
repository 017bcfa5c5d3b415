import argparse

import torch
from torch.utils.data import DataLoader
import keeper
from kept import KEPT


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--net", required=True)
    args = parser.parse_args()
    model = KEPT[args.net]()
    model = model.cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in DataLoader(torch.load("data.pt"), batch_size=64, pin_memory=True):
        loss = torch.nn.functional.mse_loss(model(x.cuda(non_blocking=True)), y.cuda(non_blocking=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
