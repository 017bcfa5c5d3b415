import torch
from torch import nn


@torch.no_grad()
def evaluate(model, loader):
    total, guesses = 0, []
    for x, y in loader:
        scores = model(x.cuda())
        total += nn.functional.cross_entropy(scores, y.cuda())
        guesses.append(scores.argmax(1))
    return total.item(), torch.cat(guesses).cpu()  # once


@torch.no_grad()
def final(model, loader):
    for x, y in loader:
        print(model(x.cuda()).mean().item())  # after the training, once


def train(loader, held_out):
    model = nn.Linear(64, 30).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(10):
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x.cuda()), y.cuda())
            loss.backward()
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        model.eval()
        print(evaluate(model, held_out))
        model.train()
    final(model, held_out)
