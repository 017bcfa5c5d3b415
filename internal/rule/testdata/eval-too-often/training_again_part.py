import torch
from torch.utils.data import DataLoader


def fit(model, loader, optimizer):
    for x in loader:
        loss = model(x.cuda(non_blocking=True)).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()


@torch.no_grad()
def accuracy(model, data, most=None):
    model.eval()
    for i, x in enumerate(data):
        model(x.cuda(non_blocking=True))
        if most is not None:
            if i * 32 > most:
                break


def main(model, train_set, optimizer):
    model.cuda()
    loader = DataLoader(train_set)
    for epoch in range(100):
        fit(model, loader, optimizer)
        accuracy(model, loader, most=100)
    for epoch in range(100):
        fit(model, loader, optimizer)
        accuracy(model, loader)  # want SAT707 "once more in each epoch"
