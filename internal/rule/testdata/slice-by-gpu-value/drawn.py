import torch
from torch import nn


def hide(rows, length, width, device):
    mask = torch.zeros(rows, length, dtype=torch.bool, device=device)
    for start in torch.randint(0, length - width, (rows,), device=device):
        mask[:, start : start + width] = True  # want SAT317 "waits for start"
    return mask


def hide_by_host(rows, length, width, device):
    mask = torch.zeros(rows, length, dtype=torch.bool, device=device)
    for start in torch.randint(0, length - width, (rows,)):
        mask[:, start : start + width] = True
    return mask


def train(loader):
    net = nn.Linear(64, 64).cuda()
    optimizer = torch.optim.Adam(net.parameters())
    for x in loader:
        x = x.cuda(non_blocking=True)
        mask = hide(x.size(0), x.size(1), 10, x.device) | hide_by_host(x.size(0), x.size(1), 10, x.device)
        loss = net(x).masked_fill(mask, 0).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


train([])
