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
        loss = started(model, chosen(model, loss))
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


def chosen(net, loss):
    total = torch.tensor(0.0, device="cuda")
    for name, w in net.named_parameters():  # want SAT322 "a penalty on the weights"
        if "weight" in name:
            total += torch.norm(w, 1)
    return loss + 1e-5 * total


def started(net, loss):
    total = None
    for w in net.parameters():  # want SAT322 "a penalty on the weights"
        if total is None:
            total = w.norm(2)
        else:
            total = total + w.norm(2)
    return loss + 1e-5 * total
