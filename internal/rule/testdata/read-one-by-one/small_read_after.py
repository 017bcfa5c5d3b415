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


def words(scores, names):
    return [names[i] for i in scores.argmax(-1).flatten().tolist()]


@torch.no_grad()
def texts(model, loader, names):
    told, rows = [], []
    for x, y in loader:
        told += words(model(x.cuda()).cpu(), names)  # Python makes words of it
        best = model(x.cuda()).argmax(-1).tolist()
        rows += ["".join(names[i] for i in row) for row in best]
    return told, rows


def train_again(loader, held_out, names):
    model = nn.Linear(64, 30).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(10):
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x.cuda()), y.cuda())
            loss.backward()
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        model.eval()
        print(texts(model, held_out, names))
        model.train()
