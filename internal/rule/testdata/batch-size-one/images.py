import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Pictures(Dataset):
    def __getitem__(self, i):
        return torch.load(self.files[i])

    def __len__(self):
        return len(self.files)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Conv2d(3, 64, 3)  # Conv2d is no discriminator

    def forward(self, x):
        return self.body(x).mean()


parser = argparse.ArgumentParser()
parser.add_argument("--batch-size", type=int, default=1)
options = parser.parse_args()
net = Net().cuda()
optimizer = torch.optim.AdamW(net.parameters())
loader = DataLoader(Pictures(), batch_size=options.batch_size, shuffle=True)  # want SAT211 "batch size is 1"
for x in loader:
    net(x.cuda()).backward()
    optimizer.step()
