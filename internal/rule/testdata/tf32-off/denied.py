import os

import torch
from torch import nn

os.environ["NVIDIA_TF32_OVERRIDE"] = "0"  # want SAT404 "for all libraries"
torch.backends.cudnn.allow_tf32 = False  # want SAT404 "float32 convolutions"


def train(loader):
    net = nn.Sequential(nn.Conv2d(3, 64, 3), nn.ReLU(), nn.Conv2d(64, 64, 3)).cuda()
    optimizer = torch.optim.Adam(net.parameters())
    for x in loader:
        loss = net(x.cuda()).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
