import torch
from torch import nn


def make_step(net, optimizer, x):
    def step(train):
        loss = net(x).mean()
        if train:
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        return loss

    return step


def train(width):
    net = nn.Linear(width, 1).cuda()
    optimizer = torch.optim.AdamW(net.parameters(), fused=True)
    step = make_step(net, optimizer, torch.randn(4096, width, device="cuda"))
    for _ in range(1000):
        step(True)
    loss = step(False)
    print(loss.item())


for _ in range(3):
    train(64)
