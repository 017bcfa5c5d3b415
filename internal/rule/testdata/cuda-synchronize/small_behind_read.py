import torch


def train(model, loader, optimizer, criterion):
    total = 0.0
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())
        loss.backward()
        optimizer.step()
        total += loss.detach().item()
        del loss
        if torch.cuda.is_available():
            torch.cuda.synchronize()  # want SAT307 "just waited for the GPU in line 10"
        optimizer.zero_grad()
    return total


def train_first(model, loader, optimizer, criterion):
    total = 0.0
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())
        total += loss.detach().item()
        loss.backward()
        optimizer.step()
        torch.cuda.synchronize()  # want SAT307 "in every step$"
        optimizer.zero_grad()
    return total
