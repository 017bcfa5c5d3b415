import torch


def train(model, loader, optimizer, criterion):
    total = 0
    losses = []
    kept = torch.zeros((), device="cuda")
    for x, parts in loader:
        loss = 0
        for part in parts:
            loss += criterion(model(x.cuda()), part)
        loss.backward()
        optimizer.step()
        total += loss.item()
        kept += loss.detach()
        losses.append(loss.cpu().item())
    return total, kept, losses


def truncated(model, loader, optimizer):
    loss = 0
    for i, x in enumerate(loader):
        step_loss = model(x.cuda()).sum()
        loss += step_loss
        if i % 8 == 7:
            loss.backward()
            optimizer.step()
            loss = 0


def evaluate(model, loader):
    total = 0
    with torch.no_grad():
        for x in loader:
            loss = model(x.cuda()).sum()
            total += loss
    return total


def again(model, loader, optimizer):
    losses = []
    for x in loader:
        loss = model(x.cuda()).sum()
        loss.backward(retain_graph=True)
        losses.append(loss)
    sum(losses).backward()
    optimizer.step()
