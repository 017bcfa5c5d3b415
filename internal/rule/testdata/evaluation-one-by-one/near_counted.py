import torch
from batches import construct


@torch.no_grad()
def evaluate(model, batches):
    right, total = 0, 0
    for x, y in batches:
        x = x.cuda()
        out = model([x])
        right += (out.argmax(-1).cpu() == y).sum()
        total += x.size(0)
    return right / total


def train(model, optimizer, config):
    batches, held_out = construct(config, "train"), construct(config, "val")
    model.cuda()
    for epoch in range(10):
        for x, y in batches:
            loss = torch.nn.functional.cross_entropy(model([x.cuda()]), y.cuda())
            loss.backward()
            optimizer.step()
        print(evaluate(model, held_out))
