def train(model, loader, optimizer, criterion):
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())  # want SAT401 "torch 1.4.0 .requirements.txt. has no autocast"
        loss.backward()
        optimizer.step()
