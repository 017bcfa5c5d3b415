import torch
from torch import nn


def compute(net, batch):
    x, y = batch
    return nn.functional.cross_entropy(net(x.cuda()), y.cuda())


def train_and_test(net, loader, held_out, optimizer):
    net.train()
    for batch in loader:
        loss = compute(net, batch)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    net.eval()
    total = 0.0
    for batch in held_out:
        total += compute(net, batch).item()  # want SAT512 "graph for gradients that are never computed"
    return total


def main(loader, held_out):
    net = nn.Linear(64, 10).cuda()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(10):
        print(train_and_test(net, loader, held_out, optimizer))
