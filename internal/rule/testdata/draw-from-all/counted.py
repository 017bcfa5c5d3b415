import torch
from torch import nn
from torch.utils.data import DataLoader


def epoch(net, optimizer, batches):
    total = 0
    for x, y in batches:
        loss = nn.functional.mse_loss(net(x.cuda()), y.cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.detach()
    return total / len(list(batches))  # want SAT137 "all batches of batches are loaded again to count them"


def rows(kept):
    return len(list(kept))


def main(data):
    loader = DataLoader(data, batch_size=64, num_workers=4)
    net = nn.Linear(64, 64).cuda()
    optimizer = torch.optim.Adam(net.parameters())
    for _ in range(10):
        epoch(net, optimizer, loader)
        rows(data)
    print(len(list(loader)))
