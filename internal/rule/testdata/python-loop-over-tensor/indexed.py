"""Each number of the GPU that indexes something is waited for."""
import torch


def best(scores, owner):
    winners = scores.argmax(1)
    for row in range(winners.shape[0]):  # want SAT319 "winners one part at a time"
        owner[winners[row]] = row
    return owner


def train(model, loader, optimizer, names):
    model.cuda()
    for x in loader:
        scores = model(x.cuda(non_blocking=True))
        owner = torch.zeros(10, device="cuda", dtype=torch.long)
        owner = best(scores, owner)
        for at, name in enumerate(names):
            names[at] = name + 1
        loss = scores.sum() * owner.sum()
        loss.backward()
        optimizer.step()
