def train(model, loader, optimizer):
    for x in loader:
        optimizer.zero_grad()  # want SAT506 "set to zero"
        loss = model(x.cuda()).sum()
        loss.backward()
        optimizer.step()
