import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader


class Trainer:
    def __init__(self):
        self.net = nn.Linear(2000, 2000).cuda()
        self.optimizer = torch.optim.AdamW(self.net.parameters(), fused=True)

    def train(self, loader, often):
        for i, x in enumerate(loader, start=1):
            loss = self.net(x.cuda(non_blocking=True)).mean()
            loss.backward()
            self.optimizer.step()
            self.optimizer.zero_grad()
            if i % often == 0 or i >= len(loader):
                print(loss.cpu().numpy())
            if i % 50 == 0 or i + 1 == len(loader):
                print(loss.detach().cpu().numpy())


parser = argparse.ArgumentParser()
parser.add_argument("--often", type=int, default=50)
args = parser.parse_args()
Trainer().train(DataLoader(torch.load("x.pt"), batch_size=64, num_workers=4, pin_memory=True), args.often)
