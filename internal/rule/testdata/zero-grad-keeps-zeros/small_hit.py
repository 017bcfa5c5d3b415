import torch


def train(model, loader, optimizer):
    for x in loader:
        optimizer.zero_grad(set_to_none=False)  # want SAT506 "set to zero"
        loss = model(x.cuda()).sum()
        loss.backward()
        optimizer.step()
        model.zero_grad(False)  # want SAT506 "set to zero"
