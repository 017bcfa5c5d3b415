import torch
from torch import nn


def recall(img, txt, ks=(1, 5)):
    sim = img @ txt.T
    hits = {k: 0 for k in ks}
    for i in range(sim.size(0)):
        order = sim[i].argsort(descending=True)
        rank = (order == i).nonzero().item()  # want SAT325 "order == i.* waits for the GPU for each part"
        for k in ks:
            hits[k] += rank < k
    return hits


def ranks(img, txt):
    sim = torch.matmul(img, txt.t())
    found = []
    for i, row in enumerate(sim):
        order = torch.argsort(row, descending=True)
        found.append(torch.where(order == i)[0].item())  # want SAT325 "waits for the GPU for each part"
    return found


def right(scores, labels):
    n = 0
    for s, label in zip(scores, labels):
        if s.argmax() == label:  # want SAT325 "== label waits"
            n += 1
    return n


def at_once(scores, labels):
    return (scores.argmax(1) == labels).sum().item()


def of_levels(outputs):  # a few tensors in a list
    total = 0.0
    for level in outputs:
        loss = (1 - level).pow(2).mean()
        total += loss.item()
    return total


def in_chunks(model, long):  # a model on each part, for its memory
    out = []
    for chunk in long.split(1000):
        y = model(chunk)
        out.append(y.cpu())
    return torch.cat(out)


def on_host(scores, labels):
    scores, labels = scores.cpu(), labels.cpu()
    n = 0
    for s, label in zip(scores, labels):
        if s.argmax() == label:
            n += 1
    return n


def train(loader, held_out):
    model = nn.Linear(64, 64).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(10):
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x.cuda()), y.cuda())
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
        model.eval()
        with torch.no_grad():
            imgs, txts, labels = [], [], []
            for x, t, y in held_out:
                imgs.append(model(x.cuda()))
                txts.append(model(t.cuda()))
                labels.append(y.cuda())
            a, b, y = torch.cat(imgs), torch.cat(txts), torch.cat(labels)
            print(recall(a, b), ranks(a, b), right(a, y), at_once(a, y), on_host(a, y))
            print(of_levels([a, b]), in_chunks(model, a))
        model.train()
