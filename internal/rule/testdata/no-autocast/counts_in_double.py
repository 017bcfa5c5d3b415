import torch


def mean(counts):
    return torch.tensor(counts, dtype=torch.float64, device="cuda").mean()


def train(model, loader, optimizer, criterion):
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())  # want SAT401 "float32"
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(mean([1, 2]))
