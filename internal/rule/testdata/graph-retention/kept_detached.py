import torch


def train(model, loader, optimizer):
    model.cuda()
    total = 0
    kept = 0
    losses = []
    for x in loader:
        loss = model(x.cuda()).mean()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            kept += loss
            losses.append(loss)  # want SAT507 "together with their graph"
        loss = loss.detach()
        total += loss
    return total, kept, losses
