import torch
from torch import nn


def train(model, loader, decay):
    model.cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    matrices = [w for name, w in model.named_parameters() if "norm" not in name]
    sizes = [x for x in loader]
    for x, y in loader:
        loss = nn.functional.cross_entropy(model(x.cuda()), y.cuda())
        loss = loss + decay * sum([torch.sum(w ** 2) for w in matrices])  # want SAT322 "a penalty on the weights"
        loss = loss + sum(s ** 2 for s in sizes)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
