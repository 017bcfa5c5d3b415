import torch
from torch import nn


def norm_of(model):
    total = 0
    for w in model.parameters():
        total += w.grad.norm(2) ** 2
    return total


def train(loader):
    model = nn.Linear(8, 8).cuda()
    optimizer = torch.optim.Adam(model.parameters(), weight_decay=0.01, fused=True)
    print(sum(w.numel() for w in model.parameters()))
    for step, x in enumerate(loader):
        loss = model(x.cuda(non_blocking=True)).mean()
        loss.backward()
        optimizer.step()
        if step % 100 == 0:
            print(sum(w.norm() for w in model.parameters()), norm_of(model))
        optimizer.zero_grad()
