import torch


def train(model, loader, optimizer, criterion):
    total = 0
    losses = []
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss  # want SAT507 "with their graph"
        losses.append(loss)  # want SAT507 "with their graph"
    return total / len(loader), losses


def scaled(model, loader, optimizer, scaler):
    running_loss = 0.0
    for batch in loader:
        loss = model(batch.to("cuda"))
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        running_loss += loss  # want SAT507 "with their graph"
    print(running_loss)
