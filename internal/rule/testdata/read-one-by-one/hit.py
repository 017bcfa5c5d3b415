import torch
from torch import nn


def decode(output, names):
    best = output.argmax(-1)
    texts = []
    for row in best:
        texts.append("".join(names[i.item()] for i in row))  # want SAT325 "waits for the GPU for each part"
    return texts


def accuracy(scores, labels):
    best = scores.argmax(-1)
    hits = 0
    for i in range(best.size(0)):
        hits += best[i].item() == 1  # want SAT325 "waits for the GPU for each part"
    return hits


def train(loader, held_out, names):
    model = nn.Linear(64, 30).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(10):
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x.cuda()), y.cuda())
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
        model.eval()
        with torch.no_grad():
            for x, y in held_out:
                scores = model(x.cuda())
                print(decode(scores, names), accuracy(scores, y))
        model.train()
