def train(model, loader, optimizer, criterion):
    for x, y in loader:
        loss = criterion(model(x.cuda()), y.cuda())  # want SAT401 "cannot autocast to bfloat16"
        loss.backward()
        optimizer.step()
