"""What happens at a few steps that a list names does not happen in every step."""
import torch


def train(model, loader, optimizer, criterion, milestones):
    model.cuda()
    for step, (x, y) in enumerate(loader):
        out = model(x.cuda(non_blocking=True))
        loss = criterion(out, y.cuda(non_blocking=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step in milestones:
            model.grow(out.detach().cpu())
        if step in range(10, 100000):
            model.note(out.detach().cpu())  # want SAT304 "copies to the host"
