import torch
from torch import nn


def divergence(mean, first, second):
    first, second = [x if isinstance(x, torch.Tensor) else torch.tensor(x).to(mean) for x in (first, second)]
    return (torch.exp(first - second) + mean**2).mean()


def train(loader, spread):
    model = nn.Linear(64, 64).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    for x in loader:
        mean = model(x.cuda(non_blocking=True))
        loss = divergence(mean, spread(mean), spread(x))
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
